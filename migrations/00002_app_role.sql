-- +goose Up

-- Since PostgreSQL 16 who makes a role is its member at once, but may not become it, and the first migration took
-- membership for enough.
-- +goose StatementBegin
DO $$
BEGIN
    IF current_setting('server_version_num')::int >= 160000 AND NOT pg_has_role('holdfast_app', 'SET') THEN
        EXECUTE 'GRANT holdfast_app TO CURRENT_USER';
    END IF;
END
$$;
-- +goose StatementEnd

-- +goose Down
