-- name: TenantInsert :exec
INSERT INTO tenants (tenant_id, slug, name, time_zone, currency, created_at)
VALUES ($1, $2, $3, $4, $5, $6);

-- name: TenantGet :one
SELECT tenant_id, slug, name, time_zone, currency, catalog_version, created_at
FROM tenants
WHERE tenant_id = $1;

-- name: TenantRaiseCatalogVersion :exec
UPDATE tenants
SET catalog_version = catalog_version + 1
WHERE tenant_id = $1;

-- name: TenantAny :one
-- TenantAny tells whether there has ever been a tenant. It asks for the table's size, since row-level security hides
-- the rows from most roles.
SELECT pg_relation_size('tenants') > 0 AS found;

-- name: APIKeyInsert :exec
INSERT INTO api_keys (tenant_id, api_key_id, prefix, hash, created_at)
VALUES ($1, $2, $3, $4, $5);

-- name: APIKeyGetByPrefix :one
SELECT k.api_key_id, k.hash, k.revoked_at, t.slug, t.name, t.time_zone, t.currency, t.created_at
FROM api_keys k
JOIN tenants t ON t.tenant_id = k.tenant_id
WHERE k.tenant_id = $1 AND k.prefix = $2;

-- name: APIKeyGet :one
SELECT api_key_id, prefix, created_at, revoked_at
FROM api_keys
WHERE tenant_id = $1 AND api_key_id = $2;

-- name: APIKeyRevoke :exec
UPDATE api_keys
SET revoked_at = sqlc.arg(now)::timestamptz
WHERE tenant_id = $1 AND api_key_id = $2 AND revoked_at IS NULL;
