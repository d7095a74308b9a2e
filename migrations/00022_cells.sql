-- +goose Up

-- Which tenant is in which cell. One cell of several, the home cell, keeps the directory; in all others, and where there is one cell, it is
-- empty. Servers read it whole, and then what has changed.
CREATE TABLE cell_directory (
    tenant_id  uuid    NOT NULL PRIMARY KEY,
    slug       text    NOT NULL UNIQUE,
    cell       text    NOT NULL CHECK (cell <> ''),
    -- A move that has begun: the cell to which the tenant goes, and the id of the move.
    moving_to  text    CHECK (moving_to <> ''),
    move_id    uuid,
    frozen     boolean NOT NULL DEFAULT false, -- servers hold the tenant's requests back
    -- The transaction that wrote the row last. Readers ask for rows that are no older than the oldest transaction that ran when they last read.
    changed_in bigint  NOT NULL DEFAULT pg_current_xact_id()::text::bigint,
    CONSTRAINT cell_directory_move CHECK ((moving_to IS NULL) = (move_id IS NULL) AND (move_id IS NOT NULL OR NOT frozen))
);
CREATE INDEX cell_directory_changed ON cell_directory (changed_in);

ALTER TABLE cell_directory ENABLE ROW LEVEL SECURITY;
ALTER TABLE cell_directory FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON cell_directory USING (tenant_id = NULLIF(current_setting('holdfast.tenant_id', true), '')::uuid);
GRANT SELECT, INSERT, UPDATE, DELETE ON cell_directory TO holdfast_operator;
CREATE POLICY operator ON cell_directory TO holdfast_operator USING (current_user = 'holdfast_operator');

-- A cell may have a schema of its own. Everybody may use public.
-- +goose StatementBegin
DO $$
BEGIN
    IF current_schema() <> 'public' THEN
        EXECUTE format('GRANT USAGE ON SCHEMA %I TO holdfast_app, holdfast_cleanup, holdfast_deleter, '
            'holdfast_operator, holdfast_worker', current_schema());
    END IF;
END
$$;
-- +goose StatementEnd
