-- +goose Up

-- A booking with a known email updates what is known of its customer.
GRANT UPDATE (name, phone, time_zone, birthday) ON customers TO holdfast_app;

-- +goose Down

REVOKE UPDATE (name, phone, time_zone, birthday) ON customers FROM holdfast_app;
