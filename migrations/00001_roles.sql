-- +goose Up

-- The exclusion constraint on claims compares uuids with gist. The extension is looked up first: to make it anew, even IF NOT EXISTS, needs the
-- rights of its owner.
-- +goose StatementBegin
DO $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_catalog.pg_extension WHERE extname = 'btree_gist') THEN
        CREATE EXTENSION IF NOT EXISTS btree_gist;
    END IF;
END
$$;
-- +goose StatementEnd

-- Statements run as these roles, which can't log in, own nothing and can't bypass row-level security: holdfast_app for one tenant,
-- holdfast_cleanup for expired idempotency keys, holdfast_operator for the commands of the operator, holdfast_worker for what is due of
-- every tenant.
-- +goose StatementBegin
DO $$
DECLARE
    r text;
BEGIN
    FOREACH r IN ARRAY ARRAY ['holdfast_app', 'holdfast_cleanup', 'holdfast_operator', 'holdfast_worker']
    LOOP
        -- Roles belong to the whole server: an administrator, or another database of it, may have been first.
        IF to_regrole(r) IS NULL THEN
            BEGIN
                EXECUTE format('CREATE ROLE %I NOLOGIN NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE', r);
            EXCEPTION
                WHEN duplicate_object OR unique_violation THEN NULL;
            END;
        END IF;
        -- Since PostgreSQL 16 the creator of a role is its member at once, but may not become it.
        IF NOT pg_has_role(r, CASE WHEN current_setting('server_version_num')::int >= 160000 THEN 'SET' ELSE 'MEMBER' END) THEN
            EXECUTE format('GRANT %I TO CURRENT_USER', r);
        END IF;
    END LOOP;
END
$$;
-- +goose StatementEnd
