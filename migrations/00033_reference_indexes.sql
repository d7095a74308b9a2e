-- +goose NO TRANSACTION
-- The indexes are built without keeping bookings and payments out, which can't be done in a transaction. Every statement can be run
-- again after a failure: a build that was cut off leaves an index that nothing uses.

-- +goose Up

-- A booking of an older server has no code.
DROP INDEX CONCURRENTLY IF EXISTS bookings_code;
CREATE UNIQUE INDEX CONCURRENTLY bookings_code ON bookings (tenant_id, code) WHERE code IS NOT NULL;
-- Of two bookings that take a reference at the same time, one is refused.
DROP INDEX CONCURRENTLY IF EXISTS bookings_unique_reference;
CREATE UNIQUE INDEX CONCURRENTLY bookings_unique_reference ON bookings (tenant_id, reference)
    WHERE unique_references AND reference IS NOT NULL;
DROP INDEX CONCURRENTLY IF EXISTS bookings_unique_external_reference;
CREATE UNIQUE INDEX CONCURRENTLY bookings_unique_external_reference ON bookings (tenant_id, external_reference)
    WHERE unique_references AND external_reference IS NOT NULL;

-- A list with a filter finds its page in the order of its pages. See 00007.
DROP INDEX CONCURRENTLY IF EXISTS bookings_list_by_reference;
CREATE INDEX CONCURRENTLY bookings_list_by_reference ON bookings (tenant_id, reference, date, booking_id) WHERE reference IS NOT NULL;
DROP INDEX CONCURRENTLY IF EXISTS bookings_list_by_external_reference;
CREATE INDEX CONCURRENTLY bookings_list_by_external_reference ON bookings (tenant_id, external_reference, date, booking_id)
    WHERE external_reference IS NOT NULL;
DROP INDEX CONCURRENTLY IF EXISTS payments_list;
CREATE INDEX CONCURRENTLY payments_list ON payments (tenant_id, updated_at, payment_id);
DROP INDEX CONCURRENTLY IF EXISTS payments_list_by_kind;
CREATE INDEX CONCURRENTLY payments_list_by_kind ON payments (tenant_id, kind, updated_at, payment_id);
DROP INDEX CONCURRENTLY IF EXISTS payments_list_by_status;
CREATE INDEX CONCURRENTLY payments_list_by_status ON payments (tenant_id, status, updated_at, payment_id);

-- +goose Down
DROP INDEX CONCURRENTLY IF EXISTS payments_list_by_status;
DROP INDEX CONCURRENTLY IF EXISTS payments_list_by_kind;
DROP INDEX CONCURRENTLY IF EXISTS payments_list;
DROP INDEX CONCURRENTLY IF EXISTS bookings_list_by_external_reference;
DROP INDEX CONCURRENTLY IF EXISTS bookings_list_by_reference;
DROP INDEX CONCURRENTLY IF EXISTS bookings_unique_external_reference;
DROP INDEX CONCURRENTLY IF EXISTS bookings_unique_reference;
DROP INDEX CONCURRENTLY IF EXISTS bookings_code;
