-- name: UserInsert :exec
INSERT INTO users (tenant_id, user_id, email, name, role, version, created_at)
VALUES ($1, $2, $3, $4, $5, 1, $6);

-- name: UserUpdate :exec
UPDATE users
SET email = $3, name = $4, role = $5, removed_at = $6, version = version + 1
WHERE tenant_id = $1 AND user_id = $2;

-- name: UserGet :one
SELECT *
FROM users
WHERE tenant_id = $1 AND user_id = $2;

-- name: UserGetByEmail :one
-- UserGetByEmail finds the user who hasn't been removed and who has the email, in capitals or not. In the collation C, lower() folds the
-- letters of ASCII alone: Unicode gives letters of other addresses the same small letter.
SELECT *
FROM users
WHERE tenant_id = $1 AND lower(email COLLATE "C") = lower(sqlc.arg(email)::text COLLATE "C") AND removed_at IS NULL;

-- name: UserList :many
SELECT *
FROM users
WHERE tenant_id = $1 AND user_id > sqlc.arg(after)::uuid AND removed_at IS NULL
ORDER BY user_id
LIMIT sqlc.arg(row_limit)::int;

-- name: UserCounts :one
-- UserCounts counts a tenant's users, the owners among them besides one user, and those who were invited since a time, also if they were
-- removed.
SELECT count(*) FILTER (WHERE removed_at IS NULL)::int AS users,
    count(*) FILTER (WHERE removed_at IS NULL AND role = 'owner' AND user_id <> $2)::int AS other_owners,
    count(*) FILTER (WHERE created_at > sqlc.arg(since)::timestamptz)::int AS invited
FROM users
WHERE tenant_id = $1;
