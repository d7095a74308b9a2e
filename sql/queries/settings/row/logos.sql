-- name: LogoGet :one
SELECT media_type, data
FROM logos
WHERE tenant_id = $1 AND hash = sqlc.arg(hash);

-- name: LogoSet :exec
INSERT INTO logos (tenant_id, hash, media_type, data, created_at)
VALUES ($1, sqlc.arg(hash), sqlc.arg(media_type), sqlc.arg(data), sqlc.arg(now))
ON CONFLICT (tenant_id) DO UPDATE
SET hash = excluded.hash, media_type = excluded.media_type, data = excluded.data, created_at = excluded.created_at;

-- name: LogoDelete :exec
DELETE FROM logos
WHERE tenant_id = $1;
