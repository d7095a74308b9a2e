-- name: BlockInsert :exec
INSERT INTO blocks (tenant_id, block_id, resource_id, starts_at, ends_at, from_date, to_date, rrule, reason, first_date, last_date,
    longest_minutes, created_at, updated_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, sqlc.arg(now), sqlc.arg(now));

-- name: BlockUpdate :exec
UPDATE blocks
SET resource_id = sqlc.arg(resource_id), starts_at = sqlc.narg(starts_at), ends_at = sqlc.narg(ends_at),
    from_date = sqlc.narg(from_date), to_date = sqlc.narg(to_date), rrule = sqlc.narg(rrule), reason = sqlc.arg(reason),
    first_date = sqlc.arg(first_date), last_date = sqlc.arg(last_date), longest_minutes = sqlc.arg(longest_minutes),
    archived_at = sqlc.narg(archived_at), version = version + 1, updated_at = sqlc.arg(now)
WHERE tenant_id = $1 AND block_id = $2;
