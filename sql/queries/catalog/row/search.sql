-- Resources and services by the beginning of their names. Names are compared as CustomerSearch does.

-- name: ResourceSearch :many
-- ResourceSearch lists the resources whose name begins with one of some texts, by position and id, or with all positions as 0 by id.
-- scan_limit bounds what is found of each text.
SELECT k.*
FROM (
    SELECT DISTINCT n.position, n.resource_id
    FROM (SELECT unnest(sqlc.arg(low)::text[])::text AS low, unnest(sqlc.arg(high)::text[])::text AS high) AS b
    CROSS JOIN LATERAL (
        SELECT CASE WHEN sqlc.arg(by_position)::bool THEN r.position ELSE 0 END AS position, r.resource_id
        FROM resources r
        WHERE r.tenant_id = $1 AND r.name COLLATE "C" >= b.low AND r.name COLLATE "C" < b.high
          AND (r.archived_at IS NOT NULL) = sqlc.arg(archived)::bool
        ORDER BY r.name COLLATE "C"
        LIMIT sqlc.arg(scan_limit)::int
    ) AS n
) AS found
-- LIMIT keeps the planner from reading all resources to join a few.
CROSS JOIN LATERAL (
    SELECT r.*
    FROM resources r
    WHERE r.tenant_id = $1 AND r.resource_id = found.resource_id
    LIMIT 1
) AS k
WHERE (found.position, found.resource_id) > (sqlc.arg(after_position)::int, sqlc.arg(after)::uuid)
ORDER BY found.position, found.resource_id
LIMIT sqlc.arg(row_limit)::int;

-- name: ServiceSearch :many
-- ServiceSearch lists the services whose name begins with one of some texts, by id. scan_limit bounds what is found of each text.
SELECT s.*, t.currency, t.catalog_version, t.settings,
    ARRAY(SELECT sr.resource_id FROM service_resources sr
          WHERE sr.tenant_id = $1 AND sr.service_id = found.service_id AND sr.removed_at IS NULL
          ORDER BY sr.position)::uuid[] AS resource_ids
FROM (
    SELECT DISTINCT n.service_id
    FROM (SELECT unnest(sqlc.arg(low)::text[])::text AS low, unnest(sqlc.arg(high)::text[])::text AS high) AS b
    CROSS JOIN LATERAL (
        SELECT v.service_id
        FROM services v
        WHERE v.tenant_id = $1 AND v.name COLLATE "C" >= b.low AND v.name COLLATE "C" < b.high
          AND (v.archived_at IS NOT NULL) = sqlc.arg(archived)::bool
        ORDER BY v.name COLLATE "C"
        LIMIT sqlc.arg(scan_limit)::int
    ) AS n
) AS found
-- LIMIT keeps the planner from reading all services to join a few.
CROSS JOIN LATERAL (
    SELECT v.*
    FROM services v
    WHERE v.tenant_id = $1 AND v.service_id = found.service_id
    LIMIT 1
) AS s
JOIN tenants t ON t.tenant_id = $1
WHERE found.service_id > sqlc.arg(after)::uuid
ORDER BY found.service_id
LIMIT sqlc.arg(row_limit)::int;
