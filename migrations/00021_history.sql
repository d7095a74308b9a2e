-- +goose Up

-- Who changed what and when, written in the commit of the change. It is kept as long as its subject.
CREATE TABLE history (
    tenant_id    uuid        NOT NULL,
    subject_id   uuid        NOT NULL,
    version      bigint      NOT NULL, -- of the subject, after the change
    subject_type text        NOT NULL,
    action       text        NOT NULL, -- such as booking.confirmed
    -- Who asked: null for the server's own work.
    api_key_id   uuid,
    request_id   text,
    occurred_at  timestamptz NOT NULL,
    -- The fields that the change changed, as the API shows them. A creation has no before.
    before       json,
    after        json,
    PRIMARY KEY (tenant_id, subject_id, version)
);
ALTER TABLE history ENABLE ROW LEVEL SECURITY;
ALTER TABLE history FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON history USING (tenant_id = NULLIF(current_setting('holdfast.tenant_id', true), '')::uuid);
GRANT SELECT, INSERT ON history TO holdfast_app;

-- +goose Down
DROP TABLE history;
