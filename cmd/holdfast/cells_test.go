package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"holdfast/internal/cell"
	"holdfast/internal/db/dbtest"
	"holdfast/internal/tenant"
)

// cellsFile writes the file of cells with the given names and database URLs, and returns the environment that names it.
func cellsFile(t *testing.T, namesAndURLs ...string) []string {
	t.Helper()
	var list struct {
		Cells []cell.Spec `json:"cells"`
	}
	for i := 0; i < len(namesAndURLs); i += 2 {
		list.Cells = append(list.Cells,
			cell.Spec{Name: namesAndURLs[i], DatabaseURL: namesAndURLs[i+1], DatabaseConns: 8})
	}
	text, err := json.Marshal(list)
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "cells.json")
	require.NoError(t, os.WriteFile(file, text, 0o600))
	return []string{"HOLDFAST_CELLS=" + file}
}

// inSchema returns the URL of a schema of a database.
func inSchema(t *testing.T, databaseURL, schema string) string {
	t.Helper()
	u, err := url.Parse(databaseURL)
	require.NoError(t, err)
	query := u.Query()
	query.Set("search_path", schema)
	u.RawQuery = query.Encode()
	return u.String()
}

// startCells starts a server on some cells and returns when all of them but those that are down serve.
func startCells(t *testing.T, dir string, env []string, down ...string) *proc {
	t.Helper()
	p := start(t, dir, env...)
	p.awaitWarning(t, strings.Join(down, ", "))
	return p
}

// awaitWarning waits until /readyz names just the cells that are down; none says that all serve.
func (p *proc) awaitWarning(t *testing.T, down string) {
	t.Helper()
	want := ""
	if down != "" {
		want = "These cells don't serve: " + down + ". Their tenants get 503."
	}
	require.Eventually(t, func() bool {
		a, err := p.send(http.MethodGet, "/readyz", "", "", nil)
		require.NoError(t, err)
		var state struct{ Warning string }
		_ = json.Unmarshal(a.body, &state)
		return a.status == http.StatusOK && state.Warning == want
	}, processLimit, 20*time.Millisecond)
}

func TestServe_SeveralCells_ServeAsOne(t *testing.T) {
	t.Parallel()
	shared, other := dbtest.Database(t), dbtest.Database(t)
	urls := map[string]string{"eu1": shared, "eu2": inSchema(t, shared, "eu2"), "us1": other}
	env := cellsFile(t, "eu1", urls["eu1"], "eu2", urls["eu2"], "us1", urls["us1"])
	p := startCells(t, newDir(t), env)

	shops := map[string]shop{}
	for name, databaseURL := range urls {
		s := newShop(t, p, cell.Header, name)
		shops[name] = s
		a := s.mustBook(t, p, "first", slot(3, 10))
		s.requireSold(t, databaseURL, []string{a.id()})
		again, err := s.book(p, "first", slot(3, 10))
		require.NoError(t, err)
		require.Equal(t, string(a.body), string(again.body))
		taken, err := s.book(p, "second", slot(3, 10))
		require.NoError(t, err)
		require.Equal(t, "409 slot_unavailable", taken.outcome())
		read, err := p.send(http.MethodGet, "/admin/v1/tenants/"+s.tenant.String(), testAdminKey, "", nil)
		require.NoError(t, err)
		require.Equal(t, "200", read.outcome())
		require.Equal(t, name, read.header.Get(cell.Header))
	}
	for name, databaseURL := range urls {
		require.Equal(t, []uuid.UUID{shops[name].tenant},
			query[uuid.UUID](t, databaseURL, "SELECT tenant_id FROM tenants"),
			"each cell has its own tenant alone")
	}

	t.Run("a slug is unique over all cells", func(t *testing.T) {
		body := map[string]any{"slug": "harbour", "name": "Harbour", "time_zone": "UTC", "currency": "EUR"}
		made, err := p.send(http.MethodPost, "/admin/v1/tenants", testAdminKey, "new", body)
		require.NoError(t, err)
		require.Equal(t, "201", made.outcome())
		again, err := p.send(http.MethodPost, "/admin/v1/tenants", testAdminKey, "new", body)
		require.NoError(t, err)
		require.Equal(t, made.id(), again.id(), "a repetition goes to the same cell")
		for name := range urls {
			taken, err := p.send(http.MethodPost, "/admin/v1/tenants", testAdminKey, "new in "+name, body, cell.Header,
				name)
			require.NoError(t, err)
			require.Equal(t, "409 already_exists", taken.outcome())
		}
	})

	t.Run("the list of tenants goes over all cells", func(t *testing.T) {
		var seen []string
		slugs := map[string]string{} // by id
		for cursor := ""; ; {
			a, err := p.send(http.MethodGet, "/admin/v1/tenants?limit=1&cursor="+cursor, testAdminKey, "", nil)
			require.NoError(t, err)
			require.Equal(t, "200", a.outcome())
			var page struct {
				Data       []tenant.OperatorTenantBody
				NextCursor string `json:"next_cursor"`
			}
			require.NoError(t, json.Unmarshal(a.body, &page))
			for _, one := range page.Data {
				seen, slugs[one.ID.String()] = append(seen, one.ID.String()), one.Slug
			}
			if cursor = page.NextCursor; cursor == "" {
				break
			}
		}
		require.Len(t, seen, 4)
		for name, s := range shops {
			found, err := p.send(http.MethodGet, "/admin/v1/tenants?slug="+slugs[s.tenant.String()], testAdminKey, "",
				nil)
			require.NoError(t, err)
			require.Contains(t, string(found.body), s.tenant.String(), "a slug is found in whichever cell it is")
			require.NotContains(t, string(found.body), "next_cursor")
			require.Equal(t, name, found.header.Get(cell.Header))
		}
		none, err := p.send(http.MethodGet, "/admin/v1/tenants?slug=nobody", testAdminKey, "", nil)
		require.NoError(t, err)
		require.JSONEq(t, `{"data": []}`, string(none.body))
		for _, s := range shops {
			require.Contains(t, seen, s.tenant.String())
		}
	})

	t.Run("keys that no cell has are refused", func(t *testing.T) {
		a, err := p.send(http.MethodGet, "/v1/bookings", "hf_"+strings.Repeat("0", 34)+"_"+strings.Repeat("x", 43), "",
			nil)
		require.NoError(t, err)
		require.Equal(t, "401 unauthenticated", a.outcome())
		a, err = p.send(http.MethodGet, "/admin/v1/locks", testAdminKey, "", nil)
		require.NoError(t, err)
		require.Equal(t, "400 cell_required", a.outcome())
	})

	t.Run("each cell has webhooks of the operator of its own", func(t *testing.T) {
		const path = "/admin/v1/webhook-endpoints"
		body := map[string]any{"url": "https://example.com/operator", "types": []string{"*"}}
		refused, err := p.send(http.MethodPost, path, testAdminKey, "hook", body)
		require.NoError(t, err)
		require.Equal(t, "400 cell_required", refused.outcome())
		made, err := p.send(http.MethodPost, path, testAdminKey, "hook", body, cell.Header, "eu2")
		require.NoError(t, err)
		require.Equal(t, http.StatusCreated, made.status, "%s", made)
		for name, status := range map[string]int{"eu1": http.StatusNotFound, "eu2": http.StatusOK,
			"us1": http.StatusNotFound} {
			read, err := p.send(http.MethodGet, path+"/"+made.id(), testAdminKey, "", nil, cell.Header, name)
			require.NoError(t, err)
			require.Equal(t, status, read.status, "%s: %s", name, read)
		}
	})

	t.Run("metrics name the cell", func(t *testing.T) {
		a, err := p.send(http.MethodGet, "/metrics", "", "", nil)
		require.NoError(t, err)
		for name := range urls {
			require.Regexp(t, `holdfast_pool_connections_max\{cell="`+name+`"\} 8`, string(a.body))
		}
	})

	t.Run("commands go over all cells, or work in one", func(t *testing.T) {
		list, code := run(t, p.dir, env, "tenant", "list", "--json")
		require.Zero(t, code, list.log())
		for _, s := range shops {
			require.Contains(t, list.Stdout.String(), s.tenant.String())
		}
		doctor, code := run(t, p.dir, append(env, "HOLDFAST_CELL=eu2"), "doctor")
		require.Zero(t, code, doctor.log()+doctor.Stdout.String())
		require.Contains(t, doctor.Stdout.String(), "schema eu2 of database")
		everywhere, code := run(t, p.dir, env, "doctor")
		require.Zero(t, code, everywhere.log()+everywhere.Stdout.String())
		require.Regexp(t, `(?s)cell eu1:.*CHECK.*cell eu2:.*schema eu2 of.*cell us1:`, everywhere.Stdout.String(),
			"each table has a heading")
		nowhere, code := run(t, p.dir, append(env, "HOLDFAST_CELL=eu7"), "doctor")
		require.Equal(t, 2, code)
		require.Contains(t, nowhere.log(), "there is no cell eu7: name a cell")
		for name, s := range shops {
			booked := s.mustBook(t, p, "paid", slot(4, 10))
			require.Equal(t, http.StatusCreated, s.payUntilFinal(t, p, "pay", booked.id(), "pm_ok").status, name)
		}
		reconciled, code := run(t, p.dir, env, "reconcile", "--from", "2020-01-01", "--to", "2090-01-01")
		require.Zero(t, code, reconciled.log()+reconciled.Stdout.String())
		require.Equal(t, 3, strings.Count(reconciled.Stdout.String(),
			"movements: 1  payments: 1  open: 0  differences: 0\n"),
			"a cell isn't missing what is another one's: %s", reconciled.Stdout.String())
		reconciled, code = run(t, p.dir, env, "reconcile", "--from", "2020-01-01", "--to", "2090-01-01", "--tenant",
			shops["us1"].tenant.String())
		require.Zero(t, code, reconciled.log()+reconciled.Stdout.String())
		require.Contains(t, reconciled.Stdout.String(), "movements: 1  payments: 1  open: 0  differences: 0\n")
		keys, code := run(t, p.dir, env, "tenant", "keys", shops["eu1"].tenant.String())
		require.Equal(t, 2, code)
		require.Contains(t, keys.log(), "name a cell with --cell or HOLDFAST_CELL: eu1, eu2, us1")
	})

	t.Run("tenants that a command makes and renames are in the directory", func(t *testing.T) {
		create := func(cell, slug string) (*proc, int) {
			return run(t, p.dir, append(env, "HOLDFAST_CELL="+cell), "tenant", "create", "--slug", slug, "--name",
				"Quay",
				"--time-zone", "UTC", "--currency", "EUR")
		}
		made, code := create("eu2", "quay")
		require.Zero(t, code, made.log())
		key := regexp.MustCompile(`hf_\S+`).FindString(made.Stdout.String())
		a, err := p.send(http.MethodGet, "/v1/bookings", key, "", nil)
		require.NoError(t, err)
		require.Equal(t, "200", a.outcome())
		taken, code := create("us1", "quay")
		require.Equal(t, 1, code)
		require.Contains(t, taken.log(), "already_exists")
		renamed, code := run(t, p.dir, append(env, "HOLDFAST_CELL=eu2"), "tenant", "correct", "quay", "--slug", "pier")
		require.Zero(t, code, renamed.log())
		made, code = create("us1", "quay")
		require.Zero(t, code, made.log())
	})
	p.stop(t)
}

func TestServe_TwoCellsThatAreOneDatabase_OneServesAndDoctorTells(t *testing.T) {
	t.Parallel()
	home := dbtest.Database(t)
	dir, env := newDir(t), cellsFile(t, "home", home, "twin", home+"&application_name=twin")
	p := start(t, dir, env...)
	require.Eventually(t, func() bool {
		return strings.Contains(p.log(), "is the same database and schema: each cell needs its own") &&
			strings.Count(p.log(), "the cell serves") == 1
	}, processLimit, 50*time.Millisecond)
	doctor, code := run(t, dir, env, "doctor", "--cell", "twin")
	require.Equal(t, 1, code, doctor.log())
	require.Contains(t, doctor.Stdout.String(), "the cell home is the same database and schema")
	made, code := run(t, dir, env, "tenant", "create", "--cell", "home", "--slug", "quay", "--name", "Quay",
		"--time-zone", "UTC",
		"--currency", "EUR")
	require.Zero(t, code, made.log())
	moved, code := run(t, dir, env, "cells", "move", "quay", "--to", "twin")
	require.Equal(t, 1, code, moved.log())
	require.Contains(t, moved.log(), "The source and the target are one database and schema.")
	require.NotContains(t, moved.log(), "the tenant is frozen", "it is refused before requests have to wait")
	p.stop(t)
}

func TestServe_CellThatIsDown_StopsItsOwnTenantsAlone(t *testing.T) {
	t.Parallel()
	home, second := dbtest.Database(t), dbtest.Database(t)
	closed := "postgres://127.0.0.1:1/none?connect_timeout=1"
	p := startCells(t, newDir(t), cellsFile(t, "home", home, "second", second, "closed", closed), "closed")
	a, b := newShop(t, p, cell.Header, "home"), newShop(t, p, cell.Header, "second")
	refused, err := p.send(http.MethodPost, "/admin/v1/tenants", testAdminKey, "k",
		map[string]any{"slug": "x", "name": "X", "time_zone": "UTC", "currency": "EUR"}, cell.Header, "closed")
	require.NoError(t, err)
	require.Equal(t, "503 database_unavailable", refused.outcome())

	for i, down := range []struct {
		name, url, own string
		its, notIts    shop
	}{
		{name: "second", url: second, its: b, notIts: a, own: home},
		{name: "home", url: home, its: a, notIts: b, own: second},
	} {
		allowConnections(t, down.own, down.url, false)
		p.awaitWarning(t, strings.Join(sortedDown(down.name), ", "))
		refused, err := down.its.book(p, down.name+"-down", slot(5+i, 10))
		require.NoError(t, err)
		require.Equal(t, "503 database_unavailable", refused.outcome(), down.name)
		down.notIts.mustBook(t, p, down.name+"-down", slot(5+i, 10))
		allowConnections(t, down.own, down.url, true)
		p.awaitWarning(t, "closed")
		down.its.mustBook(t, p, down.name+"-down", slot(5+i, 10))
	}
	p.stop(t)
}

// sortedDown returns the cells that are down, in their order, of which closed is always one.
func sortedDown(name string) []string { return []string{name, "closed"} }

// allowConnections lets a database be connected to, or not and ends all connections to it. via is another database of
// its server.
func allowConnections(t *testing.T, via, database string, allow bool) {
	t.Helper()
	ctx := context.WithoutCancel(t.Context())
	cfg, err := pgx.ParseConfig(database)
	require.NoError(t, err)
	conn, err := pgx.Connect(ctx, via)
	require.NoError(t, err)
	defer func() { _ = conn.Close(ctx) }()
	_, err = conn.Exec(ctx,
		fmt.Sprintf("ALTER DATABASE %s ALLOW_CONNECTIONS %t", pgx.Identifier{cfg.Database}.Sanitize(), allow))
	require.NoError(t, err)
	if !allow {
		_, err = conn.Exec(ctx, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1",
			cfg.Database)
		require.NoError(t, err)
	}
}

// client books one slot after the other until it is told to stop. It repeats each request until it is answered with
// 201.
type client struct {
	stop chan struct{}
	done sync.WaitGroup

	mu      sync.Mutex
	ids     []string
	refused map[string]int
	errs    []error
}

func book(s shop, servers ...*proc) *client {
	c := &client{stop: make(chan struct{}), refused: make(map[string]int)}
	c.done.Go(func() {
		for n := 0; ; n++ {
			select {
			case <-c.stop:
				return
			default:
			}
			key := fmt.Sprintf("client-%d", n)
			for try := 0; ; try++ {
				a, err := s.book(servers[(n+try)%len(servers)], key, slot(10+n/24, n%24))
				c.mu.Lock()
				switch {
				case err != nil:
					c.errs = append(c.errs, err)
				case a.status == http.StatusCreated:
					c.ids = append(c.ids, a.id())
				default:
					c.refused[a.outcome()]++
				}
				c.mu.Unlock()
				if err != nil || a.status == http.StatusCreated {
					break
				}
				<-time.After(20 * time.Millisecond)
			}
		}
	})
	return c
}

func (c *client) booked() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.ids)
}

func (c *client) awaitBookings(t *testing.T, more int) {
	t.Helper()
	until := c.booked() + more
	require.Eventually(t, func() bool { return c.booked() >= until }, processLimit, poll)
}

func TestCellsMove_WhileTheTenantIsBooked_LosesNothing(t *testing.T) {
	t.Parallel()
	home, second := dbtest.Database(t), dbtest.Database(t)
	env := cellsFile(t, "home", home, "second", second)
	dir := newDir(t)
	p, q := startCells(t, dir, env), startCells(t, newDir(t), env)
	s, neighbour := newShop(t, p, cell.Header, "home"), newShop(t, p, cell.Header, "home")
	feed, err := p.send(http.MethodGet, "/v1/events?limit=1", s.key, "", nil)
	require.NoError(t, err)
	var page struct {
		Next string `json:"next_cursor"`
	}
	require.NoError(t, json.Unmarshal(feed.body, &page))

	c := book(s, p, q)
	c.awaitBookings(t, 20)
	move := func(to string) {
		m, code := run(t, dir, env, "cells", "move", s.tenant.String(), "--to", to)
		require.Zero(t, code, m.log())
		require.Contains(t, m.Stdout.String(), "Tenant "+s.tenant.String()+" is in the cell "+to+".")
	}
	move("second")
	c.awaitBookings(t, 20)
	list, code := run(t, dir, env, "cells", "list", "--json")
	require.Zero(t, code, list.log())
	var cells []cellBody
	require.NoError(t, json.Unmarshal([]byte(list.Stdout.String()), &cells))
	for i := range cells {
		cells[i].Database = ""
	}
	require.Equal(t, []cellBody{
		{Name: "home", Tenants: 1, State: "ok", Moves: []moveBody{}},
		{Name: "second", Tenants: 1, State: "ok", Moves: []moveBody{}},
	}, cells)
	move("home")
	c.awaitBookings(t, 20)
	move("second")
	move("second") // is there already
	c.awaitBookings(t, 20)
	close(c.stop)
	c.done.Wait()

	require.Empty(t, c.errs)
	for outcome := range c.refused {
		require.Contains(t, []string{"503 tenant_moving", "503 tenant_moved"}, outcome)
	}
	s.requireSold(t, second, c.ids)
	require.Empty(t, query[uuid.UUID](t, home, "SELECT booking_id FROM bookings WHERE tenant_id = $1", s.tenant),
		"nothing is left behind")
	first, err := s.book(q, "client-0", slot(10, 0))
	require.NoError(t, err)
	require.Equal(t, c.ids[0], first.id())
	require.Equal(t, "true", first.header.Get("Idempotent-Replayed"))
	expired, err := p.send(http.MethodGet, "/v1/events?after="+page.Next, s.key, "", nil)
	require.NoError(t, err)
	require.Equal(t, "410 cursor_expired", expired.outcome())
	neighbour.mustBook(t, q, "n", slot(10, 0))
	p.stop(t)
	q.stop(t)
}

func TestCellsMove_ThatCannotEnd_LetsTheTenantGoOn(t *testing.T) {
	t.Parallel()
	home, second := dbtest.Database(t), dbtest.Database(t)
	env := cellsFile(t, "home", home, "second", second)
	dir := newDir(t)
	p := startCells(t, dir, env)
	s := newShop(t, p, cell.Header, "home")
	s.mustBook(t, p, "before", slot(10, 0))
	_, err := dbtest.SQL(t, second).Exec(t.Context(), "ALTER TABLE claims RENAME TO claims_of_another_version")
	require.NoError(t, err)
	m, code := run(t, dir, env, "cells", "move", s.tenant.String(), "--to", "second")
	require.Equal(t, 1, code, m.log())
	require.Contains(t, m.log(), "the tenant goes on in its cell")
	s.mustBook(t, p, "after", slot(10, 1))
	aborted, code := run(t, dir, env, "cells", "abort", s.tenant.String())
	require.Equal(t, 1, code)
	require.Contains(t, aborted.log(), "No move of this tenant has begun.")
	for _, arguments := range [][]string{
		{"cells", "move", "nobody", "--to", "second"}, {"cells", "move", s.tenant.String(), "--to", "third"},
		{"cells", "abort", "nobody"},
	} {
		m, code := run(t, dir, env, arguments...)
		require.Equal(t, 1, code, m.log())
	}
	for _, unusable := range [][]string{nil, {"--cell", "nowhere"}, {"--cell", "second"}} {
		m, code = run(t, dir, env, append([]string{"cells", "move", "--all", "--to", "second"}, unusable...)...)
		require.Equal(t, 2, code, m.log())
	}
	_, err = dbtest.SQL(t, home).Exec(t.Context(), `UPDATE cell_directory
		SET moving_to = 'second', move_id = gen_random_uuid(), frozen = true, changed_in = pg_current_xact_id()::text::bigint
		WHERE tenant_id = $1`, s.tenant)
	require.NoError(t, err)
	list, code := run(t, dir, env, "cells", "list")
	require.Zero(t, code, list.log())
	require.Regexp(t, s.tenant.String()+` +\S+ +home +second +are held back`, list.Stdout.String(),
		"who runs the command learns which one it is")
	p.stop(t)
}

// A tenant has moved once its rows are copied and the old cell refuses it. What is left there is deleted by whoever
// comes next.
func TestCellsMove_RowsThatWereLeft_AreDeletedByTheNextRun(t *testing.T) {
	t.Parallel()
	home, second := dbtest.Database(t), dbtest.Database(t)
	env := cellsFile(t, "home", home, "closed", "postgres://127.0.0.1:1/none?connect_timeout=1", "second", second)
	dir := newDir(t)
	p := startCells(t, dir, env, "closed")
	s := newShop(t, p, cell.Header, "home")
	s.mustBook(t, p, "before", slot(10, 0))
	sql := dbtest.SQL(t, home)
	_, err := sql.Exec(t.Context(), `CREATE FUNCTION keep() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'kept'; END $$;
		CREATE TRIGGER keep BEFORE DELETE ON bookings FOR EACH ROW EXECUTE FUNCTION keep()`)
	require.NoError(t, err)
	m, code := run(t, dir, env, "cells", "move", s.tenant.String(), "--to", "second")
	require.Equal(t, 1, code)
	require.Contains(t, m.log(), "delete what the tenant left")
	left := func() []uuid.UUID {
		return query[uuid.UUID](t, home, "SELECT booking_id FROM bookings WHERE tenant_id = $1", s.tenant)
	}
	require.Len(t, left(), 1)
	s.mustBook(t, p, "after", slot(10, 1))

	_, err = sql.Exec(t.Context(), "DROP FUNCTION keep CASCADE")
	require.NoError(t, err)
	m, code = run(t, dir, env, "cells", "move", "--all", "--cell", "home", "--to", "second")
	require.Zero(t, code, m.log())
	require.Empty(t, left())
	m, code = run(t, dir, env, "cells", "move", s.tenant.String(), "--to", "home")
	require.Zero(t, code, "a cell that is down doesn't matter to a move between others: %s", m.log())
	s.mustBook(t, p, "back", slot(10, 2))
	p.stop(t)
}
