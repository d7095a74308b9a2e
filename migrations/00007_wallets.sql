-- +goose Up

-- A wallet's projection: what its entries give. It is written in the commit of each entry, and can be made again from the entries.
CREATE TABLE wallets (
    tenant_id   uuid        NOT NULL REFERENCES tenants (tenant_id),
    wallet_id   uuid        NOT NULL,
    customer_id uuid,       -- null: it belongs to whoever knows its code
    currency    text        NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
    code_prefix text,       -- finds the wallet of a code
    code_hash   bytea       CHECK (octet_length(code_hash) = 32),
    -- The greatest whole number that every reader of JSON keeps exactly.
    balance     bigint      NOT NULL CHECK (balance <= 9007199254740991),
    held        bigint      NOT NULL CHECK (held >= 0),
    -- The guard behind the lock, the entry's version and the row's version: no wallet is spent twice even by a writer that skips them.
    available   bigint      NOT NULL GENERATED ALWAYS AS (balance - held) STORED CHECK (available >= 0),
    -- The batches, which are what is left of credits that expire, and the open holds.
    state       json        NOT NULL,
    version     bigint      NOT NULL, -- of the last entry
    created_at  timestamptz NOT NULL,
    updated_at  timestamptz NOT NULL,
    -- A merge can give a customer a second wallet of a currency. It is not counted when a wallet is created.
    merged      boolean     NOT NULL DEFAULT false,
    PRIMARY KEY (tenant_id, wallet_id),
    FOREIGN KEY (tenant_id, customer_id) REFERENCES customers (tenant_id, customer_id),
    UNIQUE (tenant_id, code_prefix),
    CHECK ((customer_id IS NULL) = (code_prefix IS NOT NULL AND code_hash IS NOT NULL))
) WITH (fillfactor = 70); -- a new version of a row finds room in its page
-- It keeps a customer from creating two wallets of a currency.
CREATE UNIQUE INDEX wallets_customer ON wallets (tenant_id, customer_id, currency) WHERE NOT merged;
CREATE INDEX wallets_list_by_customer ON wallets (tenant_id, customer_id, wallet_id) WHERE customer_id IS NOT NULL;

-- What happened to a wallet: only ever added, version by version.
CREATE TABLE wallet_entries (
    tenant_id       uuid        NOT NULL,
    wallet_id       uuid        NOT NULL,
    version         bigint      NOT NULL CHECK (version >= 1),
    movement_id     uuid        NOT NULL, -- the entries of a transfer share it
    type            text        NOT NULL CHECK (type IN ('opened', 'credited', 'debited', 'transferred_in', 'transferred_out', 'held',
                                                         'captured', 'released', 'expired', 'paid', 'refunded')),
    amount          bigint      NOT NULL CHECK (amount >= 0),
    -- After the entry. They come from the wallet's row: if it wasn't at the version before, they are null and nothing is written.
    balance         bigint      NOT NULL,
    held            bigint      NOT NULL,
    hold_id         uuid,
    other_wallet_id uuid,       -- of a transfer
    booking_id      uuid,
    payment_id      uuid,
    -- Of entries that add credit that expires, or end it: which amounts, and when they expire.
    batches            json,
    reason          text,
    reference       text,
    occurred_at     timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, wallet_id, version)
);
CREATE INDEX wallet_entries_by_time ON wallet_entries (tenant_id, wallet_id, occurred_at, version);
-- A hold ends once, whoever writes it.
CREATE UNIQUE INDEX wallet_entries_end_of_hold ON wallet_entries (tenant_id, wallet_id, hold_id) WHERE type IN ('captured', 'released');

-- Double entry: a posting takes its amount from one account and gives it to another. Both halves are one row, so that postings can't
-- fail to sum to zero. The accounts available and held belong to a wallet; the others are the tenant's own.
CREATE TABLE wallet_postings (
    tenant_id    uuid        NOT NULL,
    movement_id  uuid        NOT NULL,
    position     smallint    NOT NULL, -- within the movement
    from_account text        NOT NULL CHECK (from_account IN ('available', 'held', 'issued', 'redeemed', 'expired', 'refunds')),
    from_wallet  uuid,
    to_account   text        NOT NULL CHECK (to_account IN ('available', 'held', 'issued', 'redeemed', 'expired', 'refunds')),
    to_wallet    uuid,
    currency     text        NOT NULL,
    amount       bigint      NOT NULL CHECK (amount > 0),
    occurred_at  timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, movement_id, position),
    CHECK ((from_account IN ('available', 'held')) = (from_wallet IS NOT NULL)),
    CHECK ((to_account IN ('available', 'held')) = (to_wallet IS NOT NULL)),
    CHECK ((from_account, from_wallet) IS DISTINCT FROM (to_account, to_wallet))
);

-- A wallet as it was at some versions, so that a later state needs only the entries since then.
CREATE TABLE wallet_snapshots (
    tenant_id   uuid        NOT NULL,
    wallet_id   uuid        NOT NULL,
    version     bigint      NOT NULL,
    balance     bigint      NOT NULL,
    held        bigint      NOT NULL,
    state       json        NOT NULL,
    occurred_at timestamptz NOT NULL, -- of the entry of that version
    PRIMARY KEY (tenant_id, wallet_id, version)
);

ALTER TABLE wallets ENABLE ROW LEVEL SECURITY;
ALTER TABLE wallets FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON wallets USING (tenant_id = NULLIF(current_setting('holdfast.tenant_id', true), '')::uuid);
ALTER TABLE wallet_entries ENABLE ROW LEVEL SECURITY;
ALTER TABLE wallet_entries FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON wallet_entries USING (tenant_id = NULLIF(current_setting('holdfast.tenant_id', true), '')::uuid);
ALTER TABLE wallet_postings ENABLE ROW LEVEL SECURITY;
ALTER TABLE wallet_postings FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON wallet_postings USING (tenant_id = NULLIF(current_setting('holdfast.tenant_id', true), '')::uuid);
ALTER TABLE wallet_snapshots ENABLE ROW LEVEL SECURITY;
ALTER TABLE wallet_snapshots FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON wallet_snapshots USING (tenant_id = NULLIF(current_setting('holdfast.tenant_id', true), '')::uuid);

GRANT SELECT, INSERT, UPDATE (customer_id, code_prefix, code_hash, balance, held, state, version, updated_at, merged) ON wallets TO holdfast_app;
-- No DELETE, and no UPDATE but that of an erasure: what was written stays.
GRANT SELECT, INSERT, UPDATE (reason, reference) ON wallet_entries TO holdfast_app;
GRANT SELECT, INSERT ON wallet_postings, wallet_snapshots TO holdfast_app;
