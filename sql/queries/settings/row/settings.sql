-- name: SettingsGet :one
-- SettingsGet has of the logo only its hash; empty without one.
SELECT t.slug, t.name, t.time_zone, t.currency, t.settings, t.email_templates, t.settings_version, t.created_at,
    coalesce((SELECT l.hash FROM logos l WHERE l.tenant_id = $1), '')::text AS logo_hash
FROM tenants t
WHERE t.tenant_id = $1;

-- name: SettingsSet :exec
-- SettingsSet also raises the catalog's version: the settings are part of the rules by which bookings are made.
UPDATE tenants
SET name = sqlc.arg(name), settings = sqlc.arg(settings), email_templates = sqlc.arg(email_templates),
    settings_version = settings_version + 1, catalog_version = catalog_version + 1
WHERE tenant_id = $1;

-- name: SettingsRaiseVersion :exec
-- SettingsRaiseVersion tells readers of the settings of a change that isn't among the rules by which bookings are made.
UPDATE tenants
SET settings_version = settings_version + 1
WHERE tenant_id = $1;
