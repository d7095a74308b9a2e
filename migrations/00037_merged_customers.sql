-- +goose Up

-- The statements change the catalog only. While they wait for a table, requests wait behind them: they give up soon and are tried again.
SET LOCAL lock_timeout = '1s';
-- A customer that was merged into another one keeps its row. erased_at is set too, so that no server books for it.
ALTER TABLE customers ADD COLUMN merged_into uuid;
GRANT UPDATE (merged_into, unsubscribed_at) ON customers TO holdfast_app;
-- A merge can give a customer a second wallet of a currency. It is not counted when a wallet is created.
ALTER TABLE wallets ADD COLUMN merged boolean NOT NULL DEFAULT false;
GRANT UPDATE (customer_id, merged) ON wallets TO holdfast_app;

-- Bookings that had another customer before. The erasure of that customer erases what was told of them until then.
CREATE TABLE former_customers (
    tenant_id   uuid   NOT NULL,
    customer_id uuid   NOT NULL,
    booking_id  uuid   NOT NULL,
    version     bigint NOT NULL, -- the first of the booking with the other customer
    PRIMARY KEY (tenant_id, customer_id, booking_id)
);
ALTER TABLE former_customers ENABLE ROW LEVEL SECURITY;
ALTER TABLE former_customers FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON former_customers USING (tenant_id = NULLIF(current_setting('holdfast.tenant_id', true), '')::uuid);
GRANT SELECT, INSERT, UPDATE (version) ON former_customers TO holdfast_app;

-- +goose Down
DROP TABLE former_customers;
REVOKE UPDATE (customer_id) ON wallets FROM holdfast_app;
ALTER TABLE wallets DROP COLUMN merged;
ALTER TABLE customers DROP COLUMN merged_into;
