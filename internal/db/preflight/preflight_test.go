package preflight_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"

	"holdfast/internal/db"
	"holdfast/internal/db/dbtest"
	"holdfast/internal/db/preflight"
	"holdfast/internal/postgres/pgtest"
)

func TestPreflight_ExpiredKeysAreDeletedMeanwhile_Accepts(t *testing.T) {
	t.Parallel()
	url := dbtest.Database(t)
	// Each commit that adds a key is followed by the deletion of expired keys at once.
	execute(t, url, `CREATE FUNCTION clean_up() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
		BEGIN
			DELETE FROM idempotency_keys WHERE expires_at <= clock_timestamp();
			RETURN NULL;
		END $$`,
		"CREATE CONSTRAINT TRIGGER clean_up AFTER INSERT ON idempotency_keys DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE "+
			"FUNCTION clean_up()")
	s := dbtest.Open(t, db.Config{URL: url})
	require.NoError(t, preflight.Check(t.Context(), s))
	var keys int
	require.NoError(t, dbtest.SQL(t, url).QueryRow(t.Context(), "SELECT count(*) FROM idempotency_keys").Scan(&keys))
	require.Zero(t, keys, "the check deletes its key")
}

// requireRefused asserts that both Preflight and Diagnose refuse the database because of one check, and say so.
func requireRefused(t *testing.T, cfg db.Config, check, because string) {
	t.Helper()
	s := dbtest.Open(t, cfg)
	err := preflight.Check(t.Context(), s)
	require.ErrorContains(t, err, "preflight check of the database: "+check+": ")
	require.ErrorContains(t, err, because)
	for _, f := range preflight.Diagnose(t.Context(), s) {
		if f.Result == preflight.Failed {
			require.Equal(t, check, f.Check)
			require.Contains(t, f.Meaning, because)
			require.NotEmpty(t, f.Advice)
			require.Contains(t, err.Error(), f.Meaning+"; "+f.Advice)
			return
		}
	}
	require.Fail(t, "no check failed")
}

// execute runs statements as the owner of the database at url.
func execute(t *testing.T, url string, statements ...string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	defer func() { require.NoError(t, conn.Close(context.WithoutCancel(t.Context()))) }()
	for _, sql := range statements {
		_, err := conn.Exec(t.Context(), strings.ReplaceAll(sql, "$database", conn.Config().Database))
		require.NoError(t, err, sql)
	}
}

func TestPreflight_SoundDatabase_IsAcceptedAndUnchanged(t *testing.T) {
	t.Parallel()
	url := dbtest.Database(t)
	s := dbtest.Open(t, db.Config{URL: url})
	require.NoError(t, preflight.Check(t.Context(), s))
	results := preflight.Diagnose(t.Context(), s)
	require.NotEmpty(t, results)
	for _, f := range results {
		// The databases of tests needn't survive a crash, are small, and have a superuser's login.
		advices := map[string]string{
			"durability": "set fsync = on", "checkpoints": "max_wal_size = '4GB'", "login": "a login of Holdfast's own",
		}
		if advice, ok := advices[f.Check]; ok {
			require.Equal(t, preflight.Advice, f.Result)
			require.Contains(t, f.Advice, advice)
			continue
		}
		require.Equal(t, preflight.OK, f.Result, "%s: %s", f.Check, f.Meaning)
		require.NotEmpty(t, f.Meaning, f.Check)
		require.Empty(t, f.Advice, f.Check)
	}
	sql := dbtest.SQL(t, url)
	var left int
	require.NoError(t, sql.QueryRow(t.Context(), "SELECT count(*) FROM idempotency_keys").Scan(&left))
	require.Zero(t, left)
	require.NoError(t, sql.QueryRow(t.Context(), `SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'
		AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`).Scan(&left))
	require.Zero(t, left)
}

// TestDiagnose_SettingsThatCouldBeBetter_AdvisesAndServes changes the settings of one database.
func TestDiagnose_SettingsThatCouldBeBetter_AdvisesAndServes(t *testing.T) {
	t.Parallel()
	url := dbtest.Database(t)
	execute(t, url, "ALTER DATABASE $database SET wal_compression = on")
	s := dbtest.Open(t, db.Config{URL: url})
	require.NoError(t, preflight.Check(t.Context(), s))
	advised := map[string]string{}
	for _, f := range preflight.Diagnose(t.Context(), s) {
		require.NotEqual(t, preflight.Failed, f.Result, f.Meaning)
		if f.Result == preflight.Advice {
			advised[f.Check] = f.Advice
		}
	}
	require.Contains(t, advised, "durability")
	require.Regexp(t, `ALTER SYSTEM SET wal_compression = (lz4|off), then SELECT pg_reload_conf\(\)`,
		advised["log compression"])
	require.Contains(t, advised["checkpoints"], "max_wal_size")
}

func TestPreflight_LockFunctionsThatDoNothing_AreRefused(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ function, check, because string }{
		"a transaction lock": {"pg_advisory_xact_lock(bigint) RETURNS void LANGUAGE sql AS 'SELECT'",
			"transaction locks",
			"transaction locks don't exclude"},
		"a session lock": {"pg_try_advisory_lock(bigint) RETURNS bool LANGUAGE sql AS 'SELECT true'", "session locks",
			"session locks don't exclude"},
		"a session lock that nobody gets": {
			"pg_try_advisory_lock(bigint) RETURNS bool LANGUAGE sql AS 'SELECT false'", "session locks",
			"can't be taken",
		},
		"an unlock": {"pg_advisory_unlock(bigint) RETURNS bool LANGUAGE sql AS 'SELECT true'", "session locks",
			"that was released can't be taken"},
		"an unlock that tells the truth": {"pg_advisory_unlock(bigint) RETURNS bool LANGUAGE sql AS 'SELECT false'",
			"session locks",
			"doesn't stay with its connection"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url := dbtest.Database(t)
			own, _, _ := strings.Cut(test.function, " ")
			execute(t, url, "SET allow_system_table_mods = on", "ALTER FUNCTION pg_catalog."+own+" RENAME TO gone",
				"CREATE FUNCTION pg_catalog."+test.function)
			requireRefused(t, db.Config{URL: url}, test.check, test.because)
		})
	}
}

func TestPreflight_LockFunctionsThatAreShadowed_AreRefused(t *testing.T) {
	t.Parallel()
	for _, function := range []string{
		"pg_advisory_xact_lock(bigint) RETURNS void LANGUAGE sql AS 'SELECT'",
		"pg_try_advisory_lock(bigint) RETURNS bool LANGUAGE sql AS 'SELECT true'",
		"pg_advisory_unlock(bigint) RETURNS bool LANGUAGE sql AS 'SELECT true'",
	} {
		t.Run(function[:strings.IndexByte(function, '(')], func(t *testing.T) {
			t.Parallel()
			url := dbtest.Database(t)
			execute(t, url, "CREATE SCHEMA shadow", "CREATE FUNCTION shadow."+function)
			s := dbtest.Open(t, db.Config{URL: url})
			require.NoError(t, preflight.Check(t.Context(), s), "it isn't in the search_path")
			execute(t, url, "ALTER DATABASE $database SET search_path = shadow, pg_catalog, public")
			requireRefused(t, db.Config{URL: url}, "lock functions", "shadows PostgreSQL's own")
		})
	}
}

func TestPreflight_RepeatableReadDefault_IsRefused(t *testing.T) {
	t.Parallel()
	for _, level := range []string{"repeatable read", "serializable"} {
		t.Run(level, func(t *testing.T) {
			t.Parallel()
			url := dbtest.Database(t)
			execute(t, url, "ALTER DATABASE $database SET default_transaction_isolation = '"+level+"'")
			requireRefused(t, db.Config{URL: url}, "default isolation", "transactions are "+level+" by default")
		})
	}
}

// The extension is only entered in the catalog: that is what tells Citus, which CI can't install.
func TestPreflight_CitusWithoutADistributedSchema_IsMigratedAndNotServed(t *testing.T) {
	t.Parallel()
	url := dbtest.Database(t)
	execute(t, url, `INSERT INTO pg_extension (oid, extname, extowner, extnamespace, extrelocatable, extversion)
		VALUES (99999, 'citus', 10, 11, false, '13.2')`)
	requireRefused(t, db.Config{URL: url}, "one node", "it has Citus")
	require.NoError(t, preflight.Migrate(t.Context(), url, nil),
		"the tables are made before Citus distributes their schema")
}

func TestPreflight_AServerThatIsNotWhatItShouldBe_IsRefused(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ check, because, from, to string }{
		{"version", "it is PostgreSQL 13.22", "current_setting('server_version_num')::int", "130022"},
		{"visibility", "isn't seen by the next holder", "FROM idempotency_keys",
			"FROM (SELECT * FROM idempotency_keys LIMIT 0) AS k"},
	} {
		t.Run(test.check, func(t *testing.T) {
			t.Parallel()
			proxy := dbtest.NewProxy(t, dbtest.Database(t))
			proxy.Rewrite = func(sql string) string {
				sql = strings.ReplaceAll(sql, "current_setting('server_version')", "'13.22'")
				return strings.ReplaceAll(sql, test.from, test.to)
			}
			requireRefused(t, db.Config{URL: proxy.URL}, test.check, test.because)
		})
	}
}

func TestPreflight_AStandby_IsRefused(t *testing.T) {
	t.Parallel()
	primary := pgtest.OtherCluster(t)
	require.NoError(t, preflight.Migrate(t.Context(), primary, nil))
	standby := pgtest.Standby(t, primary)
	requireRefused(t, db.Config{URL: standby}, "primary", "it is a standby")
	require.ErrorContains(t, preflight.Migrate(t.Context(), standby, nil), "it is a standby")
	// It has the system identifier of the primary.
	requireRefused(t, db.Config{URL: primary, DirectURL: standby}, "direct connection", "leads elsewhere")
}

// requireOfStandby checks what is said of the standby, and that a server starts whatever that is.
func requireOfStandby(t *testing.T, cfg db.Config, result, because string) {
	t.Helper()
	s := dbtest.Open(t, cfg)
	require.NoError(t, preflight.Check(t.Context(), s))
	results := preflight.Diagnose(t.Context(), s)
	last := results[len(results)-1]
	require.Equal(t, "standby", last.Check)
	require.Equal(t, result, last.Result, last.Meaning)
	require.Contains(t, last.Meaning, because)
}

func TestDiagnose_Standby_IsToldFromServersThatCannotServeReads(t *testing.T) {
	t.Parallel()
	primary := pgtest.OtherCluster(t)
	require.NoError(t, preflight.Migrate(t.Context(), primary, nil))
	execute(t, primary, "CREATE ROLE unprivileged LOGIN", "CREATE DATABASE other", "CREATE SCHEMA eu2")
	standby := pgtest.Standby(t, primary)
	requireOfStandby(t, db.Config{URL: primary, StandbyURL: standby}, preflight.OK, "all that the primary had")
	unprivileged, err := url.Parse(standby)
	require.NoError(t, err)
	unprivileged.User = url.User("unprivileged")
	for address, because := range map[string]string{
		primary:               "it isn't a standby",
		unprivileged.String(): "holdfast_app",
		dbtest.Database(t):    "it isn't a standby",
		strings.Replace(standby, "/postgres?", "/other?", 1): "it has other.public",
		standby + "&search_path=eu2":                         "it has postgres.eu2",
		"postgres://me:secret@127.0.0.1:1/none":              "can't be used",
	} {
		requireOfStandby(t, db.Config{URL: primary, StandbyURL: address}, preflight.Advice, because)
	}
	execute(t, standby, "SELECT pg_promote(true)")
	requireOfStandby(t, db.Config{URL: primary, StandbyURL: standby}, preflight.Advice, "it was promoted")
	results := preflight.Diagnose(t.Context(), dbtest.Open(t, db.Config{URL: primary}))
	require.NotEqual(t, "standby", results[len(results)-1].Check, "no standby is named")
}

func TestPreflight_TwoServersBehindOneAddress_AreRefused(t *testing.T) {
	t.Parallel()
	here := dbtest.Database(t)
	there := pgtest.OtherCluster(t)
	cfg, err := pgx.ParseConfig(here)
	require.NoError(t, err)
	execute(t, there, "CREATE DATABASE "+cfg.Database)
	there = strings.Replace(there, "/postgres?", "/"+cfg.Database+"?", 1)
	require.NoError(t, preflight.Migrate(t.Context(), there, nil))

	t.Run("connections in turn", func(t *testing.T) {
		t.Parallel()
		requireRefused(t, db.Config{URL: inTurn(t, here, there)}, "one server",
			"one address leads to different servers")
	})
	t.Run("the direct connection only", func(t *testing.T) {
		t.Parallel()
		requireRefused(t, db.Config{URL: here, DirectURL: inTurn(t, here, here, there)}, "one server",
			"one address leads to different servers")
	})
	t.Run("a direct connection to another server", func(t *testing.T) {
		t.Parallel()
		requireRefused(t, db.Config{URL: here, DirectURL: there}, "direct connection", "leads elsewhere")
	})
	t.Run("a direct connection to another database", func(t *testing.T) {
		t.Parallel()
		requireRefused(t, db.Config{URL: here, DirectURL: dbtest.Database(t)}, "direct connection", "leads elsewhere")
	})
	t.Run("behind a pooler", func(t *testing.T) {
		t.Parallel()
		pooled := pgtest.PgBouncer(t, inTurn(t, here, there), nil)
		requireRefused(t, db.Config{URL: pooled, DirectURL: here}, "transaction locks",
			"one address leads to different servers")
	})
}

// inTurn returns an address that leads to the databases at urls, one connection each in turn.
func inTurn(t *testing.T, urls ...string) string {
	t.Helper()
	var targets []*pgx.ConnConfig
	for _, u := range urls {
		cfg, err := pgx.ParseConfig(u)
		require.NoError(t, err)
		targets = append(targets, cfg)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	var open sync.WaitGroup
	open.Go(func() {
		for i := 0; ; i++ {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			target := targets[i%len(targets)]
			network, address := pgconn.NetworkAddress(target.Host, target.Port)
			open.Go(func() { join(client, network, address) })
		}
	})
	t.Cleanup(func() {
		_ = listener.Close()
		open.Wait()
	})
	u := url.URL{
		Scheme: "postgres", User: url.UserPassword(targets[0].User, targets[0].Password),
		Host: listener.Addr().String(),
		Path: targets[0].Database, RawQuery: "sslmode=disable",
	}
	return u.String()
}

// join passes on what a client and a server say to each other, until one of them ends.
func join(client net.Conn, network, address string) {
	defer func() { _ = client.Close() }()
	server, err := net.Dial(network, address)
	if err != nil {
		return
	}
	defer func() { _ = server.Close() }()
	var both sync.WaitGroup
	for _, way := range [][2]net.Conn{{client, server}, {server, client}} {
		both.Go(func() {
			_, _ = io.Copy(way[0], way[1])
			_, _ = way[0].Close(), way[1].Close()
		})
	}
	both.Wait()
}

func TestDiagnose_Unreachable_SkipsLaterChecks(t *testing.T) {
	t.Parallel()
	const nowhere = "postgres://me:secret@127.0.0.1:1/none"
	requireRefused(t, db.Config{URL: nowhere}, "connection", "connection refused")
	results := preflight.Diagnose(t.Context(), dbtest.Open(t, db.Config{URL: nowhere}))
	require.Greater(t, len(results), 1)
	for _, f := range results[1:] {
		require.Equal(t, preflight.Skipped, f.Result, f.Check)
		require.Equal(t, "after connection", f.Meaning)
	}
	require.NotContains(t, fmt.Sprint(results), "secret")
	requireRefused(t, db.Config{URL: dbtest.Database(t), DirectURL: nowhere}, "direct connection", "connection refused")
}

func TestDiagnose_BeforeTheMigrations_SaysThatThereAreNoTables(t *testing.T) {
	t.Parallel()
	requireRefused(t, db.Config{URL: pgtest.Database(t, nil)}, "schema", "there are no tables")
}

func TestPreflight_TablesOfAVersionBefore010_AreRefused(t *testing.T) {
	t.Parallel()
	url := pgtest.Database(t, func(ctx context.Context, url string) error {
		conn, err := pgx.Connect(ctx, url)
		if err != nil {
			return err
		}
		defer func() { _ = conn.Close(ctx) }()
		_, err = conn.Exec(ctx, "CREATE TABLE bookings (booking_id uuid)")
		return err
	})
	requireRefused(t, db.Config{URL: url}, "release", "its tables are those of a version before 0.1.0")
	require.ErrorContains(t, preflight.Migrate(t.Context(), url, nil), "use a new database, or a new data directory")
	var tables int
	const count = "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'"
	require.NoError(t, dbtest.SQL(t, url).QueryRow(t.Context(), count).Scan(&tables))
	require.Equal(t, 1, tables, "nothing was changed")
}

func TestPreflight_TimeRunsOutInAStatement_SendsNoCancelRequest(t *testing.T) {
	t.Parallel()
	direct := dbtest.Database(t)
	ctx, cancel := context.WithCancel(t.Context())
	proxy := dbtest.NewProxy(t, direct, func(p *dbtest.Proxy) {
		p.Before = func(sql string) {
			if strings.Contains(sql, "PreflightLock") {
				cancel()
			}
		}
	})
	require.ErrorIs(t, preflight.Check(ctx, dbtest.Open(t, db.Config{URL: proxy.URL})), context.Canceled)
	sql := dbtest.SQL(t, direct)
	require.Eventually(t, func() bool { // a connection closes after its cancel request
		var open int
		err := sql.QueryRow(t.Context(),
			"SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() "+
				"AND backend_type = 'client backend'").Scan(&open)
		return err == nil && open == 0
	}, 30*time.Second, 5*time.Millisecond)
	require.Zero(t, proxy.Cancels())
}
