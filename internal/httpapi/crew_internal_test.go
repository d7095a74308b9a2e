package httpapi

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/internal/tenant"
)

// takes reports whether somebody of the crew is waiting for a job.
func (w crew) takes(job func()) bool {
	synctest.Wait()
	select {
	case w.jobs <- job:
		return true
	default:
		return false
	}
}

func TestCrew_KeepsItsWorkersForAWhile(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newCrew()
		w.do(func() { time.Sleep(time.Hour) }) // the rest begins when the work ends
		time.Sleep(crewRest - time.Nanosecond)
		done := make(chan struct{})
		require.True(t, w.takes(func() { close(done) }))
		<-done
		time.Sleep(crewRest)
		require.False(t, w.takes(func() {}))
	})
}

func TestCrew_NeverKeepsAJobWaitingForAnother(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(*testing.T) {
		w := newCrew()
		w.do(func() { w.do(func() { w.do(func() {}) }) })
		time.Sleep(crewRest) // or the test would end before the workers, which isn't allowed
	})
}

func TestCrew_GivesAPanicToWhoeverWaitsForTheJobAndGoesOn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newCrew()
		require.PanicsWithValue(t, http.ErrAbortHandler, func() { w.do(func() { panic(http.ErrAbortHandler) }) })
		require.True(t, w.takes(func() {}))
		time.Sleep(crewRest)
	})
}

func TestAPanicOfAWorkerIsAnsweredAndLoggedWithItsStack(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	a := New(Config{Logger: slog.New(slog.NewTextHandler(&log, nil))}, Services{Tenants: tenant.NewService(nil, nil)}) // no store
	answer := httptest.NewRecorder()
	a.Handler().ServeHTTP(answer, newStrangersRequest())
	require.Equal(t, http.StatusInternalServerError, answer.Code)
	require.Contains(t, answer.Body.String(), "internal_error")
	require.Contains(t, log.String(), "tenant.(*Service).Authenticate")
	require.Zero(t, a.general.queued)
	require.Equal(t, a.general.working, a.general.free, "its place is free again")
}

// BenchmarkCrew is what it costs to have a job done by somebody else.
func BenchmarkCrew(b *testing.B) {
	w := newCrew()
	b.ReportAllocs()
	for b.Loop() {
		w.do(func() {})
	}
}
