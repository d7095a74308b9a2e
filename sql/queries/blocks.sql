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

-- name: BlockClaimInsert :exec
-- BlockClaimInsert writes the claims of a block. 23P01 says that a time is taken.
INSERT INTO claims (tenant_id, owner_id, number, resource_id, units, busy_from, busy_until)
SELECT sqlc.arg(tenant_id), sqlc.arg(block_id)::uuid, c.number, sqlc.arg(resource_id)::uuid, c.units::int4multirange, c.busy_from,
    c.busy_until
FROM (
    SELECT unnest(sqlc.arg(numbers)::smallint[]) AS number,
        unnest(sqlc.arg(units)::text[]) AS units,
        unnest(sqlc.arg(busy_from)::timestamptz[]) AS busy_from,
        unnest(sqlc.arg(busy_until)::timestamptz[]) AS busy_until
) AS c;

-- name: BlockClaimDelete :exec
DELETE FROM claims
WHERE tenant_id = $1 AND owner_id = sqlc.arg(block_id)::uuid;

-- name: ClaimListInTheWay :many
-- ClaimListInTheWay lists what ClaimList lists, a session once for each of its bookings. The longest that a claim can be bounds the scan of
-- the index: of a booking by any service of the resource, also by a former version of it and over a link that was removed, or of a block,
-- whose claims end with their date. It is subtracted where it is read: with row-level security, the index compares only with a value that
-- isn't computed beside it.
SELECT c.owner_id, c.resource_id, c.units, c.busy_from, c.busy_until, c.expires_at, k.owner_id AS in_session,
    k.expires_at AS in_session_until, (coalesce(b.nights, 0) > 0)::bool AS of_stay
FROM (
    SELECT unnest(sqlc.arg(resource_ids)::uuid[])::uuid AS resource_id,
        unnest(sqlc.arg(busy_from)::timestamptz[])::timestamptz AS busy_from,
        unnest(sqlc.arg(busy_until)::timestamptz[])::timestamptz AS busy_until
) AS r
CROSS JOIN LATERAL (
    SELECT (r.busy_from - make_interval(mins => greatest(max(s.longest_minutes), 26 * 60)::int))::timestamptz AS earliest
    FROM service_resources sr
    JOIN services s ON s.tenant_id = $1 AND s.service_id = sr.service_id
    WHERE sr.tenant_id = $1 AND sr.resource_id = r.resource_id
) AS l
CROSS JOIN LATERAL (
    SELECT o.owner_id, o.resource_id, o.units, o.busy_from, o.busy_until, o.expires_at
    FROM claims o
    WHERE o.tenant_id = $1
      AND o.resource_id = r.resource_id
      AND o.busy_from >= l.earliest
      AND o.busy_from < r.busy_until
      AND o.busy_until > r.busy_from
    OFFSET 0
) AS c
LEFT JOIN claims k ON k.tenant_id = $1 AND k.session_id = c.owner_id
LEFT JOIN bookings b ON b.tenant_id = $1 AND b.booking_id = c.owner_id;
