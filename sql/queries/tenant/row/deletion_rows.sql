-- Generated from internal/cell/tables by make generate/tables. The deletion of what a tenant has, a batch of a table at a time.

-- name: TenantDeleteIdempotencyKeys :one
WITH deleted AS (
    DELETE FROM idempotency_keys d
    USING (
        SELECT r.key
        FROM idempotency_keys r WHERE r.tenant_id = $1
        ORDER BY r.key LIMIT 200
    ) AS batch
    WHERE d.tenant_id = $1 AND d.key = batch.key
    RETURNING d.tenant_id
)
SELECT count(*) FROM deleted;

-- name: TenantDeleteLogos :one
WITH deleted AS (
    DELETE FROM logos d
    WHERE d.tenant_id = $1
    RETURNING d.tenant_id
)
SELECT count(*) FROM deleted;

-- name: TenantDeleteSignIns :one
WITH deleted AS (
    DELETE FROM sign_ins d
    USING (
        SELECT r.hash
        FROM sign_ins r WHERE r.tenant_id = $1
        ORDER BY r.hash LIMIT 200
    ) AS batch
    WHERE d.tenant_id = $1 AND d.hash = batch.hash
    RETURNING d.tenant_id
)
SELECT count(*) FROM deleted;

-- name: TenantDeleteSignInLinks :one
WITH deleted AS (
    DELETE FROM sign_in_links d
    USING (
        SELECT r.hash
        FROM sign_in_links r WHERE r.tenant_id = $1
        ORDER BY r.hash LIMIT 200
    ) AS batch
    WHERE d.tenant_id = $1 AND d.hash = batch.hash
    RETURNING d.tenant_id
)
SELECT count(*) FROM deleted;

-- name: TenantDeleteUsers :one
WITH deleted AS (
    DELETE FROM users d
    USING (
        SELECT r.user_id
        FROM users r WHERE r.tenant_id = $1
        ORDER BY r.user_id LIMIT 200
    ) AS batch
    WHERE d.tenant_id = $1 AND d.user_id = batch.user_id
    RETURNING d.tenant_id
)
SELECT count(*) FROM deleted;

-- name: TenantDeleteApiKeys :one
WITH deleted AS (
    DELETE FROM api_keys d
    USING (
        SELECT r.api_key_id
        FROM api_keys r WHERE r.tenant_id = $1
        ORDER BY r.api_key_id LIMIT 200
    ) AS batch
    WHERE d.tenant_id = $1 AND d.api_key_id = batch.api_key_id
    RETURNING d.tenant_id
)
SELECT count(*) FROM deleted;

-- name: TenantDeleteWebhookEndpoints :one
WITH deleted AS (
    DELETE FROM webhook_endpoints d
    USING (
        SELECT r.endpoint_id
        FROM webhook_endpoints r WHERE r.tenant_id = $1
        ORDER BY r.endpoint_id LIMIT 200
    ) AS batch
    WHERE d.tenant_id = $1 AND d.endpoint_id = batch.endpoint_id
    RETURNING d.tenant_id
)
SELECT count(*) FROM deleted;

-- name: TenantDeletePaymentAccounts :one
WITH deleted AS (
    DELETE FROM payment_accounts d
    USING (
        SELECT r.provider
        FROM payment_accounts r WHERE r.tenant_id = $1
        ORDER BY r.provider LIMIT 200
    ) AS batch
    WHERE d.tenant_id = $1 AND d.provider = batch.provider
    RETURNING d.tenant_id
)
SELECT count(*) FROM deleted;

-- name: TenantDeleteChanges :one
WITH deleted AS (
    DELETE FROM changes d
    USING (
        SELECT r.transaction_id, r.change_id
        FROM changes r WHERE r.tenant_id = $1
        ORDER BY r.transaction_id, r.change_id LIMIT 200
    ) AS batch
    WHERE d.tenant_id = $1 AND d.transaction_id = batch.transaction_id AND d.change_id = batch.change_id
    RETURNING d.tenant_id
)
SELECT count(*) FROM deleted;

-- name: TenantDeleteEventAttempts :one
WITH deleted AS (
    DELETE FROM event_attempts d
    USING (
        SELECT r.event_id, r.attempt_id
        FROM event_attempts r WHERE r.tenant_id = $1
        ORDER BY r.event_id, r.attempt_id LIMIT 200
    ) AS batch
    WHERE d.tenant_id = $1 AND d.event_id = batch.event_id AND d.attempt_id = batch.attempt_id
    RETURNING d.tenant_id
)
SELECT count(*) FROM deleted;

-- name: TenantDeleteScheduledEvents :one
WITH deleted AS (
    DELETE FROM scheduled_events d
    USING (
        SELECT r.event_id
        FROM scheduled_events r WHERE r.tenant_id = $1
        ORDER BY r.event_id LIMIT 200
    ) AS batch
    WHERE d.tenant_id = $1 AND d.event_id = batch.event_id
    RETURNING d.tenant_id
)
SELECT count(*) FROM deleted;

-- name: TenantDeleteProviderEvents :one
WITH deleted AS (
    DELETE FROM provider_events d
    USING (
        SELECT r.provider, r.event_id
        FROM provider_events r WHERE r.tenant_id = $1
        ORDER BY r.provider, r.event_id LIMIT 200
    ) AS batch
    WHERE d.tenant_id = $1 AND d.provider = batch.provider AND d.event_id = batch.event_id
    RETURNING d.tenant_id
)
SELECT count(*) FROM deleted;

-- name: TenantDeleteEndedBookings :one
WITH deleted AS (
    DELETE FROM ended_bookings d
    USING (
        SELECT r.booking_id
        FROM ended_bookings r WHERE r.tenant_id = $1
        ORDER BY r.booking_id LIMIT 200
    ) AS batch
    WHERE d.tenant_id = $1 AND d.booking_id = batch.booking_id
    RETURNING d.tenant_id
)
SELECT count(*) FROM deleted;

-- name: TenantDeletePayments :one
WITH deleted AS (
    DELETE FROM payments d
    USING (
        SELECT DISTINCT b.booking_id FROM (
            SELECT r.booking_id FROM payments r WHERE r.tenant_id = $1
            ORDER BY r.booking_id, r.payment_id LIMIT 200) AS b
    ) AS batch
    WHERE d.tenant_id = $1 AND d.booking_id = batch.booking_id
    RETURNING d.tenant_id
)
SELECT count(*) FROM deleted;

-- name: TenantDeleteWalletSnapshots :one
WITH deleted AS (
    DELETE FROM wallet_snapshots d
    USING (
        SELECT r.wallet_id, r.version
        FROM wallet_snapshots r WHERE r.tenant_id = $1
        ORDER BY r.wallet_id, r.version LIMIT 200
    ) AS batch
    WHERE d.tenant_id = $1 AND d.wallet_id = batch.wallet_id AND d.version = batch.version
    RETURNING d.tenant_id
)
SELECT count(*) FROM deleted;

-- name: TenantDeleteWalletPostings :one
WITH deleted AS (
    DELETE FROM wallet_postings d
    USING (
        SELECT r.movement_id, r.position
        FROM wallet_postings r WHERE r.tenant_id = $1
        ORDER BY r.movement_id, r.position LIMIT 200
    ) AS batch
    WHERE d.tenant_id = $1 AND d.movement_id = batch.movement_id AND d.position = batch.position
    RETURNING d.tenant_id
)
SELECT count(*) FROM deleted;

-- name: TenantDeleteWalletEntries :one
WITH deleted AS (
    DELETE FROM wallet_entries d
    USING (
        SELECT r.wallet_id, r.version
        FROM wallet_entries r WHERE r.tenant_id = $1
        ORDER BY r.wallet_id, r.version LIMIT 200
    ) AS batch
    WHERE d.tenant_id = $1 AND d.wallet_id = batch.wallet_id AND d.version = batch.version
    RETURNING d.tenant_id
)
SELECT count(*) FROM deleted;

-- name: TenantDeleteWallets :one
WITH deleted AS (
    DELETE FROM wallets d
    USING (
        SELECT r.wallet_id
        FROM wallets r WHERE r.tenant_id = $1
        ORDER BY r.wallet_id LIMIT 200
    ) AS batch
    WHERE d.tenant_id = $1 AND d.wallet_id = batch.wallet_id
    RETURNING d.tenant_id
)
SELECT count(*) FROM deleted;

-- name: TenantDeleteClaimsFirst :one
WITH deleted AS (
    DELETE FROM claims d
    USING (
        SELECT r.owner_id, r.number
        FROM claims r WHERE r.tenant_id = $1 AND r.session_id IS NOT NULL
        ORDER BY r.owner_id, r.number LIMIT 200
    ) AS batch
    WHERE d.tenant_id = $1 AND d.owner_id = batch.owner_id AND d.number = batch.number
    RETURNING d.tenant_id
)
SELECT count(*) FROM deleted;

-- name: TenantDeleteClaims :one
WITH deleted AS (
    DELETE FROM claims d
    USING (
        SELECT r.owner_id, r.number
        FROM claims r WHERE r.tenant_id = $1
        ORDER BY r.owner_id, r.number LIMIT 200
    ) AS batch
    WHERE d.tenant_id = $1 AND d.owner_id = batch.owner_id AND d.number = batch.number
    RETURNING d.tenant_id
)
SELECT count(*) FROM deleted;

-- name: TenantDeleteBookings :one
WITH deleted AS (
    DELETE FROM bookings d
    USING (
        SELECT r.booking_id
        FROM bookings r WHERE r.tenant_id = $1
        ORDER BY r.booking_id LIMIT 200
    ) AS batch
    WHERE d.tenant_id = $1 AND d.booking_id = batch.booking_id
    RETURNING d.tenant_id
)
SELECT count(*) FROM deleted;

-- name: TenantDeleteFormerCustomers :one
WITH deleted AS (
    DELETE FROM former_customers d
    USING (
        SELECT r.booking_id, r.version
        FROM former_customers r WHERE r.tenant_id = $1
        ORDER BY r.booking_id, r.version LIMIT 200
    ) AS batch
    WHERE d.tenant_id = $1 AND d.booking_id = batch.booking_id AND d.version = batch.version
    RETURNING d.tenant_id
)
SELECT count(*) FROM deleted;

-- name: TenantDeleteCustomers :one
WITH deleted AS (
    DELETE FROM customers d
    USING (
        SELECT r.customer_id
        FROM customers r WHERE r.tenant_id = $1
        ORDER BY r.customer_id LIMIT 200
    ) AS batch
    WHERE d.tenant_id = $1 AND d.customer_id = batch.customer_id
    RETURNING d.tenant_id
)
SELECT count(*) FROM deleted;

-- name: TenantDeleteBlocks :one
WITH deleted AS (
    DELETE FROM blocks d
    USING (
        SELECT r.block_id
        FROM blocks r WHERE r.tenant_id = $1
        ORDER BY r.block_id LIMIT 200
    ) AS batch
    WHERE d.tenant_id = $1 AND d.block_id = batch.block_id
    RETURNING d.tenant_id
)
SELECT count(*) FROM deleted;

-- name: TenantDeleteClosures :one
WITH deleted AS (
    DELETE FROM closures d
    USING (
        SELECT r.closure_id
        FROM closures r WHERE r.tenant_id = $1
        ORDER BY r.closure_id LIMIT 200
    ) AS batch
    WHERE d.tenant_id = $1 AND d.closure_id = batch.closure_id
    RETURNING d.tenant_id
)
SELECT count(*) FROM deleted;

-- name: TenantDeleteServiceResources :one
WITH deleted AS (
    DELETE FROM service_resources d
    USING (
        SELECT r.service_id, r.resource_id
        FROM service_resources r WHERE r.tenant_id = $1
        ORDER BY r.service_id, r.resource_id LIMIT 200
    ) AS batch
    WHERE d.tenant_id = $1 AND d.service_id = batch.service_id AND d.resource_id = batch.resource_id
    RETURNING d.tenant_id
)
SELECT count(*) FROM deleted;

-- name: TenantDeleteServices :one
WITH deleted AS (
    DELETE FROM services d
    USING (
        SELECT r.service_id
        FROM services r WHERE r.tenant_id = $1
        ORDER BY r.service_id LIMIT 200
    ) AS batch
    WHERE d.tenant_id = $1 AND d.service_id = batch.service_id
    RETURNING d.tenant_id
)
SELECT count(*) FROM deleted;

-- name: TenantDeleteResources :one
WITH deleted AS (
    DELETE FROM resources d
    USING (
        SELECT r.resource_id
        FROM resources r WHERE r.tenant_id = $1
        ORDER BY r.resource_id LIMIT 200
    ) AS batch
    WHERE d.tenant_id = $1 AND d.resource_id = batch.resource_id
    RETURNING d.tenant_id
)
SELECT count(*) FROM deleted;
