package event_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/event"
	"holdfast/internal/idempotency"
	"holdfast/internal/problem"
	"holdfast/internal/testtime"
)

func newRequest(t testing.TB) idempotency.Request {
	t.Helper()
	r, err := idempotency.NewRequest([]string{uuid.NewString()}, "POST", "/", nil)
	require.NoError(t, err)
	return r
}

func TestCancel_WhileAWorkerHandlesTheEvent_ItsResultChangesNothing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	service := event.NewService(b.store)
	id := b.scheduled().ready().insert(t, 1)[0]
	var lost int
	w := event.NewWorker(b.store, event.Config{Observers: []event.Observer{func(n event.Notice) {
		if n.What == event.NoticeLost {
			lost++
		}
	}}}, (&handled{}).kind(func(ctx context.Context, e event.Event) (event.Result, error) {
		_, err := service.Cancel(ctx, b.tenant, newRequest(t), e.ID, "")
		return event.Done(), err
	}))
	w.RunUntilIdle(t.Context())
	s := b.stored(t, id)[0]
	require.Equal(t, "cancelled", s.Status)
	require.EqualValues(t, 3, s.Version, "claimed, then cancelled")
	require.False(t, s.Leased)
	require.Equal(t, 1, lost)
}

func TestReplay_DeadEvent_IsHandledAgainWithAllOfItsAttempts(t *testing.T) {
	t.Parallel()
	b := setup(t)
	service := event.NewService(b.store)
	id := b.scheduled().overdue(24*time.Hour).outOfTries().insert(t, 1)[0]
	h := new(handled)
	w := event.NewWorker(b.store, event.Config{}, h.kind(nil))
	w.RunUntilIdle(t.Context())
	require.Empty(t, h.ids(), "a dead event isn't handled")
	_, err := service.Replay(t.Context(), b.tenant, newRequest(t), id, "")
	require.NoError(t, err)
	w.RunUntilIdle(t.Context())
	require.Equal(t, []uuid.UUID{id}, h.ids())
	require.Equal(t, 1, h.events[0].Attempt)
	require.Equal(t, "completed", b.stored(t, id)[0].Status)
}

func TestReplay_WorkerSleeps_IsWoken(t *testing.T) {
	t.Parallel()
	b := setup(t)
	service := event.NewService(b.store)
	id := b.scheduled().outOfTries().insert(t, 1)[0]
	woken := make(chan []string, 16)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	listening := b.anotherStore(t)
	go func() { ended <- listening.Listen(ctx, func(kinds []string) { woken <- kinds }) }()
	require.Empty(t, testtime.Receive(t, woken), "it listens")
	_, err := service.Replay(t.Context(), b.tenant, newRequest(t), id, "")
	require.NoError(t, err)
	require.Equal(t, []string{testKind}, testtime.Receive(t, woken))
	stop()
	require.NoError(t, testtime.Receive(t, ended))
}

func TestChange_ManyAtOnce_OneIsMadeAndTheOthersAreRefused(t *testing.T) {
	t.Parallel()
	const callers = 8
	for _, change := range []event.Transition{event.Cancel, event.Replay} {
		b := setup(t)
		id := b.scheduled().outOfTries().insert(t, 1)[0]
		errs := make(chan error, callers)
		for range callers {
			s := b.store
			r := newRequest(t)
			go func() {
				service := event.NewService(s)
				do := service.Cancel
				if change == event.Replay {
					do = service.Replay
				}
				_, err := do(t.Context(), b.tenant, r, id, "")
				errs <- err
			}()
		}
		made := 0
		for range callers {
			if err := testtime.Receive(t, errs); err == nil {
				made++
			} else {
				require.True(t, problem.Is(err, problem.InvalidState), "%s: %v", change, err)
			}
		}
		require.Equal(t, 1, made, change)
		require.EqualValues(t, 2, b.stored(t, id)[0].Version)
	}
}

func TestGet_EventOfAnotherTenant_IsNotFound(t *testing.T) {
	t.Parallel()
	b := setup(t)
	service := event.NewService(b.store)
	id := b.scheduled().of(uuid.New()).insert(t, 1)[0]
	_, _, err := service.Get(t.Context(), b.tenant, id)
	require.True(t, problem.Is(err, problem.NotFound), err)
	for _, change := range []func(context.Context, uuid.UUID, idempotency.Request, uuid.UUID,
		string) (idempotency.Outcome,
		error){service.Cancel, service.Replay} {
		_, err := change(t.Context(), b.tenant, newRequest(t), id, "")
		require.True(t, problem.Is(err, problem.NotFound), err)
	}
	require.EqualValues(t, 1, b.stored(t, id)[0].Version)
}
