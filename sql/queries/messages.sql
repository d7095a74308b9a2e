-- name: SettingsLock :exec
-- SettingsLock keeps other transactions from changing a tenant's settings until this one ends.
SELECT t.tenant_id
FROM tenants t
WHERE t.tenant_id = $1
FOR NO KEY UPDATE;

