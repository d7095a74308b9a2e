-- +goose Up

-- An event that becomes due again can keep its progress in its data.
GRANT UPDATE (data) ON scheduled_events TO holdfast_app, holdfast_worker;

-- +goose Down
REVOKE UPDATE (data) ON scheduled_events FROM holdfast_app, holdfast_worker;
