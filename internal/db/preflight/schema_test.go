package preflight_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"holdfast/internal/db"
	"holdfast/internal/db/dbtest"
	"holdfast/internal/db/preflight"
)

// The list in the program is made from the migrations: HOLDFAST_TEST_UPDATE=1 writes it.
func TestSchema_OfTheMigrations_IsTheListed(t *testing.T) {
	t.Parallel()
	lines, err := preflight.SchemaLines(t.Context(), dbtest.Database(t))
	require.NoError(t, err)
	text := strings.Join(lines, "\n") + "\n"
	if os.Getenv("HOLDFAST_TEST_UPDATE") != "" {
		require.NoError(t, os.WriteFile("schema.txt", []byte(text), 0o644))
		return
	}
	listed, err := os.ReadFile("schema.txt")
	require.NoError(t, err)
	require.Equal(t, string(listed), text, "run make generate/schema")
}

func TestPreflight_DatabaseThatLostAGuard_IsRefused(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ sql, because string }{
		"the constraint behind the locks": {
			"DO $$ BEGIN EXECUTE 'ALTER TABLE claims DROP CONSTRAINT ' || (SELECT quote_ident(conname) FROM pg_constraint " +
				"WHERE conrelid = 'claims'::regclass AND contype = 'x'); END $$", "of claims is missing",
		},
		"row-level security": {"ALTER TABLE bookings DISABLE ROW LEVEL SECURITY",
			`row-level security of bookings is "FORCED"`},
		"row-level security of the owner": {
			"ALTER TABLE payments NO FORCE ROW LEVEL SECURITY", `row-level security of payments is "ENABLED "`,
		},
		"a policy":             {"DROP POLICY tenant ON customers", "policy tenant of customers is missing"},
		"a policy that admits": {"ALTER POLICY tenant ON customers USING (true)", "policy tenant of customers is"},
		"a policy besides": {
			"CREATE POLICY all_rows ON bookings FOR SELECT TO holdfast_app USING (true)",
			"policy all_rows of bookings isn't Holdfast's",
		},
		"a unique index": {"DROP INDEX payments_open", "unique index payments_open of payments is missing"},
		"a unique index that isn't valid": {
			"UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'payments_open'::regclass",
			"unique index payments_open of payments isn't valid",
		},
		"a column": {"ALTER TABLE bookings DROP COLUMN link_revision", "column link_revision of bookings is missing"},
		"a grant":  {"REVOKE INSERT ON claims FROM holdfast_app", "grant on claims to holdfast_app"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url := dbtest.Database(t)
			execute(t, url, test.sql)
			requireRefused(t, db.Config{URL: url}, "guards", test.because)
		})
	}
}

func TestPreflight_DatabaseOfAnOlderVersion_NamesTheMissingMigrations(t *testing.T) {
	t.Parallel()
	url := migratedTo(t, released)
	requireRefused(t, db.Config{URL: url}, "migrations", "are missing: 00012; 00013; ")
}

func TestPreflight_DatabaseOfANewerVersion_IsAccepted(t *testing.T) {
	t.Parallel()
	url := dbtest.Database(t)
	execute(t, url, "INSERT INTO goose_db_version (version_id, is_applied) VALUES (99999, true)",
		"ALTER TABLE bookings ALTER COLUMN link_revision SET DEFAULT 7")
	require.NoError(t, preflight.Check(t.Context(), dbtest.Open(t, db.Config{URL: url})))
	require.Contains(t, resultOf(t, db.Config{URL: url}, "guards").Meaning, "not compared")
	require.Contains(t, resultOf(t, db.Config{URL: url}, "indexes").Meaning, "not compared")
}

func TestPreflight_PolicyForAReportersRole_IsTheOperators(t *testing.T) {
	t.Parallel()
	url := dbtest.Database(t)
	execute(t, url, "CREATE POLICY reports ON bookings FOR SELECT TO pg_monitor USING (true)",
		"CREATE TABLE theirs (id int)", "CREATE POLICY every ON theirs USING (true)")
	require.NoError(t, preflight.Check(t.Context(), dbtest.Open(t, db.Config{URL: url})))
}

// resultOf returns what Diagnose found of one check.
func resultOf(t *testing.T, cfg db.Config, check string) preflight.Result {
	t.Helper()
	s := dbtest.Open(t, cfg)
	require.NoError(t, preflight.Check(t.Context(), s), "a server serves all the same")
	results := preflight.Diagnose(t.Context(), s)
	i := slices.IndexFunc(results, func(r preflight.Result) bool { return r.Check == check })
	require.GreaterOrEqual(t, i, 0)
	return results[i]
}

func TestDiagnose_DatabaseThatCouldBeBetter_SaysWhatAndHow(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ sql, check, meaning, advice string }{
		"an index is gone": {
			"DROP INDEX claims_by_resource", "indexes", "index claims_by_resource of claims is missing",
			"CREATE INDEX CONCURRENTLY",
		},
		"an index was broken off": {
			"UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'claims_by_resource'::regclass", "indexes",
			"index claims_by_resource of claims isn't valid", "drop first what isn't valid",
		},
		"a constraint that isn't validated": {
			"UPDATE pg_constraint SET convalidated = false WHERE conname = 'payments_offline'", "indexes",
			"ALTER TABLE payments VALIDATE CONSTRAINT payments_offline", "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url := dbtest.Database(t)
			execute(t, url, test.sql)
			result := resultOf(t, db.Config{URL: url}, test.check)
			require.Equal(t, preflight.Advice, result.Result, result.Meaning)
			require.Contains(t, result.Meaning, test.meaning)
			require.Contains(t, result.Advice, test.advice)
		})
	}
}

func TestDiagnose_LoginWithTooManyRightsOrTooFew_SaysHowToChangeThat(t *testing.T) {
	t.Parallel()
	url := dbtest.Database(t)
	result := resultOf(t, db.Config{URL: url}, "login")
	require.Equal(t, preflight.Advice, result.Result)
	require.Contains(t, result.Meaning, "is a superuser")

	owned := dbtest.Owned(t, url)
	result = resultOf(t, db.Config{URL: owned, MaxConns: 4}, "login")
	require.Equal(t, preflight.Advice, result.Result)
	require.Contains(t, result.Advice, "GRANT pg_read_all_stats TO ")
	cfg, err := pgx.ParseConfig(owned)
	require.NoError(t, err)
	execute(t, url, fmt.Sprintf("ALTER ROLE %s CONNECTION LIMIT 19", pgx.Identifier{cfg.User}.Sanitize()))
	result = resultOf(t, db.Config{URL: owned, MaxConns: 16}, "connections")
	require.Equal(t, preflight.Advice, result.Result)
	require.Contains(t, result.Meaning, "allows 19 connections, and one server of Holdfast takes up to 20")
}
