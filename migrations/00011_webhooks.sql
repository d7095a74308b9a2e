-- +goose Up

-- Where tenants want to be told of events.
CREATE TABLE webhook_endpoints (
    tenant_id           uuid        NOT NULL,
    endpoint_id         uuid        NOT NULL,
    url                 text        NOT NULL,
    types               text[]      NOT NULL, -- of events: exact, or with .* at the end, or *
    description         text        NOT NULL,
    -- disabled: by the tenant, or because every attempt failed for days. gone: the endpoint answered 410.
    status              text        NOT NULL CHECK (status IN ('enabled', 'disabled', 'gone')),
    disabled_reason     text,
    -- Signing needs the secrets in clear. Only holdfast_app may read them.
    secret              text        NOT NULL,
    former_secret       text,
    former_secret_until timestamptz, -- until when the former secret signs too
    failures            int         NOT NULL, -- since the last success
    failing_since       timestamptz,
    open_until          timestamptz, -- of the circuit: nothing is sent before
    version             bigint      NOT NULL, -- every change that the API shows raises it
    created_at          timestamptz NOT NULL,
    updated_at          timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, endpoint_id),
    CHECK ((former_secret IS NULL) = (former_secret_until IS NULL)),
    CHECK ((status = 'enabled') = (disabled_reason IS NULL))
);

ALTER TABLE webhook_endpoints ENABLE ROW LEVEL SECURITY;
ALTER TABLE webhook_endpoints FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON webhook_endpoints USING (tenant_id = NULLIF(current_setting('holdfast.tenant_id', true), '')::uuid);

GRANT SELECT, INSERT, DELETE, UPDATE (url, types, description, status, disabled_reason, secret, former_secret, former_secret_until,
    failures, failing_since, open_until, version, updated_at) ON webhook_endpoints TO holdfast_app;

-- What the relay needs in order to plan deliveries, and no secrets.
GRANT SELECT (tenant_id, endpoint_id, types, status, created_at) ON webhook_endpoints TO holdfast_worker;
CREATE POLICY worker ON webhook_endpoints FOR SELECT TO holdfast_worker USING (current_user = 'holdfast_worker' AND status = 'enabled');
