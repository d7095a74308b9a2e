-- name: CustomerGet :one
SELECT *
FROM customers
WHERE tenant_id = $1 AND customer_id = $2;

-- name: CustomerLock :exec
-- CustomerLock keeps others from changing customers, and from booking for them, until the transaction ends. It locks them in the order of
-- their ids.
SELECT customer_id
FROM customers
WHERE tenant_id = $1 AND customer_id = ANY (sqlc.arg(customer_ids)::uuid[])
ORDER BY customer_id
FOR UPDATE;

-- name: CustomerPage :many
SELECT *
FROM customers
WHERE tenant_id = $1 AND customer_id > sqlc.arg(after)::uuid AND erased_at IS NULL AND archived_at IS NULL
ORDER BY customer_id
LIMIT sqlc.arg(row_limit)::int;

-- name: CustomerPageArchived :many
-- CustomerPageArchived is apart from CustomerPage so that it reads the index of archived customers.
SELECT *
FROM customers
WHERE tenant_id = $1 AND customer_id > sqlc.arg(after)::uuid AND erased_at IS NULL AND archived_at IS NOT NULL
ORDER BY customer_id
LIMIT sqlc.arg(row_limit)::int;

-- name: CustomerWithEmail :many
SELECT *
FROM customers
WHERE tenant_id = $1 AND email = sqlc.arg(email);

-- name: CustomerSearch :many
-- CustomerSearch lists the customers of whom the name, email or phone begins with one of some texts, by id. Texts are compared as bytes: a
-- text begins with low[i] if it is in [low[i], high[i]). Each look-up reads one index from a place to another. scan_limit bounds what is
-- read of each.
SELECT k.*
FROM (
    SELECT n.customer_id
    FROM (SELECT unnest(sqlc.arg(low)::text[])::text AS low, unnest(sqlc.arg(high)::text[])::text AS high) AS r
    CROSS JOIN LATERAL (
        SELECT c.customer_id
        FROM customers c
        WHERE c.tenant_id = $1 AND c.name COLLATE "C" >= r.low AND c.name COLLATE "C" < r.high
        ORDER BY c.name COLLATE "C"
        LIMIT sqlc.arg(scan_limit)::int
    ) AS n
    UNION
    SELECT e.customer_id
    FROM (SELECT unnest(sqlc.arg(low)::text[])::text AS low, unnest(sqlc.arg(high)::text[])::text AS high) AS r
    CROSS JOIN LATERAL (
        SELECT c.customer_id
        FROM customers c
        WHERE c.tenant_id = $1 AND c.email COLLATE "C" >= r.low AND c.email COLLATE "C" < r.high
        ORDER BY c.email COLLATE "C"
        LIMIT sqlc.arg(scan_limit)::int
    ) AS e
    UNION
    SELECT p.customer_id
    FROM (SELECT unnest(sqlc.arg(low)::text[])::text AS low, unnest(sqlc.arg(high)::text[])::text AS high) AS r
    CROSS JOIN LATERAL (
        SELECT c.customer_id
        FROM customers c
        WHERE c.tenant_id = $1 AND c.phone IS NOT NULL AND c.phone COLLATE "C" >= r.low AND c.phone COLLATE "C" < r.high
        ORDER BY c.phone COLLATE "C"
        LIMIT sqlc.arg(scan_limit)::int
    ) AS p
) AS found
-- LIMIT keeps the planner from reading all customers to join a few.
CROSS JOIN LATERAL (
    SELECT c.*
    FROM customers c
    WHERE c.tenant_id = $1 AND c.customer_id = found.customer_id
    LIMIT 1
) AS k
WHERE found.customer_id > sqlc.arg(after)::uuid AND k.erased_at IS NULL AND (k.archived_at IS NOT NULL) = sqlc.arg(archived)::bool
ORDER BY found.customer_id
LIMIT sqlc.arg(row_limit)::int;

-- name: CustomerCreate :exec
-- CustomerCreate writes a customer and its change. 23505 says that another customer has the email.
WITH c AS (
    INSERT INTO customers (tenant_id, customer_id, email, name, phone, time_zone, birthday, created_at, version, event_transaction_id)
    VALUES (sqlc.arg(tenant_id), sqlc.arg(customer_id), sqlc.arg(email), sqlc.arg(name), sqlc.narg(phone), sqlc.narg(time_zone),
        sqlc.narg(birthday), sqlc.arg(now), 1, (pg_current_xact_id()::text)::bigint)
    RETURNING tenant_id, customer_id, version, event_transaction_id
)
INSERT INTO changes (tenant_id, transaction_id, change_id, type, subject_type, subject_id, version, notice, api_key_id, user_id,
    request_id, operator, occurred_at, data)
SELECT c.tenant_id, c.event_transaction_id, sqlc.arg(change_id), sqlc.arg(type), 'customer', c.customer_id, c.version, false,
    sqlc.narg(api_key_id)::uuid, sqlc.narg(user_id)::uuid, sqlc.narg(request_id)::text, sqlc.narg(operator)::text, sqlc.arg(now), sqlc.arg(data)
FROM c;

-- name: CustomerSet :exec
-- CustomerSet writes the customer that was read with its lock, and its change, which gets a position after the
-- customer's last change, as in CustomerUpdate.
WITH c AS (
    UPDATE customers k
    SET email = sqlc.arg(email), name = sqlc.arg(name), phone = sqlc.narg(phone), time_zone = sqlc.narg(time_zone),
        birthday = sqlc.narg(birthday), unsubscribed_at = sqlc.narg(unsubscribed_at), erased_at = sqlc.narg(erased_at),
        merged_into = sqlc.narg(merged_into), archived_at = sqlc.narg(archived_at),
        version = sqlc.arg(version),
        event_transaction_id = greatest((pg_current_xact_id()::text)::bigint, k.event_transaction_id + 1)
    WHERE k.tenant_id = sqlc.arg(tenant_id) AND k.customer_id = sqlc.arg(customer_id)
    RETURNING k.tenant_id, k.customer_id, k.version, k.event_transaction_id
)
INSERT INTO changes (tenant_id, transaction_id, change_id, type, subject_type, subject_id, version, notice, api_key_id, user_id,
    request_id, operator, occurred_at, data)
SELECT c.tenant_id, c.event_transaction_id, sqlc.arg(change_id), sqlc.arg(type), 'customer', c.customer_id, c.version, false,
    sqlc.narg(api_key_id)::uuid, sqlc.narg(user_id)::uuid, sqlc.narg(request_id)::text, sqlc.narg(operator)::text, sqlc.arg(now), sqlc.arg(data)
FROM c;
