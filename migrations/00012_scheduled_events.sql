-- +goose Up

-- Workers claim what is due of every tenant. They do so as this role.
-- +goose StatementBegin
DO $$
BEGIN
    IF to_regrole('holdfast_worker') IS NULL THEN
        BEGIN
            CREATE ROLE holdfast_worker NOLOGIN NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE;
        EXCEPTION
            WHEN duplicate_object OR unique_violation THEN NULL;
        END;
    END IF;
    -- Since PostgreSQL 16 the creator of a role is its member at once, but may not become it.
    IF NOT pg_has_role('holdfast_worker',
        CASE WHEN current_setting('server_version_num')::int >= 160000 THEN 'SET' ELSE 'MEMBER' END) THEN
        EXECUTE 'GRANT holdfast_worker TO CURRENT_USER';
    END IF;
END
$$;
-- +goose StatementEnd

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
    last_error   text,
    data         json        NOT NULL, -- of the kind
    created_at   timestamptz NOT NULL,
    updated_at   timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, event_id),
    UNIQUE (tenant_id, subject_id, kind, occurrence),
    CHECK ((status = 'processing') = (lease IS NOT NULL) AND (status = 'processing') = (leased_until IS NOT NULL))
);
-- The oldest due events of a kind, and those of one tenant, so that no tenant's backlog holds up another tenant.
CREATE INDEX scheduled_events_due ON scheduled_events (kind, due_at) WHERE status IN ('pending', 'failed');
CREATE INDEX scheduled_events_due_by_tenant ON scheduled_events (kind, tenant_id, due_at) WHERE status IN ('pending', 'failed');
CREATE INDEX scheduled_events_leases ON scheduled_events (leased_until) WHERE status = 'processing';
CREATE INDEX scheduled_events_dead ON scheduled_events (kind) WHERE status = 'dead';
CREATE INDEX scheduled_events_list ON scheduled_events (tenant_id, due_at, event_id);

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
ALTER TABLE event_attempts ENABLE ROW LEVEL SECURITY;
ALTER TABLE event_attempts FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON event_attempts USING (tenant_id = NULLIF(current_setting('holdfast.tenant_id', true), '')::uuid);
CREATE POLICY worker ON event_attempts TO holdfast_worker USING (current_user = 'holdfast_worker');
GRANT SELECT ON event_attempts TO holdfast_app;
GRANT SELECT, INSERT, DELETE ON event_attempts TO holdfast_worker;

ALTER TABLE scheduled_events ENABLE ROW LEVEL SECURITY;
ALTER TABLE scheduled_events FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON scheduled_events USING (tenant_id = NULLIF(current_setting('holdfast.tenant_id', true), '')::uuid);
-- Members of a role inherit its policies, and the login is one: it is left out by name.
CREATE POLICY worker ON scheduled_events TO holdfast_worker USING (current_user = 'holdfast_worker');

GRANT SELECT, INSERT, UPDATE (status, due_at, time_zone, attempts, version, lease, leased_until, last_error, updated_at)
    ON scheduled_events TO holdfast_app;
GRANT SELECT, INSERT, DELETE, UPDATE (status, due_at, attempts, version, lease, leased_until, last_error, updated_at)
    ON scheduled_events TO holdfast_worker;

-- A worker resolves a payment as the payment's tenant.
GRANT UPDATE (looks) ON payments TO holdfast_app;

-- Older servers plan no events for their holds, open payments and ended bookings. A worker finds these and plans their events.
CREATE POLICY worker ON bookings FOR SELECT TO holdfast_worker USING (current_user = 'holdfast_worker' AND status = 'held');
GRANT SELECT (tenant_id, booking_id, status, hold_expires_at) ON bookings TO holdfast_worker;
CREATE POLICY worker ON payments FOR SELECT TO holdfast_worker USING (current_user = 'holdfast_worker' AND resolve_at IS NOT NULL);
GRANT SELECT (tenant_id, payment_id, resolve_at) ON payments TO holdfast_worker;
CREATE POLICY worker ON ended_bookings FOR SELECT TO holdfast_worker USING (current_user = 'holdfast_worker');
GRANT SELECT (tenant_id, booking_id, due_at) ON ended_bookings TO holdfast_worker;

-- +goose Down
DROP POLICY worker ON ended_bookings;
DROP POLICY worker ON payments;
DROP POLICY worker ON bookings;
REVOKE ALL (tenant_id, booking_id, due_at) ON ended_bookings FROM holdfast_worker;
REVOKE ALL (tenant_id, payment_id, resolve_at) ON payments FROM holdfast_worker;
REVOKE ALL (tenant_id, booking_id, status, hold_expires_at) ON bookings FROM holdfast_worker;
REVOKE UPDATE (looks) ON payments FROM holdfast_app;
DROP TABLE event_attempts, scheduled_events;
