-- name: APIKeyInsert :exec
INSERT INTO api_keys (tenant_id, api_key_id, prefix, hash, name, scopes, created_at)
VALUES ($1, $2, $3, $4, $5, $6, $7);

-- name: APIKeyGetByPrefix :one
SELECT k.api_key_id, k.hash, k.scopes,
    (k.revoked_at IS NOT NULL OR coalesce(k.expires_at <= clock_timestamp(), false))::bool AS ended,
    t.slug, t.name, t.time_zone, t.currency, t.created_at, t.status,
    coalesce(t.settings #> '{website,origins}', '[]')::jsonb AS origins
FROM api_keys k
JOIN tenants t ON t.tenant_id = k.tenant_id
WHERE k.tenant_id = $1 AND k.prefix = $2;

-- name: APIKeyGet :one
SELECT *
FROM api_keys
WHERE tenant_id = $1 AND api_key_id = $2;

-- name: APIKeyList :many
SELECT *
FROM api_keys
WHERE tenant_id = $1 AND api_key_id > sqlc.arg(after)::uuid
ORDER BY api_key_id
LIMIT sqlc.arg(row_limit)::int;

-- name: APIKeyCounts :one
-- APIKeyCounts counts a tenant's keys that work, and those of them, besides one key, that have the scope admin and no end.
SELECT count(*)::int AS working,
    count(*) FILTER (WHERE 'admin' = ANY (scopes) AND expires_at IS NULL AND api_key_id <> $2)::int AS other_admins
FROM api_keys
WHERE tenant_id = $1 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > clock_timestamp());

-- name: APIKeyUpdate :exec
UPDATE api_keys
SET name = $3, scopes = $4
WHERE tenant_id = $1 AND api_key_id = $2;

-- name: APIKeyExpire :exec
-- APIKeyExpire sets when a key ends. A key that ends sooner already keeps its end.
UPDATE api_keys
SET expires_at = least(expires_at, sqlc.arg(expires_at)::timestamptz)
WHERE tenant_id = $1 AND api_key_id = $2;

-- name: APIKeyRevoke :exec
UPDATE api_keys
SET revoked_at = sqlc.arg(now)::timestamptz
WHERE tenant_id = $1 AND api_key_id = $2 AND revoked_at IS NULL;

-- name: APIKeyRecordUse :exec
-- APIKeyRecordUse records that keys were used lately, unless this, or another server, did so within the last half minute. It waits for no
-- row: a key that is being changed at this moment is left out.
WITH used AS (
    SELECT k.tenant_id, k.api_key_id
    FROM api_keys k
    JOIN (SELECT unnest(sqlc.arg(tenant_ids)::uuid[]) AS tenant_id, unnest(sqlc.arg(api_key_ids)::uuid[]) AS api_key_id) u
        ON k.tenant_id = u.tenant_id AND k.api_key_id = u.api_key_id
    WHERE k.last_used_at IS NULL OR k.last_used_at < statement_timestamp() - interval '30 seconds'
    FOR NO KEY UPDATE OF k SKIP LOCKED
)
UPDATE api_keys
SET last_used_at = statement_timestamp()
FROM used
WHERE api_keys.tenant_id = used.tenant_id AND api_keys.api_key_id = used.api_key_id;
