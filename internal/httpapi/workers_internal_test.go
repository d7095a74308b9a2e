package httpapi

import (
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/internal/testtime"
)

// takes reports whether a worker waits for work.
func (p workerPool) takes(f func()) bool {
	synctest.Wait()
	select {
	case p.work <- f:
		return true
	default:
		return false
	}
}

func TestWorkerPool_IdleWorker_EndsAfterItsRest(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := newWorkerPool()
		p.do(func() { <-time.After(time.Hour) }) // the rest begins when the work ends
		testtime.Advance(workerRest - time.Nanosecond)
		done := make(chan struct{})
		require.True(t, p.takes(func() { close(done) }))
		<-done
		testtime.Advance(workerRest)
		require.False(t, p.takes(func() {}))
	})
}

func TestWorkerPool_AllWorkersBusy_StartsAnother(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(*testing.T) {
		p := newWorkerPool()
		p.do(func() { p.do(func() { p.do(func() {}) }) })
		testtime.Advance(workerRest) // or the test would end before the workers, which isn't allowed
	})
}

func TestWorkerPool_FunctionPanics_CallerGetsThePanicAndTheWorkerGoesOn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := newWorkerPool()
		require.PanicsWithValue(t, http.ErrAbortHandler, func() { p.do(func() { panic(http.ErrAbortHandler) }) })
		require.True(t, p.takes(func() {}))
		testtime.Advance(workerRest)
	})
}

// BenchmarkWorkerPool is the cost of running a function on a worker.
func BenchmarkWorkerPool(b *testing.B) {
	p := newWorkerPool()
	b.ReportAllocs()
	for b.Loop() {
		p.do(func() {})
	}
}
