-- +goose Up

-- The statement changes the catalog only and reads no rows, so the lock is short. A service of an older server has neither.
SET LOCAL lock_timeout = '1s';
ALTER TABLE services
    ADD COLUMN pricing json NOT NULL DEFAULT '{}', -- what the price depends on: rates, unit types, a deposit in percent
    ADD COLUMN cancellation_policy json NOT NULL DEFAULT '{}',
    -- The deposit may be more than the price of one unit.
    DROP CONSTRAINT services_check,
    ADD CONSTRAINT services_deposit CHECK (deposit >= 0) NOT VALID;
GRANT UPDATE (pricing, cancellation_policy) ON services TO holdfast_app;

-- `holdfast reconcile` tells what a booking keeps by its cancellation policy from what must be refunded.
GRANT SELECT (cancellation_fee) ON bookings TO holdfast_operator;

-- +goose Down
REVOKE SELECT (cancellation_fee) ON bookings FROM holdfast_operator;
ALTER TABLE services
    DROP CONSTRAINT services_deposit,
    ADD CONSTRAINT services_check CHECK (deposit BETWEEN 0 AND price) NOT VALID,
    DROP COLUMN cancellation_policy,
    DROP COLUMN pricing;
