-- A comment may name pg_advisory_lock().

-- name: OrderLock :exec
SELECT pg_catalog.pg_advisory_xact_lock(sqlc.arg(key)::bigint);

-- name: OrderRead :one
SELECT pg_advisory_xact_lock($1), paid FROM orders; -- want "pg_advisory_xact_lock shares its statement"

-- name: OrderNumber :one
SELECT pg_advisory_xact_lock(815); -- want "the number in pg_advisory_xact_lock has no row"

-- name: OrderSneak :one
SELECT pg_try_advisory_xact_lock($1); -- want "pg_try_advisory_xact_lock is named here: use a query that the registry lists"

-- name: OrderShadowed :one
SELECT to_regprocedure('pg_advisory_lock(bigint)') IS NULL AS shadowed;

-- name: OrderHidden :exec
DO $$ BEGIN EXECUTE 'SELECT pg_advisory_lock(1)'; END $$; -- want "pg_advisory_lock is named here"

-- name: OrderLocks :many
SELECT pid FROM pg_locks WHERE locktype = 'advisory';
