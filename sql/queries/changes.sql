-- name: ChangeInsert :exec
-- ChangeInsert writes the records of changes of this transaction. transaction_id is the default, the id of this transaction. Changes of one
-- booking take its lock before they write, so the ids of its changes are in the order of their versions. Changes of a customer take no such
-- lock: CustomerUpdate sets the id. The nil uuid and an empty text mean null. For one change the arrays cost 3 % of its time.
INSERT INTO changes (tenant_id, change_id, type, subject_type, subject_id, version, notice, api_key_id, user_id, request_id, operator,
    occurred_at, data)
SELECT sqlc.arg(tenant_id), c.change_id, c.type, c.subject_type, c.subject_id, c.version, false,
    nullif(c.api_key_id, '00000000-0000-0000-0000-000000000000'), nullif(c.user_id, '00000000-0000-0000-0000-000000000000'),
    nullif(c.request_id, ''), nullif(c.operator, ''), sqlc.arg(now),
    c.data::json
FROM (
    SELECT unnest(sqlc.arg(change_ids)::uuid[]) AS change_id,
        unnest(sqlc.arg(types)::text[]) AS type,
        unnest(sqlc.arg(subject_types)::text[]) AS subject_type,
        unnest(sqlc.arg(subject_ids)::uuid[]) AS subject_id,
        unnest(sqlc.arg(versions)::bigint[]) AS version,
        unnest(sqlc.arg(api_key_ids)::uuid[]) AS api_key_id,
        unnest(sqlc.arg(user_ids)::uuid[]) AS user_id,
        unnest(sqlc.arg(request_ids)::text[]) AS request_id,
        unnest(sqlc.arg(operators)::text[]) AS operator,
        unnest(sqlc.arg(data)::text[]) AS data
) AS c;
