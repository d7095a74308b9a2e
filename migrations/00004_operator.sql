-- +goose Up

-- `holdfast locks` gives locks their names. For that it reads as this role, which sees the ids of all tenants and
-- bookings, and the tenants' slugs, and nothing else.
-- +goose StatementBegin
DO $$
BEGIN
    -- Roles belong to the whole server: an administrator, or another database of it, may have been first.
    IF to_regrole('holdfast_operator') IS NULL THEN
        BEGIN
            CREATE ROLE holdfast_operator NOLOGIN NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE;
        EXCEPTION
            WHEN duplicate_object OR unique_violation THEN NULL;
        END;
    END IF;
    -- From version 16 on who creates a role is a member that may not yet become it.
    IF NOT pg_has_role('holdfast_operator',
        CASE WHEN current_setting('server_version_num')::int < 160000 THEN 'MEMBER' ELSE 'SET' END) THEN
        EXECUTE 'GRANT holdfast_operator TO CURRENT_USER';
    END IF;
END
$$;
-- +goose StatementEnd

GRANT SELECT (tenant_id, slug) ON tenants TO holdfast_operator;
GRANT SELECT (tenant_id, booking_id) ON bookings TO holdfast_operator;
-- Members of a role inherit its policies, and the login is one: it is left out by name.
CREATE POLICY operator ON tenants FOR SELECT TO holdfast_operator USING (current_user = 'holdfast_operator');
CREATE POLICY operator ON bookings FOR SELECT TO holdfast_operator USING (current_user = 'holdfast_operator');

-- +goose Down
DROP POLICY operator ON bookings;
DROP POLICY operator ON tenants;
REVOKE SELECT (tenant_id, booking_id) ON bookings FROM holdfast_operator;
REVOKE SELECT (tenant_id, slug) ON tenants FROM holdfast_operator;
