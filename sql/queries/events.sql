-- name: EventPlan :exec
-- EventPlan plans events of a tenant. One that was planned before stays as it is.
INSERT INTO scheduled_events (tenant_id, event_id, kind, subject_type, subject_id, occurrence, status, due_at, time_zone, attempts,
    version, data, created_at, updated_at)
SELECT sqlc.arg(tenant_id), e.event_id, e.kind, e.subject_type, e.subject_id, e.occurrence, 'pending', e.due_at, e.time_zone, 0,
    1, e.data::json, sqlc.arg(now), sqlc.arg(now)
FROM (
    SELECT unnest(sqlc.arg(event_ids)::uuid[]) AS event_id,
        unnest(sqlc.arg(kinds)::text[]) AS kind,
        unnest(sqlc.arg(subject_types)::text[]) AS subject_type,
        unnest(sqlc.arg(subject_ids)::uuid[]) AS subject_id,
        unnest(sqlc.arg(occurrences)::text[]) AS occurrence,
        unnest(sqlc.arg(due_ats)::timestamptz[]) AS due_at,
        unnest(sqlc.arg(time_zones)::text[]) AS time_zone,
        unnest(sqlc.arg(data)::text[]) AS data
) AS e
ON CONFLICT (tenant_id, subject_id, kind, occurrence) DO NOTHING;

-- name: EventMove :exec
-- EventMove plans an event, or moves the one that was planned before to another time and gives it other data, whatever became of
-- it. A worker that holds it loses its lease.
INSERT INTO scheduled_events (tenant_id, event_id, kind, subject_type, subject_id, occurrence, status, due_at, time_zone, attempts,
    version, data, created_at, updated_at)
VALUES (sqlc.arg(tenant_id), sqlc.arg(event_id), sqlc.arg(kind), sqlc.arg(subject_type), sqlc.arg(subject_id), sqlc.arg(occurrence),
    'pending', sqlc.arg(due_at), sqlc.arg(time_zone), 0, 1, sqlc.arg(data), sqlc.arg(now), sqlc.arg(now))
ON CONFLICT (tenant_id, subject_id, kind, occurrence) DO UPDATE
SET status = 'pending', due_at = excluded.due_at, time_zone = excluded.time_zone, attempts = 0, version = scheduled_events.version + 1,
    lease = NULL, leased_until = NULL, last_error = NULL, cancelled_on_request = false, data = excluded.data,
    updated_at = excluded.updated_at;

-- name: EventEnd :exec
-- EventEnd cancels what is planned for a subject, for a reason. A worker that holds one of the events loses its lease.
UPDATE scheduled_events
SET status = 'cancelled', version = version + 1, lease = NULL, leased_until = NULL,
    last_error = sqlc.arg(reason)::text, updated_at = sqlc.arg(now)
WHERE tenant_id = $1 AND subject_id = sqlc.arg(subject_id) AND kind = ANY (sqlc.arg(kinds)::text[])
  AND status IN ('pending', 'processing', 'failed');

-- name: EventNotify :exec
-- EventNotify wakes the workers that listen. The name of the schema comes first: another schema of the database may be another cell.
SELECT pg_notify('holdfast_events', concat_ws(' ', quote_ident(current_schema()), sqlc.arg(kinds)::text));

-- name: EventSchema :one
-- EventSchema returns the first word of the notifications of this schema.
SELECT quote_ident(current_schema())::text AS schema;

-- name: EventListen :exec
LISTEN holdfast_events;
