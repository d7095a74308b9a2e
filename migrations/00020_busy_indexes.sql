-- +goose NO TRANSACTION
-- +goose Up

-- Indexes of tables that are in use. They are built while bookings and payments go on. They wait for transactions that began before, and
-- nobody waits behind them: so they may wait for long.
SET lock_timeout = 0;

-- The seats of a session: a foreign key looks for them when its claim is deleted.
CREATE INDEX CONCURRENTLY IF NOT EXISTS claims_by_session ON claims (tenant_id, session_id) WHERE session_id IS NOT NULL;
CREATE INDEX CONCURRENTLY IF NOT EXISTS bookings_with_others ON bookings (tenant_id, date, booking_id) WHERE other_resource_ids IS NOT NULL;
CREATE INDEX CONCURRENTLY IF NOT EXISTS closures_yearly ON closures (tenant_id) WHERE yearly;
-- A foreign key looks for payments of a wallet's part when a payment is deleted.
CREATE INDEX CONCURRENTLY IF NOT EXISTS payments_by_card_payment ON payments (tenant_id, card_payment_id) WHERE card_payment_id IS NOT NULL;
-- The operator lists the payments of all tenants by when they were made.
CREATE INDEX CONCURRENTLY IF NOT EXISTS payments_across ON payments (created_at, payment_id);
CREATE INDEX CONCURRENTLY IF NOT EXISTS payments_across_by_status ON payments (status, created_at, payment_id);
CREATE INDEX CONCURRENTLY IF NOT EXISTS payments_across_by_tenant ON payments (tenant_id, created_at, payment_id);
CREATE INDEX CONCURRENTLY IF NOT EXISTS payments_across_by_reference ON payments (provider_id) WHERE provider_id IS NOT NULL;
