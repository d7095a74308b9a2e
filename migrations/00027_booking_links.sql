-- +goose Up

-- The links that lead a customer to a booking carry this number: another one ends all that were given out.
SET LOCAL lock_timeout = '1s';
ALTER TABLE bookings ADD COLUMN link_revision integer NOT NULL DEFAULT 0;

GRANT UPDATE (link_revision) ON bookings TO holdfast_app;
