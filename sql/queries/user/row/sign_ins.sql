-- name: SignInLinkInsert :exec
INSERT INTO sign_in_links (tenant_id, hash, user_id, created_at, expires_at)
VALUES ($1, $2, $3, $4, $5);

-- name: SignInLinkCount :one
-- SignInLinkCount counts the links that a user got since a time.
SELECT count(*)::int
FROM sign_in_links
WHERE tenant_id = $1 AND user_id = $2 AND created_at > sqlc.arg(since)::timestamptz;

-- name: SignInLinkGet :one
-- SignInLinkGet finds a link that works, and whom it signs in.
SELECT u.*
FROM sign_in_links l
JOIN users u ON u.tenant_id = l.tenant_id AND u.user_id = l.user_id AND u.removed_at IS NULL
WHERE l.tenant_id = $1 AND l.hash = $2 AND l.expires_at > clock_timestamp();

-- name: SignInLinkUse :one
-- SignInLinkUse ends a link that works, and returns whom it signs in. Of two requests at the same time one gets no row.
WITH used AS (
    DELETE FROM sign_in_links d
    WHERE d.tenant_id = $1 AND d.hash = $2 AND d.expires_at > now()
    RETURNING d.user_id
)
SELECT u.*
FROM used
JOIN users u ON u.tenant_id = $1 AND u.user_id = used.user_id AND u.removed_at IS NULL;

-- name: SignInLinkDeleteExpired :exec
DELETE FROM sign_in_links
WHERE tenant_id = $1 AND expires_at <= sqlc.arg(now)::timestamptz;

-- name: SignInLinkDeleteByUser :exec
DELETE FROM sign_in_links
WHERE tenant_id = $1 AND user_id = $2;

-- name: SignInInsert :exec
INSERT INTO sign_ins (tenant_id, hash, user_id, created_at, expires_at)
VALUES ($1, $2, $3, $4, $5);

-- name: SignInGet :one
-- SignInGet finds a sign-in that has not ended, with its user and the tenant.
SELECT u.user_id, u.email, u.name, u.role, s.expires_at,
    t.slug, t.name AS tenant_name, t.time_zone, t.currency, t.created_at AS tenant_created_at, t.status
FROM sign_ins s
JOIN users u ON u.tenant_id = s.tenant_id AND u.user_id = s.user_id AND u.removed_at IS NULL
JOIN tenants t ON t.tenant_id = s.tenant_id
WHERE s.tenant_id = $1 AND s.hash = $2 AND s.expires_at > clock_timestamp();

-- name: SignInDelete :exec
DELETE FROM sign_ins
WHERE tenant_id = $1 AND hash = $2;

-- name: SignInDeleteByUser :exec
DELETE FROM sign_ins
WHERE tenant_id = $1 AND user_id = $2;

-- name: SignInDeleteExpired :exec
DELETE FROM sign_ins
WHERE tenant_id = $1 AND expires_at <= sqlc.arg(now)::timestamptz;
