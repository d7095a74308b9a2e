-- Moving a tenant to another cell. Unless they say otherwise, these statements run as the login, which owns the tables, with the tenant's
-- setting: row-level security binds the owner too. See internal/db/move.

-- name: MoveSession :one
-- MoveSession makes the settings of a transaction that belongs to a move. Rows are copied as text: both sides must write times in one way.
SELECT concat(
    set_config('holdfast.tenant_id', sqlc.arg(tenant_id)::text, true),
    set_config('client_min_messages', 'warning', true),
    set_config('datestyle', 'ISO, YMD', true),
    set_config('intervalstyle', 'postgres', true),
    set_config('bytea_output', 'hex', true),
    set_config('timezone', 'UTC', true),
    set_config('enable_seqscan', 'off', true),
    set_config('jit', 'off', true),
    set_config('lock_timeout', '0', true),
    set_config('statement_timeout', sqlc.arg(statement_timeout)::text, true),
    set_config('idle_in_transaction_session_timeout', sqlc.arg(idle_timeout)::text, true))::text AS settings;

-- name: MoveFacts :one
-- MoveFacts tells databases, and the schemas of one database, apart.
SELECT pg_postmaster_start_time()::timestamptz AS server_started, current_database()::text AS database,
    coalesce(current_schema(), '')::text AS schema;

-- name: MoveTenantExists :one
SELECT EXISTS (SELECT FROM tenants t WHERE t.tenant_id = $1);

-- name: MoveGet :one
SELECT *
FROM tenant_moves
WHERE tenant_id = $1;

-- name: MoveInsert :exec
-- MoveInsert begins to move a tenant, unless it is moving already, or has moved.
INSERT INTO tenant_moves (tenant_id, move_id, to_cell, state, started_at)
VALUES ($1, $2, $3, 'draining', statement_timestamp())
ON CONFLICT (tenant_id) DO NOTHING;

-- name: MoveFreeze :exec
UPDATE tenant_moves
SET state = 'moving'
WHERE tenant_id = $1 AND move_id = sqlc.arg(move_id) AND state = 'draining';

-- name: MoveFrozen :exec
-- MoveFrozen says that each transaction has ended that began before MoveFreeze was committed.
UPDATE tenant_moves
SET frozen_at = statement_timestamp()
WHERE tenant_id = $1 AND move_id = sqlc.arg(move_id) AND state = 'moving' AND frozen_at IS NULL;

-- name: MoveFinish :exec
UPDATE tenant_moves
SET state = 'moved', finished_at = statement_timestamp()
WHERE tenant_id = $1 AND move_id = sqlc.arg(move_id) AND state = 'moving' AND frozen_at IS NOT NULL;

-- name: MoveDelete :execrows
-- MoveDelete ends a move that is in one of some states.
DELETE FROM tenant_moves
WHERE tenant_id = $1 AND move_id = sqlc.arg(move_id) AND state = ANY (sqlc.arg(states)::text[]);

-- name: MoveCopyTake :execrows
-- MoveCopyTake has the rows that another move left in the target, or was copying, be of this move, which deletes them. It waits for a batch
-- of the other that is being written.
UPDATE tenant_moves
SET move_id = sqlc.arg(move_id), to_cell = sqlc.arg(from_cell), copied_from = NULL, copied_since = NULL, copied_base = NULL, copied_at = NULL
WHERE tenant_id = $1 AND state = 'moved' AND (move_id <> sqlc.arg(move_id) OR copied_from IS NULL);

-- name: MoveCopyBegin :one
-- MoveCopyBegin records in the target that a tenant's rows are copied, and from which snapshot. The first one of a move stays.
INSERT INTO tenant_moves (tenant_id, move_id, to_cell, state, started_at, frozen_at, finished_at, copied_from, copied_since, copied_base)
VALUES ($1, sqlc.arg(move_id), sqlc.arg(from_cell), 'moved', statement_timestamp(), statement_timestamp(), statement_timestamp(),
    sqlc.arg(copied_from)::text, sqlc.arg(copied_since)::bigint, sqlc.arg(copied_base)::bigint)
ON CONFLICT (tenant_id) DO UPDATE
SET copied_from = coalesce(tenant_moves.copied_from, excluded.copied_from), copied_since = coalesce(tenant_moves.copied_since, excluded.copied_since),
    copied_base = coalesce(tenant_moves.copied_base, excluded.copied_base)
WHERE tenant_moves.tenant_id = $1 AND tenant_moves.state = 'moved' AND tenant_moves.move_id = excluded.move_id
RETURNING *;

-- name: MoveCopyLock :one
-- MoveCopyLock keeps another move of the tenant from beginning a copy here until the transaction ends. There is no row if one has begun, or
-- the tenant was handed over.
SELECT m.move_id
FROM tenant_moves m
WHERE m.tenant_id = $1 AND m.move_id = sqlc.arg(move_id) AND m.copied_from IS NOT NULL
FOR SHARE;

-- name: MoveCopyEnd :execrows
-- MoveCopyEnd records that all rows of the first snapshot are in the target.
UPDATE tenant_moves
SET copied_at = coalesce(copied_at, statement_timestamp())
WHERE tenant_id = $1 AND move_id = sqlc.arg(move_id) AND copied_from IS NOT NULL;

-- name: MoveSnapshot :one
-- MoveSnapshot tells which history of which database a transaction reads, the oldest transaction that runs, and the last of the tenant's
-- changes that came from another cell.
SELECT ((SELECT c.system_identifier::text FROM pg_catalog.pg_control_system() c) || ' ' ||
        left(pg_walfile_name(pg_current_wal_lsn()), 8))::text AS history,
    (pg_snapshot_xmin(pg_current_snapshot())::text)::bigint AS oldest,
    coalesce((SELECT max(e.transaction_id) FROM changes e WHERE e.tenant_id = $1 AND e.transaction_id < -2305843009213693952),
        -4611686018427387904)::bigint AS last_arrived;

-- name: MoveLockMoved :one
-- MoveLockMoved keeps a tenant that has moved from coming back until the transaction ends. There is no row if it hasn't moved.
SELECT m.move_id
FROM tenant_moves m
WHERE m.tenant_id = $1 AND m.state = 'moved'
FOR SHARE;

-- name: MoveEventsUnderWay :one
-- MoveEventsUnderWay tells, as the worker's role, whether a worker holds an event of the tenant.
SELECT EXISTS (SELECT FROM scheduled_events s WHERE s.tenant_id = $1 AND s.status = 'processing');

-- name: MoveRelayBehind :one
-- MoveRelayBehind tells, as the worker's role, whether the relay has yet to plan what follows from a change of the tenant.
SELECT EXISTS (
    SELECT FROM feed_positions p
    JOIN changes c ON c.tenant_id = $1 AND (c.transaction_id, c.change_id) > (p.transaction_id, p.change_id)
    WHERE p.tenant_id = '00000000-0000-0000-0000-000000000000' AND p.reader = 'relay');

-- name: MoveTransactions :many
-- MoveTransactions lists the virtual ids of the transactions of this database that run, as CREATE INDEX CONCURRENTLY waits for them.
-- Sessions without a login, such as autovacuum's, write nothing of a tenant, and those that read a tenant for a copy only read.
SELECT l.virtualxid::text AS id
FROM pg_catalog.pg_locks l
JOIN pg_catalog.pg_stat_activity a ON a.pid = l.pid
WHERE l.locktype = 'virtualxid' AND l.mode = 'ExclusiveLock' AND l.granted AND l.pid <> pg_backend_pid() AND a.usesysid IS NOT NULL
  AND a.application_name <> 'holdfast copy'
  AND a.datid = (SELECT d.oid FROM pg_catalog.pg_database d WHERE d.datname = current_database());

-- name: MoveTransactionsLeft :one
-- MoveTransactionsLeft counts those of some transactions that still run.
SELECT count(*)
FROM pg_catalog.pg_locks l
WHERE l.locktype = 'virtualxid' AND l.mode = 'ExclusiveLock' AND l.granted
  AND l.virtualxid::text = ANY (sqlc.arg(ids)::text[]);

-- name: MoveArrivalInsert :execrows
-- MoveArrivalInsert records that a move arrived, or was refused. It waits for another transaction that records the same move.
INSERT INTO tenant_arrivals (tenant_id, move_id, state, created_at)
VALUES ($1, $2, $3, statement_timestamp())
ON CONFLICT (tenant_id, move_id) DO NOTHING;

-- name: MoveArrivalGet :one
SELECT state
FROM tenant_arrivals
WHERE tenant_id = $1 AND move_id = $2;

-- name: MoveColumns :many
-- MoveColumns lists the columns of a table that are written, with their types, and which of them are its primary key.
SELECT a.attname::text AS name, format_type(a.atttypid, a.atttypmod)::text AS type, EXISTS (
        SELECT FROM pg_catalog.pg_index i WHERE i.indrelid = a.attrelid AND i.indisprimary AND a.attnum = ANY (i.indkey::int2[])
    )::bool AS in_key
FROM pg_catalog.pg_attribute a
WHERE a.attrelid = to_regclass(sqlc.arg(table_name)::text) AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
ORDER BY a.attnum;

-- name: MoveFeedPositions :exec
-- MoveFeedPositions gives a tenant that arrives positions of its own, so that its cursors of before are known to mean nothing here.
INSERT INTO feed_positions (tenant_id, reader, transaction_id, change_id, updated_at)
VALUES (sqlc.arg(tenant_id), 'epoch', (pg_current_xact_id()::text)::bigint, sqlc.arg(epoch)::uuid, statement_timestamp()),
    (sqlc.arg(tenant_id), 'deleted', -9223372036854775808, '00000000-0000-0000-0000-000000000000', statement_timestamp());

-- name: MoveOperatorDeliveries :many
-- MoveOperatorDeliveries lists the deliveries of a tenant's events to endpoints of the operator that are still to be made, with the
-- endpoints' URLs. $1 is the operator's tenant, the nil uuid.
SELECT s.occurrence AS change_id, w.url, s.data::text AS data
FROM scheduled_events s
JOIN webhook_endpoints w ON w.tenant_id = s.tenant_id AND w.endpoint_id = s.subject_id AND w.status = 'enabled'
WHERE s.tenant_id = $1 AND s.kind = 'webhook.delivery' AND s.status IN ('pending', 'failed', 'processing')
  AND s.data ->> 'tenant_id' = sqlc.arg(tenant_moved)::text;

-- name: MovePlanOperatorDeliveries :exec
-- MovePlanOperatorDeliveries plans them in the target, to the operator's endpoints there that have the same URLs and want the events.
WITH w AS MATERIALIZED (
    SELECT w.tenant_id, w.endpoint_id, w.url, w.types
    FROM webhook_endpoints w
    WHERE w.tenant_id = sqlc.arg(tenant_id) AND w.status = 'enabled'
)
INSERT INTO scheduled_events (tenant_id, event_id, kind, subject_type, subject_id, occurrence, status, due_at, time_zone, attempts,
    version, data, created_at, updated_at)
SELECT w.tenant_id, md5(d.change_id || w.endpoint_id::text)::uuid, 'webhook.delivery', 'webhook_endpoint', w.endpoint_id, d.change_id,
    'pending', statement_timestamp(), 'UTC', 0, 1, d.data::json, statement_timestamp(), statement_timestamp()
FROM (
    SELECT unnest(sqlc.arg(change_ids)::text[]) AS change_id, unnest(sqlc.arg(urls)::text[]) AS url, unnest(sqlc.arg(data)::text[]) AS data
) AS d
JOIN w ON w.url = d.url
    AND EXISTS (
        SELECT FROM unnest(w.types) AS pattern
        WHERE pattern IN ('*', d.data::json ->> 'type') OR pattern LIKE '%.*' AND starts_with(d.data::json ->> 'type', left(pattern, -1))
    )
ON CONFLICT (tenant_id, subject_id, kind, occurrence) DO NOTHING;
