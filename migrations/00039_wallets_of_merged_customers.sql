-- +goose Up

-- wallets_customer keeps customers from creating two wallets of a currency.
SET LOCAL lock_timeout = '1s';
ALTER TABLE wallets DROP CONSTRAINT wallets_tenant_id_customer_id_currency_key;

-- +goose Down
ALTER TABLE wallets ADD CONSTRAINT wallets_tenant_id_customer_id_currency_key UNIQUE (tenant_id, customer_id, currency);
