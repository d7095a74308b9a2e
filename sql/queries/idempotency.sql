-- name: IdempotencyList :many
-- IdempotencyList reads the responses of several keys. A key that is unfinished has none yet. A response without a body of its own is the
-- data of a change.
SELECT k.key, k.fingerprint, coalesce(k.status, 0)::int AS status, (k.status IS NULL)::bool AS unfinished, k.location, k.etag,
    k.body, c.data, k.expires_at
FROM idempotency_keys k
LEFT JOIN changes c ON c.tenant_id = k.tenant_id AND c.subject_id = k.change_subject_id AND c.version = k.change_version AND NOT c.notice
WHERE k.tenant_id = $1 AND k.key = ANY (sqlc.arg(keys)::text[]);

-- name: IdempotencyInsert :exec
-- IdempotencyInsert stores a response: its body, or the change that has it. One row of VALUES costs less than one of unnest.
INSERT INTO idempotency_keys (tenant_id, key, fingerprint, status, location, etag, body, change_subject_id, change_version, created_at,
    expires_at)
VALUES (sqlc.arg(tenant_id), sqlc.arg(key), sqlc.arg(fingerprint), sqlc.arg(status)::int, sqlc.arg(location), sqlc.arg(etag),
    sqlc.narg(body), sqlc.narg(change_subject_id), sqlc.narg(change_version), sqlc.arg(created_at), sqlc.arg(expires_at));

-- name: IdempotencyInsertMany :exec
-- IdempotencyInsertMany stores responses, with an array for each column. The nil uuid means that a response has a body of its own.
INSERT INTO idempotency_keys (tenant_id, key, fingerprint, status, location, etag, body, change_subject_id, change_version, created_at,
    expires_at)
SELECT sqlc.arg(tenant_id), r.key, r.fingerprint, r.status, r.location, r.etag,
    CASE WHEN r.change_subject_id = '00000000-0000-0000-0000-000000000000' THEN r.body END,
    nullif(r.change_subject_id, '00000000-0000-0000-0000-000000000000'),
    CASE WHEN r.change_subject_id <> '00000000-0000-0000-0000-000000000000' THEN r.change_version END,
    sqlc.arg(created_at), sqlc.arg(expires_at)
FROM (
    SELECT unnest(sqlc.arg(keys)::text[]) AS key,
        unnest(sqlc.arg(fingerprints)::bytea[]) AS fingerprint,
        unnest(sqlc.arg(statuses)::int[]) AS status,
        unnest(sqlc.arg(locations)::text[]) AS location,
        unnest(sqlc.arg(etags)::text[]) AS etag,
        unnest(sqlc.arg(bodies)::bytea[]) AS body,
        unnest(sqlc.arg(change_subject_ids)::uuid[]) AS change_subject_id,
        unnest(sqlc.arg(change_versions)::bigint[]) AS change_version
) AS r;

-- name: IdempotencyDeleteExpired :exec
-- IdempotencyDeleteExpired makes room for a key that is used again after its life and before the cleanup.
DELETE FROM idempotency_keys
WHERE tenant_id = $1 AND key = $2 AND expires_at <= sqlc.arg(now)::timestamptz AND status IS NOT NULL;

-- name: IdempotencyBegin :exec
-- IdempotencyBegin takes a key for a request whose response comes later. It has no life to end before it has one.
INSERT INTO idempotency_keys (tenant_id, key, fingerprint, status, location, etag, body, created_at, expires_at)
VALUES (sqlc.arg(tenant_id), sqlc.arg(key), sqlc.arg(fingerprint), NULL, '', '', '', sqlc.arg(now), sqlc.arg(expires_at));

-- name: IdempotencyFinish :exec
-- IdempotencyFinish gives a key that was begun its response.
UPDATE idempotency_keys
SET status = sqlc.arg(status)::int, location = sqlc.arg(location), etag = sqlc.arg(etag), body = sqlc.arg(body),
    expires_at = sqlc.arg(expires_at)
WHERE tenant_id = $1 AND key = sqlc.arg(key) AND status IS NULL;
