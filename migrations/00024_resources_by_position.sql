-- +goose NO TRANSACTION
-- The index is built without keeping changes of resources out, which can't be done in a transaction. Every statement can be run
-- again after a failure.

-- +goose Up

-- A list by position finds its page in the order of its pages.
-- A build that was cut off leaves an index that nothing uses.
DROP INDEX CONCURRENTLY IF EXISTS resources_by_position;
CREATE INDEX CONCURRENTLY resources_by_position ON resources (tenant_id, position, resource_id);

-- +goose Down
DROP INDEX CONCURRENTLY IF EXISTS resources_by_position;
