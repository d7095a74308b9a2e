-- +goose Up

-- Visitors of a tenant's website make holds with a scope of its own. A key that books and takes payments could do all of it, and more: it gets the
-- scope, so that a key that manages keys can grant it. The scopes stand in the order of tenant.AllScopes.
ALTER TABLE api_keys DROP CONSTRAINT api_keys_scopes;
ALTER TABLE api_keys ADD CONSTRAINT api_keys_scopes
    CHECK (scopes <@ '{catalog,hold,read,book,customers,money,admin}' AND cardinality(scopes) > 0);
ALTER TABLE api_keys NO FORCE ROW LEVEL SECURITY;
UPDATE api_keys
SET scopes = CASE WHEN scopes[1] = 'catalog' THEN array_prepend('catalog', array_prepend('hold', scopes[2:])) ELSE array_prepend('hold', scopes) END
WHERE scopes @> '{book,money}';
ALTER TABLE api_keys FORCE ROW LEVEL SECURITY;
