-- name: IdempotencyGet :one
SELECT fingerprint, status, location, etag, body, expires_at
FROM idempotency_keys
WHERE tenant_id = $1 AND key = $2;

-- name: IdempotencyInsert :exec
INSERT INTO idempotency_keys (tenant_id, key, fingerprint, status, location, etag, body, created_at, expires_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9);

-- name: IdempotencyDeleteExpired :exec
-- IdempotencyDeleteExpired makes room for a key that is used again after its life and before the cleanup.
DELETE FROM idempotency_keys
WHERE tenant_id = $1 AND key = $2 AND expires_at <= sqlc.arg(now)::timestamptz;
