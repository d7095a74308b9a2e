-- +goose Up

-- `holdfast reconcile` compares the payments of all tenants with the provider's journal. It reads as the operator's role,
-- which until now saw ids and slugs only; of payments it sees what is compared, and neither methods nor secrets.
GRANT SELECT (tenant_id, payment_id, refund_of, kind, status, amount, currency, provider, provider_id, resolve_at, created_at,
    updated_at) ON payments TO holdfast_operator;
-- Members of a role inherit its policies, and the login is one: it is left out by name.
CREATE POLICY operator ON payments FOR SELECT TO holdfast_operator USING (current_user = 'holdfast_operator');

-- +goose Down
DROP POLICY operator ON payments;
REVOKE SELECT (tenant_id, payment_id, refund_of, kind, status, amount, currency, provider, provider_id, resolve_at, created_at,
    updated_at) ON payments FROM holdfast_operator;
