-- +goose NO TRANSACTION
-- +goose Up

-- What a refund lowers: the price of its booking, or the fee of one that had ended with a cancellation fee. Before, one sum lowered both.
-- Refunds of bookings that have ended keep what they were counted as then: they lowered the fee.
ALTER TABLE payments
    ADD COLUMN IF NOT EXISTS lowers_fee boolean NOT NULL DEFAULT false; -- lowers_owed is of the fee, and not of the price
-- `holdfast reconcile` says what a booking must give back.
GRANT SELECT (lowers_fee) ON payments TO holdfast_operator;
GRANT SELECT (price) ON bookings TO holdfast_operator;

-- Row-level security binds the owner too. Each tenant's rows are changed in a transaction that sees them alone: nobody waits for all.
-- +goose StatementBegin
DO $$
DECLARE
    all_tenants uuid[];
    t           uuid;
BEGIN
    PERFORM set_config('role', 'holdfast_operator', true);
    all_tenants := ARRAY(SELECT tenant_id FROM tenants);
    PERFORM set_config('role', 'none', true);
    FOREACH t IN ARRAY all_tenants
    LOOP
        PERFORM set_config('holdfast.tenant_id', t::text, true);
        UPDATE payments p
        SET lowers_fee = true
        FROM bookings b
        WHERE p.tenant_id = t AND p.lowers_owed > 0 AND NOT p.lowers_fee AND b.tenant_id = t AND b.booking_id = p.booking_id
          AND b.status IN ('cancelled', 'no_show');
        COMMIT;
    END LOOP;
END
$$;
-- +goose StatementEnd
