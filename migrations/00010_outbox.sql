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
-- Replays look events up by time. Events are written in about this order, so an index of block ranges is enough; it costs a booking
-- nothing.
CREATE INDEX outbox_events_by_time ON outbox_events USING brin (occurred_at) WITH (pages_per_range = 32, autosummarize = on);

-- How far a reader of all tenants' events has come. The nil uuid stands for all tenants. Two positions are no reader's: deleted is the last
-- event that was deleted for its age. The id of epoch is in every cursor; it changes when the stored transaction ids are changed, after
-- which older cursors mean nothing.
CREATE TABLE outbox_positions (
    tenant_id      uuid        NOT NULL,
    reader         text        NOT NULL,
    transaction_id bigint      NOT NULL,
    event_id       uuid        NOT NULL,
    updated_at     timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, reader)
);
INSERT INTO outbox_positions (tenant_id, reader, transaction_id, event_id, updated_at)
VALUES ('00000000-0000-0000-0000-000000000000', 'relay', 0, '00000000-0000-0000-0000-000000000000', now()),
       ('00000000-0000-0000-0000-000000000000', 'deleted', -9223372036854775808, '00000000-0000-0000-0000-000000000000', now()),
       ('00000000-0000-0000-0000-000000000000', 'epoch', 0, gen_random_uuid(), now());

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

ALTER TABLE outbox_events ENABLE ROW LEVEL SECURITY;
ALTER TABLE outbox_events FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON outbox_events USING (tenant_id = NULLIF(current_setting('holdfast.tenant_id', true), '')::uuid);
ALTER TABLE outbox_positions ENABLE ROW LEVEL SECURITY;
ALTER TABLE outbox_positions FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON outbox_positions USING (tenant_id = NULLIF(current_setting('holdfast.tenant_id', true), '')::uuid);
ALTER TABLE history ENABLE ROW LEVEL SECURITY;
ALTER TABLE history FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON history USING (tenant_id = NULLIF(current_setting('holdfast.tenant_id', true), '')::uuid);

-- An erasure changes what was written before it.
GRANT SELECT, INSERT, UPDATE (data) ON outbox_events TO holdfast_app;
GRANT SELECT, INSERT, UPDATE (before, after) ON history TO holdfast_app;
-- The feed tells a reader when events after its cursor were deleted.
GRANT SELECT ON outbox_positions TO holdfast_app;
CREATE POLICY feed ON outbox_positions FOR SELECT TO holdfast_app
    USING (current_user = 'holdfast_app' AND reader IN ('deleted', 'epoch'));

-- The relay reads the events of all tenants. Of a database that was restored into another cluster, whose transaction ids are still to come
-- there, it lowers the ids.
GRANT SELECT, INSERT, DELETE, UPDATE (transaction_id) ON outbox_events TO holdfast_worker;
CREATE POLICY worker ON outbox_events TO holdfast_worker USING (current_user = 'holdfast_worker');
GRANT SELECT, UPDATE (transaction_id, event_id, updated_at) ON outbox_positions TO holdfast_worker;
CREATE POLICY worker ON outbox_positions TO holdfast_worker USING (current_user = 'holdfast_worker');
