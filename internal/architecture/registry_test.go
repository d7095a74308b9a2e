package architecture_test

import (
	"context"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"holdfast/internal/db/dbtest"
)

// The tenant and the key of the registry's example.
const (
	exampleTenant = "01890a5d-ac96-774b-bcce-b302099a8057"
	exampleKey    = int64(4634033524858642013)
)

func TestRegistry_QueriesForDebugging_FindHolderAndWaiter(t *testing.T) {
	t.Parallel()
	pool := dbtest.SQL(t, dbtest.Database(t))
	blocks := regexp.MustCompile("(?s)```sql\n(.*?)```").FindAllStringSubmatch(read(t, "docs/locks-registry.md"), -1)
	sql := func(part string) string {
		t.Helper()
		var found []string
		for _, b := range blocks {
			if strings.HasPrefix(b[1], part) {
				found = append(found, b[1])
			}
		}
		require.Len(t, found, 1, "the registry has one query that starts with %q", part)
		return found[0]
	}
	const queries = 8
	require.Len(t, blocks, queries, "every query of the registry is tried here")

	holder, waiter, reader := connect(t, pool), connect(t, pool), connect(t, pool)
	exec := func(conn *pgx.Conn, sql string) {
		t.Helper()
		_, err := conn.Exec(t.Context(), sql)
		require.NoError(t, err)
	}
	exec(reader, `SELECT set_config('holdfast.tenant_id', '`+exampleTenant+`', false)`)
	exec(reader, `INSERT INTO tenants (tenant_id, slug, name, time_zone, currency, created_at)
		VALUES ('`+exampleTenant+`', 'example', 'Example', 'UTC', 'EUR', now())`)
	exec(holder, `BEGIN`)
	exec(holder, `SELECT pg_advisory_xact_lock(4634033524858642013)`)
	exec(holder, `SELECT pg_advisory_xact_lock(-1989238445525443775)`)
	waited := make(chan error, 1)
	go func() {
		_, err := waiter.Exec(t.Context(), `SELECT pg_advisory_xact_lock(4634033524858642013)`)
		waited <- err
	}()
	require.Eventually(t, func() bool {
		var waits bool
		require.NoError(t, pool.QueryRow(t.Context(),
			`SELECT EXISTS (SELECT FROM pg_locks WHERE pid = $1 AND waitstart IS NOT NULL)`,
			waiter.PgConn().PID()).Scan(&waits))
		return waits
	}, time.Minute, time.Millisecond)

	type lockRow struct {
		Key             int64
		Granted         bool
		PID             uint32
		ApplicationName string
		State           string
		Waiting         *time.Duration
		InTransaction   *time.Duration
		WaitsFor        []uint32
	}
	rows, err := reader.Query(t.Context(), sql("SELECT (l.classid::bigint << 32)"))
	require.NoError(t, err)
	locks, err := pgx.CollectRows(rows, pgx.RowToStructByName[lockRow])
	require.NoError(t, err)
	require.Len(t, locks, 3)
	holderPID, waiterPID := holder.PgConn().PID(), waiter.PgConn().PID()
	require.Equal(t, int64(-1989238445525443775), locks[0].Key, "negative keys come back as they were")
	require.Equal(t, []any{exampleKey, true, holderPID}, []any{locks[1].Key, locks[1].Granted, locks[1].PID})
	require.Nil(t, locks[1].Waiting)
	require.NotNil(t, locks[1].InTransaction)
	require.Equal(t, []any{exampleKey, false, waiterPID}, []any{locks[2].Key, locks[2].Granted, locks[2].PID})
	require.NotNil(t, locks[2].Waiting)
	require.Equal(t, []uint32{holderPID}, locks[2].WaitsFor)

	var blocker uint32
	var behind int64
	require.NoError(t, reader.QueryRow(t.Context(), "SELECT pid, waiting FROM ("+
		strings.TrimSuffix(strings.TrimSpace(sql("SELECT a.pid, a.usename")), ";")+") AS q").Scan(&blocker, &behind))
	require.Equal(t, holderPID, blocker)
	require.Equal(t, int64(1), behind)

	exec(reader, sql("CREATE FUNCTION pg_temp.fnv1a64"))
	var key int64
	require.NoError(t, reader.QueryRow(t.Context(), sql("SELECT pg_temp.fnv1a64")).Scan(&key))
	require.Equal(t, exampleKey, key)

	rows, err = reader.Query(t.Context(), sql("SELECT l.pid, l.granted"))
	require.NoError(t, err)
	type place struct {
		PID     uint32
		Granted bool
	}
	places, err := pgx.CollectRows(rows, pgx.RowToStructByName[place])
	require.NoError(t, err)
	require.ElementsMatch(t, []place{{holderPID, true}, {waiterPID, false}}, places)

	var tenant, date string
	require.NoError(t, reader.QueryRow(t.Context(), sql("SELECT t.tenant_id, d::date"),
		pgx.QueryExecModeSimpleProtocol).Scan(&tenant, &date))
	require.Equal(t, exampleTenant+" 2026-07-14", tenant+" "+date)

	var inUse, room int64
	require.NoError(t, reader.QueryRow(t.Context(), sql("SELECT count(*) AS locks_in_use")).Scan(&inUse, &room))
	require.Less(t, inUse, room)

	var deadlocks int64
	var since *time.Time
	require.NoError(t, reader.QueryRow(t.Context(), sql("SELECT deadlocks")).Scan(&deadlocks, &since))
	require.Zero(t, deadlocks)

	exec(holder, `ROLLBACK`)
	require.NoError(t, <-waited)
}

// What the registry shows of the code must be the code, but for what a comment "// …" leaves out.
func TestRegistry_Code_IsThatOfTheFilesItNames(t *testing.T) {
	t.Parallel()
	blocks := regexp.MustCompile("(?s)shortened from `[\\w.]+` in\\s+`([\\w/.]+)`.*?```go\n(.*?)```").FindAllStringSubmatch(read(t,
		"docs/locks-registry.md"), -1)
	require.Len(t, blocks, 2, "a transaction lock and a session lock")
	for _, b := range blocks {
		rest := read(t, b[1])
		for _, part := range strings.Split(b[2], "// …\n") {
			lines := strings.Split(strings.TrimSpace(part), "\n")
			for i, line := range lines {
				lines[i] = regexp.QuoteMeta(strings.TrimSpace(line))
			}
			at := regexp.MustCompile(strings.Join(lines, `\s*\n\s*`)).FindStringIndex(rest)
			require.NotNil(t, at, "%s doesn't have this, or not in this order:\n%s", b[1], part)
			rest = rest[at[1]:]
		}
	}
}

func connect(t *testing.T, pool *pgxpool.Pool) *pgx.Conn {
	t.Helper()
	conn, err := pgx.ConnectConfig(t.Context(), pool.Config().ConnConfig)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close(context.WithoutCancel(t.Context())) })
	return conn
}
