-- What the benchmarks need besides Holdfast's own tables.

-- The rows that the strategy with row locks locks.
CREATE TABLE bench_days (
    tenant_id uuid NOT NULL,
    day       date NOT NULL,
    PRIMARY KEY (tenant_id, day)
);
ALTER TABLE bench_days ENABLE ROW LEVEL SECURITY;
ALTER TABLE bench_days FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON bench_days USING (tenant_id = NULLIF(current_setting('holdfast.tenant_id', true), '')::uuid);
GRANT SELECT, INSERT, UPDATE ON bench_days TO holdfast_app;

-- Which slot comes next where clients compete for few.
CREATE SEQUENCE bench_attempts;

CREATE FUNCTION bench_seller(n bigint) RETURNS uuid LANGUAGE sql IMMUTABLE AS $$
    SELECT ('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid
$$;

-- bench_fill makes sellers and the bookings that they begin with.
CREATE FUNCTION bench_fill(uncontended int, contended int, bookings_each int, payable int, first_day timestamptz, calendar_day timestamptz)
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO tenants (tenant_id, slug, name, time_zone, currency, created_at)
    SELECT bench_seller(n), 'seller-' || n, 'Seller', 'UTC', 'EUR', now() FROM generate_series(1, uncontended + contended) AS n;
    INSERT INTO resources (tenant_id, resource_id, name, capacity, hours, created_at, updated_at)
    SELECT bench_seller(n), bench_seller(n), 'Resource', CASE WHEN n <= uncontended THEN 1000 ELSE 1 END, '{}', now(), now()
    FROM generate_series(1, uncontended + contended) AS n;
    INSERT INTO services (tenant_id, service_id, spec, longest_minutes, created_at, updated_at)
    SELECT bench_seller(n), bench_seller(n), json_build_object('name', 'Service', 'kind', 'slot', 'duration_minutes', m, 'slot_interval_minutes', m,
        'booking_window_days', 3650, 'price', 0, 'price_per', 'booking'), m, now(), now()
    FROM generate_series(1, uncontended + contended) AS n, LATERAL (SELECT CASE WHEN n <= uncontended THEN 1 ELSE 60 END AS m) AS minutes;
    INSERT INTO service_resources (tenant_id, service_id, resource_id, position)
    SELECT bench_seller(n), bench_seller(n), bench_seller(n), 1 FROM generate_series(1, uncontended + contended) AS n;
    INSERT INTO customers (tenant_id, customer_id, email, name, created_at)
    SELECT bench_seller(n), bench_seller(n), 'bench@example.com', 'Ada Lovelace', now() FROM generate_series(1, uncontended + contended) AS n;

    -- A unit of its own for each booking of an uncontended seller, so that none can meet another.
    INSERT INTO bookings (tenant_id, booking_id, service_id, resource_id, customer_id, status, date, starts_at, ends_at, time_zone,
        party_size, busy_from, busy_until, price, deposit, currency, details, code, version, created_at, updated_at)
    SELECT s, gen_random_uuid(), s, s, s, 'confirmed', at::date, at, at + interval '1 minute', 'UTC', 1,
        at, at + interval '1 minute', 0, 0, 'EUR', '{}', 'U' || u, 1, now(), now()
    FROM (SELECT bench_seller(n) AS s, u,
            first_day + make_interval(days => (u * 7 + n) % 365, mins => (u * 331 + n) % 1440) AS at
        FROM generate_series(1, uncontended) AS n, generate_series(1, bookings_each) AS u) AS b;
    INSERT INTO bookings (tenant_id, booking_id, service_id, resource_id, customer_id, status, date, starts_at, ends_at, time_zone,
        party_size, busy_from, busy_until, price, deposit, currency, details, code, version, created_at, updated_at)
    SELECT s, gen_random_uuid(), s, s, s, 'confirmed', at::date, at, at + interval '1 hour', 'UTC', 1,
        at, at + interval '1 hour', 0, 0, 'EUR', '{}', 'C' || d || '-' || h, 1, now(), now()
    FROM (SELECT bench_seller(n) AS s, d, h, calendar_day + make_interval(days => d, hours => 8 + h) AS at
        FROM generate_series(uncontended + 1, uncontended + contended) AS n, generate_series(0, 89) AS d, generate_series(0, 9) AS h) AS b;
    INSERT INTO bookings (tenant_id, booking_id, service_id, resource_id, customer_id, status, date, starts_at, ends_at, time_zone,
        party_size, busy_from, busy_until, price, deposit, currency, details, code, version, created_at, updated_at)
    SELECT s, bench_seller(n), s, s, s, 'confirmed', at::date, at, at + interval '1 minute', 'UTC', 1,
        at, at + interval '1 minute', 10000, 0, 'EUR', '{}', 'P' || n, 1, now(), now()
    FROM (SELECT n, bench_seller(n % uncontended + 1) AS s, first_day + make_interval(days => 3000, mins => n / uncontended) AS at
        FROM generate_series(1, payable) AS n) AS b;
    INSERT INTO claims (tenant_id, owner_id, number, resource_id, units, busy_from, busy_until)
    SELECT b.tenant_id, b.booking_id, 1, b.resource_id, int4multirange(int4range(u.unit, u.unit + 1)), b.busy_from, b.busy_until
    FROM bookings b, LATERAL (SELECT CASE WHEN b.code LIKE 'U%' THEN substr(b.code, 2)::int % 1000 + 1 ELSE 1 END AS unit) AS u;

    -- No table is small: plans that were made for a few pages are kept while a table grows, as long as nothing analyzes it.
    INSERT INTO idempotency_keys (tenant_id, key, fingerprint, status, location, etag, body, created_at, expires_at)
    SELECT bench_seller(n), gen_random_uuid()::text, decode(repeat('00', 32), 'hex'), 201, '', '"1"', decode(repeat('20', 600), 'hex'),
        now(), now() + interval '30 days'
    FROM generate_series(1, uncontended + contended) AS n, generate_series(1, 20);
    INSERT INTO payments (tenant_id, payment_id, booking_id, kind, status, amount, currency, method, provider, fence, leased_until,
        first_sent_at, last_sent_at, created_at, updated_at)
    SELECT b.tenant_id, gen_random_uuid(), b.booking_id, 'balance', 'succeeded', 1, 'EUR', 'pm_ok', 'sandbox', 1, now(), now(), now(), now(), now()
    FROM bookings b WHERE b.price = 0 LIMIT 20000;
    INSERT INTO provider_events (tenant_id, provider, event_id, payment_id, received_at)
    SELECT p.tenant_id, p.provider, gen_random_uuid()::text, p.payment_id, now() FROM payments p;
    INSERT INTO changes (tenant_id, change_id, type, subject_type, subject_id, version, notice, occurred_at, data)
    SELECT bench_seller(n), gen_random_uuid(), 'booking.created', 'booking', gen_random_uuid(), 1, false, now(), to_json(repeat(' ', 598))
    FROM generate_series(1, uncontended + contended) AS n, generate_series(1, 20);
    INSERT INTO bench_days (tenant_id, day)
    SELECT bench_seller(n), (first_day + make_interval(days => d))::date
    FROM generate_series(1, uncontended + contended) AS n, generate_series(0, 19) AS d;
END
$$;
