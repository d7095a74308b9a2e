-- How far a standby is behind, by positions in the write-ahead log. See internal/db/internal/core/lag.go.

-- name: StandbyPrimary :one
-- StandbyPrimary reads the end of the primary's log: all that was committed before has a smaller position. It fails on a standby. Positions
-- can be compared if the rest is equal. place tells the databases and schemas of one server apart.
-- Behind the end of a page the primary's position is that of its next record, after the page's header, which has 40 bytes at the beginning of
-- a segment and 24 elsewhere. The standby's position is then the end of the page, until there is a next record.
SELECT
    (w.inserted - CASE
        WHEN w.inserted % pg_size_bytes(current_setting('wal_segment_size')) = 40 THEN 40
        WHEN w.inserted % current_setting('wal_block_size')::int = 24 THEN 24
        ELSE 0 END)::bigint AS position,
    ('x' || left(w.file, 8))::bit(32)::int AS timeline,
    (to_jsonb(pg_control_system()) ->> 'system_identifier')::bigint AS system,
    concat_ws('.', current_database(), current_schema())::text AS place
FROM (
    SELECT (pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::bigint AS inserted, pg_walfile_name(pg_current_wal_insert_lsn()) AS file
) w;

-- name: StandbyPosition :one
-- StandbyPosition reads up to where a standby has replayed the log: what was committed before this position is seen by the next statement.
-- After a promotion of another server the timeline is the old one until the standby's next restartpoint, never the other way round.
SELECT
    pg_is_in_recovery()::bool AS in_recovery,
    coalesce((pg_last_wal_replay_lsn() - '0/0'::pg_lsn)::bigint, 0)::bigint AS position,
    (to_jsonb(pg_control_checkpoint()) ->> 'timeline_id')::int AS timeline,
    (to_jsonb(pg_control_system()) ->> 'system_identifier')::bigint AS system,
    concat_ws('.', current_database(), current_schema())::text AS place;

-- name: StandbyTenant :one
-- StandbyTenant returns no row for a tenant that hasn't arrived on the standby: one that is new, or has moved here from another cell.
SELECT t.tenant_id FROM tenants t WHERE t.tenant_id = sqlc.arg(tenant_id);

-- name: PreflightAppRole :one
-- PreflightAppRole says whether the login may become the role as which tenants' rows are read.
SELECT coalesce((SELECT pg_has_role(r.oid, 'MEMBER') FROM pg_catalog.pg_roles r WHERE r.rolname = 'holdfast_app'), false)::bool AS member;
