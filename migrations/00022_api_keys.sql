-- +goose Up

-- API keys with names, scopes, last use and an end. Existing keys, and keys that a server of the version before makes, have all scopes.
-- That server doesn't know scopes and ends: while it runs, its requests pass with any key that isn't revoked.
-- While the statement waits for the table, requests wait behind it: it gives up soon and is tried again.
SET LOCAL lock_timeout = '1s';
ALTER TABLE api_keys
    ADD COLUMN name text NOT NULL DEFAULT '',
    ADD COLUMN scopes text[] NOT NULL DEFAULT '{read,book,money,admin}',
    ADD COLUMN last_used_at timestamptz, -- about; null: never, or before this column
    ADD COLUMN expires_at timestamptz,   -- set when the key was replaced by another one
    -- Existing rows satisfy it, so no row is read to check them.
    ADD CONSTRAINT api_keys_scopes CHECK (scopes <@ '{read,book,money,admin}' AND cardinality(scopes) > 0) NOT VALID;
GRANT UPDATE (name, scopes, expires_at) ON api_keys TO holdfast_app;

-- Servers record when keys were used, of all tenants at once.
GRANT SELECT (tenant_id, api_key_id, last_used_at), UPDATE (last_used_at) ON api_keys TO holdfast_worker;
CREATE POLICY worker ON api_keys TO holdfast_worker USING (current_user = 'holdfast_worker');

-- The operator lists tenants.
GRANT SELECT (name, time_zone, currency, created_at) ON tenants TO holdfast_operator;

-- +goose Down
REVOKE SELECT (name, time_zone, currency, created_at) ON tenants FROM holdfast_operator;
DROP POLICY worker ON api_keys;
REVOKE ALL (tenant_id, api_key_id, last_used_at) ON api_keys FROM holdfast_worker;
ALTER TABLE api_keys DROP COLUMN name, DROP COLUMN scopes, DROP COLUMN last_used_at, DROP COLUMN expires_at;
