-- +goose Up

-- The statement changes the catalog only and reads no rows. While it waits for the table, requests wait behind it: it gives up soon and is
-- tried again.
SET LOCAL lock_timeout = '1s';
ALTER TABLE bookings
    ALTER COLUMN customer_id DROP NOT NULL, -- of a hold whose customer is not known yet
    ADD COLUMN reference text,
    ADD COLUMN external_reference text,
    ADD COLUMN code text, -- short, to be read over the phone; null for a booking of an older server
    -- What the price is made of, and what a cancellation costs, as they were when the booking was made.
    ADD COLUMN items json NOT NULL DEFAULT '[]',
    ADD COLUMN cancellation_policy json NOT NULL DEFAULT '{}',
    ADD COLUMN cancellation_reason text,
    ADD COLUMN cancellation_fee bigint NOT NULL DEFAULT 0, -- what is kept, or due, of the price of a booking that ended
    ADD COLUMN confirm_on_deposit boolean NOT NULL DEFAULT false, -- the payment of the deposit confirms the hold
    -- One check: PostgreSQL reads the text of each again for every statement.
    ADD CONSTRAINT bookings_changes CHECK ((customer_id IS NOT NULL OR status IN ('held', 'cancelled', 'expired'))
        AND cancellation_fee BETWEEN 0 AND price) NOT VALID;

GRANT UPDATE (service_id, resource_id, customer_id, date, starts_at, ends_at, time_zone, party_size, units, busy_from, busy_until, price,
    deposit, metadata, reference, external_reference, items, cancellation_policy, cancellation_reason, cancellation_fee,
    confirm_on_deposit) ON bookings TO holdfast_app;

-- +goose Down
REVOKE UPDATE (service_id, resource_id, customer_id, date, starts_at, ends_at, time_zone, party_size, units, busy_from, busy_until, price,
    deposit, metadata) ON bookings FROM holdfast_app;
ALTER TABLE bookings
    DROP CONSTRAINT bookings_changes,
    DROP COLUMN reference,
    DROP COLUMN external_reference,
    DROP COLUMN code,
    DROP COLUMN items,
    DROP COLUMN cancellation_policy,
    DROP COLUMN cancellation_reason,
    DROP COLUMN cancellation_fee,
    DROP COLUMN confirm_on_deposit;
