-- +goose Up

-- The statement changes the catalog only. While it waits for the table, requests wait behind it: it gives up soon and is tried again.
SET LOCAL lock_timeout = '1s';
-- An erased customer keeps its id and its row, with a placeholder for the name and the email. A server of the version before reads it.
ALTER TABLE customers ADD COLUMN erased_at timestamptz;
GRANT UPDATE (email, erased_at) ON customers TO holdfast_app;

-- What an erasure takes out of what was written before it.
GRANT UPDATE (data) ON outbox_events TO holdfast_app;
GRANT UPDATE (before, after) ON history TO holdfast_app;
GRANT UPDATE (error, details) ON event_attempts TO holdfast_app;
GRANT UPDATE (reason, reference) ON wallet_entries TO holdfast_app;

-- +goose Down
REVOKE UPDATE (reason, reference) ON wallet_entries FROM holdfast_app;
REVOKE UPDATE (error, details) ON event_attempts FROM holdfast_app;
REVOKE UPDATE (before, after) ON history FROM holdfast_app;
REVOKE UPDATE (data) ON outbox_events FROM holdfast_app;
REVOKE UPDATE (email) ON customers FROM holdfast_app;
ALTER TABLE customers DROP COLUMN erased_at;
