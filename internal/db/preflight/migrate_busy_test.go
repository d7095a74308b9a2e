package preflight_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/pressly/goose/v3"
	"github.com/stretchr/testify/require"

	"holdfast/internal/db/dbtest"
	"holdfast/internal/db/preflight"
	"holdfast/migrations"
)

// released is the last migration of the last release: 00001 to 00011 are only of new databases.
const released = 11

// offline are migrations that write a table anew: before 1.0.0 a minor version may ask for a stop of all servers.
var offline = map[string]bool{"00045_booking_details.sql": true}

// An analyst's transaction reads each table while each migration comes, and requests write to each table meanwhile. A
// migration that waited for the reader without a limit would hold up every request behind it.
func TestMigrate_ReaderOfEveryTable_HoldsUpNoRequest(t *testing.T) {
	t.Parallel()
	url := migratedTo(t, released)
	load, conn := dbtest.SQL(t, url), dbtest.SQL(t, url)
	var applied int64
	for applied >= 0 {
		tables := tablesOf(t, conn)
		reader, err := dbtest.SQL(t, url).Begin(t.Context())
		require.NoError(t, err)
		_, err = reader.Exec(t.Context(), "LOCK TABLE "+strings.Join(tables, ", ")+" IN ACCESS SHARE MODE")
		require.NoError(t, err)
		type result struct {
			version int64
			err     error
		}
		ended := make(chan result, 1)
		next := func() {
			version, err := preflight.MigrateNext(t.Context(), url, 100*time.Millisecond)
			ended <- result{version, err}
		}
		go next()
		done := false
		var r result
		for waits := 0; !done && waits < 2; {
			for _, table := range tables {
				_, err := load.Exec(t.Context(), "BEGIN; SET LOCAL lock_timeout = '20s'; "+
					"LOCK TABLE "+table+" IN ROW EXCLUSIVE MODE; COMMIT") // what an INSERT takes
				require.NoError(t, err, "after migration %d a request waits for %s behind the next one", applied, table)
			}
			select {
			case r = <-ended:
				done = true
			default:
				// To build an index concurrently waits for the reader, and nobody waits behind it.
				var waiting int
				require.NoError(t, conn.QueryRow(t.Context(), `SELECT count(*) FROM pg_locks
					WHERE NOT granted AND locktype = 'virtualxid'`).Scan(&waiting))
				waits += waiting
			}
		}
		require.NoError(t, reader.Rollback(t.Context()))
		if !done {
			r = <-ended
		}
		if state(r.err) == "55P03" {
			next()
			r = <-ended
		}
		if err := r.err; err != nil {
			require.ErrorIs(t, err, goose.ErrNoNextVersion)
			r.version = -1
		}
		applied = r.version
	}
}

// Each migration that runs in a transaction is looked at before it commits. It may lock one table that was there
// before: it would wait for a second one with the lock of the first. Under that lock it doesn't read the table: it
// makes no index, no constraint that looks at the rows, no new file.
func TestMigrations_OfBusyTables_HoldEachForAMomentOnly(t *testing.T) {
	t.Parallel()
	url := migratedTo(t, released)
	conn := dbtest.SQL(t, url)
	old := tablesOf(t, conn) // those that came since are empty in an upgrade
	for _, m := range migrationsAfter(t, released) {
		if !m.transaction {
			for line := range strings.Lines(m.text) {
				if strings.Contains(line, " INDEX ") {
					require.Contains(t, line, " INDEX CONCURRENTLY IF NOT EXISTS ", m.name)
				}
				if strings.Contains(line, "ADD CONSTRAINT ") {
					require.Contains(t, line, " NOT VALID", m.name)
				}
			}
			_, err := preflight.MigrateNext(t.Context(), url, time.Minute)
			require.NoError(t, err, m.name)
			continue
		}
		if offline[m.name] {
			_, err := preflight.MigrateNext(t.Context(), url, time.Minute)
			require.NoError(t, err, m.name)
			continue
		}
		before := map[string]string{} // the files of the tables
		for _, table := range old {
			before[table] = fileOf(t, conn, table)
		}
		tx, err := conn.Begin(t.Context())
		require.NoError(t, err)
		_, err = tx.Exec(t.Context(), m.text)
		require.NoError(t, err, m.name)
		rows, err := tx.Query(t.Context(), `
			SELECT DISTINCT l.relation::regclass::text FROM pg_locks l
			WHERE l.pid = pg_backend_pid() AND l.locktype = 'relation' AND l.relation >= 16384
				AND l.mode IN ('AccessExclusiveLock', 'ExclusiveLock', 'ShareRowExclusiveLock', 'ShareLock')`)
		require.NoError(t, err)
		names, err := pgx.CollectRows(rows, pgx.RowTo[string])
		require.NoError(t, err)
		var locked []string
		for _, name := range names {
			if before[name] != "" {
				locked = append(locked, name)
			}
		}
		require.LessOrEqual(t, len(locked), 1, "%s locks %v in one transaction: let each have its own", m.name, locked)
		for _, table := range locked {
			if table == "tenants" || table == "api_keys" {
				continue // have some thousands of rows
			}
			require.Equal(t, before[table], fileOf(t, tx, table), "%s writes %s anew", m.name, table)
			var looks []string
			require.NoError(t, tx.QueryRow(t.Context(), `
				SELECT coalesce(array_agg(name), '{}') FROM (
					SELECT conname AS name FROM pg_constraint
					WHERE conrelid = $1::regclass AND convalidated AND contype IN ('c', 'f') AND xmin = pg_current_xact_id()::xid
					UNION ALL
					SELECT indexrelid::regclass::name FROM pg_index
					WHERE indrelid = $1::regclass AND xmin = pg_current_xact_id()::xid) AS made`, table).Scan(&looks))
			require.Empty(t, looks, "%s reads all of %s under its lock: build indexes concurrently, "+
				"and make constraints NOT VALID, then validate them", m.name, table)
		}
		require.NoError(t, tx.Rollback(t.Context()))
		_, err = preflight.MigrateNext(t.Context(), url, time.Minute)
		require.NoError(t, err, m.name)
	}
}

// A migration outside of a transaction can be broken off between two of its statements, or in the middle of an index.
func TestMigrate_AfterOneThatWasBrokenOff_RunsAgain(t *testing.T) {
	t.Parallel()
	url := migratedTo(t, released)
	conn := dbtest.SQL(t, url)
	var names []string
	for _, m := range migrationsAfter(t, released) {
		_, err := preflight.MigrateNext(t.Context(), url, time.Minute)
		require.NoError(t, err, m.name)
		if m.transaction {
			continue
		}
		for _, match := range regexp.MustCompile(`CONCURRENTLY IF NOT EXISTS (\w+)`).FindAllStringSubmatch(m.text, -1) {
			names = append(names, match[1])
			_, err := conn.Exec(t.Context(), "UPDATE pg_index SET indisvalid = false WHERE indexrelid = $1::regclass",
				match[1])
			require.NoError(t, err)
		}
		_, err = conn.Exec(t.Context(), "DELETE FROM goose_db_version WHERE version_id = $1", m.version)
		require.NoError(t, err)
		_, err = preflight.MigrateNext(t.Context(), url, time.Minute)
		require.NoError(t, err, "%s can't run twice", m.name)
	}
	require.NotEmpty(t, names)
	for _, name := range names {
		var valid bool
		require.NoError(t, conn.QueryRow(t.Context(),
			"SELECT indisvalid FROM pg_index WHERE indexrelid = $1::regclass", name).Scan(&valid))
		require.True(t, valid, name)
	}
}

// migration is a file of migrations.
type migration struct {
	name        string
	version     int64
	text        string
	transaction bool
}

func migrationsAfter(t *testing.T, version int64) (found []migration) {
	t.Helper()
	files, err := fs.Glob(migrations.FS, "*.sql")
	require.NoError(t, err)
	for _, file := range files {
		m := migration{name: file}
		_, err := fmt.Sscanf(file, "%d_", &m.version)
		require.NoError(t, err)
		text, err := migrations.FS.ReadFile(file)
		require.NoError(t, err)
		m.text = string(text)
		m.transaction = !strings.Contains(m.text, "-- +goose NO TRANSACTION")
		if m.version > version {
			found = append(found, m)
		}
	}
	return found
}

type querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// tablesOf lists the tables, without that of goose.
func tablesOf(t *testing.T, q querier) []string {
	t.Helper()
	rows, err := q.Query(t.Context(), `SELECT relname FROM pg_class
		WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace AND relname <> 'goose_db_version'
		ORDER BY relname`)
	require.NoError(t, err)
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	return tables
}

func fileOf(t *testing.T, q querier, table string) (file string) {
	t.Helper()
	require.NoError(t, q.QueryRow(t.Context(), "SELECT pg_relation_filenode($1::regclass)::text", table).Scan(&file))
	return file
}

func state(err error) string {
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		return pg.Code
	}
	return ""
}
