-- name: EventRenew :many
-- EventRenew prolongs the leases of events that a worker holds, until lease_time from now and until until at most, and returns the events
-- whose lease ends later now. An event that the worker has lost stays as it is. It waits for nobody: a row that another transaction has
-- locked, to take the event back or to record its result, is left out. The version stays, because results are recorded under it.
WITH held AS MATERIALIZED (
    SELECT e.tenant_id, e.event_id, least(statement_timestamp() + sqlc.arg(lease_time)::interval, h.until) AS leased_until
    FROM (
        SELECT unnest(sqlc.arg(tenant_ids)::uuid[]) AS tenant_id,
            unnest(sqlc.arg(event_ids)::uuid[]) AS event_id,
            unnest(sqlc.arg(leases)::uuid[]) AS lease,
            unnest(sqlc.arg(versions)::bigint[]) AS version,
            unnest(sqlc.arg(untils)::timestamptz[]) AS until
    ) AS h
    JOIN scheduled_events e ON e.tenant_id = h.tenant_id AND e.event_id = h.event_id AND e.lease = h.lease AND e.version = h.version
    FOR NO KEY UPDATE OF e SKIP LOCKED
)
UPDATE scheduled_events e
SET leased_until = h.leased_until
FROM held h
WHERE e.tenant_id = h.tenant_id AND e.event_id = h.event_id AND e.leased_until < h.leased_until
RETURNING e.event_id;

-- name: EventRescueAttempts :exec
-- EventRescueAttempts locks the events whose lease has ended, and writes the attempts that were cut short to their history, under one id
-- for all. EventRescue follows in the same transaction, with the same bounds. An event that had its last attempt is dead. attempts are the most
-- attempts of each kind, 0 for no end of them. Events of other kinds stay, however many they are. ended_within bounds the search
-- as since does in EventLease. Under row-level security, COALESCE for a bound that may be NULL would not be searched by.
WITH expired AS MATERIALIZED (
    SELECT s.tenant_id, s.event_id, s.kind, s.attempts, s.updated_at
    FROM scheduled_events s
    WHERE s.status = 'processing' AND s.leased_until <= now()
      AND s.leased_until >= now() - sqlc.arg(ended_within)::interval
      AND s.kind = ANY (sqlc.arg(kinds)::text[])
    ORDER BY s.leased_until
    LIMIT sqlc.arg(row_limit)::int
    FOR UPDATE SKIP LOCKED
)
INSERT INTO event_attempts (tenant_id, event_id, attempt_id, attempt, status, error, details, started_at, finished_at)
SELECT x.tenant_id, x.event_id, sqlc.arg(attempt_id)::uuid, x.attempts,
    CASE WHEN x.attempts >= k.attempts AND k.attempts > 0 THEN 'dead' ELSE 'failed' END, 'The worker did not finish in time.', '{}',
    x.updated_at, statement_timestamp()
FROM expired x
JOIN (SELECT unnest(sqlc.arg(kinds)::text[]) AS kind, unnest(sqlc.arg(attempts)::int[]) AS attempts) AS k ON k.kind = x.kind;

-- name: EventRescue :many
-- EventRescue takes back from their workers the events whose attempt EventRescueAttempts has written. The next attempt comes at once after
-- the first one, and later after each further one: twice pause after it was leased, then four times, and so on, but no later than
-- longest_pauses, which are those of the kinds.
WITH rescued AS MATERIALIZED (
    SELECT s.tenant_id, s.event_id, a.status, a.error,
        greatest(statement_timestamp(),
            s.updated_at + least(sqlc.arg(pause)::interval * power(2, least(s.attempts - 1, 16)), k.longest_pause)) AS due_at
    FROM scheduled_events s
    JOIN event_attempts a ON a.tenant_id = s.tenant_id AND a.event_id = s.event_id AND a.attempt_id = sqlc.arg(attempt_id)::uuid
    JOIN (
        SELECT unnest(sqlc.arg(kinds)::text[]) AS kind, unnest(sqlc.arg(longest_pauses)::interval[]) AS longest_pause
    ) AS k ON k.kind = s.kind
    WHERE s.status = 'processing' AND s.leased_until <= now()
      AND s.leased_until >= now() - sqlc.arg(ended_within)::interval
)
UPDATE scheduled_events e
SET status = r.status, due_at = r.due_at, version = e.version + 1, lease = NULL, leased_until = NULL, last_error = r.error,
    updated_at = statement_timestamp()
FROM rescued r
WHERE e.tenant_id = r.tenant_id AND e.event_id = r.event_id
RETURNING e.tenant_id, e.event_id, e.kind, e.subject_type, e.subject_id, e.attempts, e.status;
