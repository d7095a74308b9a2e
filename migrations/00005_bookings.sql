-- +goose Up

CREATE TABLE bookings (
    tenant_id                 uuid           NOT NULL,
    booking_id                uuid           NOT NULL,
    service_id                uuid           NOT NULL,
    resource_id               uuid           NOT NULL,
    customer_id               uuid, -- null: of a hold whose customer is not known yet
    status                    text           NOT NULL,
    date                      date           NOT NULL, -- the civil date of starts_at in time_zone
    starts_at                 timestamptz    NOT NULL,
    ends_at                   timestamptz    NOT NULL,
    time_zone                 text           NOT NULL,
    party_size                int            NOT NULL,
    -- It needs its resource during [starts_at − buffer, ends_at + buffer). What it occupies are its claims.
    busy_from                 timestamptz    NOT NULL,
    busy_until                timestamptz    NOT NULL,
    hold_expires_at           timestamptz,
    price                     bigint         NOT NULL,
    deposit                   bigint         NOT NULL,
    currency                  text           NOT NULL,
    -- json and not jsonb: a client reads back what it wrote, byte for byte.
    metadata                  json           NOT NULL,
    version                   bigint         NOT NULL,
    created_at                timestamptz    NOT NULL,
    updated_at                timestamptz    NOT NULL,
    reference                 text,
    external_reference        text,
    code                      text           NOT NULL, -- short, to be read over the phone
    -- What the price is made of, and the service's terms, as they were when the booking was made.
    items                     json           NOT NULL DEFAULT '[]',
    terms                     json           NOT NULL DEFAULT '{}',
    cancellation_reason       text,
    cancellation_fee          bigint         NOT NULL DEFAULT 0, -- what is kept, or due, of the price of a booking that ended
    -- The tenant asked that no other booking has the same reference, or external reference, when it was given to this one.
    unique_reference          boolean        NOT NULL DEFAULT false,
    unique_external_reference boolean        NOT NULL DEFAULT false,
    -- Who a booking is for, as it was given for this booking: {"name", "email", "phone", "time_zone"}. Null of a hold without a customer, and
    -- once the customer was erased. It is only read as a whole.
    contact                   json,
    -- The request that ended the booking said its cancellation fee. Such a booking owes the fee whether or not it has a cancellation policy.
    cancellation_fee_set      boolean        NOT NULL DEFAULT false,
    last_date                 date CHECK (last_date > date), -- on which the booking ends, if that isn't the date on which it begins
    PRIMARY KEY (tenant_id, booking_id),
    FOREIGN KEY (tenant_id, service_id, resource_id) REFERENCES service_resources (tenant_id, service_id, resource_id),
    FOREIGN KEY (tenant_id, customer_id) REFERENCES customers (tenant_id, customer_id),
    -- PostgreSQL reads the text of each check again for every statement: few and short ones cost least.
    CHECK (status IN ('held', 'confirmed', 'completed', 'no_show', 'cancelled', 'expired')),
    CHECK (status <> 'held' OR hold_expires_at IS NOT NULL),
    CHECK (busy_from <= starts_at AND starts_at < ends_at AND ends_at <= busy_until),
    CHECK (party_size >= 1 AND price >= 0 AND deposit BETWEEN 0 AND price),
    CHECK ((customer_id IS NOT NULL OR status IN ('held', 'cancelled', 'expired')) AND cancellation_fee BETWEEN 0 AND price)
);
CREATE INDEX bookings_by_date ON bookings (tenant_id, date, booking_id);
CREATE UNIQUE INDEX bookings_code ON bookings (tenant_id, code);
-- Of two bookings that take a reference at the same time, one is refused.
CREATE UNIQUE INDEX bookings_unique_reference ON bookings (tenant_id, reference) WHERE unique_reference AND reference IS NOT NULL;
CREATE UNIQUE INDEX bookings_unique_external_reference ON bookings (tenant_id, external_reference)
    WHERE unique_external_reference AND external_reference IS NOT NULL;
-- A list with a filter finds its page in the order of its pages, instead of looking through all of a tenant's bookings.
-- The order stands in each index, so that nothing is sorted and reading ends with the page.
CREATE INDEX bookings_list_by_customer ON bookings (tenant_id, customer_id, date, booking_id);
CREATE INDEX bookings_list_by_resource ON bookings (tenant_id, resource_id, date, booking_id);
CREATE INDEX bookings_list_by_service ON bookings (tenant_id, service_id, date, booking_id);
CREATE INDEX bookings_list_by_status ON bookings (tenant_id, status, date, booking_id);
CREATE INDEX bookings_list_by_reference ON bookings (tenant_id, reference, date, booking_id) WHERE reference IS NOT NULL;
CREATE INDEX bookings_list_by_external_reference ON bookings (tenant_id, external_reference, date, booking_id)
    WHERE external_reference IS NOT NULL;
CREATE INDEX bookings_over_midnight ON bookings (tenant_id, date, booking_id) WHERE last_date IS NOT NULL;
-- A service and a resource belong to one tenant. Taken as independent of it, each seemed to have as many times too few
-- bookings as there are tenants, and with two filters the index of the wrong one was read.
CREATE STATISTICS bookings_of_tenant (dependencies) ON tenant_id, service_id, resource_id FROM bookings;

-- What is occupied: units of a resource during [busy_from, busy_until). A claim is written and deleted in the commit that changes its owner,
-- under the locks of its dates. Nothing that occupies stands anywhere else.
CREATE TABLE claims (
    tenant_id   uuid           NOT NULL,
    owner_id    uuid           NOT NULL, -- the booking
    number      smallint       NOT NULL, -- tells the claims of one owner apart
    resource_id uuid           NOT NULL,
    units       int4multirange NOT NULL, -- numbered from 1
    busy_from   timestamptz    NOT NULL,
    busy_until  timestamptz    NOT NULL,
    during      tstzrange      NOT NULL GENERATED ALWAYS AS (tstzrange(busy_from, busy_until)) STORED,
    expires_at  timestamptz, -- of a hold: from then on it occupies nothing, and is deleted by the next one who needs the units, or the sweep
    PRIMARY KEY (tenant_id, owner_id, number),
    -- No foreign keys: the owner's row has them. They would lock the resource's row for each booking.
    -- Neither range is empty: an empty one would slip past the constraint below.
    CHECK (NOT isempty(units) AND busy_from < busy_until),
    -- The guard behind the date locks: no unit is sold twice even by a writer that took no lock. The time stands before the units, because most
    -- claims of a resource differ in it: the other way round a claim costs half as much again. The predicate is true of every row. No query
    -- has it, so the planner can't take this index to read what is occupied: it would read all claims of a resource. See claims_by_resource.
    EXCLUDE USING gist (tenant_id WITH =, resource_id WITH =, during WITH &&, units WITH &&) WHERE (busy_from < busy_until)
);
-- What is occupied is read through this index and not through the constraint's: under row-level security only
-- leakproof operators reach an index, which those of timestamps are and those of ranges are not (PostgreSQL
-- manual, "Rules and Privileges").
CREATE INDEX claims_by_resource ON claims (tenant_id, resource_id, busy_from);

ALTER TABLE bookings ENABLE ROW LEVEL SECURITY;
ALTER TABLE bookings FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON bookings USING (tenant_id = NULLIF(current_setting('holdfast.tenant_id', true), '')::uuid);
ALTER TABLE claims ENABLE ROW LEVEL SECURITY;
ALTER TABLE claims FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON claims USING (tenant_id = NULLIF(current_setting('holdfast.tenant_id', true), '')::uuid);

GRANT SELECT, INSERT, DELETE, UPDATE (resource_id, units, busy_from, busy_until, expires_at) ON claims TO holdfast_app;
GRANT SELECT, INSERT, UPDATE (service_id, resource_id, customer_id, status, date, starts_at, ends_at, time_zone, party_size, busy_from,
    busy_until, hold_expires_at, price, deposit, metadata, version, updated_at, reference, external_reference, items, terms,
    cancellation_reason, cancellation_fee, unique_reference, unique_external_reference, contact, cancellation_fee_set,
    last_date) ON bookings TO holdfast_app;

-- `holdfast locks` gives balance locks their names, and `holdfast reconcile` tells what a booking keeps by its cancellation policy from what
-- must be refunded.
GRANT SELECT (tenant_id, booking_id, status, cancellation_fee) ON bookings TO holdfast_operator;
CREATE POLICY operator ON bookings FOR SELECT TO holdfast_operator USING (current_user = 'holdfast_operator');
