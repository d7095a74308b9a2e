-- +goose Up

-- The operator lists the payments of all tenants by when they were made. Payments wait while the indexes are made, about a second for half
-- a million of them.
SET LOCAL lock_timeout = '1s';
CREATE INDEX payments_across ON payments (created_at, payment_id);
CREATE INDEX payments_across_by_status ON payments (status, created_at, payment_id);
CREATE INDEX payments_across_by_tenant ON payments (tenant_id, created_at, payment_id);
CREATE INDEX payments_across_by_reference ON payments (provider_id) WHERE provider_id IS NOT NULL;
