-- +goose Up

-- `holdfast events` reads the scheduled events of all tenants as the operator's role. It sees what is done when, for which subject and
-- with which result, and not the data of the kinds. It changes events as their tenant.
GRANT SELECT (tenant_id, event_id, kind, subject_type, subject_id, status, due_at, time_zone, attempts, version, last_error, created_at,
    updated_at) ON scheduled_events TO holdfast_operator;
-- Members of a role inherit its policies, and the login is one: it is left out by name.
CREATE POLICY operator ON scheduled_events FOR SELECT TO holdfast_operator USING (current_user = 'holdfast_operator');

-- A tenant's dead events, which are few among many.
CREATE INDEX scheduled_events_dead_by_tenant ON scheduled_events (tenant_id, due_at, event_id) WHERE status = 'dead';

-- +goose Down
DROP INDEX scheduled_events_dead_by_tenant;
DROP POLICY operator ON scheduled_events;
REVOKE SELECT (tenant_id, event_id, kind, subject_type, subject_id, status, due_at, time_zone, attempts, version, last_error, created_at,
    updated_at) ON scheduled_events FROM holdfast_operator;
