-- +goose Up

-- Tenants that leave this database for another cell, or have left it. Each transaction of a tenant looks here in its first statement: of a
-- tenant that is moving, or has moved, it sees no rows and can write none. Of a tenant that is draining, workers claim no events.
CREATE TABLE tenant_moves (
    tenant_id   uuid        NOT NULL PRIMARY KEY,
    move_id     uuid        NOT NULL,
    to_cell     text        NOT NULL,
    state       text        NOT NULL CHECK (state IN ('draining', 'moving', 'moved')),
    started_at  timestamptz NOT NULL,
    -- When each transaction had ended that began before the state was moving. From then on nothing of the tenant is written here.
    frozen_at   timestamptz,
    finished_at timestamptz, -- when the tenant had moved. The row stays, and says where the tenant is
    -- Of a tenant that is coming here: its rows are copied while the other cell, to_cell, still serves it, so the state is moved. The
    -- snapshot of the first copy: which history of which database it was of, the oldest transaction that ran then, and what is added to
    -- the transaction ids of changes.
    copied_from  text,
    copied_since bigint,
    copied_base  bigint,
    copied_at    timestamptz, -- when all rows of the snapshot were here
    CHECK (state = 'moved' OR copied_from IS NULL),
    CHECK ((copied_from IS NULL) = (copied_since IS NULL) AND (copied_from IS NULL) = (copied_base IS NULL)),
    CHECK (copied_at IS NULL OR copied_from IS NOT NULL),
    CHECK (state <> 'draining' OR frozen_at IS NULL),
    CHECK (state <> 'moved' OR frozen_at IS NOT NULL),
    CHECK ((state = 'moved') = (finished_at IS NOT NULL))
);

-- What became here of the moves of tenants to this database. The row is written in the commit of the copy, so it says whether there was
-- one. A move that was refused can't arrive any more.
CREATE TABLE tenant_arrivals (
    tenant_id  uuid        NOT NULL,
    move_id    uuid        NOT NULL,
    state      text        NOT NULL CHECK (state IN ('arrived', 'refused')),
    created_at timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, move_id)
);

ALTER TABLE tenant_moves ENABLE ROW LEVEL SECURITY;
ALTER TABLE tenant_moves FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON tenant_moves USING (tenant_id = NULLIF(current_setting('holdfast.tenant_id', true), '')::uuid);
ALTER TABLE tenant_arrivals ENABLE ROW LEVEL SECURITY;
ALTER TABLE tenant_arrivals FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON tenant_arrivals USING (tenant_id = NULLIF(current_setting('holdfast.tenant_id', true), '')::uuid);

-- Moves are made by the owner. Workers leave out the events of such tenants, and lists of the operator the tenants that have moved.
GRANT SELECT (tenant_id, to_cell, state) ON tenant_moves TO holdfast_app;
GRANT SELECT (tenant_id) ON tenant_moves TO holdfast_worker;
CREATE POLICY worker ON tenant_moves FOR SELECT TO holdfast_worker USING (current_user = 'holdfast_worker');
GRANT SELECT (tenant_id, state) ON tenant_moves TO holdfast_operator;
CREATE POLICY operator ON tenant_moves FOR SELECT TO holdfast_operator USING (current_user = 'holdfast_operator');

-- A tenant that has moved to this database has positions of its own in feed_positions, besides those of all tenants. The id of its epoch is
-- in its cursors, and the transaction id is that of the copy. Its changes of before have transaction ids below all others: see
-- movedTables. deleted is the last of these that was deleted for its age.
