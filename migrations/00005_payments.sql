-- +goose Up

-- The resolver settles what requests left open. It runs as this role, which sees the open payments of every tenant.
-- +goose StatementBegin
DO $$
BEGIN
    IF to_regrole('holdfast_resolver') IS NULL THEN
        BEGIN
            CREATE ROLE holdfast_resolver NOLOGIN NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE;
        EXCEPTION
            WHEN duplicate_object OR unique_violation THEN NULL;
        END;
    END IF;
    -- Since PostgreSQL 16 who makes a role is its member at once, but may not become it.
    IF NOT pg_has_role('holdfast_resolver',
        CASE WHEN current_setting('server_version_num')::int >= 160000 THEN 'SET' ELSE 'MEMBER' END) THEN
        EXECUTE 'GRANT holdfast_resolver TO CURRENT_USER';
    END IF;
END
$$;
-- +goose StatementEnd

-- One row is one movement of money at the provider, wanted or done: a payment, or the refund of one. What is paid and
-- due is derived from these rows each time.
CREATE TABLE payments (
    tenant_id       uuid        NOT NULL,
    payment_id      uuid        NOT NULL,
    booking_id      uuid        NOT NULL,
    refund_of       uuid, -- the payment that this one returns, null for payments
    kind            text        NOT NULL CHECK (kind IN ('deposit', 'balance', 'amount', 'refund')),
    -- started: we may have asked the provider. unknown: we asked and got no answer. processing: the provider said so.
    status          text        NOT NULL CHECK (status IN ('started', 'unknown', 'processing', 'succeeded', 'declined')),
    amount          bigint      NOT NULL CHECK (amount > 0), -- minor units
    currency        text        NOT NULL,
    method          text        NOT NULL, -- the provider's token; empty for refunds
    provider        text        NOT NULL,
    provider_id     text,                 -- the provider's id of the movement, once known
    decline_code    text,
    try_again       boolean     NOT NULL DEFAULT false, -- with a decline: a new payment with this method may succeed
    action_url      text,                 -- with processing: where the customer has to go
    client_secret   text,
    -- Made by us, because the money came too late or was too much: at most one for a payment.
    automatic       boolean     NOT NULL DEFAULT false,
    idempotency_key text,                 -- the request's, null where there was none
    -- Whoever works on an open payment holds a lease and knows the fence; taking it over raises the fence.
    fence           bigint      NOT NULL,
    leased_until    timestamptz NOT NULL,
    -- When the resolver looks at it, null once it is settled.
    resolve_at      timestamptz,
    looks           int         NOT NULL DEFAULT 0, -- how often the resolver did
    first_sent_at   timestamptz NOT NULL, -- the provider remembers our key from then on
    last_sent_at    timestamptz NOT NULL,
    created_at      timestamptz NOT NULL,
    updated_at      timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, payment_id),
    FOREIGN KEY (tenant_id, booking_id) REFERENCES bookings (tenant_id, booking_id),
    FOREIGN KEY (tenant_id, refund_of) REFERENCES payments (tenant_id, payment_id),
    CHECK ((kind = 'refund') = (refund_of IS NOT NULL)),
    CHECK ((resolve_at IS NULL) = (status IN ('succeeded', 'declined')))
);
-- The guard behind the balance lock: a booking has one movement in the air at a time. Those that we make ourselves are
-- consequences of what has happened and can't wait.
CREATE UNIQUE INDEX payments_open ON payments (tenant_id, booking_id)
    WHERE status IN ('started', 'unknown', 'processing') AND NOT automatic;
CREATE UNIQUE INDEX payments_automatic ON payments (tenant_id, refund_of) WHERE automatic;
CREATE INDEX payments_by_booking ON payments (tenant_id, booking_id, payment_id);
CREATE INDEX payments_by_refunded ON payments (tenant_id, refund_of) WHERE refund_of IS NOT NULL;
CREATE INDEX payments_to_resolve ON payments (resolve_at) WHERE resolve_at IS NOT NULL;

-- Webhooks that were heard: a provider delivers them at least once.
CREATE TABLE provider_events (
    tenant_id   uuid        NOT NULL,
    provider    text        NOT NULL,
    event_id    text        NOT NULL,
    payment_id  uuid        NOT NULL,
    received_at timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, provider, event_id)
);

-- +goose StatementBegin
DO $$
DECLARE
    t text;
BEGIN
    FOREACH t IN ARRAY ARRAY ['payments', 'provider_events']
    LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', t);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', t);
        EXECUTE format('CREATE POLICY tenant ON %I USING '
            '(tenant_id = NULLIF(current_setting(''holdfast.tenant_id'', true), '''')::uuid)', t);
    END LOOP;
END
$$;
-- +goose StatementEnd

-- Members of a role inherit its policies, and the login is one: it is left out by name.
CREATE POLICY resolver ON payments TO holdfast_resolver
    USING (current_user = 'holdfast_resolver' AND resolve_at IS NOT NULL);

GRANT SELECT, INSERT ON provider_events TO holdfast_app;
GRANT SELECT, INSERT, UPDATE (status, provider_id, decline_code, try_again, action_url, client_secret, fence, leased_until,
    resolve_at, first_sent_at, last_sent_at, updated_at) ON payments TO holdfast_app;
GRANT SELECT, UPDATE (fence, leased_until, resolve_at, looks, updated_at) ON payments TO holdfast_resolver;
-- The claim of a key, and its answer once the payment is settled.
GRANT UPDATE (status, location, etag, body, expires_at) ON idempotency_keys TO holdfast_app;

-- +goose Down
DROP TABLE provider_events, payments;
REVOKE UPDATE (status, location, etag, body, expires_at) ON idempotency_keys FROM holdfast_app;
