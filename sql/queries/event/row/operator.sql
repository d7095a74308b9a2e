-- What `holdfast events` reads of the scheduled events of every tenant, as the operator's role, and how it changes them, one
-- tenant at a time and as the tenant.

-- name: EventListAcross :many
-- EventListAcross lists events of all tenants, or of one, a page at a time: by tenant, and in the order in which they are due. It leaves
-- out tenants that have moved to another cell. The operator's own events have the nil uuid, and no slug.
SELECT e.tenant_id, coalesce(t.slug, '')::text AS slug, e.event_id, e.kind, e.subject_type, e.subject_id, e.status, e.due_at, e.time_zone, e.attempts, e.version,
    e.last_error, e.created_at, e.updated_at
FROM scheduled_events e
LEFT JOIN tenants t ON t.tenant_id = e.tenant_id
WHERE (sqlc.narg(tenant)::uuid IS NULL OR e.tenant_id = sqlc.narg(tenant)::uuid)
  AND e.tenant_id <> ALL (ARRAY(SELECT m.tenant_id FROM tenant_moves m WHERE m.state = 'moved'))
  AND (sqlc.narg(event_ids)::uuid[] IS NULL OR e.event_id = ANY (sqlc.narg(event_ids)::uuid[]))
  AND (sqlc.narg(kind)::text IS NULL OR e.kind = sqlc.narg(kind)::text)
  AND (sqlc.narg(statuses)::text[] IS NULL OR e.status = ANY (sqlc.narg(statuses)::text[]))
  AND (sqlc.narg(subject)::uuid IS NULL OR e.subject_id = sqlc.narg(subject)::uuid)
  AND (sqlc.narg(due_before)::timestamptz IS NULL OR e.due_at < sqlc.narg(due_before)::timestamptz)
  AND (e.tenant_id, e.due_at, e.event_id) > (sqlc.arg(after_tenant)::uuid, sqlc.arg(after_due)::timestamptz, sqlc.arg(after_id)::uuid)
ORDER BY e.tenant_id, e.due_at, e.event_id
LIMIT sqlc.arg(row_limit)::int;

-- name: EventStats :many
-- EventStats counts events of all tenants, or of one, by kind and status. lag is the time since the oldest due event was due, in
-- seconds, zero if none is. It leaves out tenants that have moved to another cell.
SELECT e.kind, e.status, count(*)::bigint AS events, sum(e.attempts)::bigint AS attempts, max(e.attempts)::int AS most_attempts,
    count(*) FILTER (WHERE e.status IN ('pending', 'failed') AND e.due_at <= now())::bigint AS due,
    coalesce(extract(epoch FROM now() - min(e.due_at) FILTER (WHERE e.status IN ('pending', 'failed')
    AND e.due_at <= now())), 0)::float8 AS lag
FROM scheduled_events e
WHERE (sqlc.narg(tenant)::uuid IS NULL OR e.tenant_id = sqlc.narg(tenant)::uuid)
  AND e.tenant_id <> ALL (ARRAY(SELECT m.tenant_id FROM tenant_moves m WHERE m.state = 'moved'))
  AND (sqlc.narg(kind)::text IS NULL OR e.kind = sqlc.narg(kind)::text)
  AND (sqlc.narg(statuses)::text[] IS NULL OR e.status = ANY (sqlc.narg(statuses)::text[]))
  AND (sqlc.narg(subject)::uuid IS NULL OR e.subject_id = sqlc.narg(subject)::uuid)
  AND (sqlc.narg(due_before)::timestamptz IS NULL OR e.due_at < sqlc.narg(due_before)::timestamptz)
GROUP BY e.kind, e.status
ORDER BY e.kind, e.status;

-- name: EventCancelAll :many
-- EventCancelAll cancels events of a tenant, as far as they are in one of some statuses. A worker that holds one of them loses its lease.
-- The rows are locked in no fixed order; a transaction that ends in a deadlock is run again.
UPDATE scheduled_events
SET status = 'cancelled', version = version + 1, lease = NULL, leased_until = NULL, last_error = NULL, cancelled_on_request = true,
    updated_at = statement_timestamp()
WHERE tenant_id = $1 AND event_id = ANY (sqlc.arg(event_ids)::uuid[]) AND status = ANY (sqlc.arg(statuses)::text[])
RETURNING kind;

-- name: EventReplayAll :many
-- EventReplayAll makes events of a tenant due now, as far as they still have the versions with which they were read: a person or a worker
-- may have ended them meanwhile.
UPDATE scheduled_events s
SET status = 'pending', due_at = statement_timestamp(), attempts = 0, version = s.version + 1, lease = NULL, leased_until = NULL,
    last_error = NULL, cancelled_on_request = false, updated_at = statement_timestamp()
FROM (SELECT unnest(sqlc.arg(event_ids)::uuid[]) AS event_id, unnest(sqlc.arg(versions)::bigint[]) AS version) AS r
WHERE s.tenant_id = $1 AND s.event_id = r.event_id AND s.version = r.version
RETURNING s.kind;
