-- +goose Up

-- Payments from wallets. Existing rows get no value in the new columns and satisfy the constraints, so no row is read to check them.
-- A payment or refund of the provider 'wallet' moves credit of wallet_id. A payment by card beside a wallet has wallet_id and
-- wallet_amount, what the wallet pays; the wallet holds that amount while wallet_held. When the payment succeeds, the wallet's part
-- becomes a payment of its own, which names the card's payment. When it doesn't, wallet_amount becomes null.
ALTER TABLE payments
    ADD COLUMN wallet_id uuid,
    ADD COLUMN wallet_amount bigint,
    ADD COLUMN wallet_held boolean NOT NULL DEFAULT false,
    ADD COLUMN card_payment_id uuid,
    ADD CONSTRAINT payments_wallet CHECK (provider <> 'wallet' OR wallet_id IS NOT NULL) NOT VALID,
    ADD CONSTRAINT payments_wallet_amount CHECK (wallet_amount IS NULL
        OR (wallet_amount > 0 AND wallet_id IS NOT NULL AND refund_of IS NULL AND provider <> 'wallet')) NOT VALID,
    -- Only an open payment holds an amount. A server that knows no wallets can't complete such a payment and leave the amount held.
    ADD CONSTRAINT payments_wallet_held CHECK (NOT wallet_held OR (wallet_amount IS NOT NULL AND resolve_at IS NOT NULL)) NOT VALID,
    ADD CONSTRAINT payments_card_payment CHECK (card_payment_id IS NULL OR provider = 'wallet') NOT VALID,
    ADD FOREIGN KEY (tenant_id, wallet_id) REFERENCES wallets (tenant_id, wallet_id) NOT VALID,
    ADD FOREIGN KEY (tenant_id, card_payment_id) REFERENCES payments (tenant_id, payment_id) NOT VALID;
GRANT UPDATE (wallet_amount, wallet_held) ON payments TO holdfast_app;

-- +goose Down
ALTER TABLE payments DROP COLUMN wallet_id, DROP COLUMN wallet_amount, DROP COLUMN wallet_held, DROP COLUMN card_payment_id;
