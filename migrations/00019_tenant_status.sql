-- +goose Up

-- The operator suspends, corrects and deletes tenants. A deletion takes many transactions, and can't be undone from its first one on: its
-- tenant is deleting until nothing is left but the row of the tenant, which keeps the id from being used again. A server from before this
-- serves suspended tenants as before.
ALTER TABLE tenants
    ADD COLUMN status        text NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'suspended', 'deleting', 'deleted')),
    ADD COLUMN status_reason text,
    ADD COLUMN status_since  timestamptz, -- null: since the tenant was made
    -- When the last complete export began, and its id, which only its last line tells: a deletion must name it.
    ADD COLUMN exported_at   timestamptz,
    ADD COLUMN export_id     uuid;
CREATE INDEX tenants_deleting ON tenants (tenant_id) WHERE status = 'deleting';

GRANT UPDATE (slug, time_zone, currency, status, status_reason, status_since, exported_at, export_id) ON tenants TO holdfast_app;
GRANT SELECT (status, status_reason, status_since, settings_version) ON tenants TO holdfast_operator;

-- holdfast_deleter deletes what a tenant has, once the tenant is deleting.
-- +goose StatementBegin
DO $$
BEGIN
    IF to_regrole('holdfast_deleter') IS NULL THEN
        BEGIN
            CREATE ROLE holdfast_deleter NOLOGIN NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE;
        EXCEPTION
            WHEN duplicate_object OR unique_violation THEN NULL;
        END;
    END IF;
    IF NOT pg_has_role('holdfast_deleter', CASE WHEN current_setting('server_version_num')::int >= 160000 THEN 'SET' ELSE 'MEMBER' END) THEN
        GRANT holdfast_deleter TO CURRENT_USER;
    END IF;
END
$$;
-- +goose StatementEnd

-- To lock a row takes the right to update a column. The end of a deletion updates the others.
GRANT SELECT (tenant_id, status), UPDATE (status, status_since, status_reason, slug, name, settings, email_templates, hours, exported_at,
    export_id) ON tenants TO holdfast_deleter;
-- What batches are chosen by.
GRANT SELECT (tenant_id, key), DELETE ON idempotency_keys TO holdfast_deleter;
GRANT SELECT (tenant_id, provider, event_id), DELETE ON provider_events TO holdfast_deleter;
GRANT SELECT (tenant_id, booking_id), DELETE ON ended_bookings TO holdfast_deleter;
GRANT SELECT (tenant_id, payment_id, booking_id), DELETE ON payments TO holdfast_deleter;
GRANT SELECT (tenant_id, event_id, attempt_id), DELETE ON event_attempts TO holdfast_deleter;
GRANT SELECT (tenant_id, event_id), DELETE ON scheduled_events TO holdfast_deleter;
GRANT SELECT (tenant_id, wallet_id, version), DELETE ON wallet_snapshots, wallet_entries TO holdfast_deleter;
GRANT SELECT (tenant_id, movement_id, position), DELETE ON wallet_postings TO holdfast_deleter;
GRANT SELECT (tenant_id, wallet_id), DELETE ON wallets TO holdfast_deleter;
GRANT SELECT (tenant_id, owner_id, number, session_id), DELETE ON claims TO holdfast_deleter;
GRANT SELECT (tenant_id, booking_id, version), DELETE ON former_customers TO holdfast_deleter;
GRANT SELECT (tenant_id, booking_id), DELETE ON bookings TO holdfast_deleter;
GRANT SELECT (tenant_id, block_id), DELETE ON blocks TO holdfast_deleter;
GRANT SELECT (tenant_id, closure_id), DELETE ON closures TO holdfast_deleter;
GRANT SELECT (tenant_id, service_id, resource_id), DELETE ON service_resources TO holdfast_deleter;
GRANT SELECT (tenant_id, service_id), DELETE ON services TO holdfast_deleter;
GRANT SELECT (tenant_id, resource_id), DELETE ON resources TO holdfast_deleter;
GRANT SELECT (tenant_id, customer_id), DELETE ON customers TO holdfast_deleter;
GRANT SELECT (tenant_id, transaction_id, change_id), DELETE ON changes TO holdfast_deleter;
GRANT SELECT (tenant_id, endpoint_id), DELETE ON webhook_endpoints TO holdfast_deleter;
GRANT SELECT (tenant_id, api_key_id), DELETE ON api_keys TO holdfast_deleter;
