-- name: EventTenantList :many
-- EventTenantList finds a tenant by its slug or its id. A slug may look like an id: then there may be two tenants.
SELECT tenant_id
FROM tenants
WHERE slug = sqlc.arg(slug)::text OR tenant_id = sqlc.narg(id)::uuid;
