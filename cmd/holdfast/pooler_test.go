package main

import (
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/internal/db/dbtest"
	"holdfast/internal/postgres/pgtest"
)

// pooledDatabase returns the environment of servers whose database, which is empty, is behind a PgBouncer with fewer
// backends than one server has connections.
func pooledDatabase(t *testing.T) (env []string, direct string) {
	t.Helper()
	direct = pgtest.Database(t, nil)
	pooled := pgtest.PgBouncer(t, direct, map[string]string{"default_pool_size": "5"})
	return []string{"HOLDFAST_DATABASE_URL=" + pooled, "HOLDFAST_DIRECT_DATABASE_URL=" + direct}, direct
}

func TestServe_BehindATransactionPooler_MigratesAroundItAndSellsASlotOnce(t *testing.T) {
	t.Parallel()
	const clients = 60
	env, direct := pooledDatabase(t)
	servers := []*proc{start(t, newDir(t), env...), start(t, newDir(t), env...)}
	require.Contains(t, servers[0].log(), "migrated the database")
	require.Contains(t, servers[0].log(), "transaction pooler in front of the database")
	s := newShop(t, servers[0])
	outcomes := make(map[string]int)
	var sold []string
	for _, r := range everybody(clients, func(i int) (answer, error) {
		return s.book(servers[i%2], "client-"+strconv.Itoa(i), slot(0, 10))
	}, nil) {
		require.NoError(t, r.err)
		outcomes[r.outcome()]++
		if r.status == http.StatusCreated {
			sold = append(sold, r.id())
		}
	}
	require.Equal(t, map[string]int{"201": 1, "409 slot_unavailable": clients - 1}, outcomes)

	first := s.mustBook(t, servers[0], "again", slot(0, 11))
	again, err := s.book(servers[1], "again", slot(0, 11))
	require.NoError(t, err)
	require.Equal(t, first.body, again.body)
	require.Equal(t, "true", again.header.Get("Idempotent-Replayed"))
	s.requireSold(t, direct, append(sold, first.id()))
	for _, p := range servers {
		p.stop(t)
	}
}

func TestServe_BehindATransactionPooler_DeliversWebhooks(t *testing.T) {
	t.Parallel()
	env, _ := pooledDatabase(t)
	p := start(t, newDir(t), append(env, "HOLDFAST_WEBHOOK_ALLOW=127.0.0.0/8")...)
	arrived := make(chan string, 100)
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter,
		r *http.Request) {
		arrived <- r.Header.Get("Webhook-Id")
	}))
	t.Cleanup(receiver.Close)
	s := newShop(t, p)
	a, err := p.send(http.MethodPost, "/v1/webhook-endpoints", s.key, "endpoint",
		map[string]any{"url": receiver.URL, "types": []string{"booking.created"}})
	require.NoError(t, err)
	require.Equal(t, http.StatusCreated, a.status, "%s", a)
	const bookings = 20
	for i := range bookings {
		s.mustBook(t, p, "booking-"+strconv.Itoa(i), slot(i, 10))
	}
	ids := make(map[string]bool)
	for len(ids) < bookings {
		select {
		case id := <-arrived:
			ids[id] = true
		case <-time.After(waitLimit):
			require.Fail(t, "a webhook doesn't arrive", "%d of %d arrived", len(ids), bookings)
		}
	}
	p.stop(t)
}

func TestServe_KilledWhileItWaitsBehindATransactionPooler_BooksNothingAndKeepsNoLock(t *testing.T) {
	t.Parallel()
	env, direct := pooledDatabase(t)
	victim, other := start(t, newDir(t), env...), start(t, newDir(t), env...)
	s := newShop(t, victim)
	first := s.mustBook(t, victim, "first", slot(0, 9))
	release := holdDate(t, direct, s, slot(0, 10))
	cutOff := make(chan error, 1)
	go func() {
		_, err := s.book(victim, "victim", slot(0, 10))
		cutOff <- err
	}()
	waiting := func() bool {
		return query[int](t, direct,
			`SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'advisory' AND datname = current_database()`)[0] == 1
	}
	require.Eventually(t, waiting, waitLimit, poll)
	victim.Kill()
	require.Error(t, <-cutOff)
	release()
	next := s.mustBook(t, other, "next", slot(0, 10))
	s.requireSold(t, direct, []string{first.id(), next.id()})
	require.Equal(t, []int{0}, query[int](t, direct, `SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'
		AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`))
}

func TestServe_BehindATransactionPoolerWithNoWayAround_SaysWhatToSetAndMigratesNothing(t *testing.T) {
	t.Parallel()
	env, direct := pooledDatabase(t)
	for _, name := range []string{"serve", "migrate"} {
		p, code := run(t, newDir(t), env[:1], name)
		require.NotZero(t, code)
		require.Contains(t, p.log(), "goes through a transaction pooler")
		require.Contains(t, p.log(), "set HOLDFAST_DIRECT_DATABASE_URL")
	}
	require.Empty(t, query[string](t, direct, "SELECT tablename::text FROM pg_tables WHERE schemaname = 'public'"))
}

func TestServe_DirectURLNamesAnotherDatabase_IsRefused(t *testing.T) {
	t.Parallel()
	p, code := run(t, newDir(t), []string{
		"HOLDFAST_DATABASE_URL=" + dbtest.Database(t), "HOLDFAST_DIRECT_DATABASE_URL=" + dbtest.Database(t),
	}, "serve")
	require.NotZero(t, code)
	require.Contains(t, p.log(), "the direct connection leads elsewhere")
	require.NotContains(t, p.log(), "serving")
}
