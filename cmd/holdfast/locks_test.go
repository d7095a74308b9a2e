package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"holdfast/internal/lock"
)

// locksDocument is what holdfast locks --json prints, as an operator's program reads it.
type locksDocument struct {
	At    time.Time `json:"at"`
	Locks []struct {
		Key      string `json:"key"`
		ClassID  uint32 `json:"classid"`
		ObjectID uint32 `json:"objid"`
		SubID    int    `json:"objsubid"`
		Names    []struct {
			Name       string `json:"name"`
			Pattern    string `json:"pattern"`
			TenantID   string `json:"tenant_id"`
			TenantSlug string `json:"tenant_slug"`
		} `json:"names"`
		Holders []struct {
			lockSession
			AtMostMS int64 `json:"held_at_most_ms"`
		} `json:"holders"`
		Waiters []struct {
			lockSession
			WaitingMS int64 `json:"waiting_ms"`
			BlockedBy []int `json:"blocked_by"`
			Chain     []int `json:"chain"`
		} `json:"waiters"`
	} `json:"locks"`
	Longest []struct {
		lockSession
		WaitsFor  string `json:"waits_for"`
		WaitingMS int64  `json:"waiting_ms"`
	} `json:"longest_wait"`
}

type lockSession struct {
	PID         int    `json:"pid"`
	Application string `json:"application_name"`
	State       string `json:"state"`
	Query       string `json:"query"`
}

// contender is a database session of the test's own.
type contender struct {
	*pgx.Conn
	pid int
}

func newContender(t testing.TB, url, name string) contender {
	t.Helper()
	cfg, err := pgx.ParseConfig(url)
	require.NoError(t, err)
	cfg.RuntimeParams["application_name"] = name
	conn, err := pgx.ConnectConfig(t.Context(), cfg)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return contender{conn, int(conn.PgConn().PID())}
}

func (c contender) exec(t testing.TB, sql string, args ...any) {
	t.Helper()
	_, err := c.Exec(t.Context(), sql, args...)
	require.NoError(t, err)
}

// awaitLock makes the session wait for a lock and returns when it does. It ends with its connection.
func (c contender) awaitLock(t testing.TB, url, sql string, args ...any) {
	t.Helper()
	done := make(chan struct{})
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(func() { cancel(); <-done })
	go func() {
		defer close(done)
		_, _ = c.Exec(ctx, sql, args...)
	}()
	eventually(t, func() bool {
		return query[bool](t, url,
			"SELECT EXISTS (SELECT FROM pg_locks WHERE waitstart IS NOT NULL AND pid = "+strconv.Itoa(c.pid)+")")[0]
	})
}

// eventually returns when happened, which it calls in the test's goroutine, returns true.
func eventually(t testing.TB, happened func() bool) {
	t.Helper()
	limit := time.After(waitLimit)
	for pause := poll; !happened(); pause = min(2*pause, 50*time.Millisecond) {
		select {
		case <-time.After(pause):
		case <-limit:
			require.FailNow(t, "it doesn't happen")
		}
	}
}

func calendarKey(t testing.TB, tenant uuid.UUID, day time.Time) lock.Key {
	t.Helper()
	year, month, d := day.Date()
	keys, err := lock.Dates(tenant, lock.Date{Year: year, Month: month, Day: d})
	require.NoError(t, err)
	return keys.Keys()[0]
}

const (
	unknownKey = int64(-7_777_777_777_777_777)
	lockSQL    = "SELECT pg_advisory_xact_lock($1)"
)

// contention is a server whose locks are held and awaited.
type contention struct {
	server        *proc
	shops         [2]shop
	names         map[int64]string // what each held key is to be shown as; "" for unknown
	awaited       lock.Key
	root          contender
	second, third contender
	bookingWaits  chan answer // a booking of the server's, last in the queue
}

func newContention(t testing.TB, env ...string) contention {
	t.Helper()
	c := contention{server: start(t, filledDir(t), append(env, "HOLDFAST_LOCK_TIMEOUT=60s")...),
		names: map[int64]string{}}
	url := c.server.databaseURL(t)
	c.root = newContender(t, url, "root")
	c.root.exec(t, "BEGIN")
	holds := func(key lock.Key) {
		c.root.exec(t, lockSQL, key.ID())
		c.names[key.ID()] = key.Name()
	}
	for i := range c.shops {
		c.shops[i] = newShop(t, c.server)
		for day := range 3 {
			holds(calendarKey(t, c.shops[i].tenant, slot(day*100, 0)))
		}
	}
	c.awaited = calendarKey(t, c.shops[0].tenant, slot(0, 0))
	a := c.shops[0].mustBook(t, c.server, "paid", slot(1, 0))
	holds(lock.Balance(c.shops[0].tenant, uuid.MustParse(a.id())).Keys()[0])
	wallets, err := lock.Wallets(c.shops[0].tenant, uuid.New()) // which nothing can tell yet
	require.NoError(t, err)
	for _, id := range []int64{unknownKey, wallets.Keys()[0].ID()} {
		c.root.exec(t, lockSQL, id)
		c.names[id] = ""
	}
	for id, name := range map[int64]string{lock.Goose.ID(): "goose",
		lock.IdempotencyCleanup.ID(): "idempotency cleanup"} {
		c.root.exec(t, "SELECT pg_advisory_lock($1)", id)
		c.names[id] = name
	}

	c.second, c.third = newContender(t, url, "second"), newContender(t, url, "third")
	c.second.exec(t, "BEGIN")
	c.second.exec(t, lockSQL, int64(5))
	c.names[5] = ""
	c.second.awaitLock(t, url, lockSQL, c.awaited.ID())
	c.third.awaitLock(t, url, lockSQL, c.awaited.ID())
	c.bookingWaits = make(chan answer, 1)
	go func() {
		a, _ := c.shops[0].book(c.server, "waits", slot(0, 0))
		c.bookingWaits <- a
	}()
	eventually(t, func() bool {
		return query[int64](t, url, "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted")[0] == 3
	})
	return c
}

func (c contention) requireShown(t testing.TB, raw []byte) {
	t.Helper()
	var d locksDocument
	require.NoError(t, json.Unmarshal(raw, &d))
	slugs := map[string]string{}
	for _, r := range query[[]string](t, c.server.databaseURL(t), "SELECT ARRAY[tenant_id::text, slug] FROM tenants") {
		slugs[r[0]] = r[1]
	}
	shown := map[int64]string{}
	for _, l := range d.Locks {
		id, err := strconv.ParseInt(l.Key, 10, 64)
		require.NoError(t, err)
		require.Equal(t, id, int64(uint64(l.ClassID)<<32|uint64(l.ObjectID)))
		require.Equal(t, 1, l.SubID)
		shown[id] = ""
		for _, n := range l.Names {
			shown[id] += n.Name
			require.Equal(t, slugs[n.TenantID], n.TenantSlug)
			require.Equal(t, strings.Contains(n.Pattern, "{tenant}"), n.TenantSlug != "", n.Pattern)
		}
		require.Len(t, l.Holders, 1)
		require.Contains(t, []int{c.root.pid, c.second.pid}, l.Holders[0].PID)
		require.Positive(t, l.Holders[0].AtMostMS)
	}
	require.Equal(t, c.names, shown)

	awaited := d.Locks[0]
	require.Equal(t, c.awaited.Name(), awaited.Names[0].Name, "what is awaited longest comes first")
	require.Equal(t, "root", awaited.Holders[0].Application)
	require.Equal(t, "idle in transaction", awaited.Holders[0].State)
	require.Len(t, awaited.Waiters, 3)
	second, third, server := awaited.Waiters[0], awaited.Waiters[1], awaited.Waiters[2]
	require.Equal(t, []string{"second", "third", "holdfast"},
		[]string{second.Application, third.Application, server.Application})
	require.Contains(t, server.Query, "pg_advisory_xact_lock")
	require.Equal(t, []int{c.second.pid, c.root.pid}, second.Chain)
	require.Equal(t, []int{c.third.pid, c.second.pid, c.root.pid}, third.Chain)
	require.Equal(t, []int{server.PID, c.third.pid, c.second.pid, c.root.pid}, server.Chain)
	require.ElementsMatch(t, []int{c.root.pid, c.second.pid, c.third.pid}, server.BlockedBy)
	require.GreaterOrEqual(t, second.WaitingMS, third.WaitingMS)
	require.GreaterOrEqual(t, third.WaitingMS, server.WaitingMS)

	require.Len(t, d.Longest, 2)
	require.Equal(t, "second", d.Longest[0].Application)
	require.Equal(t, c.awaited.Name(), d.Longest[0].WaitsFor)
	require.Equal(t, second.WaitingMS, d.Longest[0].WaitingMS)
	require.Equal(t, c.root.pid, d.Longest[1].PID)
	require.Empty(t, d.Longest[1].WaitsFor)
}

func TestLocks_OfAContention_AreShownByNameWithTheirChains(t *testing.T) {
	t.Parallel()
	c := newContention(t)
	p, code := run(t, c.server.dir, nil, "locks", "--json")
	require.Zero(t, code, "%s", p.log())
	c.requireShown(t, []byte(p.Stdout.String()))
	require.Equal(t, 1, strings.Count(p.Stdout.String(), "\n"))

	a, err := c.server.send(http.MethodGet, "/admin/v1/locks", testAdminKey, "", nil)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, a.status, "%s", a)
	c.requireShown(t, a.body)

	p, code = run(t, c.server.dir, nil, "locks")
	require.Zero(t, code, "%s", p.log())
	printed := p.Stdout.String()
	for id, name := range c.names {
		if name == "" {
			name = strconv.FormatInt(id, 10) + " (unknown)"
		}
		require.Regexp(t, `(?m)^`+regexp.QuoteMeta(name)+` .* holds +≤`, printed)
	}
	require.Contains(t, printed, "locks: 12  waiting: 3\n")
	require.Regexp(t, `(?m)^ +`+strconv.Itoa(c.third.pid)+
		` +waits +[0-9.]+m?s +third +local +active +SELECT pg_advisory_xact_lock`,
		printed)
	require.Regexp(t, fmt.Sprintf(`The longest wait, .*:\n  %d second waits for %s \(active\): .*\n`+
		`  %d root waits for nobody \(idle in transaction\)`,
		c.second.pid, c.awaited.Name(), c.root.pid), printed)
	require.NotContains(t, printed, "\x1b")

	query[bool](t, c.server.databaseURL(t), "SELECT pg_terminate_backend(pid) FROM unnest($1::int[]) pid",
		[]int{c.root.pid, c.second.pid, c.third.pid})
	require.Equal(t, http.StatusCreated, (<-c.bookingWaits).status)
}

func TestLocks_WhenEveryConnectionOfTheServerWaits_AreStillShown(t *testing.T) {
	t.Parallel()
	c := newContention(t, "HOLDFAST_DATABASE_CONNS=1")
	a, err := sendTo(&http.Client{Timeout: time.Second}, c.server.url, http.MethodGet, "/v1/services", c.shops[1].key,
		"", nil)
	require.Error(t, err, "the only connection waits for a lock, but this was answered: %s", a)
	a, err = c.server.send(http.MethodGet, "/admin/v1/locks", testAdminKey, "", nil)
	require.NoError(t, err)
	c.requireShown(t, a.body)
	p, code := run(t, c.server.dir, nil, "locks", "--json")
	require.Zero(t, code, "%s", p.log())
	c.requireShown(t, []byte(p.Stdout.String()))
}

func TestLocks_Watch_PrintsAgainUntilInterrupted(t *testing.T) {
	t.Parallel()
	server := start(t, filledDir(t))
	holder := newContender(t, server.databaseURL(t), "holder")
	holder.exec(t, "SELECT pg_advisory_lock(4097083626)")
	p := command(t, server.dir, nil, "locks", "--watch", "--interval=100ms")
	p.launch(t)
	p.await(t, regexp.MustCompile(`(?s)locks: 1  .*goose.*locks: 1  .*goose.*locks: 1  `), p.Stdout)
	holder.exec(t, "SELECT pg_advisory_unlock(4097083626)")
	p.await(t, regexp.MustCompile(`locks: 0  waiting: 0\n`), p.Stdout)
	require.NoError(t, p.Signal(syscall.SIGINT))
	require.Zero(t, p.wait(t), "%s", p.log())
	require.NotContains(t, p.Stdout.String(), "\x1b", "this is no terminal")

	p = command(t, server.dir, nil, "locks", "--watch", "--json", "--interval=100ms")
	p.launch(t)
	p.await(t, regexp.MustCompile(`(?m)^\{.*\}\n\{.*\}\n`), p.Stdout)
	require.NoError(t, p.Signal(syscall.SIGINT))
	require.Zero(t, p.wait(t), "%s", p.log())
}

func TestLocksExplain_TellsTheKeyTheHalvesAndTheRegistrysRow(t *testing.T) {
	t.Parallel()
	const name = "01890a5d-ac96-774b-bcce-b302099a8057:2026-07-14"
	dir := newDir(t)
	p, code := run(t, dir, nil, "locks", "explain", name)
	require.Zero(t, code, "%s", p.log())
	for _, line := range []string{
		`name +` + name, `key +4634033524858642013`, `hexadecimal +404f64f04e735e5d`,
		`in pg_locks +classid 1078945008, objid 1316183645, objsubid 1`, `  name +\{tenant\}:\{date\}`,
		`  kind +transaction, wait or try`,
		`  constructor +internal/lock/dates.go:Dates`,
		`  purpose +every write that can change what is free on that date.*`,
	} {
		require.Regexp(t, `(?m)^`+line+`$`, p.Stdout.String())
	}
	for args, want := range map[string]string{
		"-- -1989238445525443775":  `(?m)^name +unknown$`,
		"0xe464ce2c58e7db41":       `(?m)^key +-1989238445525443775$`,
		"42424242":                 `(?s)name +idempotency cleanup\n.*kind +session, try\n`,
		"goose":                    `(?s)key +4097083626\n.*scope +the whole database\n`,
		"{tenant}:wallet:{wallet}": `(?m)^  constructor +internal/lock/wallet.go:Wallets$`,
		strings.Replace(name, "2026-07-14", "wallet:"+name[:36], 1): `(?m)^  name +\{tenant\}:wallet:\{wallet\}$`,
	} {
		p, code := run(t, dir, nil, append([]string{"locks", "explain"}, strings.Split(args, " ")...)...)
		require.Zero(t, code, "%s: %s", args, p.log())
		require.Regexp(t, want, p.Stdout.String(), args)
	}
	p, code = run(t, dir, nil, "locks", "explain", strings.ToUpper(name))
	require.NotZero(t, code)
	require.Contains(t, p.log(), "is neither a lock's name")
	require.NoDirExists(t, dir, "no database is started to explain a name")
}

func TestLocksExplain_OfAKey_LooksForItsNameInTheDatabase(t *testing.T) {
	t.Parallel()
	server := start(t, filledDir(t))
	s := newShop(t, server)
	key := calendarKey(t, s.tenant, slot(0, 0))
	p, code := run(t, server.dir, nil, "locks", "explain", "--", strconv.FormatInt(key.ID(), 10))
	require.Zero(t, code, "%s", p.log())
	require.Regexp(t, `(?m)^name +`+key.Name()+`\ntenant +shop-`, p.Stdout.String())
}

func TestLocks_WithoutARunningServer_SayThatThereIsNone(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	p, code := run(t, dir, nil, "locks")
	require.NotZero(t, code)
	require.Contains(t, p.log(), "no server runs in "+dir)
	require.NoDirExists(t, dir)
}
