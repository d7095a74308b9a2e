-- +goose Up

-- The statements change the catalog only. While they wait for a table, requests wait behind them: they give up soon and are tried again.
SET LOCAL lock_timeout = '1s';
-- The scope "customers" changes what is known of a customer.
ALTER TABLE api_keys
    ALTER COLUMN scopes SET DEFAULT '{read,book,customers,money,admin}',
    DROP CONSTRAINT api_keys_scopes,
    ADD CONSTRAINT api_keys_scopes CHECK (scopes <@ '{read,book,customers,money,admin}' AND cardinality(scopes) > 0) NOT VALID;

-- +goose Down
ALTER TABLE api_keys
    ALTER COLUMN scopes SET DEFAULT '{read,book,money,admin}',
    DROP CONSTRAINT api_keys_scopes,
    ADD CONSTRAINT api_keys_scopes CHECK (scopes <@ '{read,book,money,admin}' AND cardinality(scopes) > 0) NOT VALID;
