package dbtest

import (
	"context"
	"crypto/rand"
	"net"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
)

// citusEnv is the URL of a database of Citus that names all nodes, the coordinator first, as a superuser: see
// docs/citus.md. If it is set, each test's database is a schema that Citus distributes.
const citusEnv = "HOLDFAST_TEST_CITUS_URL"

// distributing lets one test at a time distribute its schema: Citus locks its own tables.
var distributing sync.Mutex

// CitusNodes returns the URL of all nodes of Citus, and skips the test without one.
func CitusNodes(t testing.TB) string {
	t.Helper()
	nodes := os.Getenv(citusEnv)
	if nodes == "" {
		t.Skipf("Citus isn't installed everywhere: %s is its URL", citusEnv)
	}
	return nodes
}

// NotOnCitus skips a test that reads PostgreSQL's plans, or adds a trigger, if the databases are schemas of Citus: its
// plans are others, and it has no triggers. Without the variable, as in CI, nothing is skipped.
func NotOnCitus(t testing.TB) {
	t.Helper()
	if os.Getenv(citusEnv) != "" {
		t.Skipf("%s is set: Citus has no triggers, and plans of its own", citusEnv)
	}
}

// citusCell returns the URL of a schema of its own that fill has filled and Citus has distributed. Its first host is
// the node that has the schema. The schema is dropped when the test ends.
func citusCell(t testing.TB, nodes string, fill func(ctx context.Context, url string) error) string {
	t.Helper()
	u, err := url.Parse(nodes)
	require.NoError(t, err)
	hosts := strings.Split(u.Host, ",")
	schema := "test_" + strings.ToLower(rand.Text()[:8])
	at := func(hosts ...string) string {
		cell := *u
		query := cell.Query()
		query.Set("search_path", schema+",public")
		cell.Host, cell.RawQuery = strings.Join(hosts, ","), query.Encode()
		return cell.String()
	}
	coordinator := at(hosts[0])
	distributing.Lock()
	defer distributing.Unlock()
	require.NoError(t, fill(t.Context(), coordinator))
	conn, err := pgx.Connect(t.Context(), coordinator)
	require.NoError(t, err)
	defer func() { _ = conn.Close(context.WithoutCancel(t.Context())) }()
	t.Cleanup(func() { dropCitusCell(t, coordinator, schema) })
	_, err = conn.Exec(t.Context(), "SELECT citus_schema_distribute($1::text::regnamespace)", schema)
	require.NoError(t, err)
	host := citusNode(t, conn, schema)
	return at(append([]string{host}, slices.DeleteFunc(hosts, func(h string) bool { return h == host })...)...)
}

// Alter changes tables as their owner. Citus does so at its coordinator alone.
func Alter(t testing.TB, database, sql string) {
	t.Helper()
	u, err := url.Parse(database)
	require.NoError(t, err)
	if nodes := os.Getenv(citusEnv); nodes != "" {
		cluster, err := url.Parse(nodes)
		require.NoError(t, err)
		u.Host, _, _ = strings.Cut(cluster.Host, ",")
	}
	conn, err := pgx.Connect(t.Context(), u.String())
	require.NoError(t, err)
	defer func() { _ = conn.Close(context.WithoutCancel(t.Context())) }()
	_, err = conn.Exec(t.Context(), sql)
	require.NoError(t, err)
}

// citusNode returns the host and port of the node that has a schema.
func citusNode(t testing.TB, conn *pgx.Conn, schema string) string {
	t.Helper()
	var name string
	var port int
	require.NoError(t, conn.QueryRow(t.Context(), `
		SELECT s.nodename, s.nodeport FROM citus_shards s
		JOIN pg_class c ON c.oid = s.table_name
		WHERE c.relnamespace = $1::text::regnamespace LIMIT 1`, schema).Scan(&name, &port))
	return net.JoinHostPort(name, strconv.Itoa(port))
}

func dropCitusCell(t testing.TB, coordinator, schema string) {
	t.Helper()
	distributing.Lock()
	defer distributing.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	conn, err := pgx.Connect(ctx, coordinator)
	if err == nil {
		_, err = conn.Exec(ctx, "SET client_min_messages = warning; DROP SCHEMA "+schema+" CASCADE")
		_ = conn.Close(ctx)
	}
	if err != nil {
		t.Errorf("drop the test's schema: %v", err)
	}
}

// MoveCitusSchema has Citus move the schema of a URL to another node that may have schemas, and returns when that is
// done.
func MoveCitusSchema(t testing.TB, nodes, database string) {
	t.Helper()
	u, err := url.Parse(database)
	require.NoError(t, err)
	schema, _, _ := strings.Cut(u.Query().Get("search_path"), ",")
	cluster, err := url.Parse(nodes)
	require.NoError(t, err)
	cluster.Host, _, _ = strings.Cut(cluster.Host, ",")
	conn, err := pgx.Connect(t.Context(), cluster.String())
	require.NoError(t, err)
	defer func() { _ = conn.Close(context.WithoutCancel(t.Context())) }()
	from := citusNode(t, conn, schema)
	var name string
	var port int
	require.NoError(t, conn.QueryRow(t.Context(), `
		SELECT nodename, nodeport FROM pg_dist_node
		WHERE shouldhaveshards AND noderole = 'primary' AND nodename || ':' || nodeport <> $1
		ORDER BY nodeid LIMIT 1`, from).Scan(&name, &port))
	_, err = conn.Exec(t.Context(),
		"SELECT citus_schema_move($1::text::regnamespace, $2::text, $3::int, 'block_writes')",
		schema, name, port)
	require.NoError(t, err)
	require.NotEqual(t, from, citusNode(t, conn, schema))
}
