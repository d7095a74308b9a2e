-- +goose NO TRANSACTION
-- +goose Up

-- The holds that visitors have open, by customer: they are counted before another one is made. It is an index of a table that is in use, as
-- in 00020.
SET lock_timeout = 0;
CREATE INDEX CONCURRENTLY IF NOT EXISTS bookings_held_by_visitors ON bookings (tenant_id, customer_id)
    WHERE status = 'held' AND by_visitor;
