-- +goose Up

-- People of a tenant who sign in to the console. A server of before knows none of these tables and columns, and writes no name of a person.
CREATE TABLE users (
    tenant_id  uuid        NOT NULL REFERENCES tenants (tenant_id),
    user_id    uuid        NOT NULL,
    email      text        NOT NULL,
    name       text        NOT NULL,
    role       text        NOT NULL CHECK (role IN ('owner', 'staff', 'read')),
    version    bigint      NOT NULL, -- every change raises it
    created_at timestamptz NOT NULL,
    removed_at timestamptz, -- the row stays: histories name the person
    PRIMARY KEY (tenant_id, user_id)
);
CREATE UNIQUE INDEX users_by_email ON users (tenant_id, lower(email)) WHERE removed_at IS NULL;

-- Links that sign a person in, once. What stands in the link is not stored, only its SHA-256.
CREATE TABLE sign_in_links (
    tenant_id  uuid        NOT NULL,
    hash       bytea       NOT NULL CHECK (octet_length(hash) = 32),
    user_id    uuid        NOT NULL,
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, hash),
    FOREIGN KEY (tenant_id, user_id) REFERENCES users (tenant_id, user_id)
);
CREATE INDEX sign_in_links_by_user ON sign_in_links (tenant_id, user_id);

-- Browsers in which a person is signed in. What the browser has is not stored, only its SHA-256.
CREATE TABLE sign_ins (
    tenant_id  uuid        NOT NULL,
    hash       bytea       NOT NULL CHECK (octet_length(hash) = 32),
    user_id    uuid        NOT NULL,
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, hash),
    FOREIGN KEY (tenant_id, user_id) REFERENCES users (tenant_id, user_id)
);
CREATE INDEX sign_ins_by_user ON sign_ins (tenant_id, user_id);

ALTER TABLE users ENABLE ROW LEVEL SECURITY;
ALTER TABLE users FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON users USING (tenant_id = NULLIF(current_setting('holdfast.tenant_id', true), '')::uuid);
ALTER TABLE sign_in_links ENABLE ROW LEVEL SECURITY;
ALTER TABLE sign_in_links FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON sign_in_links USING (tenant_id = NULLIF(current_setting('holdfast.tenant_id', true), '')::uuid);
ALTER TABLE sign_ins ENABLE ROW LEVEL SECURITY;
ALTER TABLE sign_ins FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON sign_ins USING (tenant_id = NULLIF(current_setting('holdfast.tenant_id', true), '')::uuid);

GRANT SELECT, INSERT, UPDATE (email, name, role, version, removed_at) ON users TO holdfast_app;
GRANT SELECT, INSERT, DELETE ON sign_in_links TO holdfast_app;
GRANT SELECT, INSERT, DELETE ON sign_ins TO holdfast_app;

-- A tenant's deletion, as of all tables: see 00019 and 00023.
GRANT SELECT (tenant_id, user_id), DELETE ON users TO holdfast_deleter;
GRANT SELECT (tenant_id, hash), DELETE ON sign_in_links TO holdfast_deleter;
GRANT SELECT (tenant_id, hash), DELETE ON sign_ins TO holdfast_deleter;
CREATE POLICY deletion ON users AS RESTRICTIVE TO holdfast_deleter USING (NOT (current_user = 'holdfast_deleter')
    OR tenant_id = NULLIF(current_setting('holdfast.deleting', true), '')::uuid);
CREATE POLICY deletion ON sign_in_links AS RESTRICTIVE TO holdfast_deleter USING (NOT (current_user = 'holdfast_deleter')
    OR tenant_id = NULLIF(current_setting('holdfast.deleting', true), '')::uuid);
CREATE POLICY deletion ON sign_ins AS RESTRICTIVE TO holdfast_deleter USING (NOT (current_user = 'holdfast_deleter')
    OR tenant_id = NULLIF(current_setting('holdfast.deleting', true), '')::uuid);
