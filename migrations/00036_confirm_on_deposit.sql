-- +goose Up

-- The statement changes the catalog only and reads no rows, so the lock is short. A service of an older server doesn't confirm by deposit.
SET LOCAL lock_timeout = '1s';
ALTER TABLE services
    ADD COLUMN confirm_on_deposit boolean NOT NULL DEFAULT false; -- copied to each booking: see bookings.confirm_on_deposit
GRANT UPDATE (confirm_on_deposit) ON services TO holdfast_app;

-- +goose Down
ALTER TABLE services
    DROP COLUMN confirm_on_deposit;
