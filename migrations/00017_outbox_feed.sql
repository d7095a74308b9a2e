-- +goose Up

-- The place of a customer's last event in the order of events. The transaction that changes a customer may have begun to write before
-- another one that changed the same customer first. Its event must come after that one's all the same.
ALTER TABLE customers ADD COLUMN event_transaction_id bigint NOT NULL DEFAULT 0;
GRANT UPDATE (event_transaction_id) ON customers TO holdfast_app;

-- Positions that are no reader's: deleted is the last event that was deleted for its age. The id of epoch is in every cursor; it changes
-- when the stored transaction ids are changed, after which older cursors mean nothing.
-- +goose StatementBegin
DO $$
BEGIN
    PERFORM set_config('holdfast.tenant_id', '00000000-0000-0000-0000-000000000000', true);
    INSERT INTO outbox_positions (tenant_id, reader, transaction_id, event_id, updated_at)
    VALUES ('00000000-0000-0000-0000-000000000000', 'deleted', -9223372036854775808, '00000000-0000-0000-0000-000000000000', now()),
           ('00000000-0000-0000-0000-000000000000', 'epoch', 0, gen_random_uuid(), now());
    PERFORM set_config('holdfast.tenant_id', '', true);
END
$$;
-- +goose StatementEnd

-- The feed tells a reader when events after its cursor were deleted.
CREATE POLICY feed ON outbox_positions FOR SELECT TO holdfast_app
    USING (current_user = 'holdfast_app' AND reader IN ('deleted', 'epoch'));
GRANT SELECT ON outbox_positions TO holdfast_app;

-- A database that was restored into another cluster has transaction ids that are still to come there. They are lowered.
GRANT UPDATE (transaction_id) ON outbox_events TO holdfast_worker;
CREATE POLICY worker ON customers TO holdfast_worker USING (current_user = 'holdfast_worker');
GRANT SELECT (event_transaction_id), UPDATE (event_transaction_id) ON customers TO holdfast_worker;

-- +goose Down
REVOKE ALL (event_transaction_id) ON customers FROM holdfast_worker;
DROP POLICY worker ON customers;
REVOKE UPDATE (transaction_id) ON outbox_events FROM holdfast_worker;
REVOKE SELECT ON outbox_positions FROM holdfast_app;
DROP POLICY feed ON outbox_positions;
-- +goose StatementBegin
DO $$
BEGIN
    PERFORM set_config('holdfast.tenant_id', '00000000-0000-0000-0000-000000000000', true);
    DELETE FROM outbox_positions WHERE reader IN ('deleted', 'epoch');
    PERFORM set_config('holdfast.tenant_id', '', true);
END
$$;
-- +goose StatementEnd
ALTER TABLE customers DROP COLUMN event_transaction_id;
