package event_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"holdfast/internal/db"
	"holdfast/internal/db/dbtest"
	"holdfast/internal/event"
	"holdfast/internal/testtime"
)

// rescueAll are the rules of the test's kind: no event is dead, and each is due again at once.
var rescueAll = map[string]event.RescueRule{testKind: {}}

// lease leases due events for a lease.
func (b *testBundle) lease(t testing.TB, n int, lease time.Duration) []event.LeasedEvent {
	t.Helper()
	leased, err := event.LeaseDue(t.Context(), b.store, uuid.New(),
		event.LeaseQuery{Kind: testKind, Limit: n, LeaseTime: lease})
	require.NoError(t, err)
	require.Len(t, leased[0].Events, n)
	return leased[0].Events
}

// held are leased events that may be held for some time.
func held(longest time.Duration, leases ...event.LeasedEvent) []event.HeldEvent {
	events := make([]event.HeldEvent, len(leases))
	for i, c := range leases {
		events[i] = event.HeldEvent{
			TenantID: c.TenantID, EventID: c.EventID, Lease: *c.Lease, Version: c.Version,
			Until: c.LeasedAt.Add(longest),
		}
	}
	return events
}

// leasedUntil returns when the lease of an event ends.
func (b *testBundle) leasedUntil(t testing.TB, id uuid.UUID) (until time.Time) {
	t.Helper()
	require.NoError(t, b.sql.QueryRow(t.Context(), "SELECT leased_until FROM scheduled_events WHERE event_id = $1",
		id).Scan(&until))
	return until
}

func TestRenew_ManyEvents_TakesOneStatementAndOneRoundTrip(t *testing.T) {
	t.Parallel()
	const events = 500
	b := setup(t)
	insertEach(t, []row{b.scheduled().ready(), b.scheduled().ready().of(uuid.New())})
	b.scheduled().ready().insert(t, events-2)
	leases := b.lease(t, events, time.Minute)
	proxy, traced := dbtest.NewProxy(t, b.url), &statements{seen: make(map[string]pgx.TraceBatchQueryData)}
	s := dbtest.Open(t, db.Config{URL: proxy.URL, Tracer: traced})
	renew := func(n int) (trips int) {
		before := proxy.Trips()
		renewed, err := event.Renew(t.Context(), s, longLease, held(2*longLease, leases[:n]...))
		require.NoError(t, err)
		require.Len(t, renewed, n)
		return proxy.Trips() - before
	}
	renew(1) // prepares
	require.Equal(t, renew(1), renew(events))
	count := 0
	for name := range traced.seen {
		if strings.HasPrefix(name, "Event") {
			count++
		}
	}
	require.Equal(t, 1, count, "%v", traced.seen)
	require.Less(t, time.Minute, b.leasedUntil(t, leases[events-1].EventID).Sub(testtime.Now()))
	require.Equal(t, leases[0].Version, b.stored(t, leases[0].EventID)[0].Version, "results are recorded under it")
}

func TestRenew_LeaseHasEnded_IsRenewedUnlessTheEventWasTakenBack(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.scheduled().ready().insert(t, 1)
	lease := b.lease(t, 1, longLease)[0]
	b.endLeases(t)
	renewed, err := event.Renew(t.Context(), b.store, longLease, held(2*longLease, lease))
	require.NoError(t, err)
	require.Equal(t, []uuid.UUID{lease.EventID}, renewed)
	rescued, err := event.Rescue(t.Context(), b.store, 0, 10, rescueAll)
	require.NoError(t, err)
	require.Empty(t, rescued)

	b.endLeases(t)
	rescued, err = event.Rescue(t.Context(), b.store, 0, 10, rescueAll)
	require.NoError(t, err)
	require.Len(t, rescued, 1)
	other := b.lease(t, 1, longLease)[0]
	before := b.leasedUntil(t, lease.EventID)
	renewed, err = event.Renew(t.Context(), b.store, 2*longLease, held(3*longLease, lease))
	require.NoError(t, err)
	require.Empty(t, renewed, "the event has another holder")
	require.Equal(t, before, b.leasedUntil(t, lease.EventID))
	for _, c := range []struct {
		lease event.LeasedEvent
		lost  int
	}{{lease, 1}, {other, 0}} {
		unfinished, err := event.Finish(t.Context(), b.store,
			[]event.FinishedEvent{{Event: c.lease, Status: "completed"}})
		require.NoError(t, err)
		require.Len(t, unfinished.Lost, c.lost)
	}
}

func TestRenew_TimeOfTheAttemptIsOver_LeaseEndsThen(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.scheduled().ready().insert(t, 1)
	lease := b.lease(t, 1, time.Minute)[0]
	for _, renewals := range []int{1, 0} {
		renewed, err := event.Renew(t.Context(), b.store, longLease, held(2*time.Minute, lease))
		require.NoError(t, err)
		require.Len(t, renewed, renewals)
		require.Equal(t, lease.LeasedAt.Add(2*time.Minute).UTC(), b.leasedUntil(t, lease.EventID).UTC())
	}
}

func TestRenew_AnotherTransactionHasARow_OthersAreRenewedAtOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.scheduled().ready().insert(t, 3)
	leases := b.lease(t, 3, time.Minute)
	holder, err := b.sql.Begin(t.Context())
	require.NoError(t, err)
	_, err = holder.Exec(t.Context(), "SELECT FROM scheduled_events WHERE event_id = $1 FOR UPDATE", leases[1].EventID)
	require.NoError(t, err)
	renewed, err := event.Renew(t.Context(), b.store, longLease, held(2*longLease, leases...))
	require.NoError(t, err)
	require.ElementsMatch(t, []uuid.UUID{leases[0].EventID, leases[2].EventID}, renewed)
	require.NoError(t, holder.Rollback(t.Context()))
}

// TestRenewAndRescue_AtOnce_OneOfThemHasTheEvent has one of the two wait for its COMMIT while the other one runs.
func TestRenewAndRescue_AtOnce_OneOfThemHasTheEvent(t *testing.T) {
	t.Parallel()
	for _, first := range []string{"renew", "rescue"} {
		t.Run(first+" first", func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.scheduled().ready().insert(t, 1)
			lease := b.lease(t, 1, longLease)[0]
			b.endLeases(t)
			gate := dbtest.NewCommitGate(t)
			slow := dbtest.Open(t, db.Config{URL: dbtest.NewProxy(t, b.url, func(p *dbtest.Proxy) {
				p.BeforeCommit = gate.Wait
				p.Only = func(sql string) bool { return strings.Contains(sql, "EventRe") }
			}).URL})
			took := map[string]int{}
			var mu sync.Mutex
			run := func(s *db.DB, what string) {
				var n int
				if what == "renew" {
					renewed, err := event.Renew(t.Context(), s, longLease, held(2*longLease, lease))
					require.NoError(t, err)
					n = len(renewed)
				} else {
					rescued, err := event.Rescue(t.Context(), s, 0, 10, rescueAll)
					require.NoError(t, err)
					n = len(rescued)
				}
				mu.Lock()
				defer mu.Unlock()
				took[what] += n
			}
			second := map[string]string{"renew": "rescue", "rescue": "renew"}[first]
			locker := func() (xmax string) {
				require.NoError(t, b.sql.QueryRow(t.Context(), "SELECT xmax::text FROM scheduled_events").Scan(&xmax))
				return xmax
			}
			free := locker()
			gate.Close()
			var running sync.WaitGroup
			running.Go(func() { run(slow, first) })
			require.Eventually(t, func() bool { return gate.Reached() && locker() != free }, longestWait,
				time.Millisecond)
			run(b.store, second)
			gate.Open()
			running.Wait()
			run(b.store, second)
			require.Equal(t, map[string]int{first: 1, second: 0}, took)
			unfinished, err := event.Finish(t.Context(), b.store,
				[]event.FinishedEvent{{Event: lease, Status: "completed"}})
			require.NoError(t, err)
			require.Len(t, unfinished.Lost, took["rescue"])
		})
	}
}

func TestRenewAndRescue_ManyEventsAtOnce_EachHasOneWinner(t *testing.T) {
	t.Parallel()
	b := setup(t)
	other := b.anotherStore(t)
	const events = 300
	for range testtime.Rounds(3) {
		ids := b.scheduled().ready().insert(t, events)
		leases := b.lease(t, events, longLease)
		b.endLeases(t)
		var renewed, rescued []uuid.UUID
		var all sync.WaitGroup
		start := make(chan struct{})
		all.Go(func() {
			<-start
			for part := range slices.Chunk(leases, 30) {
				ids, err := event.Renew(t.Context(), b.store, longLease, held(2*longLease, part...))
				require.NoError(t, err)
				renewed = append(renewed, ids...)
			}
		})
		all.Go(func() {
			<-start
			for range events / 30 {
				events, err := event.Rescue(t.Context(), other, 0, 30, rescueAll)
				require.NoError(t, err)
				for _, e := range events {
					rescued = append(rescued, e.EventID)
				}
			}
		})
		close(start)
		all.Wait()
		require.ElementsMatch(t, ids, slices.Concat(renewed, rescued))
		_, err := b.sql.Exec(t.Context(), "DELETE FROM event_attempts")
		require.NoError(t, err)
		_, err = b.sql.Exec(t.Context(), "DELETE FROM scheduled_events")
		require.NoError(t, err)
	}
}

func TestRescue_EventWasLostBefore_WaitsLongerEachTimeAndAsLongAsItMayBeHeldAtMost(t *testing.T) {
	t.Parallel()
	b := setup(t)
	const longest = 20 * time.Second
	for attempts, pause := range map[int]time.Duration{
		0: 3 * time.Second, // which have passed when the lease of a worker that died ends
		1: 6 * time.Second, 2: 12 * time.Second, 3: longest, 40: longest,
	} {
		id := b.scheduled().ready().tried(attempts).insert(t, 1)[0]
		lease := b.lease(t, 1, 0)[0]
		rescued, err := event.Rescue(t.Context(), b.store, 0, 10,
			map[string]event.RescueRule{testKind: {LongestPause: longest}})
		require.NoError(t, err)
		require.Len(t, rescued, 1)
		var rescuedAt time.Time
		require.NoError(t, b.sql.QueryRow(t.Context(), "SELECT updated_at FROM scheduled_events WHERE event_id = $1",
			id).Scan(&rescuedAt))
		want := lease.LeasedAt.Add(pause)
		if want.Before(rescuedAt) {
			want = rescuedAt // at once
		}
		due := b.stored(t, id)[0].DueAt
		require.True(t, due.Equal(want), "attempt %d: due at %s, claimed at %s", attempts+1, due, lease.LeasedAt)
		_, err = b.sql.Exec(t.Context(), "UPDATE scheduled_events SET status = 'cancelled'")
		require.NoError(t, err)
	}
}

// renewedOnce waits until a worker has renewed the lease of an event that it got when it leased it.
func (b *testBundle) renewedOnce(t testing.TB, id uuid.UUID, lease time.Duration) {
	t.Helper()
	require.Eventually(t, func() bool {
		var renewed bool
		err := b.sql.QueryRow(t.Context(),
			"SELECT leased_until > updated_at + $2::interval FROM scheduled_events WHERE event_id = $1",
			id, lease).Scan(&renewed)
		return err == nil && renewed
	}, longestWait, 10*time.Millisecond)
}

func TestWorker_AttemptTakesLongerThanALease_KeepsItsEvent(t *testing.T) {
	t.Parallel()
	const lease = 600 * time.Millisecond
	b := setup(t)
	id := b.scheduled().ready().insert(t, 1)[0]
	started, resume := make(chan struct{}), make(chan struct{})
	var h handled
	kind := h.kind(func(context.Context, event.Event) (event.Result, error) {
		close(started)
		<-resume
		return event.Done(), nil
	})
	metrics := prometheus.NewRegistry()
	worker := event.NewWorker(b.store, event.Config{Metrics: metrics}.WithLease(lease), kind)
	var running sync.WaitGroup
	running.Go(func() { worker.RunUntilIdle(t.Context()) })
	testtime.Receive(t, started)
	b.renewedOnce(t, id, 2*lease) // it has held the event for longer than a lease
	close(resume)
	running.Wait()
	require.False(t, worker.Holds(), "its lease isn't renewed any more")
	e := b.stored(t, id)[0]
	require.Equal(t, stored{EventID: id, Status: "completed", DueAt: e.DueAt, Attempts: 1, Version: 3}, e)
	require.Equal(t, map[string]float64{event.NoticeLeased: 1, event.NoticeCompleted: 1}, counted(t, metrics))
}

func TestWorker_AttemptIsStuck_LosesItsEventOnceItsTimeIsOver(t *testing.T) {
	t.Parallel()
	const longest = 2 * time.Second
	b := setup(t)
	id := b.scheduled().ready().insert(t, 1)[0]
	started, resume := make(chan struct{}), make(chan struct{})
	var h handled
	kind := h.kind(func(_ context.Context, e event.Event) (event.Result, error) {
		if e.Attempt == 1 {
			close(started)
			<-resume // even after its timeout
		}
		return event.Done(), nil
	}).HeldFor(longest)
	metrics := prometheus.NewRegistry()
	worker := event.NewWorker(b.store, event.Config{Metrics: metrics}.WithLease(longest/4), kind)
	var running sync.WaitGroup
	running.Go(func() { worker.RunUntilIdle(t.Context()) })
	testtime.Receive(t, started)
	require.Eventually(t, func() bool { return !worker.Holds() }, longestWait, time.Millisecond, "it stops renewing")
	var ends time.Duration
	require.NoError(t, b.sql.QueryRow(t.Context(),
		"SELECT leased_until - updated_at FROM scheduled_events").Scan(&ends))
	require.LessOrEqual(t, ends, longest)
	require.Eventually(t, func() bool {
		rescued, err := event.Rescue(t.Context(), b.store, 0, 10, rescueAll)
		return err == nil && len(rescued) == 1
	}, longestWait, time.Millisecond)
	close(resume)
	running.Wait()
	require.Equal(t, "completed", b.stored(t, id)[0].Status)
	require.Equal(t, map[string]float64{event.NoticeLeased: 2, event.NoticeLost: 1, event.NoticeCompleted: 1},
		counted(t, metrics))
}

func TestWorker_ResultWaitsForALockedRow_EventIsHeldMeanwhile(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ids := b.scheduled().ready().insert(t, 2)
	var tries atomic.Int32
	proxy := dbtest.NewProxy(t, b.url, func(p *dbtest.Proxy) {
		p.Before = func(sql string) {
			if strings.Contains(sql, "name: EventFinish ") {
				tries.Add(1)
			}
		}
	})
	impatient := dbtest.Open(t, db.Config{URL: proxy.URL, LockTimeout: 50 * time.Millisecond})
	holder, err := b.sql.Begin(t.Context())
	require.NoError(t, err)
	var h handled
	kind := h.kind(func(ctx context.Context, e event.Event) (event.Result, error) {
		if e.ID != ids[0] {
			return event.Done(), nil
		}
		_, err := holder.Exec(ctx, "SELECT FROM scheduled_events WHERE event_id = $1 FOR UPDATE", e.ID)
		return event.Done(), err
	})
	worker := event.NewWorker(impatient, event.Config{}, kind)
	var running sync.WaitGroup
	running.Go(func() { worker.RunUntilIdle(t.Context()) })
	require.Eventually(t, func() bool { return b.stored(t, ids[1])[0].Status == "completed" }, longestWait,
		time.Millisecond)
	before := tries.Load()
	require.Eventually(t, func() bool { return tries.Load() >= before+2 }, longestWait, time.Millisecond,
		"it is tried again and again")
	require.True(t, worker.Holds())
	require.NoError(t, holder.Rollback(t.Context()))
	running.Wait()
	require.False(t, worker.Holds())
	require.Equal(t, "completed", b.stored(t, ids[0])[0].Status)
}
