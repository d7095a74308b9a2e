-- name: TenantHoursGet :one
SELECT hours, settings_version
FROM tenants
WHERE tenant_id = $1;

-- name: TenantHoursSet :exec
-- TenantHoursSet raises the versions that a change of the settings raises.
UPDATE tenants
SET hours = sqlc.arg(hours), settings_version = settings_version + 1, catalog_version = catalog_version + 1
WHERE tenant_id = $1;

-- name: TenantRaiseCatalogVersion :exec
UPDATE tenants
SET catalog_version = catalog_version + 1
WHERE tenant_id = $1;
