package event_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
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

func TestWorker_DueEvents_AreHandledOnceAndOthersLeftAlone(t *testing.T) {
	t.Parallel()
	b := setup(t)
	due := append(b.scheduled().ready().insert(t, 3),
		b.scheduled().overdue(24*time.Hour).of(uuid.New()).insert(t, 2)...)
	later := b.scheduled().insert(t, 2)
	var h handled
	event.NewWorker(b.store, event.Config{}, h.kind(nil)).RunUntilIdle(t.Context())
	require.ElementsMatch(t, due, h.ids())
	for _, e := range b.stored(t, due...) {
		require.Equal(t, stored{EventID: e.EventID, Status: "completed", DueAt: e.DueAt, Attempts: 1, Version: 3}, e)
	}
	for _, e := range b.stored(t, later...) {
		require.Equal(t, "pending", e.Status)
	}
}

func TestWorker_AttemptFails_IsTriedAgainLaterAndThenDead(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ids := b.scheduled().ready().insert(t, 1)
	var h handled
	kind := h.kind(func(context.Context, event.Event) (event.Result, error) {
		return event.Done(),
			&event.AttemptError{Reason: "The endpoint answered 500.", Err: errors.New("secret of the log")}
	})
	kind.MaxAttempts, kind.Backoff = 2, event.Backoff{First: time.Hour, Longest: time.Hour}
	w := event.NewWorker(b.store, event.Config{}, kind)
	before := testtime.Now()
	w.RunUntilIdle(t.Context())
	got := b.stored(t, ids...)[0]
	require.Equal(t, "failed", got.Status)
	require.Equal(t, "The endpoint answered 500.", got.Error)
	require.WithinRange(t, got.DueAt, before.Add(time.Hour), testtime.Now().Add(75*time.Minute))
	require.Len(t, h.ids(), 1)

	_, err := b.sql.Exec(t.Context(), "UPDATE scheduled_events SET due_at = now()")
	require.NoError(t, err)
	w.RunUntilIdle(t.Context())
	got = b.stored(t, ids...)[0]
	require.Equal(t, stored{EventID: ids[0], Status: "dead", DueAt: got.DueAt, Attempts: 2, Version: 5,
		Error: "The endpoint answered 500."}, got)
}

func TestWorker_HandlerPanicsOrExits_CountsAsFailure(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(){"panic": func() { panic("a defect") }, "exit": runtime.Goexit} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			ids := b.scheduled().ready().insert(t, 1)
			var h handled
			kind := h.kind(func(context.Context, event.Event) (event.Result, error) { end(); return event.Done(), nil })
			kind.MaxAttempts = 1
			event.NewWorker(b.store, event.Config{}, kind).RunUntilIdle(t.Context())
			got := b.stored(t, ids...)[0]
			require.Equal(t, "dead", got.Status)
			require.Equal(t, "The attempt failed.", got.Error, "a tenant is told nothing of the inside")
		})
	}
}

func TestWorker_DueAgainAtOnceWithData_GoesOnWithThemWithoutPolling(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.scheduled().ready().insert(t, 1)[0]
	ctx, stop := bounded(t)
	defer stop()
	var h handled
	var data []string
	event.NewWorker(b.store, event.Config{Poll: time.Hour}, h.kind(func(_ context.Context, e event.Event) (event.Result,
		error) {
		data = append(data, string(e.Data))
		switch len(data) {
		case 1:
			return event.Again(e.LeasedAt).Data([]byte(`{"page": 2}`)), nil
		case 2:
			return event.Again(e.LeasedAt), nil
		}
		stop()
		return event.Done(), nil
	})).Run(ctx)
	require.Equal(t, []string{`{}`, `{"page": 2}`, `{"page": 2}`}, data)
	require.Equal(t, "completed", b.stored(t, id)[0].Status)
}

func TestWorker_AttemptFailsWithData_KeepsThoseOfBefore(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.scheduled().ready().insert(t, 1)
	var h handled
	event.NewWorker(b.store, event.Config{}, h.kind(func(context.Context, event.Event) (event.Result, error) {
		return event.Done().Data([]byte(`{"page": 2}`)), errors.New("failed")
	})).RunUntilIdle(t.Context())
	var data string
	require.NoError(t, b.sql.QueryRow(t.Context(), "SELECT data::text FROM scheduled_events").Scan(&data))
	require.Equal(t, `{}`, data)
}

func TestWorker_Results_AreRecorded(t *testing.T) {
	t.Parallel()
	at := testtime.Now().Add(48 * time.Hour).Truncate(time.Microsecond)
	for name, c := range map[string]struct {
		result event.Result
		err    error
		status string
		reason string
		due    *time.Time
	}{
		"done": {result: event.Done(), status: "completed"},
		"cancelled": {result: event.CancelBecause("The booking is cancelled."), status: "cancelled",
			reason: "The booking is cancelled."},
		"again":     {result: event.Again(at), status: "pending", due: &at},
		"permanent": {err: &event.AttemptError{Reason: "Gone.", Permanent: true}, status: "dead", reason: "Gone."},
		"retry at": {err: &event.AttemptError{Reason: "Busy.", RetryAt: at}, status: "failed", reason: "Busy.",
			due: &at},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			ids := b.scheduled().ready().insert(t, 1)
			var h handled
			event.NewWorker(b.store, event.Config{},
				h.kind(func(context.Context, event.Event) (event.Result, error) { return c.result, c.err })).
				RunUntilIdle(t.Context())
			got := b.stored(t, ids...)[0]
			require.Equal(t, c.status, got.Status)
			require.Equal(t, c.reason, got.Error)
			require.False(t, got.Leased)
			if c.due != nil {
				require.WithinDuration(t, *c.due, got.DueAt, time.Microsecond)
			}
		})
	}
}

func TestWorker_EventCancelledWhileItIsHandled_StaysCancelled(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ids := b.scheduled().ready().insert(t, 1)
	var h handled
	var mu sync.Mutex
	var notices []string
	kind := h.kind(func(ctx context.Context, _ event.Event) (event.Result, error) {
		_, err := b.sql.Exec(ctx,
			"UPDATE scheduled_events SET status = 'cancelled', version = version + 1, lease = NULL, leased_until = NULL")
		return event.Done().Plan(event.New(testKind, event.Subject{Type: "test", ID: uuid.New()}, "next",
			testtime.Now(), time.UTC)).
			Notify(db.Change{ID: uuid.New(), Type: "test", SubjectType: "test", Data: []byte(`{}`)}), err
	})
	event.NewWorker(b.store, event.Config{Observers: []event.Observer{func(n event.Notice) {
		mu.Lock()
		defer mu.Unlock()
		notices = append(notices, n.What)
		if n.What == event.NoticeLost {
			require.ErrorIs(t, n.Err, event.ErrLeaseLost)
		}
	}}}, kind).RunUntilIdle(t.Context())
	require.Equal(t, "cancelled", b.stored(t, ids...)[0].Status)
	require.Equal(t, []string{event.NoticeLeased, event.NoticeLost}, notices)
	require.Len(t, h.ids(), 1, "what would have followed is not planned")
	var told int
	require.NoError(t, b.sql.QueryRow(t.Context(), "SELECT count(*) FROM changes").Scan(&told))
	require.Zero(t, told)
}

func TestWorker_EventTakenAwayWhileItIsHandled_WritesNoHistory(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ids := b.scheduled().ready().insert(t, 3)
	var h handled
	kind := h.kind(func(ctx context.Context, e event.Event) (event.Result, error) {
		if e.ID == ids[0] {
			_, err := event.CancelAll(ctx, b.store, b.tenant, ids[:1], []string{"processing"})
			return event.Done().Log([]byte(`{"sent": true}`)), err
		}
		if e.ID == ids[1] {
			_, err := event.CancelAll(ctx, b.store, b.tenant, ids[1:2], []string{"processing"})
			require.NoError(t, err)
		}
		return event.Done(), &event.AttemptError{Reason: "No.", Permanent: true}
	})
	event.NewWorker(b.store, event.Config{}, kind).RunUntilIdle(t.Context())
	require.Equal(t, "cancelled", b.stored(t, ids[0])[0].Status)
	require.Equal(t, "cancelled", b.stored(t, ids[1])[0].Status)
	rows, err := b.sql.Query(t.Context(), "SELECT event_id FROM event_attempts")
	require.NoError(t, err)
	written, err := pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
	require.NoError(t, err)
	require.Equal(t, ids[2:], written, "only the attempt whose result was recorded")
}

func TestWorker_CompletedEvent_PlansAndTellsInTheSameCommit(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.scheduled().ready().insert(t, 1)
	var h handled
	kind := h.kind(func(_ context.Context, e event.Event) (event.Result, error) {
		if e.Occurrence != "" {
			return event.Done(), nil
		}
		next := event.New(testKind, e.Subject, "2027", testtime.Now().Add(-time.Second), time.UTC)
		twice := event.New(testKind, e.Subject, "2027", testtime.Now().Add(-time.Second), time.UTC)
		return event.Done().Plan(next, twice).
			Notify(db.Change{ID: uuid.New(), Type: "booking.reminder", SubjectType: "booking",
				SubjectID: e.Subject.ID, Version: 7,
				Data: []byte(`{"a": 1}`)}), nil
	})
	event.NewWorker(b.store, event.Config{}, kind).RunUntilIdle(t.Context())
	require.Len(t, h.ids(), 2, "planning the same occurrence twice plans once")
	var data string
	require.NoError(t, b.sql.QueryRow(t.Context(),
		"SELECT data FROM changes WHERE type = 'booking.reminder' AND version = 7").Scan(&data))
	require.Equal(t, `{"a": 1}`, data)
}

func TestWorker_EventDueAgain_PlansInTheSameCommit(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.scheduled().ready().insert(t, 1)[0]
	later := testtime.Now().Add(time.Hour)
	next := event.New("test.next", event.Subject{Type: "test", ID: uuid.New()}, "", later, time.UTC)
	var h handled
	kind := h.kind(func(context.Context, event.Event) (event.Result, error) {
		return event.Again(later).Plan(next).Data([]byte(`{"page":2}`)), nil
	})
	var planned []uuid.UUID
	event.NewWorker(b.store, event.Config{Observers: []event.Observer{func(n event.Notice) {
		if n.What == event.NoticePlanned {
			planned = append(planned, n.Event.ID)
		}
	}}}, kind).RunUntilIdle(t.Context())
	require.Equal(t, []uuid.UUID{id}, h.ids())
	require.Equal(t, []uuid.UUID{next.EventID}, planned)
	for _, e := range b.stored(t, id, next.EventID) {
		require.Equal(t, "pending", e.Status)
	}
	var data string
	require.NoError(t, b.sql.QueryRow(t.Context(), "SELECT data FROM scheduled_events WHERE event_id = $1",
		id).Scan(&data))
	require.Equal(t, `{"page":2}`, data)
}

func TestWorker_PlansWhatIsPlannedAlready_OnlyBringsItForwardOrBack(t *testing.T) {
	t.Parallel()
	due := testtime.Now().Add(24 * time.Hour).Truncate(time.Second)
	earlier, later := due.Add(-time.Hour), due.Add(time.Hour)
	for name, c := range map[string]struct {
		status  string
		due     time.Time
		request bool
		plans   bool
	}{
		"due earlier":            {status: "pending", due: earlier},
		"due later":              {status: "pending", due: later, plans: true},
		"failed":                 {status: "failed", due: later},
		"dead":                   {status: "dead", due: later},
		"completed":              {status: "completed", due: later},
		"cancelled for a reason": {status: "cancelled", due: earlier, plans: true},
		"cancelled on request":   {status: "cancelled", due: later, request: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.scheduled().ready().insert(t, 1)
			next := event.New("test.next", event.Subject{Type: "test", ID: uuid.New()}, "2027", due, time.UTC)
			before := uuid.New()
			_, err := b.sql.Exec(t.Context(), `
				INSERT INTO scheduled_events (tenant_id, event_id, kind, subject_type, subject_id, occurrence, status, due_at, time_zone,
				attempts,
					version, last_error, cancelled_on_request, data, created_at, updated_at)
				VALUES ($1, $2, 'test.next', 'test', $3, '2027', $4, $5, 'UTC', 3, 1, 'No.', $6, '{}', now(), now())`,
				b.tenant, before, next.SubjectID, c.status, c.due, c.request)
			require.NoError(t, err)
			kind := (&handled{}).kind(func(context.Context, event.Event) (event.Result,
				error) {
				return event.Done().Plan(next), nil
			})
			event.NewWorker(b.store, event.Config{}, kind).RunUntilIdle(t.Context())
			want := stored{EventID: before, Status: c.status, DueAt: c.due, Attempts: 3, Version: 1, Error: "No."}
			if c.plans {
				want = stored{EventID: before, Status: "pending", DueAt: due, Version: 2}
			}
			got := b.stored(t, before)[0]
			require.True(t, want.DueAt.Equal(got.DueAt), got.DueAt)
			want.DueAt = got.DueAt
			require.Equal(t, want, got)
		})
	}
}

func TestWorker_WhatAResultWasMadeFromHasChanged_PostponesAndDropsIt(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.scheduled().ready().insert(t, 1)[0]
	var h handled
	kind := h.kind(func(_ context.Context, e event.Event) (event.Result, error) {
		next := event.New("test.next", e.Subject, "", testtime.Now(), time.UTC)
		// There is no such booking, so it has not this version.
		return event.Done().Plan(next).Log([]byte(`{}`)).BasedOn(event.BasedOn{Booking: event.SubjectVersion{ID: e.Subject.ID,
			Version: 1}}).
			Notify(db.Change{ID: uuid.New(), Type: "test", SubjectType: "test", Data: []byte(`{}`)}), nil
	})
	var mu sync.Mutex
	var noticed []string
	event.NewWorker(b.store, event.Config{Observers: []event.Observer{func(n event.Notice) {
		mu.Lock()
		defer mu.Unlock()
		noticed = append(noticed, n.What)
	}}}, kind).RunUntilIdle(t.Context())
	require.Equal(t, []string{event.NoticeLeased, event.NoticeUncountedRetry}, noticed)
	e := b.stored(t, id)[0]
	require.Equal(t, "pending", e.Status)
	require.Zero(t, e.Attempts)
	for _, table := range []string{"scheduled_events WHERE kind = 'test.next'", "event_attempts", "changes"} {
		var n int
		require.NoError(t, b.sql.QueryRow(t.Context(), "SELECT count(*) FROM "+table).Scan(&n))
		require.Zero(t, n, table)
	}
}

func TestWorker_OneOfManyResultsCannotBeRecorded_OthersAreRecorded(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ids := b.scheduled().ready().insert(t, 10)
	leased, err := event.LeaseDue(t.Context(), b.store, uuid.New(),
		event.LeaseQuery{Kind: testKind, Limit: 10, LeaseTime: longLease})
	require.NoError(t, err)
	results := make([]event.Result, len(ids))
	for i := range results {
		results[i] = event.Done()
	}
	results[3] = event.Done().Log([]byte(`{"cut`))
	w := event.NewWorker(b.store, event.Config{}, (&handled{}).kind(nil))
	event.Record(t.Context(), w, leased[0].Events, results)
	for _, e := range b.stored(t, ids...) {
		want := "completed"
		if e.EventID == leased[0].Events[3].EventID {
			want = "processing" // until its lease ends
		}
		require.Equal(t, want, e.Status)
	}
}

func TestWorker_TwoResultsOfOneEventTogether_OnlyTheNewestClaimIsRecorded(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.scheduled().ready().insert(t, 1)[0]
	var leases []event.LeasedEvent
	for range 2 {
		leased, err := event.LeaseDue(t.Context(), b.store, uuid.New(),
			event.LeaseQuery{Kind: testKind, Limit: 1, LeaseTime: longLease})
		require.NoError(t, err)
		leases = append(leases, leased[0].Events...)
		if len(leases) == 1 {
			b.endLeases(t)
			_, err = event.Rescue(t.Context(), b.store, 0, 10, map[string]event.RescueRule{testKind: {}})
			require.NoError(t, err)
		}
	}
	require.Len(t, leases, 2)
	results := make([]event.Result, 2)
	for i := range results {
		results[i] = event.Done().Log([]byte(`{}`)).Plan(event.New(testKind,
			event.Subject{Type: "test", ID: uuid.New()}, "next",
			testtime.Now().Add(time.Hour), time.UTC)).
			Notify(db.Change{ID: uuid.New(), Type: "test", SubjectType: "test", Data: []byte(`{}`)})
	}
	metrics := prometheus.NewRegistry()
	event.Record(t.Context(), event.NewWorker(b.store, event.Config{Metrics: metrics}, (&handled{}).kind(nil)), leases,
		results)
	require.Equal(t, "completed", b.stored(t, id)[0].Status)
	require.Equal(t, map[string]float64{event.NoticeCompleted: 1, event.NoticeLost: 1, event.NoticePlanned: 1},
		counted(t, metrics))
	var told, planned, logged int
	require.NoError(t, b.sql.QueryRow(t.Context(), `SELECT (SELECT count(*) FROM changes),
		(SELECT count(*) FROM scheduled_events WHERE occurrence = 'next'),
		(SELECT count(*) FROM event_attempts WHERE status = 'completed')`).Scan(&told, &planned, &logged))
	require.Equal(t, []int{1, 1, 1}, []int{told, planned, logged}, "what the older result asked for isn't written")
}

func TestWorker_RowIsLockedForLongerThanTheLockTimeout_ResultIsRecordedAfterwards(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ids := b.scheduled().ready().insert(t, 3)
	impatient := dbtest.Open(t, db.Config{URL: b.url, LockTimeout: 50 * time.Millisecond})
	leased, err := event.LeaseDue(t.Context(), impatient, uuid.New(),
		event.LeaseQuery{Kind: testKind, Limit: 3, LeaseTime: longLease})
	require.NoError(t, err)
	holder, err := b.sql.Begin(t.Context())
	require.NoError(t, err)
	_, err = holder.Exec(t.Context(), "SELECT FROM scheduled_events WHERE event_id = $1 FOR UPDATE", ids[1])
	require.NoError(t, err)
	var recording sync.WaitGroup
	recording.Go(func() {
		w := event.NewWorker(impatient, event.Config{}, (&handled{}).kind(nil))
		event.Record(t.Context(), w, leased[0].Events, []event.Result{event.Done(), event.Done(), event.Done()})
	})
	require.Eventually(t, func() bool {
		var n int
		err := b.sql.QueryRow(t.Context(), "SELECT count(*) FROM scheduled_events WHERE status = 'completed'").Scan(&n)
		return err == nil && n == 2
	}, longestWait, time.Millisecond, "the others don't wait for it")
	require.NoError(t, holder.Rollback(t.Context()))
	recording.Wait()
	for _, e := range b.stored(t, ids...) {
		require.Equal(t, "completed", e.Status)
	}
}

func TestOperator_EventsChangeBetweenSelectionAndReplay_StayAsTheyAre(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, err := b.sql.Exec(t.Context(),
		"INSERT INTO tenants (tenant_id, slug, name, time_zone, currency, created_at) VALUES ($1, 'a', 'A', 'UTC', 'EUR', now())", b.tenant)
	require.NoError(t, err)
	ids := b.scheduled().outOfTries().insert(t, 2)
	operator := event.NewOperator(b.store)
	selected, err := operator.Select(t.Context(), event.Replay, event.AcrossFilter{Status: event.Dead})
	require.NoError(t, err)
	require.Equal(t, 2, selected.Len())
	cancelled, err := event.CancelAll(t.Context(), b.store, b.tenant, ids[:1], []string{"dead"})
	require.NoError(t, err)
	require.Equal(t, 1, cancelled)
	replayed, err := operator.Apply(t.Context(), selected)
	require.NoError(t, err)
	require.Equal(t, 1, replayed)
	require.Equal(t, "cancelled", b.stored(t, ids[0])[0].Status, "a person cancelled it meanwhile")
	require.Equal(t, "pending", b.stored(t, ids[1])[0].Status)
}

func TestWorker_CommitOfAResultIsCutOff_IsRecordedAgain(t *testing.T) {
	t.Parallel()
	for name, before := range map[string]bool{"before the commit": true, "after the commit": false} {
		for _, events := range []int{1, 3} {
			t.Run(fmt.Sprintf("%s of %d", name, events), func(t *testing.T) {
				t.Parallel()
				b := setup(t)
				ids := b.scheduled().ready().insert(t, events)
				lease := event.LeaseQuery{Kind: testKind, Limit: events, LeaseTime: longLease}
				leased, err := event.LeaseDue(t.Context(), b.store, uuid.New(), lease)
				require.NoError(t, err)
				var commits atomic.Int32
				first := func() bool { return commits.Add(1) == 1 }
				proxy := dbtest.NewProxy(t, b.url, func(p *dbtest.Proxy) {
					p.Only = func(sql string) bool { return strings.Contains(sql, "EventFinish ") }
					if before {
						p.BeforeCommit = first
					} else {
						p.AfterCommit = first
					}
				})
				w := event.NewWorker(dbtest.Open(t, db.Config{URL: proxy.URL}), event.Config{}, (&handled{}).kind(nil))
				results := make([]event.Result, events)
				for i := range results {
					results[i] = event.Done().Notify(db.Change{ID: uuid.New(), Type: "test", SubjectType: "test",
						Data: []byte(`{}`)})
				}
				event.Record(t.Context(), w, leased[0].Events, results)
				require.EqualValues(t, 2, commits.Load())
				for _, e := range b.stored(t, ids...) {
					require.Equal(t, "completed", e.Status)
				}
				var told int
				require.NoError(t, b.sql.QueryRow(t.Context(), "SELECT count(*) FROM changes").Scan(&told))
				require.Equal(t, events, told)
			})
		}
	}
}

func TestWorker_HandlerEndsTheEventItself_NothingIsCountedAsCompleted(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ids := b.scheduled().ready().insert(t, 1)
	kind := event.Kind{Name: testKind, Handle: func(ctx context.Context, _ event.Event) (event.Result, error) {
		_, err := event.CancelAll(ctx, b.store, b.tenant, ids[:1], []string{"processing"})
		return event.AlreadyRecorded(), err
	}}
	metrics := prometheus.NewRegistry()
	event.NewWorker(b.store, event.Config{Metrics: metrics}, kind).RunUntilIdle(t.Context())
	require.Equal(t, map[string]float64{event.NoticeLeased: 1, event.NoticeRecorded: 1}, counted(t, metrics))
}

func TestWorker_EventsPlannedAndMoved_AreNoticedAsPlanned(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var noticed []uuid.UUID
	event.NewWorker(b.store, event.Config{Observers: []event.Observer{func(n event.Notice) {
		require.Equal(t, event.NoticePlanned, n.What)
		noticed = append(noticed, n.Event.ID)
	}}})
	var planned []db.NewEvent
	for range 2 {
		planned = append(planned,
			event.New(testKind, event.Subject{Type: "test", ID: uuid.New()}, "", testtime.Now().Add(time.Hour),
				time.UTC))
	}
	require.NoError(t, b.store.Write(t.Context(), "write", b.tenant, nil, func(tx *db.WriteTx) func() error {
		return func() error {
			tx.PlanEvents(planned[0])
			tx.MoveEvent(planned[1])
			return nil
		}
	}))
	require.Equal(t, []uuid.UUID{planned[0].EventID, planned[1].EventID}, noticed)
}

// oneAfterAnother has a worker that runs until the test ends handle three events, each planned when the one before was
// handled. By itself the worker looks for events twice at most: when it begins, and when it begins to listen. So one of
// the three needs what is tested.
func (b *testBundle) oneAfterAnother(t *testing.T, poll time.Duration, plan func()) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	handled := make(chan struct{}, 1)
	kind := event.Kind{Name: testKind, Handle: func(context.Context, event.Event) (event.Result, error) {
		handled <- struct{}{}
		return event.Done(), nil
	}}
	var running sync.WaitGroup
	running.Go(func() { event.NewWorker(b.store, event.Config{Poll: poll}, kind).Run(ctx) })
	defer running.Wait()
	defer stop()
	for range 3 {
		plan()
		testtime.Receive(t, handled)
	}
}

func TestWorker_EventPlannedByAnotherProcess_IsHandledWithoutPolling(t *testing.T) {
	t.Parallel()
	b := setup(t)
	other := b.anotherStore(t)
	b.oneAfterAnother(t, time.Hour, func() {
		require.NoError(t, other.Write(t.Context(), "write", b.tenant, nil, func(tx *db.WriteTx) func() error {
			return func() error {
				tx.PlanEvents(event.New(testKind, event.Subject{Type: "test", ID: uuid.New()}, "", tx.Now(), time.UTC))
				return nil
			}
		}))
	})
}

func TestWorker_NotificationsWithoutAPause_DoNotKeepItFromPolling(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx, stop := context.WithCancel(t.Context())
	var notifying sync.WaitGroup
	notifying.Go(func() {
		often := time.NewTicker(20 * time.Millisecond)
		defer often.Stop()
		for ctx.Err() == nil {
			_, _ = b.sql.Exec(ctx, "SELECT pg_notify('holdfast_events', 'another.kind')")
			select {
			case <-often.C:
			case <-ctx.Done():
			}
		}
	})
	defer notifying.Wait()
	defer stop()
	b.oneAfterAnother(t, time.Second, func() { b.scheduled().ready().insert(t, 1) }) // of which nobody is notified
}
