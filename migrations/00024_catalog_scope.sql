-- +goose Up

-- What can be booked is read with a scope of its own. Keys that could read it still can.
ALTER TABLE api_keys DROP CONSTRAINT api_keys_scopes;
ALTER TABLE api_keys ADD CONSTRAINT api_keys_scopes
    CHECK (scopes <@ '{catalog,read,book,customers,money,admin}' AND cardinality(scopes) > 0);
ALTER TABLE api_keys NO FORCE ROW LEVEL SECURITY;
UPDATE api_keys SET scopes = array_prepend('catalog', scopes) WHERE 'read' = ANY (scopes);
ALTER TABLE api_keys FORCE ROW LEVEL SECURITY;
