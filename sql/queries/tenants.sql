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

-- name: TenantList :many
-- TenantList lists all tenants by id, a page at a time, or finds the one with a slug.
SELECT tenant_id, slug, name, time_zone, currency, created_at
FROM tenants
WHERE tenant_id > sqlc.arg(after)::uuid
  AND (sqlc.narg(slug)::text IS NULL OR slug = sqlc.narg(slug)::text)
ORDER BY tenant_id
LIMIT sqlc.arg(row_limit)::int;
