-- +goose Up

-- The exclusion constraint on bookings compares uuids with gist.
CREATE EXTENSION IF NOT EXISTS btree_gist;

-- Requests run as this role: it can't log in, owns nothing and can't bypass row-level security.
-- +goose StatementBegin
DO $$
BEGIN
    -- Roles belong to the whole server: an administrator, or another database of it, may have been first.
    IF to_regrole('holdfast_app') IS NULL THEN
        BEGIN
            CREATE ROLE holdfast_app NOLOGIN NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE;
        EXCEPTION
            WHEN duplicate_object OR unique_violation THEN NULL;
        END;
    END IF;
    IF NOT pg_has_role('holdfast_app', 'MEMBER') THEN
        EXECUTE 'GRANT holdfast_app TO CURRENT_USER';
    END IF;
END
$$;
-- +goose StatementEnd

CREATE TABLE tenants (
    tenant_id       uuid        NOT NULL PRIMARY KEY,
    slug            text        NOT NULL UNIQUE CHECK (slug ~ '^[a-z0-9][a-z0-9-]{0,62}$'),
    name            text        NOT NULL,
    time_zone       text        NOT NULL,
    currency        text        NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
    -- Raised by every change to services, resources, hours and closures. A booking reads it under its
    -- calendar lock to know that the rules it was judged by are still the rules.
    catalog_version bigint      NOT NULL DEFAULT 1,
    created_at      timestamptz NOT NULL
);

CREATE TABLE api_keys (
    tenant_id  uuid        NOT NULL REFERENCES tenants (tenant_id),
    api_key_id uuid        NOT NULL,
    prefix     text        NOT NULL,
    hash       bytea       NOT NULL CHECK (octet_length(hash) = 32),
    created_at timestamptz NOT NULL,
    revoked_at timestamptz,
    PRIMARY KEY (tenant_id, api_key_id),
    UNIQUE (tenant_id, prefix)
);

CREATE TABLE resources (
    tenant_id   uuid        NOT NULL REFERENCES tenants (tenant_id),
    resource_id uuid        NOT NULL,
    name        text        NOT NULL,
    capacity    int         NOT NULL CHECK (capacity BETWEEN 1 AND 1000),
    -- Weekly hours and date overrides, always read and replaced as a whole.
    hours       jsonb       NOT NULL,
    created_at  timestamptz NOT NULL,
    updated_at  timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, resource_id)
);

CREATE TABLE services (
    tenant_id             uuid        NOT NULL REFERENCES tenants (tenant_id),
    service_id            uuid        NOT NULL,
    name                  text        NOT NULL,
    kind                  text        NOT NULL CHECK (kind IN ('date', 'slot')),
    duration_minutes      int         NOT NULL CHECK (duration_minutes >= 0),
    slot_interval_minutes int         NOT NULL CHECK (slot_interval_minutes >= 0),
    buffer_before_minutes int         NOT NULL CHECK (buffer_before_minutes >= 0),
    buffer_after_minutes  int         NOT NULL CHECK (buffer_after_minutes >= 0),
    min_lead_minutes      int         NOT NULL CHECK (min_lead_minutes >= 0),
    booking_window_days   int         NOT NULL CHECK (booking_window_days >= 0),
    max_per_day           int         CHECK (max_per_day >= 1),
    price                 bigint      NOT NULL CHECK (price >= 0),
    deposit               bigint      NOT NULL CHECK (deposit BETWEEN 0 AND price),
    metadata              json        NOT NULL,
    created_at            timestamptz NOT NULL,
    updated_at            timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, service_id),
    CHECK (kind = 'date' OR (duration_minutes >= 1 AND slot_interval_minutes >= 1))
);

CREATE TABLE service_resources (
    tenant_id   uuid NOT NULL,
    service_id  uuid NOT NULL,
    resource_id uuid NOT NULL,
    -- Resources are tried in this order when a booking names none.
    position    int  NOT NULL,
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
    PRIMARY KEY (tenant_id, closure_id),
    FOREIGN KEY (tenant_id, resource_id) REFERENCES resources (tenant_id, resource_id),
    CHECK (from_date <= to_date)
);
CREATE INDEX closures_by_date ON closures (tenant_id, to_date);

CREATE TABLE customers (
    tenant_id   uuid        NOT NULL REFERENCES tenants (tenant_id),
    customer_id uuid        NOT NULL,
    email       text        NOT NULL, -- lower case
    name        text        NOT NULL,
    phone       text,
    time_zone   text,
    birthday    date,
    created_at  timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, customer_id),
    UNIQUE (tenant_id, email)
);

CREATE TABLE bookings (
    tenant_id       uuid           NOT NULL,
    booking_id      uuid           NOT NULL,
    service_id      uuid           NOT NULL,
    resource_id     uuid           NOT NULL,
    customer_id     uuid           NOT NULL,
    status          text           NOT NULL,
    date            date           NOT NULL, -- the civil date of starts_at in time_zone
    starts_at       timestamptz    NOT NULL,
    ends_at         timestamptz    NOT NULL,
    time_zone       text           NOT NULL,
    party_size      int            NOT NULL,
    -- What the booking occupies: units of the resource during [starts_at − buffer, ends_at + buffer).
    units           int4multirange NOT NULL,
    busy_from       timestamptz    NOT NULL,
    busy_until      timestamptz    NOT NULL,
    during          tstzrange      NOT NULL GENERATED ALWAYS AS (tstzrange(busy_from, busy_until)) STORED,
    hold_expires_at timestamptz,
    price           bigint         NOT NULL,
    deposit         bigint         NOT NULL,
    currency        text           NOT NULL,
    -- json and not jsonb: a client reads back what it wrote, byte for byte.
    metadata        json           NOT NULL,
    version         bigint         NOT NULL,
    created_at      timestamptz    NOT NULL,
    updated_at      timestamptz    NOT NULL,
    PRIMARY KEY (tenant_id, booking_id),
    FOREIGN KEY (tenant_id, service_id, resource_id) REFERENCES service_resources (tenant_id, service_id, resource_id),
    FOREIGN KEY (tenant_id, customer_id) REFERENCES customers (tenant_id, customer_id),
    -- PostgreSQL reads the text of each check again for every statement: few and short ones cost least.
    CHECK (status IN ('held', 'confirmed', 'completed', 'no_show', 'cancelled', 'expired')),
    CHECK (status <> 'held' OR hold_expires_at IS NOT NULL),
    -- Neither range is empty: an empty one would slip past the constraint below.
    CHECK (NOT isempty(units) AND busy_from <= starts_at AND starts_at < ends_at AND ends_at <= busy_until),
    CHECK (party_size >= 1 AND price >= 0 AND deposit BETWEEN 0 AND price),
    -- The guard behind the calendar lock: no unit is sold twice even by a writer that took no lock.
    EXCLUDE USING gist (tenant_id WITH =, resource_id WITH =, units WITH &&, during WITH &&)
        WHERE (status IN ('held', 'confirmed', 'completed', 'no_show'))
);
CREATE INDEX bookings_by_date ON bookings (tenant_id, date, booking_id);
-- What is occupied is read through this index and not through the constraint's: under row-level security only
-- leakproof operators reach an index, which those of timestamps are and those of ranges are not (PostgreSQL
-- manual, "Rules and Privileges"). The predicate is spelt as in the queries and not as in the constraint, so that the
-- planner can't take the constraint's index for them: with its tenant alone it would read all of a tenant's bookings.
CREATE INDEX bookings_by_resource ON bookings (tenant_id, resource_id, busy_from)
    WHERE status NOT IN ('cancelled', 'expired');

CREATE TABLE idempotency_keys (
    -- No foreign key: administrators' requests are kept under the nil uuid, which is no tenant.
    tenant_id   uuid        NOT NULL,
    key         text        NOT NULL,
    fingerprint bytea       NOT NULL CHECK (octet_length(fingerprint) = 32),
    status      int         NOT NULL,
    location    text        NOT NULL,
    etag        text        NOT NULL,
    body        bytea       NOT NULL,
    created_at  timestamptz NOT NULL,
    expires_at  timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, key)
);

-- Row-level security stands behind the `tenant_id =` of every statement. FORCE: the owner too.
-- +goose StatementBegin
DO $$
DECLARE
    t text;
BEGIN
    FOREACH t IN ARRAY ARRAY ['tenants', 'api_keys', 'resources', 'services', 'service_resources', 'closures',
        'customers', 'bookings', 'idempotency_keys']
    LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', t);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', t);
        EXECUTE format('CREATE POLICY tenant ON %I USING '
            '(tenant_id = NULLIF(current_setting(''holdfast.tenant_id'', true), '''')::uuid)', t);
    END LOOP;
END
$$;
-- +goose StatementEnd

GRANT SELECT, INSERT, UPDATE (catalog_version) ON tenants TO holdfast_app;
GRANT SELECT, INSERT, UPDATE (revoked_at) ON api_keys TO holdfast_app;
GRANT SELECT, INSERT, UPDATE (hours, updated_at) ON resources TO holdfast_app;
GRANT SELECT, INSERT ON services, service_resources, customers TO holdfast_app;
GRANT SELECT, INSERT, DELETE ON closures, idempotency_keys TO holdfast_app;
GRANT SELECT, INSERT, UPDATE (status, hold_expires_at, version, updated_at) ON bookings TO holdfast_app;

-- +goose Down
DROP TABLE idempotency_keys, bookings, customers, closures, service_resources, services, resources, api_keys, tenants;
