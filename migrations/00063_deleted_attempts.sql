-- +goose Up

-- An attempt whose payment method can't be paid with is deleted, with the event that would resolve it: it leaves nothing behind.
GRANT DELETE ON payments, scheduled_events TO holdfast_app;

-- +goose Down
REVOKE DELETE ON payments, scheduled_events FROM holdfast_app;
