-- +goose Up

-- A notice about a customer gets its place after the customer's last event.
GRANT SELECT (tenant_id, customer_id) ON customers TO holdfast_worker;

-- +goose Down
REVOKE SELECT (tenant_id, customer_id) ON customers FROM holdfast_worker;
