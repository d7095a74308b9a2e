-- name: IdempotencyGet :one
-- IdempotencyGet reads an answer. A key that is unfinished has none yet.
SELECT fingerprint, coalesce(status, 0)::int AS status, (status IS NULL)::bool AS unfinished, location, etag, body, expires_at
FROM idempotency_keys
WHERE tenant_id = $1 AND key = $2;

-- name: IdempotencyList :many
-- IdempotencyList reads the answers of several keys.
SELECT key, fingerprint, coalesce(status, 0)::int AS status, (status IS NULL)::bool AS unfinished, location, etag, body, expires_at
FROM idempotency_keys
WHERE tenant_id = $1 AND key = ANY (sqlc.arg(keys)::text[]);

-- name: IdempotencyInsert :exec
INSERT INTO idempotency_keys (tenant_id, key, fingerprint, status, location, etag, body, created_at, expires_at)
VALUES (sqlc.arg(tenant_id), sqlc.arg(key), sqlc.arg(fingerprint), sqlc.arg(status)::int, sqlc.arg(location),
    sqlc.arg(etag), sqlc.arg(body), sqlc.arg(created_at), sqlc.arg(expires_at));

-- name: IdempotencyDeleteExpired :exec
-- IdempotencyDeleteExpired makes room for a key that is used again after its life and before the cleanup.
DELETE FROM idempotency_keys
WHERE tenant_id = $1 AND key = $2 AND expires_at <= sqlc.arg(now)::timestamptz AND status IS NOT NULL;
