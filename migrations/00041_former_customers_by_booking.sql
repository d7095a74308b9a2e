-- +goose NO TRANSACTION
-- The index is built without keeping changes of bookings out, which can't be done in a transaction. Every statement can be run again after a
-- failure.

-- +goose Up

-- The export of a customer asks who had its bookings before.
-- A build that was cut off leaves an index that nothing uses.
DROP INDEX CONCURRENTLY IF EXISTS former_customers_by_booking;
CREATE INDEX CONCURRENTLY former_customers_by_booking ON former_customers (tenant_id, booking_id, version);

-- +goose Down
DROP INDEX CONCURRENTLY IF EXISTS former_customers_by_booking;
