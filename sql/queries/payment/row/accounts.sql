-- name: PaymentAccountGet :one
-- PaymentAccountGet reads a tenant's account at a provider, and how old what is known of it is.
SELECT account_id, fee_basis_points, can_charge, can_be_paid_out, requirements, refreshed_at, version, statement_timestamp()::timestamptz AS now
FROM payment_accounts
WHERE tenant_id = $1 AND provider = $2;

-- name: PaymentAccountPut :exec
INSERT INTO payment_accounts (tenant_id, provider, account_id, fee_basis_points, can_charge, can_be_paid_out, requirements, refreshed_at,
    version, created_at)
VALUES ($1, $2, sqlc.narg(account_id), sqlc.arg(fee_basis_points), sqlc.arg(can_charge), sqlc.arg(can_be_paid_out),
    sqlc.arg(requirements)::text[], sqlc.arg(refreshed_at), sqlc.arg(version), sqlc.arg(now))
ON CONFLICT (tenant_id, provider) DO UPDATE
SET account_id = excluded.account_id, fee_basis_points = excluded.fee_basis_points, can_charge = excluded.can_charge,
    can_be_paid_out = excluded.can_be_paid_out, requirements = excluded.requirements, refreshed_at = excluded.refreshed_at,
    version = excluded.version;

-- name: PaymentAccountTenants :many
-- PaymentAccountTenants lists the tenants that have an account at a provider. Those that have moved to another cell are read there.
SELECT a.tenant_id
FROM payment_accounts a
WHERE a.provider = $1 AND a.account_id = sqlc.arg(account_id)::text
  AND a.tenant_id <> ALL (ARRAY(SELECT m.tenant_id FROM tenant_moves m WHERE m.state = 'moved'))
ORDER BY a.tenant_id;

-- name: PaymentAccountListAcross :many
-- PaymentAccountListAcross lists the accounts at a provider that tenants have, or with which payments were made: of all tenants, or of one.
SELECT a.account_id::text AS account_id
FROM payment_accounts a
WHERE a.provider = sqlc.arg(provider) AND a.account_id IS NOT NULL
  AND (sqlc.narg(tenant)::uuid IS NULL OR a.tenant_id = sqlc.narg(tenant)::uuid)
  AND a.tenant_id <> ALL (ARRAY(SELECT m.tenant_id FROM tenant_moves m WHERE m.state = 'moved'))
UNION
SELECT p.account::text AS account_id
FROM payments p
WHERE p.provider = sqlc.arg(provider) AND p.account IS NOT NULL
  AND (sqlc.narg(tenant)::uuid IS NULL OR p.tenant_id = sqlc.narg(tenant)::uuid)
  AND p.tenant_id <> ALL (ARRAY(SELECT m.tenant_id FROM tenant_moves m WHERE m.state = 'moved'))
ORDER BY account_id;

-- name: PaymentAccountTenant :one
-- PaymentAccountTenant reads the status of the tenant whose account is changed.
SELECT status
FROM tenants
WHERE tenant_id = $1;
