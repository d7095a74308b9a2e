-- +goose Up

-- A block is time of a resource that is taken without a booking: one time, or one that repeats. What it takes are its claims: one for each
-- civil date that it touches. Each has, besides the units of the resource that were free, numbers beyond those of all units. So a claim of
-- a block is told from other claims, and its time counts as full although bookings may stand in it.
CREATE TABLE blocks (
    tenant_id       uuid        NOT NULL,
    block_id        uuid        NOT NULL,
    resource_id     uuid        NOT NULL,
    -- The first time: two moments, or two civil dates, both included.
    starts_at       timestamptz,
    ends_at         timestamptz,
    from_date       date,
    to_date         date,
    rrule           text, -- RFC 5545; null: it doesn't repeat
    reason          text        NOT NULL,
    first_date      date        NOT NULL, -- that it touches
    last_date       date        NOT NULL,
    longest_minutes int         NOT NULL, -- of its claims: readers of what is occupied must reach as far back
    version         bigint      NOT NULL DEFAULT 1,
    created_at      timestamptz NOT NULL,
    updated_at      timestamptz NOT NULL,
    archived_at     timestamptz, -- an archived block takes nothing
    PRIMARY KEY (tenant_id, block_id),
    FOREIGN KEY (tenant_id, resource_id) REFERENCES resources (tenant_id, resource_id),
    CHECK (starts_at < ends_at AND from_date IS NULL AND to_date IS NULL
        OR from_date <= to_date AND starts_at IS NULL AND ends_at IS NULL)
);
-- Pages, and the blocks that readers of what is occupied must reach back to.
CREATE INDEX blocks_by_date ON blocks (tenant_id, last_date, block_id);
CREATE INDEX blocks_by_resource ON blocks (tenant_id, resource_id, last_date, block_id);

ALTER TABLE blocks ENABLE ROW LEVEL SECURITY;
ALTER TABLE blocks FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON blocks USING (tenant_id = NULLIF(current_setting('holdfast.tenant_id', true), '')::uuid);

GRANT SELECT, INSERT, UPDATE (resource_id, starts_at, ends_at, from_date, to_date, rrule, reason, first_date, last_date, longest_minutes,
    version, updated_at, archived_at) ON blocks TO holdfast_app;
