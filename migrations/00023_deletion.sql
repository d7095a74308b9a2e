-- +goose Up

-- The deleter is restricted without a query: an engine that spreads schemas over nodes has no policies with one. The statement that locks
-- the row of a tenant that is deleting makes the transaction's setting.
-- +goose StatementBegin
DO $$
DECLARE
    t text;
BEGIN
    FOREACH t IN ARRAY ARRAY ['idempotency_keys', 'provider_events', 'ended_bookings', 'payments', 'event_attempts', 'scheduled_events',
        'wallet_snapshots', 'wallet_postings', 'wallet_entries', 'wallets', 'claims', 'former_customers', 'bookings', 'blocks', 'closures',
        'service_resources', 'services', 'resources', 'customers', 'changes', 'webhook_endpoints', 'api_keys']
    LOOP
        EXECUTE format('ALTER POLICY deletion ON %I USING (NOT (current_user = ''holdfast_deleter'')
            OR tenant_id = NULLIF(current_setting(''holdfast.deleting'', true), '''')::uuid)', t);
    END LOOP;
END
$$;
-- +goose StatementEnd
