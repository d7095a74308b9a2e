-- +goose NO TRANSACTION
-- The index is built without keeping bookings out, which can't be done in a transaction. Every statement can be run
-- again after a failure.

-- +goose Up

-- The hold sweep finds holds past their expiry by it. Confirmed bookings aren't in it.
-- A build that was cut off leaves an index that nothing uses.
DROP INDEX CONCURRENTLY IF EXISTS bookings_held_by_expiry;
CREATE INDEX CONCURRENTLY bookings_held_by_expiry ON bookings (hold_expires_at) WHERE status = 'held';

-- +goose Down
DROP INDEX CONCURRENTLY IF EXISTS bookings_held_by_expiry;
