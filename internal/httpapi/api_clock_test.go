package httpapi_test

import (
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"holdfast/internal/app/apptest"
	"holdfast/internal/db/dbtest"
	"holdfast/internal/httpapi/admission"
)

// stoppedClock comes before PostgreSQL's own clock in the search path of one database. Requests go by the database's
// clock: a test can begin on any date, and no time passes unless the test says so.
const stoppedClock = `
CREATE SCHEMA stopped;
CREATE TABLE stopped.clock (shows timestamptz NOT NULL);
INSERT INTO stopped.clock (shows) VALUES (pg_catalog.now());
CREATE FUNCTION stopped.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE AS 'SELECT shows FROM stopped.clock';
CREATE FUNCTION stopped.now() RETURNS timestamptz LANGUAGE sql STABLE AS 'SELECT shows FROM stopped.clock';
GRANT USAGE ON SCHEMA stopped TO PUBLIC;
GRANT SELECT ON stopped.clock TO PUBLIC;
DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET search_path = stopped, pg_catalog, public', current_database()); END $$`

// clock is the stopped clock of a database.
type clock struct{ sql *pgxpool.Pool }

// newServerWithClock is newServer on a database whose clock stands still.
func newServerWithClock(t testing.TB) (*apiServer, clock) {
	t.Helper()
	database := dbtest.Database(t)
	sql := dbtest.SQL(t, database)
	_, err := sql.Exec(t.Context(), stoppedClock)
	require.NoError(t, err)
	return serveAPI(t, apptest.Options{Database: database}, admission.Limits{}), clock{sql}
}

// set has the clock show a time.
func (c clock) set(t testingT, now time.Time) {
	t.Helper()
	_, err := c.sql.Exec(t.Context(), "UPDATE stopped.clock SET shows = $1", now)
	require.NoError(t, err)
}

// pass lets time pass.
func (c clock) pass(t testingT, d time.Duration) {
	t.Helper()
	_, err := c.sql.Exec(t.Context(), "UPDATE stopped.clock SET shows = shows + $1::interval", d)
	require.NoError(t, err)
}
