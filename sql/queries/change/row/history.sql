-- name: ChangeListBySubject :many
-- ChangeListBySubject lists the changes of a subject that follow a version, in their order, and before them the last one that doesn't: what
-- it left is what the next one changed.
SELECT c.*
FROM changes c
WHERE c.tenant_id = $1 AND c.subject_id = sqlc.arg(subject_id) AND NOT c.notice
  AND c.version >= coalesce((
      SELECT max(p.version)
      FROM changes p
      WHERE p.tenant_id = $1 AND p.subject_id = sqlc.arg(subject_id) AND NOT p.notice AND p.version <= sqlc.arg(after_version)), 0)
ORDER BY c.version
LIMIT sqlc.arg(row_limit)::int;
