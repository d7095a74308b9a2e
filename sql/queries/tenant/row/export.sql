-- Generated from internal/cell/tables by make generate/tables. What a tenant has, for its export: a page of each table, by its key, after
-- the last row of the page before. A row is JSON, without secrets.

-- name: TenantExportTenants :many
SELECT (to_jsonb(r) - 'tenant_id' - 'export_id')::jsonb AS row
FROM tenants r
WHERE r.tenant_id = $1 AND sqlc.arg(after)::jsonb = '{}';

-- name: TenantExportResources :many
SELECT (to_jsonb(r) - 'tenant_id')::jsonb AS row
FROM resources r
WHERE r.tenant_id = $1
  AND r.resource_id > coalesce((sqlc.arg(after)::jsonb ->> 'resource_id')::uuid, '00000000-0000-0000-0000-000000000000')
ORDER BY r.resource_id
LIMIT 200;

-- name: TenantExportServices :many
SELECT (to_jsonb(r) - 'tenant_id')::jsonb AS row
FROM services r
WHERE r.tenant_id = $1
  AND r.service_id > coalesce((sqlc.arg(after)::jsonb ->> 'service_id')::uuid, '00000000-0000-0000-0000-000000000000')
ORDER BY r.service_id
LIMIT 200;

-- name: TenantExportServiceResources :many
SELECT (to_jsonb(r) - 'tenant_id')::jsonb AS row
FROM service_resources r
WHERE r.tenant_id = $1
  AND (r.service_id, r.resource_id) > (
        coalesce((sqlc.arg(after)::jsonb ->> 'service_id')::uuid, '00000000-0000-0000-0000-000000000000'),
        coalesce((sqlc.arg(after)::jsonb ->> 'resource_id')::uuid, '00000000-0000-0000-0000-000000000000'))
ORDER BY r.service_id, r.resource_id
LIMIT 200;

-- name: TenantExportClosures :many
SELECT (to_jsonb(r) - 'tenant_id')::jsonb AS row
FROM closures r
WHERE r.tenant_id = $1
  AND r.closure_id > coalesce((sqlc.arg(after)::jsonb ->> 'closure_id')::uuid, '00000000-0000-0000-0000-000000000000')
ORDER BY r.closure_id
LIMIT 200;

-- name: TenantExportBlocks :many
SELECT (to_jsonb(r) - 'tenant_id')::jsonb AS row
FROM blocks r
WHERE r.tenant_id = $1
  AND r.block_id > coalesce((sqlc.arg(after)::jsonb ->> 'block_id')::uuid, '00000000-0000-0000-0000-000000000000')
ORDER BY r.block_id
LIMIT 200;

-- name: TenantExportCustomers :many
SELECT (to_jsonb(r) - 'tenant_id')::jsonb AS row
FROM customers r
WHERE r.tenant_id = $1
  AND r.customer_id > coalesce((sqlc.arg(after)::jsonb ->> 'customer_id')::uuid, '00000000-0000-0000-0000-000000000000')
ORDER BY r.customer_id
LIMIT 200;

-- name: TenantExportFormerCustomers :many
SELECT (to_jsonb(r) - 'tenant_id')::jsonb AS row
FROM former_customers r
WHERE r.tenant_id = $1
  AND (r.booking_id, r.version) > (
        coalesce((sqlc.arg(after)::jsonb ->> 'booking_id')::uuid, '00000000-0000-0000-0000-000000000000'),
        coalesce((sqlc.arg(after)::jsonb ->> 'version')::bigint, -9223372036854775808))
ORDER BY r.booking_id, r.version
LIMIT 200;

-- name: TenantExportBookings :many
SELECT (to_jsonb(r) - 'tenant_id' - 'details' || '{"metadata": {}}' || r.details::jsonb || jsonb_build_object('version', r.version + (
    SELECT count(*)
    FROM payments p
    WHERE p.tenant_id = r.tenant_id AND p.booking_id = r.booking_id AND p.status = 'succeeded')))::jsonb AS row
FROM bookings r
WHERE r.tenant_id = $1
  AND r.booking_id > coalesce((sqlc.arg(after)::jsonb ->> 'booking_id')::uuid, '00000000-0000-0000-0000-000000000000')
ORDER BY r.booking_id
LIMIT 200;

-- name: TenantExportClaims :many
SELECT (to_jsonb(r) - 'tenant_id')::jsonb AS row
FROM claims r
WHERE r.tenant_id = $1
  AND (r.owner_id, r.number) > (
        coalesce((sqlc.arg(after)::jsonb ->> 'owner_id')::uuid, '00000000-0000-0000-0000-000000000000'),
        coalesce((sqlc.arg(after)::jsonb ->> 'number')::smallint, -32768))
ORDER BY r.owner_id, r.number
LIMIT 200;

-- name: TenantExportWallets :many
SELECT (to_jsonb(r) - 'tenant_id' - 'code_hash')::jsonb AS row
FROM wallets r
WHERE r.tenant_id = $1
  AND r.wallet_id > coalesce((sqlc.arg(after)::jsonb ->> 'wallet_id')::uuid, '00000000-0000-0000-0000-000000000000')
ORDER BY r.wallet_id
LIMIT 200;

-- name: TenantExportWalletEntries :many
SELECT (to_jsonb(r) - 'tenant_id')::jsonb AS row
FROM wallet_entries r
WHERE r.tenant_id = $1
  AND (r.wallet_id, r.version) > (
        coalesce((sqlc.arg(after)::jsonb ->> 'wallet_id')::uuid, '00000000-0000-0000-0000-000000000000'),
        coalesce((sqlc.arg(after)::jsonb ->> 'version')::bigint, -9223372036854775808))
ORDER BY r.wallet_id, r.version
LIMIT 200;

-- name: TenantExportWalletPostings :many
SELECT (to_jsonb(r) - 'tenant_id')::jsonb AS row
FROM wallet_postings r
WHERE r.tenant_id = $1
  AND (r.movement_id, r.position) > (
        coalesce((sqlc.arg(after)::jsonb ->> 'movement_id')::uuid, '00000000-0000-0000-0000-000000000000'),
        coalesce((sqlc.arg(after)::jsonb ->> 'position')::smallint, -32768))
ORDER BY r.movement_id, r.position
LIMIT 200;

-- name: TenantExportWalletSnapshots :many
SELECT (to_jsonb(r) - 'tenant_id')::jsonb AS row
FROM wallet_snapshots r
WHERE r.tenant_id = $1
  AND (r.wallet_id, r.version) > (
        coalesce((sqlc.arg(after)::jsonb ->> 'wallet_id')::uuid, '00000000-0000-0000-0000-000000000000'),
        coalesce((sqlc.arg(after)::jsonb ->> 'version')::bigint, -9223372036854775808))
ORDER BY r.wallet_id, r.version
LIMIT 200;

-- name: TenantExportPayments :many
SELECT (to_jsonb(r) - 'tenant_id' - 'client_secret' - 'return_url' - CASE WHEN r.provider = 'offline' THEN '' ELSE 'method' END)::jsonb AS row
FROM payments r
WHERE r.tenant_id = $1
  AND r.payment_id > coalesce((sqlc.arg(after)::jsonb ->> 'payment_id')::uuid, '00000000-0000-0000-0000-000000000000')
ORDER BY r.payment_id
LIMIT 200;

-- name: TenantExportEndedBookings :many
SELECT (to_jsonb(r) - 'tenant_id')::jsonb AS row
FROM ended_bookings r
WHERE r.tenant_id = $1
  AND r.booking_id > coalesce((sqlc.arg(after)::jsonb ->> 'booking_id')::uuid, '00000000-0000-0000-0000-000000000000')
ORDER BY r.booking_id
LIMIT 200;

-- name: TenantExportProviderEvents :many
SELECT (to_jsonb(r) - 'tenant_id')::jsonb AS row
FROM provider_events r
WHERE r.tenant_id = $1
  AND (r.provider, r.event_id) > (
        coalesce((sqlc.arg(after)::jsonb ->> 'provider')::text, ''),
        coalesce((sqlc.arg(after)::jsonb ->> 'event_id')::text, ''))
ORDER BY r.provider, r.event_id
LIMIT 200;

-- name: TenantExportScheduledEvents :many
SELECT (to_jsonb(r) - 'tenant_id')::jsonb AS row
FROM scheduled_events r
WHERE r.tenant_id = $1
  AND r.event_id > coalesce((sqlc.arg(after)::jsonb ->> 'event_id')::uuid, '00000000-0000-0000-0000-000000000000')
ORDER BY r.event_id
LIMIT 200;

-- name: TenantExportEventAttempts :many
SELECT (to_jsonb(r) - 'tenant_id')::jsonb AS row
FROM event_attempts r
WHERE r.tenant_id = $1
  AND (r.event_id, r.attempt_id) > (
        coalesce((sqlc.arg(after)::jsonb ->> 'event_id')::uuid, '00000000-0000-0000-0000-000000000000'),
        coalesce((sqlc.arg(after)::jsonb ->> 'attempt_id')::uuid, '00000000-0000-0000-0000-000000000000'))
ORDER BY r.event_id, r.attempt_id
LIMIT 200;

-- name: TenantExportChanges :many
SELECT (to_jsonb(r) - 'tenant_id' #- CASE WHEN r.type LIKE 'payment.%' AND r.data ->> 'payment' IS NOT NULL
    AND r.data -> 'payment' ->> 'provider' <> 'offline' THEN '{data,payment,payment_method}' ELSE '{}' END::text[])::jsonb AS row
FROM changes r
WHERE r.tenant_id = $1
  AND (r.transaction_id, r.change_id) > (
        coalesce((sqlc.arg(after)::jsonb ->> 'transaction_id')::bigint, -9223372036854775808),
        coalesce((sqlc.arg(after)::jsonb ->> 'change_id')::uuid, '00000000-0000-0000-0000-000000000000'))
ORDER BY r.transaction_id, r.change_id
LIMIT 200;

-- name: TenantExportPaymentAccounts :many
SELECT (to_jsonb(r) - 'tenant_id')::jsonb AS row
FROM payment_accounts r
WHERE r.tenant_id = $1
  AND r.provider > coalesce((sqlc.arg(after)::jsonb ->> 'provider')::text, '')
ORDER BY r.provider
LIMIT 200;

-- name: TenantExportWebhookEndpoints :many
SELECT (to_jsonb(r) - 'tenant_id' - 'secret' - 'former_secret')::jsonb AS row
FROM webhook_endpoints r
WHERE r.tenant_id = $1
  AND r.endpoint_id > coalesce((sqlc.arg(after)::jsonb ->> 'endpoint_id')::uuid, '00000000-0000-0000-0000-000000000000')
ORDER BY r.endpoint_id
LIMIT 200;

-- name: TenantExportApiKeys :many
SELECT (to_jsonb(r) - 'tenant_id' - 'hash')::jsonb AS row
FROM api_keys r
WHERE r.tenant_id = $1
  AND r.api_key_id > coalesce((sqlc.arg(after)::jsonb ->> 'api_key_id')::uuid, '00000000-0000-0000-0000-000000000000')
ORDER BY r.api_key_id
LIMIT 200;

-- name: TenantExportUsers :many
SELECT (to_jsonb(r) - 'tenant_id')::jsonb AS row
FROM users r
WHERE r.tenant_id = $1
  AND r.user_id > coalesce((sqlc.arg(after)::jsonb ->> 'user_id')::uuid, '00000000-0000-0000-0000-000000000000')
ORDER BY r.user_id
LIMIT 200;

-- name: TenantExportLogos :many
SELECT (to_jsonb(r) - 'tenant_id' - 'hash' || jsonb_build_object('data', translate(encode(r.data, 'base64'), E'\n', '')))::jsonb AS row
FROM logos r
WHERE r.tenant_id = $1 AND sqlc.arg(after)::jsonb = '{}';

-- name: TenantExportIdempotencyKeys :many
SELECT (to_jsonb(r) - 'tenant_id' || jsonb_build_object('body', CASE
    WHEN r.status BETWEEN 200 AND 299 AND convert_from(r.body, 'UTF8') LIKE '%"payment_method":%'
        AND convert_from(r.body, 'UTF8') NOT LIKE '%"provider":"offline"%'
    THEN (convert_from(r.body, 'UTF8')::jsonb - 'payment_method')::text ELSE convert_from(r.body, 'UTF8') END))::jsonb AS row
FROM idempotency_keys r
WHERE r.tenant_id = $1
  AND r.key > coalesce((sqlc.arg(after)::jsonb ->> 'key')::text, '')
ORDER BY r.key
LIMIT 200;
