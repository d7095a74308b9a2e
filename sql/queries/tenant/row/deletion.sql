-- The deletion of a tenant. It runs as a role that sees the rows of a tenant only while the tenant is deleting. What deletes the rows stands
-- in deletion_rows.sql.

-- name: TenantDeletionRole :exec
-- TenantDeletionRole lets the rest of a transaction delete what a tenant has that is deleting.
SELECT set_config('role', 'holdfast_deleter', true);

-- name: TenantDeletionNext :many
-- TenantDeletionNext finds a tenant that is deleting, and that hasn't moved to another cell, which deletes it.
SELECT t.tenant_id
FROM tenants t
WHERE t.status = 'deleting' AND t.tenant_id <> ALL (ARRAY(SELECT m.tenant_id FROM tenant_moves m WHERE m.state = 'moved'))
ORDER BY t.tenant_id
LIMIT 1;

-- name: TenantDeletionLock :one
-- TenantDeletionLock has the servers delete one batch of a tenant at a time, and lets the rest of the transaction see the tenant's rows.
SELECT t.tenant_id, set_config('holdfast.deleting', t.tenant_id::text, true)::text AS setting
FROM tenants t
WHERE t.tenant_id = $1 AND t.status = 'deleting'
FOR NO KEY UPDATE;

-- name: TenantDeletionFinish :exec
-- TenantDeletionFinish leaves nothing of a tenant but its id, and frees its slug.
UPDATE tenants
SET status = 'deleted', status_since = sqlc.arg(now)::timestamptz, slug = sqlc.arg(slug), name = '', settings = '{}',
    email_templates = '{}', status_reason = NULL, hours = '{}', exported_at = NULL, export_id = NULL
WHERE tenant_id = $1 AND status = 'deleting';
