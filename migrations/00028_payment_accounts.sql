-- +goose Up

-- A tenant can have an account of its own at the payment provider, which then takes its payments. Without one the platform's account does.
-- A server of 0.1.0 beside this one knows no accounts, and would charge on the platform's. So nobody can make or set an account until the
-- operator says that the older servers are gone: a server refuses to without a setting that 0.1.0 doesn't have. What a server of 0.1.0
-- writes meanwhile has the defaults of the new columns, which are true of it: the platform's account, no fee, no metadata.
CREATE TABLE payment_accounts (
    tenant_id        uuid        NOT NULL,
    provider         text        NOT NULL,
    account_id       text,                 -- the provider's id; null: the tenant has none, and the platform's account takes its payments
    fee_basis_points int         NOT NULL CHECK (fee_basis_points BETWEEN 0 AND 10000), -- of each payment to the account, for the platform
    -- What the provider said of the account at refreshed_at.
    can_charge       boolean     NOT NULL,
    can_be_paid_out  boolean     NOT NULL,
    requirements     text[]      NOT NULL, -- what the provider still wants to know
    refreshed_at     timestamptz NOT NULL,
    version          bigint      NOT NULL, -- every change that the API shows raises it
    created_at       timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, provider),
    CHECK (account_id IS NOT NULL OR NOT (can_charge OR can_be_paid_out))
);

ALTER TABLE payment_accounts ENABLE ROW LEVEL SECURITY;
ALTER TABLE payment_accounts FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON payment_accounts USING (tenant_id = NULLIF(current_setting('holdfast.tenant_id', true), '')::uuid);
CREATE POLICY deletion ON payment_accounts AS RESTRICTIVE TO holdfast_deleter USING (NOT (current_user = 'holdfast_deleter')
    OR tenant_id = NULLIF(current_setting('holdfast.deleting', true), '')::uuid);
GRANT SELECT, INSERT, UPDATE (account_id, fee_basis_points, can_charge, can_be_paid_out, requirements, refreshed_at, version)
    ON payment_accounts TO holdfast_app;
GRANT SELECT (tenant_id, provider), DELETE ON payment_accounts TO holdfast_deleter;
-- Whose account a webhook is about, and which accounts `holdfast reconcile` compares.
GRANT SELECT (tenant_id, provider, account_id) ON payment_accounts TO holdfast_operator;
CREATE POLICY operator ON payment_accounts FOR SELECT TO holdfast_operator USING (current_user = 'holdfast_operator');
CREATE INDEX payment_accounts_by_account ON payment_accounts (provider, account_id) WHERE account_id IS NOT NULL;

-- A payment keeps the account that it was made with, and so do its refunds: the tenant may have another one by then.
ALTER TABLE payments
    ADD COLUMN account         text,                      -- null: the platform's own
    ADD COLUMN application_fee bigint NOT NULL DEFAULT 0, -- what the platform keeps of the payment, in minor units; 0 of refunds
    ADD COLUMN metadata        json;                      -- the tenant's own, kept at the provider too: texts by name
ALTER TABLE payments ADD CONSTRAINT payments_application_fee CHECK (application_fee = 0
    OR (account IS NOT NULL AND refund_of IS NULL AND application_fee BETWEEN 0 AND amount)) NOT VALID;
-- An erasure takes the metadata out.
GRANT UPDATE (metadata) ON payments TO holdfast_app;
GRANT SELECT (account) ON payments TO holdfast_operator;
