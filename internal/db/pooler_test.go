package db_test

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"holdfast/internal/db"
	"holdfast/internal/db/dbtest"
	"holdfast/internal/lock"
	"holdfast/internal/postgres/pgtest"
	"holdfast/internal/testtime"
)

// inSessionMode are the settings of a PgBouncer that keeps a backend for each client.
var inSessionMode = map[string]string{"pool_mode": "session"}

// inTurns are the settings of a PgBouncer that takes the backend that has been idle longest.
var inTurns = map[string]string{"server_round_robin": "1"}

func TestListen_ManyProcessesStartBehindAPoolerWithFewBackends_NoneWaitsForEver(t *testing.T) {
	t.Parallel()
	pooled := pgtest.PgBouncer(t, dbtest.Database(t),
		map[string]string{"default_pool_size": "3", "server_round_robin": "1"})
	const processes = 8
	ends := make(chan error)
	for range processes {
		s := dbtest.Open(t, db.Config{URL: pooled})
		go func() { ends <- s.Listen(context.WithoutCancel(t.Context()), func([]string) {}) }()
	}
	for range processes {
		require.ErrorIs(t, <-ends, db.ErrPooled)
	}
}

// TestStatements_TransactionPooler_AreNotPrepared looks at what the backends hold after the same reads.
func TestStatements_TransactionPooler_AreNotPrepared(t *testing.T) {
	t.Parallel()
	for _, step := range []struct {
		name, query string
		settings    map[string]string
		pooler      bool // in front of the database
		prepared    bool
	}{
		{name: "no pooler", prepared: true},
		{name: "transaction mode", pooler: true},
		{name: "transaction mode in turns", pooler: true, settings: inTurns},
		{name: "session mode", pooler: true, settings: inSessionMode, prepared: true},
		{name: "told not to", query: "&default_query_exec_mode=cache_describe"},
		{name: "told to", pooler: true, settings: map[string]string{"default_pool_size": "1"},
			query: "&default_query_exec_mode=cache_statement", prepared: true},
	} {
		t.Run(step.name, func(t *testing.T) {
			t.Parallel()
			url := dbtest.Database(t)
			if step.pooler {
				url = pgtest.PgBouncer(t, url, step.settings)
			}
			proxy := dbtest.NewProxy(t, url)
			var log bytes.Buffer
			s := dbtest.Open(t, db.Config{
				URL: proxy.URL + step.query, MaxConns: 1, Logger: slog.New(slog.NewTextHandler(&log, nil)),
			})
			_, err := s.Clock(t.Context(), newTenant(t, s))
			require.NoError(t, err)
			require.Equal(t, step.prepared, proxy.Prepared() > 0)
			told := step.query != ""
			require.Equal(t, !step.prepared && !told, strings.Contains(log.String(), "transaction pooler"), "%s", &log)
		})
	}
}

// TestStatements_APoolerThatWasNotNoticed tells the store to prepare statements although the pooler loses them.
func TestStatements_LateDetectedPooler_StopsPreparing(t *testing.T) {
	t.Parallel()
	pooled := pgtest.PgBouncer(t, dbtest.Database(t),
		map[string]string{"default_pool_size": "4", "server_round_robin": "1"})
	dbtest.WarmPooler(t, pooled, 4)
	var log bytes.Buffer
	s := dbtest.Open(t, db.Config{
		URL: pooled + "&default_query_exec_mode=cache_statement", MaxConns: 8,
		Logger: slog.New(slog.NewTextHandler(&log, nil)),
	})
	tenant := newTenant(t, s)
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			for range 20 {
				if _, err := s.Clock(t.Context(), tenant); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	s.WaitForBackground()
	const after = "there is a transaction pooler in front of the database after all"
	require.Equal(t, 1, strings.Count(log.String(), after), "%s", &log)
}

func TestTransactions_BehindPooler_LeaveNoSessionState(t *testing.T) {
	t.Parallel()
	pooled := pgtest.PgBouncer(t, dbtest.Database(t), map[string]string{"default_pool_size": "1"})
	s := dbtest.Open(t, db.Config{URL: pooled})
	tenant := newTenant(t, s) // writes
	_, err := s.Clock(t.Context(), tenant)
	require.NoError(t, err)
	keys, err := lock.Dates(tenant, lock.Date{Year: 2028, Month: 1, Day: 1})
	require.NoError(t, err)
	require.NoError(t, s.Dates(t.Context(), nil, keys, func(*db.DatesTx) func() error {
		return func() error { return nil } // rolls back
	}))
	s.WaitForBackground()
	next, err := pgx.Connect(t.Context(), pooled+"&default_query_exec_mode=exec")
	require.NoError(t, err)
	t.Cleanup(func() { _ = next.Close(context.WithoutCancel(t.Context())) })
	var left string
	require.NoError(t, next.QueryRow(t.Context(), `SELECT concat_ws(' ', current_setting('role'),
		current_setting('plan_cache_mode'), current_setting('lock_timeout'), current_setting('statement_timeout'),
		current_setting('idle_in_transaction_session_timeout'),
		current_setting('holdfast.tenant_id', true), (SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'
		AND pid = pg_backend_pid()))`).Scan(&left))
	require.Equal(t, "none auto 0 0 0  0", left)
}

// Of two backends in turns, the first look always gives each connection a backend of its own. Later looks differ by
// chance.
func TestStatements_BehindTwoBackendsInTurns_AreNeverPrepared(t *testing.T) {
	t.Parallel()
	pooled := pgtest.PgBouncer(t, dbtest.Database(t),
		map[string]string{"default_pool_size": "2", "server_round_robin": "1"})
	dbtest.WarmPooler(t, pooled, 2)
	for range testtime.Rounds(20) {
		proxy := dbtest.NewProxy(t, pooled)
		s := dbtest.Open(t, db.Config{URL: proxy.URL, MaxConns: 1})
		_, err := s.Clock(t.Context(), uuid.New())
		require.NoError(t, err)
		require.Zero(t, proxy.Prepared())
		s.Close()
	}
}
