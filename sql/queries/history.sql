-- name: HistoryInsert :exec
-- HistoryInsert writes what a transaction changed. The nil uuid and empty texts mean null.
INSERT INTO history (tenant_id, subject_id, version, subject_type, action, api_key_id, request_id, occurred_at, before, after)
SELECT sqlc.arg(tenant_id), h.subject_id, h.version, h.subject_type, h.action,
    nullif(h.api_key_id, '00000000-0000-0000-0000-000000000000'), nullif(h.request_id, ''), sqlc.arg(now),
    nullif(h.before, '')::json, nullif(h.after, '')::json
FROM (
    SELECT unnest(sqlc.arg(subject_ids)::uuid[]) AS subject_id,
        unnest(sqlc.arg(versions)::bigint[]) AS version,
        unnest(sqlc.arg(subject_types)::text[]) AS subject_type,
        unnest(sqlc.arg(actions)::text[]) AS action,
        unnest(sqlc.arg(api_key_ids)::uuid[]) AS api_key_id,
        unnest(sqlc.arg(request_ids)::text[]) AS request_id,
        unnest(sqlc.arg(before)::text[]) AS before,
        unnest(sqlc.arg(after)::text[]) AS after
) AS h;

-- name: HistoryList :many
SELECT subject_id, version, subject_type, action, api_key_id, request_id, occurred_at, before, after
FROM history
WHERE tenant_id = $1 AND subject_id = sqlc.arg(subject_id) AND version > sqlc.arg(after_version)
ORDER BY version
LIMIT sqlc.arg(row_limit)::int;
