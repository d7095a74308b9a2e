-- +goose NO TRANSACTION
-- The index is built without keeping changes of customers out, which can't be done in a transaction. Every statement can be run again after
-- a failure.

-- +goose Up

-- A build that was cut off leaves an index that nothing uses.
DROP INDEX CONCURRENTLY IF EXISTS customers_archived;
CREATE INDEX CONCURRENTLY customers_archived ON customers (tenant_id, customer_id) WHERE archived_at IS NOT NULL;

-- +goose Down
DROP INDEX CONCURRENTLY IF EXISTS customers_archived;
