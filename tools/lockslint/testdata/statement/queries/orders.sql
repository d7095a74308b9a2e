-- name: OrderLock :exec
SELECT pg_advisory_xact_lock($1);

-- name: OrderSneak :exec
SELECT pg_advisory_xact_lock($1); -- want "list `queries/orders.sql:OrderSneak`"
