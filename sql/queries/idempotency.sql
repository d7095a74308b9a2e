-- name: IdempotencyList :many
-- IdempotencyList reads the responses of several keys. A key that is unfinished has none yet.
SELECT key, fingerprint, coalesce(status, 0)::int AS status, (status IS NULL)::bool AS unfinished, location, etag, body, expires_at
FROM idempotency_keys
WHERE tenant_id = $1 AND key = ANY (sqlc.arg(keys)::text[]);

-- name: IdempotencyInsert :exec
-- IdempotencyInsert stores a response. One row of VALUES costs less than one of unnest.
INSERT INTO idempotency_keys (tenant_id, key, fingerprint, status, location, etag, body, created_at, expires_at)
VALUES (sqlc.arg(tenant_id), sqlc.arg(key), sqlc.arg(fingerprint), sqlc.arg(status)::int, sqlc.arg(location), sqlc.arg(etag), sqlc.arg(body),
    sqlc.arg(created_at), sqlc.arg(expires_at));

-- name: IdempotencyInsertMany :exec
-- IdempotencyInsertMany stores responses, with an array for each column.
INSERT INTO idempotency_keys (tenant_id, key, fingerprint, status, location, etag, body, created_at, expires_at)
SELECT sqlc.arg(tenant_id), r.key, r.fingerprint, r.status, r.location, r.etag, r.body, sqlc.arg(created_at), r.expires_at
FROM (
    SELECT unnest(sqlc.arg(keys)::text[]) AS key,
        unnest(sqlc.arg(fingerprints)::bytea[]) AS fingerprint,
        unnest(sqlc.arg(statuses)::int[]) AS status,
        unnest(sqlc.arg(locations)::text[]) AS location,
        unnest(sqlc.arg(etags)::text[]) AS etag,
        unnest(sqlc.arg(bodies)::bytea[]) AS body,
        unnest(sqlc.arg(expires_at)::timestamptz[]) AS expires_at
) AS r;

-- name: IdempotencyDeleteExpired :exec
-- IdempotencyDeleteExpired makes room for a key that is used again after its life and before the cleanup.
DELETE FROM idempotency_keys
WHERE tenant_id = $1 AND key = $2 AND expires_at <= sqlc.arg(now)::timestamptz AND status IS NOT NULL;
