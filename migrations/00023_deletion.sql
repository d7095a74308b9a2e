-- +goose NO TRANSACTION
-- +goose Up

-- holdfast_deleter sees the rows of the transaction's tenant, as every role does, and of these only those of a tenant that is deleting: the
-- statement that locks the tenant's row makes the transaction's setting. The login, a member of the role, is left out by the role's name.
-- An engine that spreads schemas over nodes has no policies with a query. Each table is locked in a transaction of its own.
-- +goose StatementBegin
DO $$
DECLARE
    t text;
BEGIN
    FOREACH t IN ARRAY ARRAY ['idempotency_keys', 'provider_events', 'ended_bookings', 'payments', 'event_attempts', 'scheduled_events',
        'wallet_snapshots', 'wallet_postings', 'wallet_entries', 'wallets', 'claims', 'former_customers', 'bookings', 'blocks', 'closures',
        'service_resources', 'services', 'resources', 'customers', 'changes', 'webhook_endpoints', 'api_keys']
    LOOP
        IF NOT EXISTS (SELECT FROM pg_catalog.pg_policy p WHERE p.polrelid = to_regclass(t) AND p.polname = 'deletion') THEN
            EXECUTE format('CREATE POLICY deletion ON %I AS RESTRICTIVE TO holdfast_deleter USING (NOT (current_user = ''holdfast_deleter'')
                OR tenant_id = NULLIF(current_setting(''holdfast.deleting'', true), '''')::uuid)', t);
            COMMIT;
        END IF;
    END LOOP;
END
$$;
-- +goose StatementEnd

ALTER TABLE changes
    -- The operator can act for a tenant: this is the name that the operator gave. Null of everything else.
    ADD COLUMN IF NOT EXISTS operator text,
    ADD COLUMN IF NOT EXISTS user_id  uuid; -- the person who asked for the change, of the users of 00031
