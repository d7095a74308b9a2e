-- +goose Up

-- The logo of a tenant, on the pages on which its customers book. It is no column of tenants, whose row each booking reads. A server of
-- before knows nothing of it: it shows no logo, and what it changes leaves the logo as it is.
CREATE TABLE logos (
    tenant_id  uuid        NOT NULL REFERENCES tenants (tenant_id),
    hash       text        NOT NULL, -- of the data: its URL has it, and pages are cached with it
    media_type text        NOT NULL CHECK (media_type IN ('image/png', 'image/jpeg')),
    data       bytea       NOT NULL CHECK (octet_length(data) BETWEEN 1 AND 32768),
    created_at timestamptz NOT NULL,
    PRIMARY KEY (tenant_id)
);

ALTER TABLE logos ENABLE ROW LEVEL SECURITY;
ALTER TABLE logos FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON logos USING (tenant_id = NULLIF(current_setting('holdfast.tenant_id', true), '')::uuid);
GRANT SELECT, INSERT, UPDATE (hash, media_type, data, created_at), DELETE ON logos TO holdfast_app;

-- A tenant's deletion, as of all tables: see 00019 and 00023.
GRANT SELECT (tenant_id), DELETE ON logos TO holdfast_deleter;
CREATE POLICY deletion ON logos AS RESTRICTIVE TO holdfast_deleter USING (NOT (current_user = 'holdfast_deleter')
    OR tenant_id = NULLIF(current_setting('holdfast.deleting', true), '')::uuid);
