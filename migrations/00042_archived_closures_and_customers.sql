-- +goose Up

-- The statements change the catalog only. While they wait for a table, requests wait behind them: they give up soon and are tried again.
SET LOCAL lock_timeout = '1s';
-- An archived closure closes nothing. Servers of the version before still apply it, until the last of them is gone.
ALTER TABLE closures ADD COLUMN archived_at timestamptz;
GRANT UPDATE (archived_at) ON closures TO holdfast_app;
-- An archived customer is left out of lists.
ALTER TABLE customers ADD COLUMN archived_at timestamptz;
GRANT UPDATE (archived_at) ON customers TO holdfast_app;

-- +goose Down
ALTER TABLE customers DROP COLUMN archived_at;
ALTER TABLE closures DROP COLUMN archived_at;
