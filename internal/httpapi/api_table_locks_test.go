package httpapi_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/internal/db"
	"holdfast/internal/lock"
	"holdfast/internal/problem"
)

// Somebody has locked a table by hand, as ALTER TABLE and VACUUM FULL do.
func TestLockOfATable_IsNamedAndCountedAndShown(t *testing.T) {
	t.Parallel()
	c := newServer(t, func(cfg *db.Config) { cfg.LockTimeout = 300 * time.Millisecond }).newTenant(t, "Europe/Berlin")
	service := c.newService(t, "date", nil, c.newResource(t, 10))
	booking := c.book(t, service, future(0)).id(t)
	tx, err := c.sql.Begin(t.Context())
	require.NoError(t, err)
	t.Cleanup(func() { _ = tx.Rollback(context.Background()) })
	_, err = tx.Exec(t.Context(), "LOCK TABLE bookings, payments IN ACCESS EXCLUSIVE MODE")
	require.NoError(t, err)

	// The connection has prepared the statements of a booking, and none of a list of payments.
	for name, ask := range map[string]func() answer{
		"write": func() answer {
			return c.post(t, "/v1/bookings", bookingOf(service, future(1)), "Idempotency-Key", "x")
		},
		"read": func() answer { return c.get(t, "/v1/bookings/"+booking.String()) },
		"read that must be prepared first": func() answer {
			return c.get(t,
				"/v1/bookings/"+booking.String()+"/payments")
		},
	} {
		a := ask()
		requireProblem(t, a, http.StatusServiceUnavailable, problem.LockTimeout)
		require.Contains(t, a.text(t, "detail"), "Something else has locked a table", name)
	}
	metrics := c.metrics(t)
	require.InDelta(t, 3, metrics[`holdfast_lock_timeouts_total{kind="table"}`], 0)
	require.InDelta(t, 3, metrics[`holdfast_lock_wait_seconds_count{kind="table"}`], 0)
	require.Greater(t, metrics[`holdfast_lock_wait_seconds_sum{kind="table"}`], 0.5)
	require.Zero(t, metrics[`holdfast_lock_timeouts_total{kind="date"}`])

	ended := make(chan answer, 1)
	go func() { ended <- c.get(t, "/v1/bookings/"+booking.String()) }()
	require.Eventually(t, func() bool {
		var v struct {
			Waiting  int
			Blockers []struct {
				PID     uint32
				Waiting int
				Locks   []string
				Query   string
			}
		}
		c.admin().get(t, "/admin/v1/locks").read(t, &v)
		select {
		case <-ended: // it gave up before it was seen
			go func() { ended <- c.get(t, "/v1/bookings/"+booking.String()) }()
		default:
		}
		return v.Waiting > 0 && len(v.Blockers) == 1 && v.Blockers[0].PID == tx.Conn().PgConn().PID() &&
			v.Blockers[0].Waiting > 0 &&
			v.Blockers[0].Locks[0] == "table bookings" &&
			v.Blockers[0].Query == "LOCK TABLE bookings, payments IN ACCESS EXCLUSIVE MODE"
	}, 30*time.Second, time.Millisecond)
	<-ended
}

func TestLockTimeout_OfADate_IsInTheHistogram(t *testing.T) {
	t.Parallel()
	c := newServer(t, func(cfg *db.Config) { cfg.LockTimeout = 200 * time.Millisecond }).newTenant(t, "Europe/Berlin")
	service := c.newService(t, "date", nil, c.newResource(t, 10))
	keys, err := lock.Dates(c.tenant, lock.Date(future(0)))
	require.NoError(t, err)
	tx, err := c.sql.Begin(t.Context())
	require.NoError(t, err)
	t.Cleanup(func() { _ = tx.Rollback(context.Background()) })
	_, err = tx.Exec(t.Context(), "SELECT pg_advisory_xact_lock($1)", keys.Keys()[0].ID())
	require.NoError(t, err)
	requireProblem(t, c.post(t, "/v1/bookings", bookingOf(service, future(0)), "Idempotency-Key", "x"),
		http.StatusServiceUnavailable,
		problem.LockTimeout)
	metrics := c.metrics(t)
	require.InDelta(t, 1, metrics[`holdfast_lock_timeouts_total{kind="date"}`], 0)
	require.Greater(t, metrics[`holdfast_lock_wait_seconds_sum{kind="date"}`], 0.15)
}
