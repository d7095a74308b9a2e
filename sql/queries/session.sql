-- What every transaction starts with, and the locks it takes. The lock is a statement of its own: in one
-- statement with the read that it protects, that read's snapshot would be older than the lock
-- (PostgreSQL manual, "Explicit Locking", "Advisory Locks").

-- name: SessionBegin :one
-- SessionBegin makes the settings that end with the transaction, and reads the clock. Plans are generic: each of our
-- statements has one good plan, and planning ClaimList anew costs many times what running it does. They use no
-- sequential scan: a plan that was made while a table was empty would keep it while the table grows.
-- PostgreSQL doesn't compile them (jit). A plan that needs a scan or a sort although these are switched off has such a high cost that
-- PostgreSQL would compile it at each run, for seconds.
-- synchronous says that commits wait for a standby. A warning at COMMIT must not be hidden: see internal/db/internal/core/commit.go.
-- fence is empty, unless the tenant is moving to another cell or has moved there: then it is the state and the cell, and the transaction
-- sees and writes nothing of the tenant. The table is read once the setting is made, by which its policy shows the tenant's row. LATERAL with
-- LIMIT keeps that order whatever the plan.
SELECT clock_timestamp()::timestamptz AS now, (current_setting('synchronous_standby_names') <> '')::bool AS synchronous,
    coalesce(f.fence, '')::text AS fence, concat(
    set_config('role', 'holdfast_app', true),
    set_config('client_min_messages', 'warning', true),
    set_config('plan_cache_mode', 'force_generic_plan', true),
    set_config('enable_seqscan', 'off', true),
    set_config('jit', 'off', true),
    CASE WHEN f.fence IS NOT NULL THEN set_config('holdfast.tenant_id', '', true) END,
    set_config('transaction_read_only', sqlc.arg(read_only)::text, true),
    set_config('lock_timeout', sqlc.arg(lock_timeout)::text, true),
    set_config('statement_timeout', sqlc.arg(statement_timeout)::text, true),
    set_config('idle_in_transaction_session_timeout', sqlc.arg(idle_timeout)::text, true))::text AS settings
FROM (SELECT set_config('holdfast.tenant_id', sqlc.arg(tenant_id)::uuid::text, true) AS tenant) AS s
LEFT JOIN LATERAL (
    SELECT m.state || ' ' || m.to_cell AS fence
    FROM tenant_moves m
    WHERE m.tenant_id = sqlc.arg(tenant_id)::uuid AND m.state <> 'draining' AND s.tenant IS NOT NULL
    LIMIT 1
) AS f ON true;

-- name: SessionBeginRead :one
-- SessionBeginRead is SessionBegin for a batch that only reads and is a transaction by itself. It is never idle, and waits for no lock but
-- a migration's, or of a person: the connection's lock_timeout bounds that wait. Each setting costs a read one to two microseconds.
SELECT clock_timestamp()::timestamptz AS now, (current_setting('synchronous_standby_names') <> '')::bool AS synchronous,
    coalesce(f.fence, '')::text AS fence, concat(
    set_config('role', 'holdfast_app', true),
    set_config('plan_cache_mode', 'force_generic_plan', true),
    set_config('enable_seqscan', 'off', true),
    set_config('jit', 'off', true),
    CASE WHEN f.fence IS NOT NULL THEN set_config('holdfast.tenant_id', '', true) END,
    set_config('transaction_read_only', 'on', true),
    set_config('statement_timeout', sqlc.arg(statement_timeout)::text, true))::text AS settings
FROM (SELECT set_config('holdfast.tenant_id', sqlc.arg(tenant_id)::uuid::text, true) AS tenant) AS s
LEFT JOIN LATERAL (
    SELECT m.state || ' ' || m.to_cell AS fence
    FROM tenant_moves m
    WHERE m.tenant_id = sqlc.arg(tenant_id)::uuid AND m.state <> 'draining' AND s.tenant IS NOT NULL
    LIMIT 1
) AS f ON true;

-- name: SessionPlanForPages :exec
-- SessionPlanForPages has the rest of a transaction's statements planned for their values, and without sorting: they take a
-- page of a list whose filters are optional, and its order stands in an index for each filter. Left to choose, the planner
-- reads and sorts all that passes a filter, where it believes that this is little.
SELECT concat(
    set_config('plan_cache_mode', 'force_custom_plan', true),
    set_config('enable_sort', 'off', true))::text AS settings;

-- name: SessionPlanForValues :exec
-- SessionPlanForValues has the rest of a transaction's statements planned for their values: their filters are optional.
SELECT set_config('plan_cache_mode', 'force_custom_plan', true);

-- name: SessionPlanWithoutSort :exec
-- SessionPlanWithoutSort has the rest of a transaction's statements planned without sorting. They take the first rows in the order of an
-- index. The planner underestimates how many rows follow a place, and would read and sort them all.
SELECT set_config('enable_sort', 'off', true);

-- name: SessionTenant :one
-- SessionTenant moves the rest of a transaction to another tenant: an administrator's request is stored under
-- the nil uuid and changes a tenant. fence is as in SessionBegin.
SELECT coalesce(f.fence, '')::text AS fence,
    concat(CASE WHEN f.fence IS NOT NULL THEN set_config('holdfast.tenant_id', '', true) END)::text AS settings
FROM (SELECT set_config('holdfast.tenant_id', sqlc.arg(tenant_id)::uuid::text, true) AS tenant) AS s
LEFT JOIN LATERAL (
    SELECT m.state || ' ' || m.to_cell AS fence
    FROM tenant_moves m
    WHERE m.tenant_id = sqlc.arg(tenant_id)::uuid AND m.state <> 'draining' AND s.tenant IS NOT NULL
    LIMIT 1
) AS f ON true;

-- name: SessionTenantUnfenced :exec
-- SessionTenantUnfenced is SessionTenant also for a tenant that is moving or has moved.
SELECT set_config('holdfast.tenant_id', sqlc.arg(tenant_id)::text, true);

-- name: SessionWorker :exec
-- SessionWorker lets the rest of a transaction see the scheduled events and the changes of every tenant. Its plans are those of
-- SessionBegin, without sorting: the rows of a claim stand in an index in their order. Left to choose, the planner reads and sorts
-- the whole backlog, because it believes that few rows pass the policy.
SELECT concat(
    set_config('role', 'holdfast_worker', true),
    set_config('plan_cache_mode', 'force_generic_plan', true),
    set_config('enable_seqscan', 'off', true),
    set_config('enable_sort', 'off', true))::text AS settings;

-- name: SessionApp :exec
-- SessionApp ends what SessionWorker began.
SELECT concat(set_config('role', 'holdfast_app', true), set_config('enable_sort', 'on', true))::text AS settings;

-- name: SessionLockTimeout :exec
-- SessionLockTimeout has the rest of a transaction wait for each lock for another time.
SELECT set_config('lock_timeout', sqlc.arg(lock_timeout)::text, true);

-- name: TransactionLock :one
-- TransactionLock waits for the transaction lock of one key and holds it until the transaction ends. Without the tenant's row it takes none,
-- and returns no row: on several machines the row says on which of them the lock is.
SELECT pg_catalog.pg_advisory_xact_lock(sqlc.arg(key)::bigint)::text AS locked FROM tenants t WHERE t.tenant_id = sqlc.arg(tenant_id);

-- name: TransactionTryLock :one
-- TransactionTryLock takes the transaction lock of one key if nobody holds it, and tells whether it did. It doesn't wait. Without the tenant's
-- row it returns no row, as TransactionLock.
SELECT pg_catalog.pg_try_advisory_xact_lock(sqlc.arg(key)::bigint) AS locked FROM tenants t WHERE t.tenant_id = sqlc.arg(tenant_id);

-- name: SessionWriteToLog :exec
-- SessionWriteToLog has a transaction write to the write-ahead log, and nothing else: a message that nobody reads. Its COMMIT then waits
-- for the disk and the standbys like any other, and with it for all that was committed before.
SELECT pg_catalog.pg_logical_emit_message(true, 'holdfast', '');

-- name: SessionClock :one
SELECT clock_timestamp()::timestamptz AS now;

-- name: LoginBegin :one
-- LoginBegin makes the settings of a transaction of the login itself, and reads the clock. The role stays the login,
-- which PostgreSQL shows the statements of its own sessions.
SELECT clock_timestamp()::timestamptz AS now, concat(
    set_config('transaction_read_only', 'on', true),
    set_config('jit', 'off', true),
    set_config('statement_timeout', sqlc.arg(statement_timeout)::text, true))::text AS settings;

-- name: SessionOperator :exec
-- SessionOperator lets the rest of a transaction see what the operator's commands read of all tenants.
SELECT set_config('role', 'holdfast_operator', true);
