-- name: Baseline
-- bench_book does in one call what Holdfast sends for a booking: the same settings, the lock, the same reads and the same
-- writes. A function is VOLATILE unless it says otherwise, so each statement has a snapshot of its own, newer than the lock.
-- It returns false when the slot is taken.
CREATE FUNCTION bench_book(lock_key bigint, seller uuid, starts timestamptz, ends timestamptz, capacity int)
RETURNS boolean LANGUAGE plpgsql AS $f$
DECLARE
    request   text := gen_random_uuid()::text;
    moment    timestamptz;
    catalog   bigint;
    answer    idempotency_keys;
    customer  customers;
    unit      int;
    booking   uuid;
    change    uuid;
BEGIN
    PERFORM clock_timestamp(), concat(
        set_config('role', 'holdfast_app', true),
        set_config('plan_cache_mode', 'force_generic_plan', true),
        set_config('holdfast.tenant_id', seller::text, true),
        set_config('lock_timeout', '5000', true),
        set_config('statement_timeout', '15000', true),
        set_config('idle_in_transaction_session_timeout', '10000', true));
    PERFORM pg_catalog.pg_advisory_xact_lock($1);
    SELECT clock_timestamp(), t.catalog_version INTO moment, catalog FROM tenants t WHERE t.tenant_id = seller;
    SELECT k.* INTO answer
    FROM idempotency_keys k
    LEFT JOIN changes c ON c.tenant_id = k.tenant_id AND c.subject_id = k.change_subject_id AND c.version = k.change_version AND NOT c.notice
    WHERE k.tenant_id = seller AND k.key = request;
    SELECT coalesce(max(upper(b.units)), 1) INTO unit
    FROM unnest(ARRAY[seller]) AS r (resource_id)
    CROSS JOIN LATERAL (
        SELECT o.owner_id, o.resource_id, o.units, o.busy_from, o.busy_until, o.expires_at
        FROM claims o
        WHERE o.tenant_id = seller AND o.resource_id = r.resource_id AND o.busy_from >= starts - (ends - starts)
          AND o.busy_from < ends AND o.busy_until > starts
        OFFSET 0
    ) AS b;
    SELECT c.* INTO customer FROM customers c WHERE c.tenant_id = seller AND c.email = 'bench@example.com';
    IF unit > capacity THEN
        RETURN false;
    END IF;
    -- The time in front, as in the ids that Holdfast makes: new rows lie beside each other in the index.
    booking := encode(overlay(uuid_send(gen_random_uuid()) PLACING
        substring(int8send((extract(epoch FROM moment) * 1000)::bigint) FROM 3) FROM 1 FOR 6), 'hex')::uuid;
    change := encode(overlay(uuid_send(gen_random_uuid()) PLACING
        substring(int8send((extract(epoch FROM moment) * 1000)::bigint) FROM 3) FROM 1 FOR 6), 'hex')::uuid;
    WITH answer AS (
        INSERT INTO idempotency_keys (tenant_id, key, fingerprint, status, location, etag, change_subject_id, change_version, created_at, expires_at)
        VALUES (seller, request, decode(repeat('00', 32), 'hex'), 201, '/v1/bookings/' || request, '"1"',
            booking, 1, moment, moment + interval '30 days')
    ), claim AS (
        INSERT INTO claims (tenant_id, owner_id, number, resource_id, units, busy_from, busy_until)
        VALUES (seller, booking, 1, seller, int4multirange(int4range(unit, unit + 1)), starts, ends)
    )
    INSERT INTO bookings (tenant_id, booking_id, service_id, resource_id, customer_id, status, date, starts_at, ends_at, time_zone,
        party_size, busy_from, busy_until, hold_expires_at, price, deposit, currency, details, code, version, created_at, updated_at)
    VALUES (seller, booking, seller, seller, customer.customer_id, 'confirmed', (starts AT TIME ZONE 'UTC')::date, starts, ends, 'UTC',
        1, starts, ends, NULL, 0, 0, 'EUR', '{}', left(md5(booking::text), 12), 1, moment, moment);
    INSERT INTO changes (tenant_id, change_id, type, subject_type, subject_id, version, notice, occurred_at, data)
    VALUES (seller, change, 'booking.created', 'booking', booking, 1, false, moment, to_json(repeat(' ', 598)));
    RETURN true;
END
$f$;
