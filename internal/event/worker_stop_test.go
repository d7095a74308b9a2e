package event_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/internal/event"
	"holdfast/internal/testtime"
)

func TestWorker_ContextEnds_RecordsWhatIsUnderWay(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ids := b.scheduled().ready().insert(t, 1)
	ctx, stop := bounded(t)
	defer stop()
	started := make(chan struct{})
	var h handled
	kind := h.kind(func(attempt context.Context, _ event.Event) (event.Result, error) {
		close(started)
		<-ctx.Done()
		return event.Done(), attempt.Err()
	})
	var running sync.WaitGroup
	running.Go(func() { event.NewWorker(b.store, event.Config{}, kind).Run(ctx) })
	testtime.Receive(t, started)
	stop()
	running.Wait()
	require.Equal(t, "completed", b.stored(t, ids...)[0].Status)
}

func TestWorker_ContextEnds_GivesBackWhatTakesTooLong(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ids := b.scheduled().ready().insert(t, 1)
	ctx, stop := bounded(t)
	defer stop()
	var h handled
	kind := h.kind(func(attempt context.Context, _ event.Event) (event.Result, error) {
		stop()
		<-attempt.Done()
		return event.Done(), attempt.Err()
	})
	event.NewWorker(b.store, event.Config{DrainTimeout: time.Millisecond}, kind).Run(ctx)
	got := b.stored(t, ids...)[0]
	// A lease that was under way when the worker was told to stop may have taken the event once more, and given it back
	// as well.
	require.Equal(t, stored{EventID: ids[0], Status: "pending", DueAt: got.DueAt, Attempts: 0, Version: got.Version},
		got)
	require.Equal(t, int64(1), got.Version%2, "claimed as often as given back")
}

func TestWorker_ToldToStop_RecordsFailuresThatAreKnown(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		err    func(context.Context) error
		status string
	}{
		"refused for good": {func(context.Context) error {
			return &event.AttemptError{Reason: "Gone.",
				Permanent: true}
		}, "dead"},
		"refused": {func(context.Context) error {
			return &event.AttemptError{Reason: "Busy.", RetryAt: testtime.At(0, 9, 0, time.UTC), Err: errors.New("500")}
		}, "failed"},
		"cut off": {func(ctx context.Context) error {
			return &event.AttemptError{Reason: "No response.",
				Err: ctx.Err()}
		}, "pending"},
		"unknown": {func(context.Context) error { return errors.New("the connection broke") }, "pending"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			ids := b.scheduled().ready().insert(t, 1)
			ctx, stop := bounded(t)
			defer stop()
			var h handled
			kind := h.kind(func(attempt context.Context, _ event.Event) (event.Result, error) {
				stop()
				<-attempt.Done()
				return event.Result{}, c.err(attempt)
			})
			event.NewWorker(b.store, event.Config{DrainTimeout: time.Millisecond}, kind).Run(ctx)
			require.Equal(t, c.status, b.stored(t, ids...)[0].Status)
		})
	}
}

func TestWorker_HandlerPanicsWhenToldToStop_CountsAsFailure(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ids := b.scheduled().ready().insert(t, 1)
	ctx, stop := bounded(t)
	defer stop()
	var h handled
	kind := h.kind(func(attempt context.Context, _ event.Event) (event.Result, error) {
		stop()
		<-attempt.Done()
		panic("a defect")
	})
	event.NewWorker(b.store, event.Config{DrainTimeout: time.Millisecond}, kind).Run(ctx)
	require.Equal(t, "failed", b.stored(t, ids...)[0].Status)
}
