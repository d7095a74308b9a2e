-- +goose Up

CREATE TABLE customers (
    tenant_id            uuid        NOT NULL REFERENCES tenants (tenant_id),
    customer_id          uuid        NOT NULL,
    email                text        NOT NULL, -- lower case
    name                 text        NOT NULL,
    phone                text,
    time_zone            text,
    birthday             date,
    created_at           timestamptz NOT NULL,
    version              bigint      NOT NULL DEFAULT 1, -- order of the customer's events
    unsubscribed_at      timestamptz, -- from then on the customer gets no greetings and no follow-ups
    -- The place of the customer's last event in the order of events. The transaction that changes a customer may have begun to write before
    -- another one that changed the same customer first. Its event must come after that one's all the same.
    event_transaction_id bigint      NOT NULL DEFAULT 0,
    -- An erased customer keeps its id and its row, with a placeholder for the name and the email.
    erased_at            timestamptz,
    -- A customer that was merged into another one keeps its row. erased_at is set too, so that nothing is booked for it.
    merged_into          uuid,
    archived_at          timestamptz, -- an archived customer is left out of lists
    -- Month and day of the birthday: 1210 is 10 December. Under row-level security an expression would not reach an index.
    birth_month_day      smallint    GENERATED ALWAYS AS (extract(month FROM birthday) * 100 + extract(day FROM birthday)) STORED,
    PRIMARY KEY (tenant_id, customer_id),
    UNIQUE (tenant_id, email)
);
-- A search compares the beginning of the text as bytes. Under row-level security only leakproof operators reach an index: comparisons
-- are, lower() and LIKE aren't.
CREATE INDEX customers_search_name ON customers (tenant_id, name COLLATE "C");
CREATE INDEX customers_search_email ON customers (tenant_id, email COLLATE "C");
CREATE INDEX customers_search_phone ON customers (tenant_id, phone COLLATE "C") WHERE phone IS NOT NULL;
CREATE INDEX customers_by_birthday ON customers (tenant_id, birth_month_day, customer_id) WHERE birthday IS NOT NULL;
CREATE INDEX customers_merged_into ON customers (tenant_id, merged_into) WHERE merged_into IS NOT NULL;
CREATE INDEX customers_archived ON customers (tenant_id, customer_id) WHERE archived_at IS NOT NULL;

-- Customers whom bookings had before. The erasure of a customer erases what was told of its former bookings until they left it. A booking may
-- leave a customer, come back and leave again.
CREATE TABLE former_customers (
    tenant_id   uuid   NOT NULL,
    booking_id  uuid   NOT NULL,
    version     bigint NOT NULL, -- the first of the booking with another customer
    customer_id uuid   NOT NULL, -- whom it had until then
    PRIMARY KEY (tenant_id, booking_id, version)
);
CREATE INDEX former_customers_by_customer ON former_customers (tenant_id, customer_id, booking_id);

ALTER TABLE customers ENABLE ROW LEVEL SECURITY;
ALTER TABLE customers FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON customers USING (tenant_id = NULLIF(current_setting('holdfast.tenant_id', true), '')::uuid);
ALTER TABLE former_customers ENABLE ROW LEVEL SECURITY;
ALTER TABLE former_customers FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON former_customers USING (tenant_id = NULLIF(current_setting('holdfast.tenant_id', true), '')::uuid);

GRANT SELECT, INSERT, UPDATE (email, name, phone, time_zone, birthday, version, unsubscribed_at, event_transaction_id, erased_at, merged_into,
    archived_at) ON customers TO holdfast_app;
GRANT SELECT, INSERT ON former_customers TO holdfast_app;

-- A notice about a customer gets its place after the customer's last event. Of a database that was restored into another cluster, whose
-- transaction ids are still to come there, the places are lowered.
GRANT SELECT (tenant_id, customer_id, event_transaction_id), UPDATE (event_transaction_id) ON customers TO holdfast_worker;
CREATE POLICY worker ON customers TO holdfast_worker USING (current_user = 'holdfast_worker');
