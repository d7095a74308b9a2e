-- +goose Up

-- The statement changes the catalog only and reads no rows. While it waits for the table, requests wait behind it: it gives up soon and is
-- tried again.
SET LOCAL lock_timeout = '1s';
ALTER TABLE bookings
    -- The tenant asked that no other booking has the same reference, or the same external_reference, when it was given to this one.
    ADD COLUMN unique_references boolean NOT NULL DEFAULT false;
GRANT UPDATE (unique_references) ON bookings TO holdfast_app;

-- +goose Down
ALTER TABLE bookings DROP COLUMN unique_references;
