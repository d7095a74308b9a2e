-- name: BlockGet :one
SELECT *
FROM blocks
WHERE tenant_id = $1 AND block_id = $2;

-- name: BlockList :many
-- BlockList lists blocks by the date on which they end, of one resource if one is given, that follow the end of a date and an id. It must be
-- planned for its values, with SessionPlanForPages. It lists only blocks that take some time of [busy_from, busy_until) if these are given,
-- and begin on to_date or before. What an archived block took isn't known any more: of those the dates decide.
SELECT *
FROM blocks b
WHERE b.tenant_id = $1
  AND (b.last_date, b.block_id) > (sqlc.arg(after_date)::date, sqlc.arg(after_id)::uuid)
  AND b.first_date <= sqlc.arg(to_date)::date
  AND (b.archived_at IS NOT NULL) = sqlc.arg(archived)::bool
  AND (sqlc.narg(resource_id)::uuid IS NULL OR b.resource_id = sqlc.narg(resource_id))
  AND (sqlc.narg(busy_from)::timestamptz IS NULL OR b.archived_at IS NOT NULL OR EXISTS (
      SELECT 1
      FROM claims c
      WHERE c.tenant_id = $1 AND c.owner_id = b.block_id AND c.busy_until > sqlc.narg(busy_from)
        AND c.busy_from < sqlc.narg(busy_until)::timestamptz))
ORDER BY b.last_date, b.block_id
LIMIT sqlc.arg(row_limit)::int;
