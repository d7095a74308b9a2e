-- name: EventGet :one
SELECT *
FROM scheduled_events
WHERE tenant_id = $1 AND event_id = $2;

-- name: EventAttemptList :many
-- EventAttemptList lists the attempts of an event, the newest first.
SELECT *
FROM event_attempts
WHERE tenant_id = $1 AND event_id = sqlc.arg(event_id)
ORDER BY attempt_id DESC
LIMIT sqlc.arg(row_limit)::int;

-- name: EventList :many
-- EventList looks through a bounded number of a tenant's events, in the order in which they are due, and returns those that pass the
-- filters, with the last that it looked at if it looked at as many as it may.
SELECT s.*
FROM (
    SELECT e.*,
        ((sqlc.narg(kind)::text IS NULL OR e.kind = sqlc.narg(kind))
            AND (sqlc.narg(status)::text IS NULL OR e.status = sqlc.narg(status)))::bool AS passes,
        (row_number() OVER (ORDER BY e.due_at, e.event_id) = sqlc.arg(scan_limit)::int)::bool AS last
    FROM (
        SELECT o.*
        FROM scheduled_events o
        WHERE o.tenant_id = $1
          AND (o.due_at, o.event_id) > (sqlc.arg(after_due)::timestamptz, sqlc.arg(after_id)::uuid)
          AND o.due_at < sqlc.arg(due_before)::timestamptz
        ORDER BY o.due_at, o.event_id
        LIMIT sqlc.arg(scan_limit)::int
    ) AS e
) AS s
WHERE s.passes OR s.last
ORDER BY s.due_at, s.event_id
LIMIT sqlc.arg(row_limit)::int;

-- name: EventListDead :many
-- EventListDead is EventList for events that are dead. An index of their own finds them among all the others.
SELECT s.*
FROM (
    SELECT e.*,
        (sqlc.narg(kind)::text IS NULL OR e.kind = sqlc.narg(kind))::bool AS passes,
        (row_number() OVER (ORDER BY e.due_at, e.event_id) = sqlc.arg(scan_limit)::int)::bool AS last
    FROM (
        SELECT o.*
        FROM scheduled_events o
        WHERE o.tenant_id = $1 AND o.status = 'dead'
          AND (o.due_at, o.event_id) > (sqlc.arg(after_due)::timestamptz, sqlc.arg(after_id)::uuid)
          AND o.due_at < sqlc.arg(due_before)::timestamptz
        ORDER BY o.due_at, o.event_id
        LIMIT sqlc.arg(scan_limit)::int
    ) AS e
) AS s
WHERE s.passes OR s.last
ORDER BY s.due_at, s.event_id
LIMIT sqlc.arg(row_limit)::int;

-- name: EventListBySubject :many
-- EventListBySubject is EventList for one subject, in the order of kind and occurrence.
SELECT s.*
FROM (
    SELECT e.*,
        ((sqlc.narg(kind)::text IS NULL OR e.kind = sqlc.narg(kind))
            AND (sqlc.narg(status)::text IS NULL OR e.status = sqlc.narg(status))
            AND e.due_at < sqlc.arg(due_before)::timestamptz)::bool AS passes,
        (row_number() OVER (ORDER BY e.kind, e.occurrence) = sqlc.arg(scan_limit)::int)::bool AS last
    FROM (
        SELECT o.*
        FROM scheduled_events o
        WHERE o.tenant_id = $1 AND o.subject_id = sqlc.arg(subject_id)::uuid
          AND (o.kind, o.occurrence) > (sqlc.arg(after_kind)::text, sqlc.arg(after_occurrence)::text)
        ORDER BY o.kind, o.occurrence
        LIMIT sqlc.arg(scan_limit)::int
    ) AS e
) AS s
WHERE s.passes OR s.last
ORDER BY s.kind, s.occurrence
LIMIT sqlc.arg(row_limit)::int;

-- name: EventGetLocked :one
SELECT *
FROM scheduled_events
WHERE tenant_id = $1 AND event_id = $2
FOR NO KEY UPDATE;

-- name: EventSet :exec
-- EventSet cancels or replays an event on request. It was read, with its lock, in the same transaction.
UPDATE scheduled_events
SET status = sqlc.arg(status), due_at = sqlc.arg(due_at), attempts = sqlc.arg(attempts), version = version + 1, lease = NULL,
    leased_until = NULL, last_error = sqlc.narg(last_error)::text, cancelled_on_request = sqlc.arg(status) = 'cancelled',
    updated_at = sqlc.arg(now)
WHERE tenant_id = $1 AND event_id = $2;
