-- name: ClaimInsert :exec
-- ClaimInsert gives an owner a claim of a number that it has none of. 23P01 says that the time is taken.
INSERT INTO claims (tenant_id, owner_id, number, resource_id, units, busy_from, busy_until, expires_at, session_id)
VALUES (sqlc.arg(tenant_id), sqlc.arg(owner_id), sqlc.arg(number), sqlc.arg(resource_id), sqlc.arg(units)::text::int4multirange, sqlc.arg(busy_from),
    sqlc.arg(busy_until), sqlc.narg(expires_at), sqlc.narg(session_id));

-- name: ClaimInsertMany :exec
-- ClaimInsertMany writes claims. 23P01 says that a time is taken. The nil uuid and the nil time mean null.
INSERT INTO claims (tenant_id, owner_id, number, resource_id, units, busy_from, busy_until, expires_at, session_id)
SELECT sqlc.arg(tenant_id), c.owner_id, c.number, coalesce(nullif(c.session_id, '00000000-0000-0000-0000-000000000000'), c.resource_id),
    c.units::int4multirange, c.busy_from, c.busy_until, nullif(c.expires_at, '0001-01-01T00:00:00Z'),
    nullif(c.session_id, '00000000-0000-0000-0000-000000000000')
FROM (
    SELECT unnest(sqlc.arg(owner_ids)::uuid[]) AS owner_id,
        unnest(sqlc.arg(numbers)::smallint[]) AS number,
        unnest(sqlc.arg(resource_ids)::uuid[]) AS resource_id,
        unnest(sqlc.arg(units)::text[]) AS units,
        unnest(sqlc.arg(busy_from)::timestamptz[]) AS busy_from,
        unnest(sqlc.arg(busy_until)::timestamptz[]) AS busy_until,
        unnest(sqlc.arg(expire_at)::timestamptz[]) AS expires_at,
        unnest(sqlc.arg(session_ids)::uuid[]) AS session_id
) AS c;

-- name: ClaimKeep :exec
-- ClaimKeep has the claims of a hold expire no more, nor those of its session. A booking in a session has one claim: its seats.
UPDATE claims c
SET expires_at = NULL
WHERE c.tenant_id = $1
  AND (c.owner_id = $2 OR c.owner_id = (SELECT s.session_id FROM claims s WHERE s.tenant_id = $1 AND s.owner_id = $2 AND s.number = 1));

-- name: ClaimExtend :exec
-- ClaimExtend has the claims of a hold expire later, and those of its session no sooner.
UPDATE claims c
SET expires_at = CASE WHEN c.owner_id = $2 THEN sqlc.arg(expires_at)::timestamptz
    WHEN c.expires_at IS NOT NULL THEN greatest(c.expires_at, sqlc.arg(expires_at)::timestamptz) END
WHERE c.tenant_id = $1
  AND (c.owner_id = $2 OR c.owner_id = (SELECT s.session_id FROM claims s WHERE s.tenant_id = $1 AND s.owner_id = $2 AND s.number = 1));

-- name: ClaimDelete :exec
-- ClaimDelete frees what an owner occupies. The session that it was in ends with its last seat, and expires with its last hold.
WITH freed AS (
    DELETE FROM claims d
    WHERE d.tenant_id = $1 AND d.owner_id = $2
    RETURNING d.session_id
), stays AS (
    SELECT f.session_id, o.seats, o.expires_at
    FROM freed f
    CROSS JOIN LATERAL (
        SELECT count(*) AS seats, CASE WHEN count(s.expires_at) = count(*) THEN max(s.expires_at) END AS expires_at
        FROM claims s
        WHERE s.tenant_id = $1 AND s.session_id = f.session_id AND s.owner_id <> $2
    ) AS o
    WHERE f.session_id IS NOT NULL
), ended AS (
    DELETE FROM claims c
    USING stays t
    WHERE c.tenant_id = $1 AND c.owner_id = t.session_id AND t.seats = 0
)
UPDATE claims c
SET expires_at = t.expires_at
FROM stays t
WHERE c.tenant_id = $1 AND c.owner_id = t.session_id AND t.seats > 0 AND c.expires_at IS DISTINCT FROM t.expires_at;

-- name: SessionExtend :exec
-- SessionExtend moves the end of a session to that of a hold that joins it, if that is later. A null expires_at, of a confirmed booking,
-- removes the end.
UPDATE claims c
SET expires_at = CASE WHEN sqlc.narg(expires_at)::timestamptz IS NOT NULL THEN greatest(c.expires_at, sqlc.narg(expires_at)::timestamptz) END
WHERE c.tenant_id = $1 AND c.owner_id = sqlc.arg(session_id)
  AND c.expires_at IS NOT NULL AND c.expires_at < coalesce(sqlc.narg(expires_at)::timestamptz, 'infinity');
