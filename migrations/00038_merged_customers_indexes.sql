-- +goose NO TRANSACTION
-- The indexes are built without keeping changes of customers and wallets out, which can't be done in a transaction. Every statement can be
-- run again after a failure.

-- +goose Up

-- A build that was cut off leaves an index that nothing uses.
DROP INDEX CONCURRENTLY IF EXISTS customers_merged_into;
CREATE INDEX CONCURRENTLY customers_merged_into ON customers (tenant_id, merged_into) WHERE merged_into IS NOT NULL;
DROP INDEX CONCURRENTLY IF EXISTS wallets_customer;
CREATE UNIQUE INDEX CONCURRENTLY wallets_customer ON wallets (tenant_id, customer_id, currency) WHERE NOT merged;
DROP INDEX CONCURRENTLY IF EXISTS wallets_list_by_customer;
CREATE INDEX CONCURRENTLY wallets_list_by_customer ON wallets (tenant_id, customer_id, wallet_id) WHERE customer_id IS NOT NULL;

-- +goose Down
DROP INDEX CONCURRENTLY IF EXISTS wallets_list_by_customer;
DROP INDEX CONCURRENTLY IF EXISTS wallets_customer;
DROP INDEX CONCURRENTLY IF EXISTS customers_merged_into;
