-- +goose Up

-- What must happen at a time.
CREATE TABLE scheduled_events (
    tenant_id    uuid        NOT NULL,
    event_id     uuid        NOT NULL,
    kind         text        NOT NULL,
    subject_type text        NOT NULL,
    subject_id   uuid        NOT NULL,
    -- Tells the occurrences of one kind and subject apart. With it, planning twice plans once.
    occurrence   text        NOT NULL,
    -- failed: the last attempt failed, and due_at is when the next one is made.
    status       text        NOT NULL CHECK (status IN ('pending', 'processing', 'completed', 'failed', 'dead', 'cancelled')),
    due_at       timestamptz NOT NULL,
    time_zone    text        NOT NULL, -- in which due_at was computed
    attempts     int         NOT NULL,
    version      bigint      NOT NULL, -- every change raises it
    lease        uuid, -- the fencing token of the worker that holds the event
    leased_until timestamptz,
    -- The event was planned again while a worker held it: what the worker read may be of before the reason to plan it.
    planned_again boolean    NOT NULL DEFAULT false,
    last_error   text,
    -- A person has cancelled the event: it isn't planned again.
    cancelled_on_request boolean NOT NULL DEFAULT false,
    data         json        NOT NULL, -- of the kind; an event that becomes due again can keep its progress in it
    created_at   timestamptz NOT NULL,
    updated_at   timestamptz NOT NULL,
    -- Deliveries to one endpoint that have the same ordering key are made one after the other, by sequence: the key is the event's subject, and
    -- the sequence is the subject's version.
    ordering_key uuid,
    sequence     bigint,
    PRIMARY KEY (tenant_id, event_id),
    UNIQUE (tenant_id, subject_id, kind, occurrence),
    CHECK ((status = 'processing') = (lease IS NOT NULL) AND (status = 'processing') = (leased_until IS NOT NULL)),
    CHECK (status = 'cancelled' OR NOT cancelled_on_request),
    CHECK ((ordering_key IS NULL) = (sequence IS NULL))
);
-- The oldest due events of a kind, and those of one tenant, so that no tenant's backlog holds up another tenant.
CREATE INDEX scheduled_events_due ON scheduled_events (kind, due_at) WHERE status IN ('pending', 'failed');
CREATE INDEX scheduled_events_due_by_tenant ON scheduled_events (kind, tenant_id, due_at) WHERE status IN ('pending', 'failed');
CREATE INDEX scheduled_events_leases ON scheduled_events (leased_until) WHERE status = 'processing';
CREATE INDEX scheduled_events_dead ON scheduled_events (kind) WHERE status = 'dead';
-- A tenant's dead events, which are few among many.
CREATE INDEX scheduled_events_dead_by_tenant ON scheduled_events (tenant_id, due_at, event_id) WHERE status = 'dead';
CREATE INDEX scheduled_events_list ON scheduled_events (tenant_id, due_at, event_id);
-- Deliveries are claimed by endpoint, so that the backlog of one endpoint isn't read for another one.
CREATE INDEX scheduled_events_deliveries ON scheduled_events (tenant_id, subject_id, due_at)
    WHERE kind = 'webhook.delivery' AND status IN ('pending', 'failed');
-- Whether an earlier delivery with the same key is still to be made.
CREATE INDEX scheduled_events_order ON scheduled_events (tenant_id, subject_id, ordering_key, sequence)
    WHERE kind = 'webhook.delivery' AND status IN ('pending', 'processing');

-- What attempts did: those that failed, and those whose kind keeps a log, such as deliveries.
CREATE TABLE event_attempts (
    tenant_id   uuid        NOT NULL,
    event_id    uuid        NOT NULL,
    attempt_id  uuid        NOT NULL,
    attempt     int         NOT NULL, -- counts from 1, and again from 1 after a replay
    status      text        NOT NULL, -- of the event after the attempt
    error       text,
    details     json        NOT NULL, -- of the kind
    started_at  timestamptz NOT NULL,
    finished_at timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, event_id, attempt_id),
    FOREIGN KEY (tenant_id, event_id) REFERENCES scheduled_events (tenant_id, event_id)
);

ALTER TABLE scheduled_events ENABLE ROW LEVEL SECURITY;
ALTER TABLE scheduled_events FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON scheduled_events USING (tenant_id = NULLIF(current_setting('holdfast.tenant_id', true), '')::uuid);
ALTER TABLE event_attempts ENABLE ROW LEVEL SECURITY;
ALTER TABLE event_attempts FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON event_attempts USING (tenant_id = NULLIF(current_setting('holdfast.tenant_id', true), '')::uuid);

GRANT SELECT, INSERT, DELETE, UPDATE (status, due_at, time_zone, attempts, version, lease, leased_until, last_error, cancelled_on_request,
    data, updated_at) ON scheduled_events TO holdfast_app;
-- An erasure takes out what the attempts recorded.
GRANT SELECT, UPDATE (error, details) ON event_attempts TO holdfast_app;

-- Workers claim what is due of every tenant.
GRANT SELECT, INSERT, DELETE, UPDATE (status, due_at, time_zone, attempts, version, lease, leased_until, planned_again, last_error,
    cancelled_on_request, data, updated_at) ON scheduled_events TO holdfast_worker;
CREATE POLICY worker ON scheduled_events TO holdfast_worker USING (current_user = 'holdfast_worker');
GRANT SELECT, INSERT, DELETE ON event_attempts TO holdfast_worker;
CREATE POLICY worker ON event_attempts TO holdfast_worker USING (current_user = 'holdfast_worker');

-- `holdfast events` reads the scheduled events of all tenants. It sees what is done when, for which subject and with which result, and not the
-- data of the kinds. It changes events as their tenant.
GRANT SELECT (tenant_id, event_id, kind, subject_type, subject_id, status, due_at, time_zone, attempts, version, last_error, created_at,
    updated_at) ON scheduled_events TO holdfast_operator;
CREATE POLICY operator ON scheduled_events FOR SELECT TO holdfast_operator USING (current_user = 'holdfast_operator');
