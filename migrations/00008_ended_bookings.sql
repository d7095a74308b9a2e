-- +goose Up

-- A booking that ended before it took place, as long as its payments need work: open ones are cancelled, and captured ones
-- are refunded. The row is written in the commit that ends the booking, so a crash can't lose the refund.
CREATE TABLE ended_bookings (
    tenant_id  uuid        NOT NULL,
    booking_id uuid        NOT NULL,
    refund     boolean     NOT NULL, -- whether what was paid is refunded
    due_at     timestamptz NOT NULL, -- when a worker looks at the booking's payments next
    created_at timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, booking_id),
    FOREIGN KEY (tenant_id, booking_id) REFERENCES bookings (tenant_id, booking_id)
);
CREATE INDEX ended_bookings_due ON ended_bookings (due_at);

ALTER TABLE ended_bookings ENABLE ROW LEVEL SECURITY;
ALTER TABLE ended_bookings FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON ended_bookings USING (tenant_id = NULLIF(current_setting('holdfast.tenant_id', true), '')::uuid);
GRANT SELECT, INSERT, UPDATE (due_at), DELETE ON ended_bookings TO holdfast_app;

-- The resolver claims ended bookings of every tenant, and finds the holds of every tenant that are past their expiry.
-- Members of a role inherit its policies, and the login is one: it is left out by name.
CREATE POLICY resolver ON ended_bookings TO holdfast_resolver USING (current_user = 'holdfast_resolver');
GRANT SELECT, UPDATE (due_at) ON ended_bookings TO holdfast_resolver;
CREATE POLICY resolver ON bookings FOR SELECT TO holdfast_resolver USING (current_user = 'holdfast_resolver' AND status = 'held');
GRANT SELECT (tenant_id, booking_id, status, hold_expires_at, busy_from, busy_until, time_zone) ON bookings TO holdfast_resolver;

-- `holdfast reconcile` finds captured payments that must be refunded and that nobody refunds.
GRANT SELECT (status) ON bookings TO holdfast_operator;
GRANT SELECT (automatic, booking_id) ON payments TO holdfast_operator;
GRANT SELECT ON ended_bookings TO holdfast_operator;
CREATE POLICY operator ON ended_bookings FOR SELECT TO holdfast_operator USING (current_user = 'holdfast_operator');

-- +goose Down
REVOKE SELECT (automatic, booking_id) ON payments FROM holdfast_operator;
REVOKE SELECT (status) ON bookings FROM holdfast_operator;
REVOKE SELECT (tenant_id, booking_id, status, hold_expires_at, busy_from, busy_until, time_zone) ON bookings FROM holdfast_resolver;
DROP POLICY resolver ON bookings;
DROP TABLE ended_bookings;
