package move_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"holdfast/internal/cell/tables"
	"holdfast/internal/change"
	"holdfast/internal/db"
	"holdfast/internal/db/dbtest"
	"holdfast/internal/db/internal/core"
	"holdfast/internal/db/move"
	"holdfast/internal/event"
	"holdfast/internal/lock"
	"holdfast/internal/problem"
)

func TestMovedTables_AreAllWithATenant_EachAfterThoseThatItNames(t *testing.T) {
	t.Parallel()
	sql := dbtest.SQL(t, dbtest.Database(t))
	collect := func(query string) []string {
		rows, err := sql.Query(t.Context(), query)
		require.NoError(t, err)
		names, err := pgx.CollectRows(rows, pgx.RowTo[string])
		require.NoError(t, err)
		return names
	}
	moved := move.MovedTables()
	require.ElementsMatch(t, collect(`SELECT table_name::text FROM information_schema.columns WHERE table_schema = 'public'
		AND column_name = 'tenant_id' AND table_name NOT IN ('tenant_moves', 'tenant_arrivals', 'feed_positions', 'cell_directory')`),
		moved,
		"a table that is new goes with its tenant")
	seen := make(map[string]bool)
	for _, name := range moved {
		seen[name] = true
		for _, named := range collect(fmt.Sprintf(`SELECT confrelid::regclass::text FROM pg_constraint
			WHERE contype = 'f' AND conrelid = '%s'::regclass`, name)) {
			require.True(t, seen[named], "%s comes before %s, which it names", name, named)
		}
	}
	for _, table := range tables.List {
		require.Equal(t, []string{table.Key}, collect(fmt.Sprintf(`
			SELECT coalesce(string_agg(a.attname || ' ' || format_type(a.atttypid, NULL), ', ' ORDER BY k.place), '')
			FROM pg_constraint c
			CROSS JOIN LATERAL unnest(c.conkey) WITH ORDINALITY AS k (number, place)
			JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = k.number AND a.attname <> 'tenant_id'
			WHERE c.contype = 'p' AND c.conrelid = '%s'::regclass`, table.Name)), table.Name)
	}
}

func TestHandOver_RowsInEveryTable_ArriveAsTheyWere(t *testing.T) {
	t.Parallel()
	a, b := newCell(t), newCell(t)
	tenants := a.newTenants(t, 2)
	moved, other := tenants[0], tenants[1]
	m := newMove(a, b, moved)
	m.run(t, stepAhead, stepFreeze)
	before, others := a.rows(t, moved), a.rows(t, other)
	for name, digest := range before {
		require.NotEqual(t, "0 rows ", digest, "%s has rows to be moved", name)
	}
	m.run(t, stepHandOver, stepHandOver)
	require.Equal(t, before, b.rows(t, moved))
	require.Equal(t, before, a.rows(t, moved), "the source is as it was")
	b.requireServed(t, moved)

	m.run(t, stepFinish, stepDelete)
	a.requireNothing(t, moved)
	require.Equal(t, others, a.rows(t, other))
	b.requireNothing(t, other)
	a.requireServed(t, other)
	left, err := move.Find(t.Context(), a.store, moved)
	require.NoError(t, err)
	require.Equal(t, m.ID, left.ID)
	require.Equal(t, m.ToCell, left.ToCell)
	require.Equal(t, move.Moved, left.State)
	require.NotNil(t, left.FinishedAt)
}

// Each way into a transaction of a tenant.
func TestFence_TenantThatLeaves_IsToldSoByEachKindOfTransaction(t *testing.T) {
	t.Parallel()
	a, b := newCell(t), newCell(t)
	tenants := a.newTenants(t, 2)
	moved, other := tenants[0], tenants[1]
	keys, err := lock.Dates(moved, lock.Date{Year: 2027, Month: 7, Day: 1})
	require.NoError(t, err)
	insert := func(tx *db.WriteTx) {
		tx.AddChange(db.Change{
			ID: uuid.New(), Type: "x.y", SubjectType: "x", SubjectID: uuid.New(), Version: 1, Data: []byte(`{}`),
		})
	}
	kinds := map[string]func(context.Context) error{
		"a read": func(ctx context.Context) error { return a.read(ctx, moved) },
		"a write": func(ctx context.Context) error {
			return a.write(ctx, moved, nil, insert)
		},
		"a write with a key": func(ctx context.Context) error {
			return a.write(ctx, moved, core.NewRequest(moved, uuid.NewString(), make([]byte, 32)), insert)
		},
		"an administrator's write": func(ctx context.Context) error {
			return a.write(ctx, moved, core.NewRequest(uuid.Nil, uuid.NewString(), make([]byte, 32)), insert)
		},
		"a stored response": func(ctx context.Context) error {
			_, err := a.store.LookUp(ctx, core.NewRequest(moved, "key", make([]byte, 32)))
			return err
		},
		"a change of dates": func(ctx context.Context) error {
			return a.store.Dates(ctx, nil, keys, func(*db.DatesTx) func() error { return func() error { return nil } })
		},
		"a transaction of one batch": func(ctx context.Context) error {
			return a.store.WriteOnce(ctx, "write", true, moved, func(*db.Tx) {})
		},
		"the feed": func(ctx context.Context) error {
			_, err := change.ReadFeed(ctx, a.store, moved, change.FeedQuery{Limit: 1})
			return err
		},
	}
	m := newMove(a, b, moved)
	m.run(t, stepAhead, stepBegin)
	for name, run := range kinds {
		require.NoError(t, run(t.Context()), "%s while the tenant is draining", name)
	}
	m.run(t, stepFreeze, stepFreeze)
	before := a.rows(t, moved)
	for _, state := range []struct {
		step int
		code problem.Code
	}{{stepFreeze, problem.TenantMoving}, {stepHandOver, problem.TenantMoving}, {stepFinish, problem.TenantMoved}} {
		m.run(t, state.step, state.step)
		for name, run := range kinds {
			err := run(t.Context())
			require.True(t, problem.Is(err, state.code), "%s after step %d: %v", name, state.step, err)
			var p *problem.Error
			require.ErrorAs(t, err, &p)
			require.Equal(t, time.Second, p.RetryAfter)
			var moved *core.MovedError
			require.Equal(t, state.code == problem.TenantMoved, errors.As(err, &moved), name)
			if moved != nil {
				require.Equal(t, "the other cell", moved.Cell)
			}
		}
		a.requireServed(t, other)
	}
	require.Equal(t, before, a.rows(t, moved))
}

func TestFence_StatementsThatTheServerRunsAllTheSame_SeeAndWriteNothing(t *testing.T) {
	t.Parallel()
	a, b := newCell(t), newCell(t)
	moved := a.newTenants(t, 1)[0]
	m := newMove(a, b, moved)
	m.run(t, stepAhead, stepFreeze)
	// The statements of a batch follow the first one without waiting for what it found.
	begin := dbtest.NewProxy(t, a.url)
	var first string
	begin.Before = func(sql string) {
		if strings.HasPrefix(sql, "-- name: SessionBegin ") {
			first = sql
		}
	}
	through := cell{store: dbtest.Open(t, db.Config{URL: begin.URL})}
	err := through.write(t.Context(), moved, nil, func(*db.WriteTx) {})
	require.True(t, problem.Is(err, problem.TenantMoving), "%v", err)
	conn, err := pgx.Connect(t.Context(), a.url)
	require.NoError(t, err)
	defer func() { _ = conn.Close(context.WithoutCancel(t.Context())) }()
	tx, err := conn.Begin(t.Context())
	require.NoError(t, err)
	_, err = tx.Exec(t.Context(), first, "off", "1000", "10000", "10000", moved)
	require.NoError(t, err, first)
	var n int
	require.NoError(t, tx.QueryRow(t.Context(), "SELECT count(*) FROM bookings").Scan(&n))
	require.Zero(t, n)
	_, err = tx.Exec(t.Context(), "INSERT INTO former_customers VALUES ($1, $2, 1, $2)", moved, uuid.New())
	require.ErrorContains(t, err, "row-level security")
}

func TestClaims_TenantsThatLeave_AreLeftOut(t *testing.T) {
	t.Parallel()
	a, b := newCell(t), newCell(t)
	tenants := a.newTenants(t, 2)
	a.seen(t) // the deliveries are planned
	m := newMove(a, b, tenants[0])
	m.run(t, stepAhead, stepBegin)
	require.Equal(t, map[uuid.UUID]int{tenants[1]: 5}, a.claimed(t, "test"))
	samples, _, err := event.SampleKinds(t.Context(), a.store, 1000, []string{"test"})
	require.NoError(t, err)
	require.Zero(t, samples[0].Due)
	require.NoError(t, m.abort(t))
	require.Equal(t, map[uuid.UUID]int{tenants[0]: 5}, a.claimed(t, "test"))
}

func TestBegin_WorkerHoldsAnEvent_WaitsUntilItIsFinished(t *testing.T) {
	t.Parallel()
	a, b := newCell(t), newCell(t)
	tenant := a.newTenants(t, 1)[0]
	got, err := event.LeaseDue(t.Context(), a.store, uuid.New(),
		event.LeaseQuery{Kind: "test", Limit: 1, LeaseTime: time.Hour})
	require.NoError(t, err)
	m := newMove(a, b, tenant)
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	require.ErrorIs(t, m.steps()[stepBegin](ctx), context.DeadlineExceeded)
	_, err = event.Finish(t.Context(), a.store, []event.FinishedEvent{{Event: got[0].Events[0], Status: "completed"}})
	require.NoError(t, err)
	m.run(t, stepAhead, stepDelete)
	b.requireServed(t, tenant)
}

// open begins a transaction of the tenant that writes and doesn't end.
func (c cell) open(t testing.TB, tenant uuid.UUID) pgx.Tx {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), c.url)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close(context.WithoutCancel(t.Context())) })
	tx, err := conn.Begin(t.Context())
	require.NoError(t, err)
	_, err = tx.Exec(t.Context(),
		"SELECT set_config('role', 'holdfast_app', true), set_config('holdfast.tenant_id', $1, true)",
		tenant.String())
	require.NoError(t, err)
	_, err = tx.Exec(t.Context(), "INSERT INTO former_customers VALUES ($1, $2, 1, $2)", tenant, uuid.New())
	require.NoError(t, err)
	return tx
}

func TestFreeze_TransactionIsOpen_WaitsAndTheCopyHasIt(t *testing.T) {
	t.Parallel()
	a, b := newCell(t), newCell(t)
	tenant := a.newTenants(t, 1)[0]
	a.seen(t) // the relay has nothing to wait for
	m := newMove(a, b, tenant)
	m.run(t, stepAhead, stepBegin)
	late := a.open(t, tenant)
	frozen := make(chan error, 1)
	go func() { frozen <- m.steps()[stepFreeze](t.Context()) }()
	select {
	case err := <-frozen:
		require.Fail(t, "it didn't wait for the transaction", err)
	case <-time.After(2 * time.Second):
	}
	require.True(t, problem.Is(m.steps()[stepHandOver](t.Context()), problem.InvalidState),
		"the tenant is moving, and not frozen yet")
	require.NoError(t, late.Commit(t.Context()))
	require.NoError(t, <-frozen)
	m.run(t, stepFreeze, stepHandOver)
	require.Equal(t, a.rows(t, tenant), b.rows(t, tenant))
	require.Contains(t, b.rows(t, tenant)["former_customers"], "2 rows ")
}

// A move that doesn't wait loses what commits late: that the test above sees it depends on the wait.
func TestHandOver_WithoutTheWaitForOpenTransactions_LosesOne(t *testing.T) {
	t.Parallel()
	a, b := newCell(t), newCell(t)
	tenant := a.newTenants(t, 1)[0]
	m := newMove(a, b, tenant)
	m.run(t, stepAhead, stepBegin)
	late := a.open(t, tenant)
	_, err := a.sql.Exec(t.Context(), "UPDATE tenant_moves SET state = 'moving', frozen_at = now()")
	require.NoError(t, err)
	m.run(t, stepHandOver, stepHandOver)
	require.NoError(t, late.Commit(t.Context()))
	require.Contains(t, a.rows(t, tenant)["former_customers"], "2 rows ")
	require.Contains(t, b.rows(t, tenant)["former_customers"], "1 rows ")
}

func TestMove_RepeatedSteps_ContinueAfterACrash(t *testing.T) {
	t.Parallel()
	a, b := newCell(t), newCell(t)
	tenant := a.newTenants(t, 1)[0]
	m := newMove(a, b, tenant)
	m.run(t, stepAhead, stepFreeze)
	before := a.rows(t, tenant)
	for last := stepBegin; last <= stepFinish; last++ {
		m.run(t, stepAhead, last) // what was done before does nothing
	}
	require.Equal(t, before, b.rows(t, tenant))
	b.change(t, tenant)
	n, err := move.HandOver(t.Context(), a.store, b.store, m.Move)
	require.NoError(t, err)
	require.Zero(t, n)
	n, err = move.DeleteLeft(t.Context(), a.store, tenant, 5)
	require.NoError(t, err)
	require.EqualValues(t, 5, n)
	m.run(t, stepAhead, stepDelete)
	a.requireNothing(t, tenant)
	b.requireServed(t, tenant)
}

func TestAbort_BeforeTheCopyIsCommitted_LetsTheTenantGoOnAndRefusesTheMove(t *testing.T) {
	t.Parallel()
	for _, last := range []int{stepBegin, stepFreeze} {
		t.Run(strconv.Itoa(last), func(t *testing.T) {
			t.Parallel()
			a, b := newCell(t), newCell(t)
			tenant := a.newTenants(t, 1)[0]
			m := newMove(a, b, tenant)
			m.run(t, stepAhead, last)
			for range 2 {
				require.NoError(t, m.abort(t))
			}
			a.requireServed(t, tenant)
			for step, run := range m.steps()[stepFreeze:] {
				err := run(t.Context())
				require.True(t, problem.Is(err, problem.InvalidState), "step %d: %v", step, err)
			}
			a.requireServed(t, tenant)
			b.requireAway(t, tenant)
			newMove(a, b, tenant).run(t, stepAhead, stepDelete) // another move works
			b.requireServed(t, tenant)
		})
	}
}

func TestAbort_OnceTheCopyIsCommitted_IsRefused(t *testing.T) {
	t.Parallel()
	a, b := newCell(t), newCell(t)
	tenant := a.newTenants(t, 1)[0]
	m := newMove(a, b, tenant)
	m.run(t, stepAhead, stepHandOver)
	require.True(t, problem.Is(m.abort(t), problem.InvalidState))
	m.run(t, stepFinish, stepFinish)
	require.True(t, problem.Is(m.abort(t), problem.InvalidState))
	b.requireServed(t, tenant)
	require.True(t, problem.Is(a.read(t.Context(), tenant), problem.TenantMoved))
}

func TestAbort_CopyIsUnderWay_WaitsForItsCommit(t *testing.T) {
	t.Parallel()
	for _, cut := range []bool{false, true} {
		t.Run(fmt.Sprint("cut ", cut), func(t *testing.T) {
			t.Parallel()
			a, b := newCell(t), newCell(t)
			tenant := a.newTenants(t, 1)[0]
			reached, goOn := make(chan struct{}), make(chan struct{})
			var once sync.Once
			proxy := dbtest.NewProxy(t, b.url, func(p *dbtest.Proxy) {
				p.BeforeCommit = func() bool {
					once.Do(func() { close(reached) })
					<-goOn
					return cut
				}
			})
			m := newMove(a, b, tenant)
			m.run(t, stepAhead, stepFreeze)
			slow := m
			slow.to.store = dbtest.Open(t, db.Config{URL: proxy.URL})
			copied, aborted := make(chan error, 1), make(chan error, 1)
			go func() { copied <- slow.steps()[stepHandOver](t.Context()) }()
			<-reached
			go func() { aborted <- m.abort(t) }()
			select {
			case err := <-aborted:
				require.Fail(t, "it didn't wait for the copy", err)
			case <-time.After(100 * time.Millisecond):
			}
			close(goOn)
			if cut {
				require.True(t, problem.Is(<-copied, problem.OutcomeUnknown))
				require.NoError(t, <-aborted)
				a.requireServed(t, tenant)
				b.requireAway(t, tenant)
				return
			}
			require.NoError(t, <-copied)
			require.True(t, problem.Is(<-aborted, problem.InvalidState))
			b.requireServed(t, tenant)
		})
	}
}

func TestHandOver_AnswerToTheCommitIsLost_IsSettledByLooking(t *testing.T) {
	t.Parallel()
	a, b := newCell(t), newCell(t)
	tenant := a.newTenants(t, 1)[0]
	m := newMove(a, b, tenant)
	m.run(t, stepAhead, stepFreeze)
	proxy := dbtest.NewProxy(t, b.url, func(p *dbtest.Proxy) { p.AfterCommit = func() bool { return true } })
	cut := m
	cut.to.store = dbtest.Open(t, db.Config{URL: proxy.URL})
	err := cut.steps()[stepHandOver](t.Context())
	require.True(t, problem.Is(err, problem.OutcomeUnknown), "%v", err)
	yes, err := move.Arrived(t.Context(), b.store, m.Move)
	require.NoError(t, err)
	require.True(t, yes)
	m.run(t, stepHandOver, stepDelete)
	b.requireServed(t, tenant)
}

func TestMove_ThereAndBack_IsServedAtEachEnd(t *testing.T) {
	t.Parallel()
	a, b := newCell(t), newCell(t)
	tenant := a.newTenants(t, 1)[0]
	page, err := change.ReadFeed(t.Context(), a.store, tenant, change.FeedQuery{After: change.Begin(), Limit: 10})
	require.NoError(t, err)
	epochs := map[uuid.UUID]bool{page.Epoch: true}
	from, to := a, b
	for range 3 {
		m := newMove(from, to, tenant)
		m.run(t, stepAhead, stepFreeze)
		before := from.rows(t, tenant)
		m.run(t, stepHandOver, stepDelete)
		require.Equal(t, before, to.rows(t, tenant))
		from.requireNothing(t, tenant)
		page, err := change.ReadFeed(t.Context(), to.store, tenant, change.FeedQuery{After: change.Begin(), Limit: 100})
		require.NoError(t, err)
		require.False(t, epochs[page.Epoch], "cursors of before have expired")
		epochs[page.Epoch] = true
		to.requireServed(t, tenant)
		from, to = to, from
	}
}

func TestCopyAhead_TargetThatDoesNotFit_IsRefusedAndUnchanged(t *testing.T) {
	t.Parallel()
	a, b := newCell(t), newCell(t)
	tenant := a.newTenants(t, 1)[0]
	m := newMove(a, b, tenant)
	require.NoError(t, move.Compare(t.Context(), a.store, b.store))
	err := move.Compare(t.Context(), a.store, a.store)
	require.True(t, problem.Is(err, problem.InvalidState), "they are one")

	_, err = b.sql.Exec(t.Context(), `INSERT INTO tenants (tenant_id, slug, name, time_zone, currency, created_at)
		VALUES ($1, $2, '', 'UTC', 'EUR', now())`, uuid.New(), tenant.String()) // the slug of the tenant
	require.NoError(t, err)
	require.True(t, problem.Is(m.steps()[stepAhead](t.Context()), problem.AlreadyExists))
	b.requireNothing(t, tenant)
	b.exec(t, tenant, "DELETE FROM tenant_moves; UPDATE tenants SET slug = 'another', tenant_id = 'T'")
	require.True(t, problem.Is(m.steps()[stepAhead](t.Context()), problem.AlreadyExists))
	_, err = b.sql.Exec(t.Context(),
		"DELETE FROM tenants; INSERT INTO goose_db_version (version_id, is_applied) VALUES (99999, true)")
	require.NoError(t, err)
	require.ErrorContains(t, move.Compare(t.Context(), a.store, b.store), "schema version")
	b.requireNothing(t, tenant)
	require.NoError(t, m.abort(t))
	a.requireServed(t, tenant)
}
