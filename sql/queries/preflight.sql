-- What a server checks on its database before it serves. See internal/store/preflight.go.

-- name: PreflightFacts :one
-- PreflightFacts says with unreleased that the tables are those of a version before 0.1.0. It tells servers apart by the moment at which
-- they started, to the microsecond: a copy of a server has its system identifier, and to read that may need a privilege.
SELECT
    pg_backend_pid()::int AS backend,
    pg_postmaster_start_time()::timestamptz AS server_started,
    current_database()::text AS database,
    coalesce(current_schema(), '')::text AS schema,
    pg_is_in_recovery()::bool AS standby,
    current_setting('server_version_num')::int AS version_number,
    current_setting('server_version')::text AS version,
    current_setting('default_transaction_isolation')::text AS isolation,
    EXISTS (SELECT FROM pg_catalog.pg_extension e WHERE e.extname = 'citus') AS citus,
    (to_regclass('bookings') IS NOT NULL)::bool AS migrated,
    (to_regclass('bookings') IS NOT NULL AND to_regclass('claims') IS NULL)::bool AS unreleased;

-- name: PreflightFunctions :one
-- PreflightFunctions tells whether the names of the lock functions, as people and other programs write them, mean
-- PostgreSQL's own.
SELECT
    coalesce(to_regprocedure('pg_advisory_xact_lock(bigint)') = to_regprocedure('pg_catalog.pg_advisory_xact_lock(bigint)'),
    false)::bool AS xact_lock,
    coalesce(to_regprocedure('pg_try_advisory_lock(bigint)') = to_regprocedure('pg_catalog.pg_try_advisory_lock(bigint)'),
    false)::bool AS try_lock,
    coalesce(to_regprocedure('pg_advisory_unlock(bigint)') = to_regprocedure('pg_catalog.pg_advisory_unlock(bigint)'),
    false)::bool AS unlock;

-- name: PreflightLock :exec
-- PreflightLock takes a transaction lock of a random key.
SELECT pg_catalog.pg_advisory_xact_lock(sqlc.arg(key)::bigint);

-- name: PreflightSessionTry :one
SELECT pg_catalog.pg_try_advisory_lock(sqlc.arg(key)::bigint) AS locked;

-- name: PreflightSessionUnlock :one
SELECT pg_catalog.pg_advisory_unlock(sqlc.arg(key)::bigint) AS unlocked;

-- name: PreflightKeyInsert :exec
-- PreflightKeyInsert writes a row that the next holder of a lock must see.
INSERT INTO idempotency_keys (tenant_id, key, fingerprint, status, location, etag, body, created_at, expires_at)
VALUES (sqlc.arg(tenant_id), sqlc.arg(key), sqlc.arg(fingerprint), 0, '', '', '', sqlc.arg(now), sqlc.arg(expires_at));

-- name: PreflightSettings :one
-- PreflightSettings reads the settings that decide what a crash can lose, and what writing costs after a checkpoint.
SELECT
    current_setting('fsync')::text AS fsync,
    current_setting('full_page_writes')::text AS full_page_writes,
    current_setting('synchronous_commit')::text AS synchronous_commit,
    current_setting('wal_compression')::text AS wal_compression,
    current_setting('max_wal_size')::text AS max_wal_size,
    pg_catalog.pg_size_bytes(current_setting('max_wal_size'))::bigint AS max_wal_bytes,
    (SELECT coalesce('lz4' = ANY (s.enumvals), false) FROM pg_catalog.pg_settings s WHERE s.name = 'wal_compression')::bool AS has_lz4;

-- name: PreflightCommits :one
-- PreflightCommits reads what a COMMIT waits for, and which sessions wait in one for a standby. Without the privileges of pg_read_all_stats
-- it sees no states of standbys, and of sessions those of its own role only.
SELECT
    current_setting('synchronous_commit')::text AS synchronous_commit,
    current_setting('synchronous_standby_names')::text AS standby_names,
    s.standbys, s.hidden, s.synchronous, w.waiting, w.longest
FROM (
    SELECT count(*)::int AS standbys,
        (count(*) FILTER (WHERE r.state IS NULL))::int AS hidden,
        (count(*) FILTER (WHERE r.state = 'streaming' AND r.sync_state IN ('sync', 'quorum')))::int AS synchronous
    FROM pg_catalog.pg_stat_replication r
) s, (
    SELECT count(*)::int AS waiting, coalesce(max(extract(epoch FROM clock_timestamp() - a.query_start)), 0)::float8 AS longest
    FROM pg_catalog.pg_stat_activity a
    WHERE a.wait_event_type = 'IPC' AND a.wait_event = 'SyncRep'
) w;

-- name: SchemaExists :one
SELECT (to_regnamespace(quote_ident(sqlc.arg(name)::text)) IS NOT NULL)::bool AS found;
