-- +goose NO TRANSACTION
-- The index is built without keeping requests out, which can't be done in a transaction. Every statement can be run
-- again after a failure.

-- +goose Up

-- The cleanup runs as this role: it sees no key but those that it may delete, of every tenant.
-- +goose StatementBegin
DO $$
DECLARE
    r text;
BEGIN
    IF to_regrole('holdfast_cleanup') IS NULL THEN
        BEGIN
            CREATE ROLE holdfast_cleanup NOLOGIN NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE;
        EXCEPTION
            WHEN duplicate_object OR unique_violation THEN NULL;
        END;
    END IF;
    -- Since PostgreSQL 16 whoever makes a role is its member at once, but may not become it, which the first migration
    -- doesn't know.
    FOREACH r IN ARRAY ARRAY ['holdfast_app', 'holdfast_cleanup'] LOOP
        IF NOT pg_has_role(r, CASE WHEN current_setting('server_version_num')::int >= 160000 THEN 'SET' ELSE 'MEMBER' END) THEN
            EXECUTE format('GRANT %I TO CURRENT_USER', r);
        END IF;
    END LOOP;
END
$$;
-- +goose StatementEnd

-- A key without a status is unfinished: its request has begun and isn't answered. Zero could not say so, since the keys
-- of commands, which answer nobody over HTTP, have it.
ALTER TABLE idempotency_keys ALTER COLUMN status DROP NOT NULL;

-- To lock rows takes the right to update a column; nothing updates it.
GRANT SELECT, DELETE, UPDATE (expires_at) ON idempotency_keys TO holdfast_cleanup;

-- Members of a role inherit its policies, and the login is one: it is left out by name.
DROP POLICY IF EXISTS cleanup ON idempotency_keys;
CREATE POLICY cleanup ON idempotency_keys TO holdfast_cleanup
    USING (current_user = 'holdfast_cleanup' AND status IS NOT NULL AND expires_at <= now());

-- A build that was cut off leaves an index that nothing uses.
DROP INDEX CONCURRENTLY IF EXISTS idempotency_keys_by_expiry;
CREATE INDEX CONCURRENTLY idempotency_keys_by_expiry ON idempotency_keys (expires_at) WHERE status IS NOT NULL;

-- +goose Down
DROP INDEX idempotency_keys_by_expiry;
DROP POLICY cleanup ON idempotency_keys;
REVOKE ALL ON idempotency_keys FROM holdfast_cleanup;
DELETE FROM idempotency_keys WHERE status IS NULL;
ALTER TABLE idempotency_keys ALTER COLUMN status SET NOT NULL;
