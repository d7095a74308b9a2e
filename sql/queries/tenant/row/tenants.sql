-- name: TenantInsert :exec
INSERT INTO tenants (tenant_id, slug, name, time_zone, currency, created_at)
VALUES ($1, $2, $3, $4, $5, $6);

-- name: TenantGet :one
SELECT tenant_id, slug, name, time_zone, currency, catalog_version, created_at, status, status_reason, status_since, exported_at, export_id,
    settings_version
FROM tenants
WHERE tenant_id = $1;

-- name: TenantLock :exec
-- TenantLock keeps other transactions from changing a tenant, its settings, its API keys and its users until this one ends.
SELECT t.tenant_id
FROM tenants t
WHERE t.tenant_id = $1
FOR NO KEY UPDATE;

-- name: TenantList :many
-- TenantList lists all tenants by id, a page at a time, or finds the one with a slug. It leaves out tenants that have moved to another cell,
-- and without a status those that were deleted.
SELECT tenant_id, slug, name, time_zone, currency, created_at, status, status_reason, status_since, settings_version
FROM tenants
WHERE tenant_id > sqlc.arg(after)::uuid
  AND (sqlc.narg(slug)::text IS NULL OR slug = sqlc.narg(slug)::text)
  AND (status = sqlc.narg(status)::text OR sqlc.narg(status)::text IS NULL AND status <> 'deleted')
  AND tenants.tenant_id <> ALL (ARRAY(SELECT m.tenant_id FROM tenant_moves m WHERE m.state = 'moved'))
ORDER BY tenant_id
LIMIT sqlc.arg(row_limit)::int;

-- name: TenantListNames :many
-- TenantListNames lists all tenants by id, a page at a time.
SELECT tenant_id, slug
FROM tenants
WHERE tenant_id > sqlc.arg(after)
ORDER BY tenant_id
LIMIT sqlc.arg(row_limit);

-- name: TenantFind :many
-- TenantFind finds the tenants that have a text as their slug, or a given id: two at most.
SELECT tenant_id, slug, name, time_zone, currency, created_at, status
FROM tenants
WHERE slug = sqlc.arg(slug) OR tenant_id = sqlc.narg(id)::uuid
LIMIT 2;

-- name: TenantCorrect :exec
-- TenantCorrect also raises the catalog's version: the time zone and the currency are part of the rules by which bookings are made.
UPDATE tenants
SET slug = sqlc.arg(slug), name = sqlc.arg(name), time_zone = sqlc.arg(time_zone), currency = sqlc.arg(currency),
    settings_version = settings_version + 1, catalog_version = catalog_version + 1
WHERE tenant_id = $1;

-- name: TenantSetStatus :exec
UPDATE tenants
SET status = sqlc.arg(status), status_reason = sqlc.narg(status_reason), status_since = sqlc.arg(status_since)::timestamptz,
    settings_version = settings_version + 1
WHERE tenant_id = $1;

-- name: TenantSetExport :exec
-- TenantSetExport remembers the last complete export of a tenant.
UPDATE tenants
SET export_id = sqlc.arg(export_id)::uuid, exported_at = sqlc.arg(exported_at)::timestamptz
WHERE tenant_id = $1;

-- name: TenantContents :one
-- TenantContents tells what keeps a tenant's time zone or currency from being changed: whether it has what was made by them.
SELECT EXISTS (SELECT FROM services s WHERE s.tenant_id = $1)::bool AS services,
    EXISTS (SELECT FROM bookings b WHERE b.tenant_id = $1)::bool AS bookings,
    EXISTS (SELECT FROM blocks k WHERE k.tenant_id = $1)::bool AS blocks,
    EXISTS (SELECT FROM wallets w WHERE w.tenant_id = $1)::bool AS wallets,
    EXISTS (SELECT FROM payments p WHERE p.tenant_id = $1)::bool AS payments;

-- name: TenantOpenMoney :one
-- TenantOpenMoney tells what keeps a tenant from being deleted: payments and refunds without an outcome, ended bookings whose payments are
-- yet to be refunded or cancelled, and when the tenant's last change was written, 1970 if there is none.
SELECT (SELECT count(*) FROM payments p WHERE p.tenant_id = $1 AND p.status IN ('started', 'unknown', 'processing'))::bigint AS payments,
    (SELECT count(*) FROM ended_bookings e WHERE e.tenant_id = $1)::bigint AS refunds,
    coalesce((SELECT max(l.occurred_at)
     FROM (
         SELECT c.occurred_at
         FROM changes c
         WHERE c.tenant_id = $1
         ORDER BY c.transaction_id DESC, c.change_id DESC
         LIMIT 100
     ) AS l), 'epoch')::timestamptz AS last_change;
