-- +goose Up

CREATE TABLE idempotency_keys (
    -- No foreign key: administrators' requests are kept under the nil uuid, which is no tenant.
    tenant_id   uuid        NOT NULL,
    key         text        NOT NULL,
    fingerprint bytea       NOT NULL CHECK (octet_length(fingerprint) = 32),
    -- Null: the key is unfinished, its request has begun and isn't answered. Zero is of the keys of commands, which answer nobody over HTTP.
    status      int,
    location    text        NOT NULL,
    etag        text        NOT NULL,
    -- Null: the body is the data of a change, which is named by its subject and version. Changes are kept for longer than keys.
    body        bytea,
    change_subject_id uuid,
    change_version    bigint,
    created_at  timestamptz NOT NULL,
    expires_at  timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, key),
    CHECK ((body IS NULL) = (change_subject_id IS NOT NULL) AND (body IS NULL) = (change_version IS NOT NULL))
);
CREATE INDEX idempotency_keys_by_expiry ON idempotency_keys (expires_at) WHERE status IS NOT NULL;

ALTER TABLE idempotency_keys ENABLE ROW LEVEL SECURITY;
ALTER TABLE idempotency_keys FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON idempotency_keys USING (tenant_id = NULLIF(current_setting('holdfast.tenant_id', true), '')::uuid);
-- A payment claims its key, and answers once it is settled.
GRANT SELECT, INSERT, DELETE, UPDATE (status, location, etag, body, change_subject_id, change_version, expires_at) ON idempotency_keys TO holdfast_app;

-- The cleanup sees no key but those that it may delete, of every tenant.
CREATE POLICY cleanup ON idempotency_keys TO holdfast_cleanup
    USING (current_user = 'holdfast_cleanup' AND status IS NOT NULL AND expires_at <= now());
-- To lock rows takes the right to update a column; nothing updates it.
GRANT SELECT, DELETE, UPDATE (expires_at) ON idempotency_keys TO holdfast_cleanup;
