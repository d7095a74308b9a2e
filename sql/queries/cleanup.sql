-- What the idempotency cleanup does on a connection of its own. See internal/db/internal/core/cleanup.go.

-- name: CleanupSession :exec
-- CleanupSession makes the settings of the session. A client that vanished without a word, with its machine, must not keep
-- the session and its lock for the hours that TCP takes to notice.
SELECT set_config('idle_session_timeout', sqlc.arg(idle_timeout)::text, false);

-- name: CleanupTryLock :one
-- CleanupTryLock takes a session lock, which the session holds until it lets go or ends.
SELECT pg_catalog.pg_try_advisory_lock(sqlc.arg(key)::bigint) AS locked;

-- name: CleanupUnlock :one
SELECT pg_catalog.pg_advisory_unlock(sqlc.arg(key)::bigint) AS unlocked;

-- name: CleanupBegin :one
-- CleanupBegin makes the settings that end with the transaction, and says whether the session that runs it holds the
-- lock of a key. PostgreSQL shows a key's high 32 bits as classid and its low ones as objid. Without sorts the planner
-- takes the index of what expires, whatever it believes about how many that are; compiling such a plan takes longer than
-- running it.
SELECT concat(
        set_config('role', 'holdfast_cleanup', true),
        set_config('holdfast.tenant_id', '', true),
        set_config('enable_sort', 'off', true),
        set_config('jit', 'off', true),
        set_config('lock_timeout', sqlc.arg(lock_timeout)::text, true),
        set_config('statement_timeout', sqlc.arg(statement_timeout)::text, true),
        set_config('idle_in_transaction_session_timeout', sqlc.arg(idle_timeout)::text, true))::text AS settings,
    EXISTS (
        SELECT FROM pg_catalog.pg_locks l
        WHERE l.locktype = 'advisory' AND l.pid = pg_backend_pid() AND l.granted AND l.objsubid = 1
          AND (l.classid::bigint << 32) | l.objid::bigint = sqlc.arg(key)::bigint
          AND l.database = (SELECT d.oid FROM pg_catalog.pg_database d WHERE d.datname = current_database())
    )::bool AS locked;

-- name: CleanupDeleteExpired :execrows
-- CleanupDeleteExpired deletes the keys of any tenant whose life is over, the oldest first. Those that a request is at
-- work on are left for the next time: to wait for them could be a deadlock.
DELETE FROM idempotency_keys
WHERE ctid = ANY (ARRAY(
    SELECT k.ctid
    FROM idempotency_keys k
    WHERE k.status IS NOT NULL AND k.expires_at <= now()
    ORDER BY k.expires_at
    LIMIT sqlc.arg(batch_size)::int
    FOR UPDATE SKIP LOCKED));
