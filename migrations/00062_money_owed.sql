-- +goose Up

-- The statements change the catalog only. While they wait for a table, requests wait behind them: they give up soon and are tried again.
SET LOCAL lock_timeout = '1s';
-- By how much a refund lowers what its booking owes, in minor units. 0 of payments, and of refunds whose amount is owed again or was too much.
ALTER TABLE payments
    ADD COLUMN lowers_owed bigint NOT NULL DEFAULT 0,
    ADD CONSTRAINT payments_lowers_owed CHECK (lowers_owed = 0 OR (refund_of IS NOT NULL AND lowers_owed BETWEEN 0 AND amount)) NOT VALID;
GRANT SELECT (lowers_owed) ON payments TO holdfast_operator;
-- The request that ended the booking said its cancellation fee. Such a booking owes the fee whether or not it has a cancellation policy.
ALTER TABLE bookings ADD COLUMN cancellation_fee_set boolean NOT NULL DEFAULT false;
GRANT UPDATE (cancellation_fee_set) ON bookings TO holdfast_app;

-- +goose Down
ALTER TABLE bookings DROP COLUMN cancellation_fee_set;
ALTER TABLE payments DROP COLUMN lowers_owed;
