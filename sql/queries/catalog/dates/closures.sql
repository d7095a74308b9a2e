-- name: ClosureInsert :exec
INSERT INTO closures (tenant_id, closure_id, resource_id, from_date, to_date, starts_minute, ends_minute, yearly, reason, created_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10);

-- name: ClosureUpdate :exec
UPDATE closures
SET resource_id = sqlc.narg(resource_id), from_date = sqlc.arg(from_date), to_date = sqlc.arg(to_date), reason = sqlc.arg(reason),
    starts_minute = sqlc.narg(starts_minute), ends_minute = sqlc.narg(ends_minute), yearly = sqlc.arg(yearly),
    archived_at = sqlc.narg(archived_at), version = version + 1, updated_at = sqlc.arg(now)::timestamptz
WHERE tenant_id = $1 AND closure_id = $2;
