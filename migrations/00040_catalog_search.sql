-- +goose NO TRANSACTION
-- The indexes are built without keeping changes of the catalog out, which can't be done in a transaction. Every statement can be run
-- again after a failure.

-- +goose Up

-- Names are compared as those of customers are: see customers_search_name.
-- A build that was cut off leaves an index that nothing uses.
DROP INDEX CONCURRENTLY IF EXISTS services_search_name;
CREATE INDEX CONCURRENTLY services_search_name ON services (tenant_id, name COLLATE "C");
DROP INDEX CONCURRENTLY IF EXISTS resources_search_name;
CREATE INDEX CONCURRENTLY resources_search_name ON resources (tenant_id, name COLLATE "C");

-- +goose Down
DROP INDEX CONCURRENTLY IF EXISTS resources_search_name;
DROP INDEX CONCURRENTLY IF EXISTS services_search_name;
