package event_test

import (
	"bytes"
	"context"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"holdfast/internal/db"
	"holdfast/internal/event"
	"holdfast/internal/testtime"
)

// endLeases ends all leases, as if time had passed.
func (b *testBundle) endLeases(t testing.TB) {
	t.Helper()
	_, err := b.sql.Exec(t.Context(), "UPDATE scheduled_events SET leased_until = now() WHERE status = 'processing'")
	require.NoError(t, err)
}

// counted returns the values of holdfast_events_total by what happened.
func counted(t testing.TB, metrics prometheus.Gatherer) map[string]float64 {
	t.Helper()
	families, err := metrics.Gather()
	require.NoError(t, err)
	counts := make(map[string]float64)
	for _, f := range families {
		if f.GetName() != "holdfast_events_total" {
			continue
		}
		for _, m := range f.GetMetric() {
			for _, label := range m.GetLabel() {
				if label.GetName() == "what" {
					counts[label.GetValue()] = m.GetCounter().GetValue()
				}
			}
		}
	}
	return counts
}

func TestWorker_FrozenPastItsLease_ChangesNothingWhenItResumes(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.scheduled().ready().insert(t, 1)[0]
	frozen, resume := make(chan struct{}), make(chan struct{})
	var h handled
	slow := h.kind(func(_ context.Context, e event.Event) (event.Result, error) {
		close(frozen)
		<-resume // even after its timeout
		return event.Done().Plan(event.New(testKind, e.Subject, "next", testtime.Now(), time.UTC)).
			Notify(db.Change{ID: uuid.New(), Type: "test", SubjectType: "test", Data: []byte(`{}`)}), nil
	})
	metrics, log := prometheus.NewRegistry(), new(bytes.Buffer)
	worker := event.NewWorker(b.store, event.Config{Metrics: metrics, Logger: slog.New(slog.NewTextHandler(log, nil))},
		slow)
	var running sync.WaitGroup
	running.Go(func() { worker.RunUntilIdle(t.Context()) })
	testtime.Receive(t, frozen)
	b.endLeases(t)
	other := b.anotherStore(t)
	rescued, err := event.Rescue(t.Context(), other, 0, 10, map[string]event.RescueRule{testKind: {}})
	require.NoError(t, err)
	require.Len(t, rescued, 1)
	event.NewWorker(other, event.Config{}, event.Kind{Name: testKind, Handle: func(_ context.Context,
		e event.Event) (event.Result, error) {
		require.Equal(t, id, e.ID, "the id stays")
		require.Equal(t, 2, e.Attempt)
		return event.Done(), nil
	}}).RunUntilIdle(t.Context())
	before := b.stored(t, id)
	require.Equal(t, "completed", before[0].Status)

	close(resume)
	running.Wait()
	require.Equal(t, before, b.stored(t, id))
	var rows int
	require.NoError(t, b.sql.QueryRow(t.Context(),
		"SELECT (SELECT count(*) FROM changes) + (SELECT count(*) FROM scheduled_events)").Scan(&rows))
	require.Equal(t, 1, rows, "nothing follows from a result that came too late")
	require.Equal(t, map[string]float64{event.NoticeLeased: 1, event.NoticeLost: 1}, counted(t, metrics))
	require.Contains(t, log.String(), "what=lost")
	require.Contains(t, log.String(), event.ErrLeaseLost.Error())
}

func TestWorker_LeasesEnded_AreRescuedOrDead(t *testing.T) {
	t.Parallel()
	b := setup(t)
	again := b.scheduled().tried(1).abandoned(time.Minute).insert(t, 2)
	last := b.scheduled().tried(3).abandoned(time.Hour).insert(t, 2)
	held := b.scheduled().tried(1).abandoned(-time.Hour).insert(t, 1)
	unknown := b.scheduled().tried(1).abandoned(time.Hour)
	unknown.kind = "of.a.newer.version"
	other := unknown.insert(t, 1)
	ctx, stop := bounded(t)
	defer stop()
	notices := make(chan event.Notice, 100)
	var h handled
	kind := h.kind(nil)
	kind.MaxAttempts = 3
	worker := event.NewWorker(b.store,
		event.Config{Poll: 10 * time.Millisecond, Observers: []event.Observer{func(n event.Notice) { notices <- n }}},
		kind)
	var running sync.WaitGroup
	running.Go(func() { worker.Run(ctx) })
	defer running.Wait()
	defer stop()
	heard := make(map[string][]uuid.UUID)
	for range 2 + 2 + 2 + 2 + 2 {
		n := testtime.Receive(t, notices)
		heard[n.What] = append(heard[n.What], n.Event.ID)
	}
	stop()
	running.Wait()
	require.ElementsMatch(t, append(again, last...), heard[event.NoticeRescued])
	require.ElementsMatch(t, last, heard[event.NoticeDead])
	require.ElementsMatch(t, again, heard[event.NoticeLeased])
	require.ElementsMatch(t, again, heard[event.NoticeCompleted])
	for _, e := range b.stored(t, again...) {
		// Rescued, leased, completed.
		require.Equal(t, stored{EventID: e.EventID, Status: "completed", DueAt: e.DueAt, Attempts: 2, Version: 4}, e)
	}
	for _, e := range b.stored(t, last...) {
		require.Equal(t, stored{EventID: e.EventID, Status: "dead", DueAt: e.DueAt, Attempts: 3, Version: 2,
			Error: "The worker did not finish in time."}, e)
	}
	for _, e := range b.stored(t, append(held, other...)...) {
		require.Equal(t, stored{EventID: e.EventID, Status: "processing", DueAt: e.DueAt, Attempts: 1, Version: 1,
			Leased: true}, e)
	}
}

func TestRescue_AttemptWasCutShort_IsInTheHistory(t *testing.T) {
	t.Parallel()
	b := setup(t)
	service := event.NewService(b.store)
	id := b.scheduled().ready().insert(t, 1)[0]
	for range 2 {
		_, err := event.LeaseDue(t.Context(), b.store, uuid.New(), event.LeaseQuery{Kind: testKind, Limit: 1})
		require.NoError(t, err)
		rescued, err := event.Rescue(t.Context(), b.store, 0, 10,
			map[string]event.RescueRule{testKind: {MaxAttempts: 2}})
		require.NoError(t, err)
		require.Len(t, rescued, 1)
	}
	_, attempts, err := service.Get(t.Context(), b.tenant, id)
	require.NoError(t, err)
	require.Len(t, attempts, 2)
	for i, a := range attempts {
		require.Equal(t, "The worker did not finish in time.", *a.Error)
		require.Equal(t, []string{"dead", "failed"}[i], a.Status)
		require.EqualValues(t, 2-i, a.Attempt)
		require.JSONEq(t, `{}`, string(a.Details))
		require.False(t, a.FinishedAt.Before(a.StartedAt))
	}
}

func TestRescue_WorkerSleeps_IsWoken(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx, stop := bounded(t)
	woken := make(chan []string, 10)
	var listening sync.WaitGroup
	listening.Go(func() {
		if err := b.store.Listen(ctx, func(kinds []string) { woken <- kinds }); err != nil {
			t.Error(err)
		}
	})
	defer func() {
		stop()
		listening.Wait()
	}()
	require.Empty(t, testtime.Receive(t, woken), "it listens")
	b.scheduled().tried(1).abandoned(time.Minute).insert(t, 1)
	_, err := event.Rescue(ctx, b.anotherStore(t), 0, 10, map[string]event.RescueRule{testKind: {}})
	require.NoError(t, err)
	require.Equal(t, []string{testKind}, testtime.Receive(t, woken))
}

func TestRescue_ManyEventsOfUnknownKinds_DoNotKeepOthersFromBeingRescued(t *testing.T) {
	t.Parallel()
	b := setup(t)
	unknown := b.scheduled().abandoned(time.Hour)
	unknown.kind = "of.a.newer.version"
	unknown.insert(t, 20)
	id := b.scheduled().tried(1).abandoned(time.Minute).insert(t, 1)[0]
	rescued, err := event.Rescue(t.Context(), b.store, 0, 10, map[string]event.RescueRule{testKind: {}})
	require.NoError(t, err)
	require.Len(t, rescued, 1)
	require.Equal(t, id, rescued[0].EventID)
}

func TestRescue_WithinATime_LeavesLeasesThatEndedBefore(t *testing.T) {
	t.Parallel()
	b := setup(t)
	older := b.scheduled().tried(1).abandoned(time.Hour).insert(t, 1)[0]
	newer := b.scheduled().tried(1).abandoned(time.Second).insert(t, 1)[0]
	for _, c := range []struct {
		within time.Duration
		id     uuid.UUID
	}{{time.Minute, newer}, {0, older}} {
		rescued, err := event.Rescue(t.Context(), b.store, c.within, 10, map[string]event.RescueRule{testKind: {}})
		require.NoError(t, err)
		require.Len(t, rescued, 1)
		require.Equal(t, c.id, rescued[0].EventID)
	}
}
