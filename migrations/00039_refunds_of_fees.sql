-- +goose Up

-- What a refund lowers: the price of its booking, or the fee of one that had ended with a cancellation fee. Before, one sum lowered both.
-- Refunds of bookings that have ended keep what they were counted as then: they lowered the fee.
SET LOCAL lock_timeout = '1s';
ALTER TABLE payments ADD COLUMN lowers_fee boolean NOT NULL DEFAULT false; -- lowers_owed is of the fee, and not of the price
ALTER TABLE payments NO FORCE ROW LEVEL SECURITY;
ALTER TABLE bookings NO FORCE ROW LEVEL SECURITY;
UPDATE payments p
SET lowers_fee = true
FROM bookings b
WHERE p.lowers_owed > 0 AND b.tenant_id = p.tenant_id AND b.booking_id = p.booking_id AND b.status IN ('cancelled', 'no_show');
ALTER TABLE bookings FORCE ROW LEVEL SECURITY;
ALTER TABLE payments FORCE ROW LEVEL SECURITY;
-- `holdfast reconcile` says what a booking must give back.
GRANT SELECT (lowers_fee) ON payments TO holdfast_operator;
GRANT SELECT (price) ON bookings TO holdfast_operator;
