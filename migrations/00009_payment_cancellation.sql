-- +goose Up

-- From then on an open payment is to be cancelled at the provider. Null for refunds, and for payments that an older server
-- made: they are cancelled the same time after they were created.
ALTER TABLE payments ADD COLUMN cancel_at timestamptz;
GRANT UPDATE (cancel_at) ON payments TO holdfast_app;
-- `holdfast reconcile` tells payments that should have ended from those that have time.
GRANT SELECT (cancel_at) ON payments TO holdfast_operator;

-- +goose Down
ALTER TABLE payments DROP COLUMN cancel_at;
