-- +goose NO TRANSACTION
-- +goose Up

-- Without any lock, no seat can be taken of a session that has ended, and no session ends that has seats. A session's claim and the claims
-- of its seats have the same number.
ALTER TABLE claims
    DROP CONSTRAINT IF EXISTS claims_session,
    ADD CONSTRAINT claims_session FOREIGN KEY (tenant_id, session_id, number) REFERENCES claims (tenant_id, owner_id, number) NOT VALID;

-- Indexes of tables that are in use, as in 00020, and constraints that haven't looked at the rows of before: nobody waits behind them.
SET lock_timeout = 0;
ALTER TABLE claims VALIDATE CONSTRAINT claims_session;
ALTER TABLE payments VALIDATE CONSTRAINT payments_return_url;
ALTER TABLE payments VALIDATE CONSTRAINT payments_application_fee;
ALTER TABLE payments VALIDATE CONSTRAINT payments_offline;
CREATE INDEX CONCURRENTLY IF NOT EXISTS payments_by_account ON payments (tenant_id, provider, account) WHERE account IS NOT NULL;
-- The sums of a day, and the list of a method, of payments that no provider sees.
CREATE INDEX CONCURRENTLY IF NOT EXISTS payments_offline ON payments (tenant_id, moved_at) WHERE moved_at IS NOT NULL;
CREATE INDEX CONCURRENTLY IF NOT EXISTS payments_list_offline ON payments (tenant_id, method, updated_at, payment_id)
    WHERE provider = 'offline';
