-- +goose Up

CREATE TABLE tenants (
    tenant_id        uuid        NOT NULL PRIMARY KEY,
    slug             text        NOT NULL UNIQUE CHECK (slug ~ '^[a-z0-9][a-z0-9-]{0,62}$'),
    name             text        NOT NULL,
    time_zone        text        NOT NULL,
    currency         text        NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
    -- Raised by every change to services, resources, hours and closures. A booking reads it under its
    -- date locks to know that the rules it was judged by are still the rules.
    catalog_version  bigint      NOT NULL DEFAULT 1,
    created_at       timestamptz NOT NULL,
    -- What a tenant sends to its customers, and when. Readers of the rules of a service get the settings with them, so the templates
    -- of emails, which are long, stand apart.
    settings         json        NOT NULL DEFAULT '{}',
    email_templates  json        NOT NULL DEFAULT '{}',
    settings_version bigint      NOT NULL DEFAULT 1 -- every change of name, settings and templates raises it
);

CREATE TABLE api_keys (
    tenant_id    uuid        NOT NULL REFERENCES tenants (tenant_id),
    api_key_id   uuid        NOT NULL,
    prefix       text        NOT NULL,
    hash         bytea       NOT NULL CHECK (octet_length(hash) = 32),
    created_at   timestamptz NOT NULL,
    revoked_at   timestamptz,
    name         text        NOT NULL,
    scopes       text[]      NOT NULL,
    last_used_at timestamptz, -- about; null: never
    expires_at   timestamptz, -- set when the key was replaced by another one
    PRIMARY KEY (tenant_id, api_key_id),
    UNIQUE (tenant_id, prefix),
    CONSTRAINT api_keys_scopes CHECK (scopes <@ '{read,book,customers,money,admin}' AND cardinality(scopes) > 0)
);

-- Row-level security stands behind the `tenant_id =` of every statement. FORCE: the owner too.
ALTER TABLE tenants ENABLE ROW LEVEL SECURITY;
ALTER TABLE tenants FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON tenants USING (tenant_id = NULLIF(current_setting('holdfast.tenant_id', true), '')::uuid);
ALTER TABLE api_keys ENABLE ROW LEVEL SECURITY;
ALTER TABLE api_keys FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON api_keys USING (tenant_id = NULLIF(current_setting('holdfast.tenant_id', true), '')::uuid);

GRANT SELECT, INSERT, UPDATE (name, catalog_version, settings, email_templates, settings_version) ON tenants TO holdfast_app;
GRANT SELECT, INSERT, UPDATE (name, scopes, revoked_at, expires_at) ON api_keys TO holdfast_app;

-- The operator lists tenants, and gives locks their names.
-- Members of a role inherit its policies, and the login is one: each policy leaves it out by the role's name.
GRANT SELECT (tenant_id, slug, name, time_zone, currency, created_at) ON tenants TO holdfast_operator;
CREATE POLICY operator ON tenants FOR SELECT TO holdfast_operator USING (current_user = 'holdfast_operator');
-- Servers record when keys were used, of all tenants at once.
GRANT SELECT (tenant_id, api_key_id, last_used_at), UPDATE (last_used_at) ON api_keys TO holdfast_worker;
CREATE POLICY worker ON api_keys TO holdfast_worker USING (current_user = 'holdfast_worker');
