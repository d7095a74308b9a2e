-- What `holdfast locks` shows: the locks of this database, the sessions around them, and what the names of advisory locks
-- can be made of. No statement here takes a lock.

-- name: LockList :many
-- LockList lists who holds or awaits an advisory lock. A prepared transaction has no process.
SELECT
    l.classid::bigint AS class_id,
    l.objid::bigint AS object_id,
    l.objsubid::int AS sub_id,
    (l.mode <> 'ExclusiveLock')::bool AS shared,
    l.granted::bool AS granted,
    coalesce(l.pid, 0)::int AS pid,
    l.waitstart AS waiting_since
FROM pg_catalog.pg_locks l
WHERE l.locktype = 'advisory'
  AND l.database = (SELECT d.oid FROM pg_catalog.pg_database d WHERE d.datname = current_database());

-- name: LockSessionList :many
-- LockSessionList lists this database's sessions, and of those that wait for any lock whom they wait for.
SELECT
    a.pid::int AS pid,
    coalesce(a.usename, '')::text AS user_name,
    coalesce(a.application_name, '')::text AS application_name,
    coalesce(host(a.client_addr), '')::text AS client_address,
    coalesce(a.state, '')::text AS state,
    coalesce(left(a.query, sqlc.arg(query_length)::int), '')::text AS query,
    a.backend_start AS connected_at,
    a.xact_start AS transaction_began,
    (CASE WHEN a.pid IN (SELECT w.pid FROM pg_catalog.pg_locks w WHERE w.pid IS NOT NULL AND NOT w.granted)
        THEN pg_blocking_pids(a.pid) ELSE '{}' END)::int[] AS blocked_by
FROM pg_catalog.pg_stat_activity a
WHERE a.datname = current_database();

-- name: LockOtherWaitList :many
-- LockOtherWaitList lists who awaits a lock that isn't advisory: of a table, or of a row, which PostgreSQL shows as the wait for a
-- transaction. A session that waits for a row has a lock of the row's place, which names the table.
SELECT
    l.pid::int AS pid,
    l.locktype::text AS lock_type,
    l.mode::text AS mode,
    l.waitstart AS waiting_since,
    coalesce((
        SELECT o.relation::regclass::text
        FROM pg_catalog.pg_locks o
        WHERE o.pid = l.pid AND o.relation IS NOT NULL AND (o.relation = l.relation OR o.locktype = 'tuple')
        LIMIT 1
    ), '')::text AS relation
FROM pg_catalog.pg_locks l
WHERE NOT l.granted AND l.locktype <> 'advisory'
  AND l.pid IN (SELECT a.pid FROM pg_catalog.pg_stat_activity a WHERE a.datname = current_database());

-- name: LockBookingList :many
-- LockBookingList lists the newest bookings of each of some tenants: their ids grow with time.
SELECT b.tenant_id, b.booking_id
FROM unnest(sqlc.arg(tenant_ids)::uuid[]) AS t (id)
CROSS JOIN LATERAL (
    SELECT bookings.tenant_id, bookings.booking_id
    FROM bookings
    WHERE bookings.tenant_id = t.id
    ORDER BY bookings.booking_id DESC
    LIMIT sqlc.arg(per_tenant)
) AS b;
