-- What a server checks on its database before it serves. See internal/db/preflight.

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

-- name: SchemaBrokenIndexList :many
-- SchemaBrokenIndexList lists those of some indexes whose concurrent build was broken off.
SELECT c.relname::text AS name
FROM pg_catalog.pg_index i
JOIN pg_catalog.pg_class c ON c.oid = i.indexrelid
WHERE NOT i.indisvalid AND i.indexrelid IN (SELECT to_regclass(quote_ident(n)) FROM unnest(sqlc.arg(names)::text[]) AS n)
ORDER BY c.relname;

-- name: SchemaDifferenceList :many
-- SchemaDifferenceList compares what the schema consists of with what is expected: one line for each column, constraint, index, policy,
-- grant, statistics object and role, and for the row-level security of each table. It returns the lines that are only in one of the two;
-- without expected lines, all of the schema. What isn't valid says so in its line.
WITH t AS (
    SELECT c.oid, c.relname::text AS name, c.relrowsecurity, c.relforcerowsecurity, c.relacl
    FROM pg_catalog.pg_class c
    WHERE c.relnamespace = to_regnamespace(quote_ident(current_schema())) AND c.relkind IN ('r', 'p') AND c.relname <> 'goose_db_version'
), found AS (
    SELECT concat_ws(chr(9), 'column', t.name, a.attname, concat(pg_catalog.format_type(a.atttypid, a.atttypmod),
        CASE WHEN a.attnotnull THEN ' NOT NULL' END, ' DEFAULT ' || pg_catalog.pg_get_expr(d.adbin, d.adrelid)))::text AS line
    FROM t
    JOIN pg_catalog.pg_attribute a ON a.attrelid = t.oid AND a.attnum > 0 AND NOT a.attisdropped
    LEFT JOIN pg_catalog.pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
    UNION ALL
    SELECT concat_ws(chr(9), 'constraint', t.name, c.conname, concat(regexp_replace(pg_catalog.pg_get_constraintdef(c.oid), '\s+', ' ', 'g'),
        CASE WHEN c.contype IN ('p', 'u', 'x') AND NOT i.indisvalid THEN ' INVALID' END))
    FROM t
    JOIN pg_catalog.pg_constraint c ON c.conrelid = t.oid AND c.contype IN ('p', 'u', 'x', 'c', 'f')
    LEFT JOIN pg_catalog.pg_index i ON i.indexrelid = c.conindid
    UNION ALL
    SELECT concat_ws(chr(9), CASE WHEN i.indisunique THEN 'unique index' ELSE 'index' END, t.name, x.relname,
        concat(pg_catalog.pg_get_indexdef(i.indexrelid, 0, true), CASE WHEN NOT (i.indisvalid AND i.indisready) THEN ' INVALID' END))
    FROM t
    JOIN pg_catalog.pg_index i ON i.indrelid = t.oid
    JOIN pg_catalog.pg_class x ON x.oid = i.indexrelid
    WHERE NOT EXISTS (SELECT FROM pg_catalog.pg_constraint c WHERE c.conindid = i.indexrelid AND c.conrelid = t.oid)
    UNION ALL
    SELECT concat_ws(chr(9), 'policy', t.name, p.polname, concat(CASE WHEN p.polpermissive THEN 'permissive' ELSE 'restrictive' END, ' ',
        p.polcmd, ' ', (SELECT string_agg(coalesce(r.rolname::text, 'PUBLIC'), ',' ORDER BY r.rolname)
            FROM unnest(p.polroles) AS o (id) LEFT JOIN pg_catalog.pg_roles r ON r.oid = o.id),
        ' USING ', pg_catalog.pg_get_expr(p.polqual, p.polrelid), ' CHECK ', pg_catalog.pg_get_expr(p.polwithcheck, p.polrelid)))
    FROM t
    JOIN pg_catalog.pg_policy p ON p.polrelid = t.oid
    UNION ALL
    SELECT concat_ws(chr(9), 'row-level security', t.name, '', concat(CASE WHEN t.relrowsecurity THEN 'ENABLED ' END,
        CASE WHEN t.relforcerowsecurity THEN 'FORCED' END))
    FROM t
    UNION ALL
    SELECT concat_ws(chr(9), 'grant', g.name, split_part(g.item, '=', 1), split_part(split_part(g.item, '/', 1), '=', 2))
    FROM (
        SELECT t.name, unnest(t.relacl)::text AS item FROM t
        UNION ALL
        SELECT t.name || '.' || a.attname, unnest(a.attacl)::text
        FROM t
        JOIN pg_catalog.pg_attribute a ON a.attrelid = t.oid AND a.attnum > 0 AND NOT a.attisdropped
    ) AS g
    WHERE g.item LIKE 'holdfast\_%=%'
    UNION ALL
    SELECT concat_ws(chr(9), 'statistics', t.name, x.stxname, '')
    FROM t
    JOIN pg_catalog.pg_statistic_ext x ON x.stxrelid = t.oid
    UNION ALL
    SELECT concat_ws(chr(9), 'role', '', r.rolname, CASE WHEN r.rolsuper OR r.rolbypassrls THEN 'BYPASSES ROW-LEVEL SECURITY' ELSE '' END)
    FROM pg_catalog.pg_roles r
    WHERE r.rolname IN ('holdfast_app', 'holdfast_cleanup', 'holdfast_deleter', 'holdfast_operator', 'holdfast_worker')
), expected AS (
    SELECT unnest(sqlc.arg(expected)::text[]) AS line
)
SELECT coalesce(e.line, '')::text AS expected, coalesce(f.line, '')::text AS found
FROM expected e
FULL JOIN found f ON f.line = e.line
WHERE e.line IS NULL OR f.line IS NULL;

-- name: PreflightLogin :one
-- PreflightLogin reads what the login may do, and how many connections it, its database and the server allow.
SELECT
    session_user::text AS login,
    (r.rolsuper OR r.rolbypassrls)::bool AS bypasses,
    pg_has_role(session_user, 'pg_read_all_stats', 'USAGE')::bool AS reads_sessions,
    r.rolconnlimit::int AS login_limit,
    (SELECT d.datconnlimit FROM pg_catalog.pg_database d WHERE d.datname = current_database())::int AS database_limit,
    (current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
        - coalesce(current_setting('reserved_connections', true), '0')::int)::int AS server_limit
FROM pg_catalog.pg_roles r
WHERE r.rolname = session_user;
