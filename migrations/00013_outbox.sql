-- +goose Up

-- What happened, written in the commit of the change that it tells of.
CREATE TABLE outbox_events (
    tenant_id      uuid        NOT NULL,
    -- The transaction that wrote the event. Transactions commit out of order, so readers take only events of transactions that
    -- are older than every transaction that runs: nothing can come before these any more.
    transaction_id bigint      NOT NULL DEFAULT (pg_current_xact_id()::text)::bigint,
    event_id       uuid        NOT NULL,
    type           text        NOT NULL,
    subject_type   text        NOT NULL,
    subject_id     uuid        NOT NULL,
    sequence       bigint      NOT NULL, -- the subject's version
    occurred_at    timestamptz NOT NULL,
    -- The subject's API representation after the change. json and not jsonb: its bytes are sent as they were written.
    data           json        NOT NULL,
    PRIMARY KEY (tenant_id, transaction_id, event_id)
);
CREATE INDEX outbox_events_by_subject ON outbox_events (tenant_id, subject_id, transaction_id, event_id);
-- The relay, which plans deliveries, reads the events of all tenants in this order.
CREATE INDEX outbox_events_by_transaction ON outbox_events (transaction_id, event_id);

-- How far a reader of all tenants' events has come. The nil uuid stands for all tenants.
CREATE TABLE outbox_positions (
    tenant_id      uuid        NOT NULL,
    reader         text        NOT NULL,
    transaction_id bigint      NOT NULL,
    event_id       uuid        NOT NULL,
    updated_at     timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, reader)
);
INSERT INTO outbox_positions (tenant_id, reader, transaction_id, event_id, updated_at)
VALUES ('00000000-0000-0000-0000-000000000000', 'relay', 0, '00000000-0000-0000-0000-000000000000', now());

-- Order of a customer's events.
ALTER TABLE customers ADD COLUMN version bigint NOT NULL DEFAULT 1;
GRANT UPDATE (version) ON customers TO holdfast_app;

-- +goose StatementBegin
DO $$
DECLARE
    t text;
BEGIN
    FOREACH t IN ARRAY ARRAY ['outbox_events', 'outbox_positions']
    LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', t);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', t);
        EXECUTE format('CREATE POLICY tenant ON %I USING '
            '(tenant_id = NULLIF(current_setting(''holdfast.tenant_id'', true), '''')::uuid)', t);
        -- Members of a role inherit its policies, and the login is one: it is left out by name.
        EXECUTE format('CREATE POLICY worker ON %I TO holdfast_worker USING (current_user = ''holdfast_worker'')', t);
    END LOOP;
END
$$;
-- +goose StatementEnd

GRANT SELECT, INSERT ON outbox_events TO holdfast_app;
GRANT SELECT, INSERT, DELETE ON outbox_events TO holdfast_worker;
GRANT SELECT, UPDATE (transaction_id, event_id, updated_at) ON outbox_positions TO holdfast_worker;

-- +goose Down
DROP TABLE outbox_events, outbox_positions;
ALTER TABLE customers DROP COLUMN version;
