-- +goose Up

-- One record of each change, written in the commit of the change. The feed, webhooks and histories read it; a stored response points at it.
CREATE TABLE changes (
    tenant_id      uuid        NOT NULL,
    -- The transaction that wrote the change. Transactions commit out of order, so the feed shows only changes of transactions that
    -- are older than every transaction that runs: nothing can come before these any more.
    transaction_id bigint      NOT NULL DEFAULT (pg_current_xact_id()::text)::bigint,
    change_id      uuid        NOT NULL,
    type           text        NOT NULL, -- such as booking.confirmed
    subject_type   text        NOT NULL,
    subject_id     uuid        NOT NULL,
    version        bigint      NOT NULL, -- of the subject, after the change
    -- A notice, such as booking.reminder, changes nothing: it has the version of the last change. Histories don't show it.
    notice         boolean     NOT NULL,
    -- Who asked: null for the server's own work.
    api_key_id     uuid,
    request_id     text,
    occurred_at    timestamptz NOT NULL,
    -- The subject's API representation after the change. json and not jsonb: its bytes are sent as they were written.
    data           json        NOT NULL,
    PRIMARY KEY (tenant_id, transaction_id, change_id)
);
-- The feed of one subject.
CREATE INDEX changes_by_subject ON changes (tenant_id, subject_id, transaction_id, change_id);
-- A subject has one change of each version. The planner prefers this index to the one before where they cost the same, because it is newer.
CREATE UNIQUE INDEX changes_by_version ON changes (tenant_id, subject_id, version) WHERE NOT notice;
-- The relay, which plans deliveries, reads the changes of all tenants in this order.
CREATE INDEX changes_by_transaction ON changes (transaction_id, change_id);
-- Replays look changes up by time. They are written in about this order, so an index of block ranges is enough; it costs a booking
-- nothing.
CREATE INDEX changes_by_time ON changes USING brin (occurred_at) WITH (pages_per_range = 32, autosummarize = on);

-- How far a reader of all tenants' changes has come. The nil uuid stands for all tenants. Two positions are no reader's: deleted is the last
-- change that was deleted for its age. The id of epoch is in every cursor; it changes when the stored transaction ids are changed, after
-- which older cursors mean nothing.
CREATE TABLE feed_positions (
    tenant_id      uuid        NOT NULL,
    reader         text        NOT NULL,
    transaction_id bigint      NOT NULL,
    change_id      uuid        NOT NULL,
    updated_at     timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, reader)
);
INSERT INTO feed_positions (tenant_id, reader, transaction_id, change_id, updated_at)
VALUES ('00000000-0000-0000-0000-000000000000', 'relay', 0, '00000000-0000-0000-0000-000000000000', now()),
       ('00000000-0000-0000-0000-000000000000', 'deleted', -9223372036854775808, '00000000-0000-0000-0000-000000000000', now()),
       ('00000000-0000-0000-0000-000000000000', 'epoch', 0, gen_random_uuid(), now());

ALTER TABLE changes ENABLE ROW LEVEL SECURITY;
ALTER TABLE changes FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON changes USING (tenant_id = NULLIF(current_setting('holdfast.tenant_id', true), '')::uuid);
ALTER TABLE feed_positions ENABLE ROW LEVEL SECURITY;
ALTER TABLE feed_positions FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON feed_positions USING (tenant_id = NULLIF(current_setting('holdfast.tenant_id', true), '')::uuid);

-- An erasure changes what was written before it.
GRANT SELECT, INSERT, UPDATE (data) ON changes TO holdfast_app;
-- The feed tells a reader when changes after its cursor were deleted.
GRANT SELECT ON feed_positions TO holdfast_app;
CREATE POLICY feed ON feed_positions FOR SELECT TO holdfast_app
    USING (current_user = 'holdfast_app' AND reader IN ('deleted', 'epoch'));

-- The relay reads the changes of all tenants. Of a database that was restored into another cluster, whose transaction ids are still to come
-- there, it lowers the ids.
GRANT SELECT, INSERT, DELETE, UPDATE (transaction_id) ON changes TO holdfast_worker;
CREATE POLICY worker ON changes TO holdfast_worker USING (current_user = 'holdfast_worker');
GRANT SELECT, UPDATE (transaction_id, change_id, updated_at) ON feed_positions TO holdfast_worker;
CREATE POLICY worker ON feed_positions TO holdfast_worker USING (current_user = 'holdfast_worker');
