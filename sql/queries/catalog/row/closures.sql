-- name: ServiceClosureList :many
-- ServiceClosureList lists the closures that aren't archived, touch a service's resources and end on a date or later, or come back yearly.
SELECT c.*
FROM closures c
WHERE c.tenant_id = $1
  AND (c.to_date >= sqlc.arg(since)::date OR c.yearly) AND c.archived_at IS NULL
  AND (c.resource_id IS NULL OR c.resource_id IN (
      SELECT sr.resource_id FROM service_resources sr
      WHERE sr.tenant_id = $1 AND sr.service_id = sqlc.arg(service_id)));

-- name: ClosureGet :one
SELECT *
FROM closures
WHERE tenant_id = $1 AND closure_id = $2;

-- name: ClosureList :many
SELECT *
FROM closures
WHERE tenant_id = $1 AND closure_id > sqlc.arg(after)::uuid AND (archived_at IS NOT NULL) = sqlc.arg(archived)::bool
ORDER BY closure_id
LIMIT sqlc.arg(row_limit)::int;

-- name: ClosureListSince :many
-- ClosureListSince lists the closures that aren't archived and end on a date or later, or come back yearly.
SELECT *
FROM closures
WHERE tenant_id = $1 AND (to_date >= sqlc.arg(since)::date OR yearly) AND archived_at IS NULL;
