-- What a server proves of its database before it serves. See internal/store/prove.go.

-- name: ProofFacts :one
SELECT
    pg_is_in_recovery()::bool AS standby,
    current_setting('server_version_num')::int AS version;

-- name: ProofLock :exec
-- ProofLock takes a transaction lock of a random key.
SELECT pg_catalog.pg_advisory_xact_lock(sqlc.arg(key)::bigint);

-- name: ProofSessionTry :one
SELECT pg_catalog.pg_try_advisory_lock(sqlc.arg(key)::bigint) AS locked;

-- name: ProofSessionUnlock :one
SELECT pg_catalog.pg_advisory_unlock(sqlc.arg(key)::bigint) AS unlocked;
