-- +goose Up

-- Deliveries to one endpoint that have the same ordering key are made one after the other, by sequence: the key is the event's subject, and the
-- sequence is the subject's version.
ALTER TABLE scheduled_events
    ADD COLUMN ordering_key uuid,
    ADD COLUMN sequence bigint,
    ADD CHECK ((ordering_key IS NULL) = (sequence IS NULL));
-- Deliveries are claimed by endpoint, so that the backlog of one endpoint isn't read for another one.
CREATE INDEX scheduled_events_deliveries ON scheduled_events (tenant_id, subject_id, due_at)
    WHERE kind = 'webhook.delivery' AND status IN ('pending', 'failed');
-- Whether an earlier delivery with the same key is still to be made.
CREATE INDEX scheduled_events_order ON scheduled_events (tenant_id, subject_id, ordering_key, sequence)
    WHERE kind = 'webhook.delivery' AND status IN ('pending', 'processing');

-- +goose Down
DROP INDEX scheduled_events_order;
DROP INDEX scheduled_events_deliveries;
ALTER TABLE scheduled_events DROP COLUMN ordering_key, DROP COLUMN sequence;
