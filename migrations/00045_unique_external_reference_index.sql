-- +goose NO TRANSACTION
-- The index is built without keeping bookings out, which can't be done in a transaction. Every statement can be run again after a failure: a
-- build that was cut off leaves an index that nothing uses.

-- +goose Up

-- A booking may have the one reference to itself and share the other one.
DROP INDEX CONCURRENTLY IF EXISTS bookings_unique_external_reference_own;
CREATE UNIQUE INDEX CONCURRENTLY bookings_unique_external_reference_own ON bookings (tenant_id, external_reference)
    WHERE coalesce(unique_external_reference, unique_references) AND external_reference IS NOT NULL;
DROP INDEX CONCURRENTLY IF EXISTS bookings_unique_external_reference;

-- +goose Down
DROP INDEX CONCURRENTLY IF EXISTS bookings_unique_external_reference;
CREATE UNIQUE INDEX CONCURRENTLY bookings_unique_external_reference ON bookings (tenant_id, external_reference)
    WHERE unique_references AND external_reference IS NOT NULL;
DROP INDEX CONCURRENTLY IF EXISTS bookings_unique_external_reference_own;
