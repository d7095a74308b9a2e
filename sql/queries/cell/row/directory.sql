-- The directory of the cells: which tenant is where. Only the home cell's is used, and only by the operator's role.

-- name: DirectoryEnd :one
-- DirectoryEnd returns the id of the oldest transaction that still runs. All older ones have ended, and what they wrote is seen by the next
-- statement.
SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint AS transaction_id;

-- name: DirectoryList :many
-- DirectoryList lists the tenants whose rows were written by a transaction from one on.
SELECT tenant_id, slug, cell, moving_to, move_id, frozen, changed_in
FROM cell_directory
WHERE changed_in >= sqlc.arg(since)::bigint;

-- name: DirectoryLower :exec
-- DirectoryLower mends a directory that was restored from another cluster, whose transaction ids are still to come in this one.
UPDATE cell_directory
SET changed_in = 0
WHERE changed_in > pg_current_xact_id()::text::bigint;

-- name: DirectoryInsert :exec
-- DirectoryInsert adds tenants. One whose id or slug is taken is left out.
INSERT INTO cell_directory (tenant_id, slug, cell)
SELECT n.tenant_id, n.slug, sqlc.arg(cell)::text
FROM (SELECT unnest(sqlc.arg(tenant_ids)::uuid[]) AS tenant_id, unnest(sqlc.arg(slugs)::text[]) AS slug) AS n
ON CONFLICT DO NOTHING;

-- name: DirectoryGet :many
-- DirectoryGet returns the rows that have a tenant's id, or a slug.
SELECT tenant_id, slug, cell, moving_to, move_id, frozen, changed_in
FROM cell_directory
WHERE tenant_id = sqlc.arg(tenant_id) OR slug = sqlc.arg(slug)::text;

-- name: DirectoryMove :many
-- DirectoryMove begins a move, freezes a tenant of one that has begun, or gives it the time to go on. Another move of the tenant keeps it
-- from doing so.
UPDATE cell_directory
SET moving_to = sqlc.arg(to_cell)::text, move_id = sqlc.arg(move_id)::uuid, frozen = sqlc.arg(frozen)::bool,
    changed_in = pg_current_xact_id()::text::bigint
WHERE tenant_id = $1 AND cell = sqlc.arg(from_cell)::text
  AND (move_id IS NULL OR move_id = sqlc.arg(move_id)::uuid AND moving_to = sqlc.arg(to_cell)::text)
RETURNING tenant_id, slug, cell, moving_to, move_id, frozen;

-- name: DirectoryEndMove :exec
-- DirectoryEndMove ends a move: the tenant is where it went, or stays where it was.
UPDATE cell_directory
SET cell = CASE WHEN sqlc.arg(moved)::bool THEN moving_to ELSE cell END, moving_to = NULL, move_id = NULL, frozen = false,
    changed_in = pg_current_xact_id()::text::bigint
WHERE tenant_id = $1 AND move_id = sqlc.arg(move_id)::uuid;

-- name: DirectoryRename :exec
UPDATE cell_directory
SET slug = sqlc.arg(slug)::text, changed_in = pg_current_xact_id()::text::bigint
WHERE tenant_id = $1;
