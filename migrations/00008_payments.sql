-- +goose Up

-- One row is one transfer of money at the provider, wanted or done: a payment, or the refund of one. What is paid and
-- due is derived from these rows each time.
-- A payment or refund of the provider 'wallet' moves credit of wallet_id. A payment by card beside a wallet has wallet_id and
-- wallet_amount, what the wallet pays; the wallet holds that amount while wallet_held. When the payment succeeds, the wallet's part
-- becomes a payment of its own, which names the card's payment. When it doesn't, wallet_amount becomes null.
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
    provider_id     text,                 -- the provider's id of the transfer, once known
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
    polls           int         NOT NULL DEFAULT 0, -- how often the resolver asked the provider
    first_sent_at   timestamptz NOT NULL, -- the provider remembers our key from then on
    last_sent_at    timestamptz NOT NULL,
    created_at      timestamptz NOT NULL,
    updated_at      timestamptz NOT NULL,
    cancel_at       timestamptz, -- from then on an open payment is to be cancelled at the provider; null for refunds
    wallet_id       uuid,
    wallet_amount   bigint,
    wallet_held     boolean     NOT NULL DEFAULT false,
    card_payment_id uuid,
    -- Who paid, as the booking's customer and contact were when the payment began. Null of refunds.
    customer_id     uuid,
    contact         json,
    -- By how much a refund lowers what its booking owes, in minor units. 0 of payments, and of refunds whose amount is owed again or was too much.
    lowers_owed     bigint      NOT NULL DEFAULT 0,
    PRIMARY KEY (tenant_id, payment_id),
    FOREIGN KEY (tenant_id, booking_id) REFERENCES bookings (tenant_id, booking_id),
    FOREIGN KEY (tenant_id, refund_of) REFERENCES payments (tenant_id, payment_id),
    FOREIGN KEY (tenant_id, wallet_id) REFERENCES wallets (tenant_id, wallet_id),
    FOREIGN KEY (tenant_id, card_payment_id) REFERENCES payments (tenant_id, payment_id),
    CHECK ((kind = 'refund') = (refund_of IS NOT NULL)),
    CHECK ((resolve_at IS NULL) = (status IN ('succeeded', 'declined'))),
    CONSTRAINT payments_wallet CHECK (provider <> 'wallet' OR wallet_id IS NOT NULL),
    CONSTRAINT payments_wallet_amount CHECK (wallet_amount IS NULL
        OR (wallet_amount > 0 AND wallet_id IS NOT NULL AND refund_of IS NULL AND provider <> 'wallet')),
    -- Only an open payment holds an amount.
    CONSTRAINT payments_wallet_held CHECK (NOT wallet_held OR (wallet_amount IS NOT NULL AND resolve_at IS NOT NULL)),
    CONSTRAINT payments_card_payment CHECK (card_payment_id IS NULL OR provider = 'wallet'),
    CONSTRAINT payments_lowers_owed CHECK (lowers_owed = 0 OR (refund_of IS NOT NULL AND lowers_owed BETWEEN 0 AND amount))
);
-- The guard behind the balance lock: a booking has one open transfer at a time. Those that we make ourselves are
-- consequences of what has happened and can't wait.
CREATE UNIQUE INDEX payments_open ON payments (tenant_id, booking_id)
    WHERE status IN ('started', 'unknown', 'processing') AND NOT automatic;
CREATE UNIQUE INDEX payments_automatic ON payments (tenant_id, refund_of) WHERE automatic;
CREATE INDEX payments_by_booking ON payments (tenant_id, booking_id, payment_id);
CREATE INDEX payments_by_refunded ON payments (tenant_id, refund_of) WHERE refund_of IS NOT NULL;
CREATE INDEX payments_list ON payments (tenant_id, updated_at, payment_id);
CREATE INDEX payments_list_by_kind ON payments (tenant_id, kind, updated_at, payment_id);
CREATE INDEX payments_list_by_status ON payments (tenant_id, status, updated_at, payment_id);

-- Webhooks that were processed: a provider delivers them at least once.
CREATE TABLE provider_events (
    tenant_id   uuid        NOT NULL,
    provider    text        NOT NULL,
    event_id    text        NOT NULL,
    payment_id  uuid        NOT NULL,
    received_at timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, provider, event_id)
);

-- A booking that ended before it took place, as long as its payments need work: open ones are cancelled, and captured ones
-- are refunded. The row is written in the commit that ends the booking, so a crash can't lose the refund.
CREATE TABLE ended_bookings (
    tenant_id  uuid        NOT NULL,
    booking_id uuid        NOT NULL,
    refund     boolean     NOT NULL, -- whether what was paid is refunded
    created_at timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, booking_id),
    FOREIGN KEY (tenant_id, booking_id) REFERENCES bookings (tenant_id, booking_id)
);

ALTER TABLE payments ENABLE ROW LEVEL SECURITY;
ALTER TABLE payments FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON payments USING (tenant_id = NULLIF(current_setting('holdfast.tenant_id', true), '')::uuid);
ALTER TABLE provider_events ENABLE ROW LEVEL SECURITY;
ALTER TABLE provider_events FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON provider_events USING (tenant_id = NULLIF(current_setting('holdfast.tenant_id', true), '')::uuid);
ALTER TABLE ended_bookings ENABLE ROW LEVEL SECURITY;
ALTER TABLE ended_bookings FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON ended_bookings USING (tenant_id = NULLIF(current_setting('holdfast.tenant_id', true), '')::uuid);

-- An attempt whose payment method can't be paid with is deleted, with the event that would resolve it: it leaves nothing behind.
GRANT SELECT, INSERT, DELETE, UPDATE (status, provider_id, decline_code, try_again, action_url, client_secret, fence, leased_until, resolve_at,
    polls, first_sent_at, last_sent_at, updated_at, cancel_at, wallet_amount, wallet_held, customer_id, contact) ON payments TO holdfast_app;
GRANT SELECT, INSERT ON provider_events TO holdfast_app;
GRANT SELECT, INSERT, DELETE, UPDATE (refund) ON ended_bookings TO holdfast_app;

-- `holdfast reconcile` compares the payments of all tenants with the provider's journal, and finds captured payments that must be refunded and
-- that nobody refunds. It reads what is compared, and neither methods nor secrets.
GRANT SELECT (tenant_id, payment_id, booking_id, refund_of, kind, status, amount, currency, provider, provider_id, automatic, resolve_at, cancel_at,
    created_at, updated_at, lowers_owed) ON payments TO holdfast_operator;
CREATE POLICY operator ON payments FOR SELECT TO holdfast_operator USING (current_user = 'holdfast_operator');
GRANT SELECT ON ended_bookings TO holdfast_operator;
CREATE POLICY operator ON ended_bookings FOR SELECT TO holdfast_operator USING (current_user = 'holdfast_operator');
