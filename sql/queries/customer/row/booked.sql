-- name: CustomerKeep :exec
-- CustomerKeep keeps customers from being erased until the transaction ends, and waits for an erasure that is under way. 22012, a division
-- by zero, says that one was erased. A foreign key doesn't: it keeps the row, which an erased customer has too.
SELECT 1 / (k.erased_at IS NULL)::int AS kept
FROM customers k
WHERE k.tenant_id = $1 AND k.customer_id = ANY (sqlc.arg(customer_ids)::uuid[])
ORDER BY k.customer_id
FOR KEY SHARE;

-- name: CustomerInsert :exec
-- CustomerInsert leaves a customer that another booking made in the meantime as it is; the booking's foreign key
-- then fails, and the caller reads again. The change shows the customer as the API does (customer.DetailsBody),
-- with times that end in Z.
WITH c AS (
    INSERT INTO customers (tenant_id, customer_id, email, name, phone, time_zone, birthday, created_at, version,
        event_transaction_id)
    VALUES (sqlc.arg(tenant_id), sqlc.arg(customer_id), sqlc.arg(email), sqlc.arg(name), sqlc.narg(phone), sqlc.narg(time_zone),
        sqlc.narg(birthday), sqlc.arg(now), 1, (pg_current_xact_id()::text)::bigint)
    ON CONFLICT (tenant_id, email) DO NOTHING
    RETURNING tenant_id, customer_id, email, name, phone, time_zone, birthday, version, created_at, event_transaction_id
)
INSERT INTO changes (tenant_id, transaction_id, change_id, type, subject_type, subject_id, version, notice, api_key_id, user_id,
    request_id, operator, occurred_at, data)
SELECT c.tenant_id, c.event_transaction_id, sqlc.arg(change_id), 'customer.created', 'customer', c.customer_id, c.version, false,
    sqlc.narg(api_key_id)::uuid, sqlc.narg(user_id)::uuid, sqlc.narg(request_id)::text, sqlc.narg(operator)::text, sqlc.arg(now),
    json_strip_nulls(json_build_object('id', c.customer_id, 'name', c.name, 'email', c.email, 'phone', c.phone,
        'time_zone', c.time_zone, 'birthday', c.birthday, 'version', c.version,
        'created_at', rtrim(rtrim(to_char(c.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'), '0'), '.') || 'Z'))
FROM c;

-- name: CustomerUpdate :exec
-- CustomerUpdate fills in what is given where the customer has nothing, or replaces it with what is given. Another transaction may do so at
-- the same time: nothing is written if it filled in all that is given. That is why the
-- change is made of the row as it is after the update, and why the change gets a position after the
-- customer's last change: a transaction with a higher id may have changed the customer first. Readers wait for the transactions below
-- that position, so for this one as well. An erased customer stays as it is; the booking then fails, and the caller reads again.
WITH c AS (
    UPDATE customers k
    SET name = coalesce(sqlc.narg(name)::text, k.name),
        phone = CASE WHEN k.phone IS NULL OR sqlc.arg(replace)::bool THEN coalesce(sqlc.narg(phone)::text, k.phone) ELSE k.phone END,
        time_zone = CASE WHEN k.time_zone IS NULL OR sqlc.arg(replace) THEN coalesce(sqlc.narg(time_zone)::text, k.time_zone)
        ELSE k.time_zone END,
        birthday = CASE WHEN k.birthday IS NULL OR sqlc.arg(replace) THEN coalesce(sqlc.narg(birthday)::date, k.birthday)
        ELSE k.birthday END, version = k.version + 1,
        event_transaction_id = greatest((pg_current_xact_id()::text)::bigint, k.event_transaction_id + 1)
    WHERE k.tenant_id = sqlc.arg(tenant_id) AND k.customer_id = sqlc.arg(customer_id) AND k.erased_at IS NULL
      AND (sqlc.arg(replace)::bool OR k.phone IS NULL AND sqlc.narg(phone)::text IS NOT NULL
           OR k.time_zone IS NULL AND sqlc.narg(time_zone)::text IS NOT NULL OR k.birthday IS NULL
           AND sqlc.narg(birthday)::date IS NOT NULL)
    RETURNING k.tenant_id, k.customer_id, k.email, k.name, k.phone, k.time_zone, k.birthday, k.unsubscribed_at, k.archived_at, k.version,
        k.created_at, k.event_transaction_id
)
INSERT INTO changes (tenant_id, transaction_id, change_id, type, subject_type, subject_id, version, notice, api_key_id, user_id,
    request_id, operator, occurred_at, data)
SELECT c.tenant_id, c.event_transaction_id, sqlc.arg(change_id), 'customer.updated', 'customer', c.customer_id, c.version, false,
    sqlc.narg(api_key_id)::uuid, sqlc.narg(user_id)::uuid, sqlc.narg(request_id)::text, sqlc.narg(operator)::text, sqlc.arg(now),
    json_strip_nulls(json_build_object('id', c.customer_id, 'name', c.name, 'email', c.email, 'phone', c.phone,
        'time_zone', c.time_zone, 'birthday', c.birthday,
        'unsubscribed_at', rtrim(rtrim(to_char(c.unsubscribed_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'), '0'), '.') || 'Z',
        'archived_at', rtrim(rtrim(to_char(c.archived_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'), '0'), '.') || 'Z',
        'version', c.version,
        'created_at', rtrim(rtrim(to_char(c.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'), '0'), '.') || 'Z'))
FROM c;

-- name: CustomerList :many
-- CustomerList leaves out erased customers: nobody books for them any more.
SELECT *
FROM customers
WHERE tenant_id = $1 AND customer_id = ANY (sqlc.arg(customer_ids)::uuid[]) AND erased_at IS NULL;

-- name: CustomerListByEmail :many
SELECT *
FROM customers
WHERE tenant_id = $1 AND email = ANY (sqlc.arg(emails)::text[]);
