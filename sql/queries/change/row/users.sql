-- name: UserNames :many
-- UserNames lists the names of users, also of those who were removed.
SELECT user_id, name
FROM users
WHERE tenant_id = $1 AND user_id = ANY (sqlc.arg(user_ids)::uuid[]);
