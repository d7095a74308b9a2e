-- +goose Up

-- What is sold, and when. Each change raises the row's version, which is its ETag.

CREATE TABLE resources (
    tenant_id   uuid        NOT NULL REFERENCES tenants (tenant_id),
    resource_id uuid        NOT NULL,
    name        text        NOT NULL,
    capacity    int         NOT NULL CHECK (capacity BETWEEN 1 AND 1000),
    -- Weekly hours and date overrides, always read and replaced as a whole.
    hours       jsonb       NOT NULL,
    created_at  timestamptz NOT NULL,
    updated_at  timestamptz NOT NULL,
    version     bigint      NOT NULL DEFAULT 1,
    position    int         NOT NULL DEFAULT 0, -- lists can be ordered by it
    archived_at timestamptz, -- an archived resource or service takes no new bookings
    PRIMARY KEY (tenant_id, resource_id)
);
-- A list finds its page in the order of its pages. Names are compared as those of customers are: see customers_search_name.
CREATE INDEX resources_by_position ON resources (tenant_id, position, resource_id);
CREATE INDEX resources_search_name ON resources (tenant_id, name COLLATE "C");

CREATE TABLE services (
    tenant_id       uuid        NOT NULL REFERENCES tenants (tenant_id),
    service_id      uuid        NOT NULL,
    -- What the tenant says of the service, as the API shows it, but for its resources: see service_resources. Go checks it.
    spec            json        NOT NULL,
    name            text        NOT NULL GENERATED ALWAYS AS (spec ->> 'name') STORED,
    kind            text        NOT NULL GENERATED ALWAYS AS (spec ->> 'kind') STORED,
    created_at      timestamptz NOT NULL,
    updated_at      timestamptz NOT NULL,
    version         bigint      NOT NULL DEFAULT 1,
    archived_at     timestamptz,
    -- The longest time that a booking occupies a resource, by the service's values and by those that it had before: such bookings still
    -- exist, so readers of what is occupied must reach as far back. It is computed in Go.
    longest_minutes int         NOT NULL,
    PRIMARY KEY (tenant_id, service_id)
);
CREATE INDEX services_search_name ON services (tenant_id, name COLLATE "C");

CREATE TABLE service_resources (
    tenant_id   uuid NOT NULL,
    service_id  uuid NOT NULL,
    resource_id uuid NOT NULL,
    -- Resources are tried in this order when a booking names none.
    position    int  NOT NULL,
    -- A link that bookings reference can't be deleted. A removed one takes no new bookings.
    removed_at  timestamptz,
    PRIMARY KEY (tenant_id, service_id, resource_id),
    FOREIGN KEY (tenant_id, service_id) REFERENCES services (tenant_id, service_id),
    FOREIGN KEY (tenant_id, resource_id) REFERENCES resources (tenant_id, resource_id)
);
CREATE INDEX service_resources_by_resource ON service_resources (tenant_id, resource_id);

CREATE TABLE closures (
    tenant_id   uuid        NOT NULL REFERENCES tenants (tenant_id),
    closure_id  uuid        NOT NULL,
    resource_id uuid, -- null closes every resource of the tenant
    from_date   date        NOT NULL,
    to_date     date        NOT NULL,
    reason      text        NOT NULL,
    created_at  timestamptz NOT NULL,
    version     bigint      NOT NULL DEFAULT 1,
    updated_at  timestamptz, -- null: never changed
    archived_at timestamptz, -- an archived closure closes nothing
    PRIMARY KEY (tenant_id, closure_id),
    FOREIGN KEY (tenant_id, resource_id) REFERENCES resources (tenant_id, resource_id),
    CHECK (from_date <= to_date)
);
CREATE INDEX closures_by_date ON closures (tenant_id, to_date);

ALTER TABLE resources ENABLE ROW LEVEL SECURITY;
ALTER TABLE resources FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON resources USING (tenant_id = NULLIF(current_setting('holdfast.tenant_id', true), '')::uuid);
ALTER TABLE services ENABLE ROW LEVEL SECURITY;
ALTER TABLE services FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON services USING (tenant_id = NULLIF(current_setting('holdfast.tenant_id', true), '')::uuid);
ALTER TABLE service_resources ENABLE ROW LEVEL SECURITY;
ALTER TABLE service_resources FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON service_resources USING (tenant_id = NULLIF(current_setting('holdfast.tenant_id', true), '')::uuid);
ALTER TABLE closures ENABLE ROW LEVEL SECURITY;
ALTER TABLE closures FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON closures USING (tenant_id = NULLIF(current_setting('holdfast.tenant_id', true), '')::uuid);

GRANT SELECT, INSERT, UPDATE (name, capacity, position, hours, version, updated_at, archived_at) ON resources TO holdfast_app;
GRANT SELECT, INSERT, UPDATE (spec, version, archived_at, longest_minutes, updated_at) ON services TO holdfast_app;
GRANT SELECT, INSERT, UPDATE (position, removed_at) ON service_resources TO holdfast_app;
GRANT SELECT, INSERT, UPDATE (resource_id, from_date, to_date, reason, version, updated_at, archived_at) ON closures TO holdfast_app;
