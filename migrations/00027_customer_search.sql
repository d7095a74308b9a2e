-- +goose NO TRANSACTION
-- The indexes are built without keeping changes of customers out, which can't be done in a transaction. Every statement can be run
-- again after a failure.

-- +goose Up

-- A search compares the beginning of the text as bytes. Under row-level security only leakproof operators reach an index: comparisons
-- are, lower() and LIKE aren't.
-- A build that was cut off leaves an index that nothing uses.
DROP INDEX CONCURRENTLY IF EXISTS customers_search_name;
CREATE INDEX CONCURRENTLY customers_search_name ON customers (tenant_id, name COLLATE "C");
DROP INDEX CONCURRENTLY IF EXISTS customers_search_email;
CREATE INDEX CONCURRENTLY customers_search_email ON customers (tenant_id, email COLLATE "C");
DROP INDEX CONCURRENTLY IF EXISTS customers_search_phone;
CREATE INDEX CONCURRENTLY customers_search_phone ON customers (tenant_id, phone COLLATE "C") WHERE phone IS NOT NULL;

-- +goose Down
DROP INDEX CONCURRENTLY IF EXISTS customers_search_phone;
DROP INDEX CONCURRENTLY IF EXISTS customers_search_email;
DROP INDEX CONCURRENTLY IF EXISTS customers_search_name;
