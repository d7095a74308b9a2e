package torture_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"holdfast/tools/torture"
	"holdfast/tools/torture/cluster"
	"holdfast/tools/torture/workload"
)

// storeLate takes answers to where they belong, each some time after what it tells of was committed.
func storeLate(ctx, load context.Context, c *cluster.Cluster) error {
	return beside(ctx, load, c, 150*time.Millisecond, func(conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, `
			WITH late AS (DELETE FROM late_keys RETURNING *)
			INSERT INTO idempotency_keys SELECT * FROM late ON CONFLICT DO NOTHING`)
		return err
	})
}

// recordLate takes records of changes to their table, each some time after its change was committed.
func recordLate(ctx, load context.Context, c *cluster.Cluster) error {
	return beside(ctx, load, c, 150*time.Millisecond, func(conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, `
			WITH late AS (DELETE FROM late_changes RETURNING *)
			INSERT INTO changes (tenant_id, change_id, type, subject_type, subject_id, version, notice, occurred_at, data)
			SELECT tenant_id, change_id, type, subject_type, subject_id, version, notice, occurred_at, data FROM late`)
		return err
	})
}

// claimLate takes claims to their table, each some time after its booking was committed.
func claimLate(ctx, load context.Context, c *cluster.Cluster) error {
	return beside(ctx, load, c, 20*time.Millisecond, func(conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, `
			WITH late AS (DELETE FROM late_claims RETURNING *)
			INSERT INTO claims (tenant_id, owner_id, number, resource_id, units, busy_from, busy_until, expires_at)
			SELECT tenant_id, owner_id, number, resource_id, units, busy_from, busy_until, expires_at FROM late`)
		return err
	})
}

// endedLeases has the lease of a scheduled event end when it begins, as if every worker were too slow.
var endedLeases = []rewrite{{
	where: []string{"-- name: EventLease"}, old: "statement_timestamp() + $2::interval",
	by: "statement_timestamp() + 0 * $2::interval",
}}

// takeBack takes events back from workers whose lease has ended, more often than the servers do, and more often than
// some kinds of events have attempts: it counts no attempt.
func takeBack(ctx, load context.Context, c *cluster.Cluster) error {
	return beside(ctx, load, c, 50*time.Millisecond, func(conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, `
			WITH expired AS MATERIALIZED (
				SELECT tenant_id, event_id FROM scheduled_events
				WHERE status = 'processing' AND leased_until <= clock_timestamp() FOR UPDATE SKIP LOCKED
			)
			UPDATE scheduled_events e
			SET status = 'failed', attempts = 0, due_at = clock_timestamp(), version = version + 1, lease = NULL, leased_until = NULL
			FROM expired x WHERE e.tenant_id = x.tenant_id AND e.event_id = x.event_id`)
		return err
	})
}

// untilHoldsEnd is an actor, and then waits until all holds have ended.
func untilHoldsEnd(act actor) actor {
	return func(ctx, load context.Context, c *cluster.Cluster) error {
		if act != nil {
			if err := act(ctx, load, c); err != nil {
				return err
			}
		}
		<-load.Done()
		waiting, end := context.WithCancel(ctx)
		defer end()
		return beside(ctx, waiting, c, 100*time.Millisecond, func(conn *pgx.Conn) error {
			var held int
			err := conn.QueryRow(ctx, `SELECT count(*) FROM bookings WHERE status = 'held'`).Scan(&held)
			if held == 0 {
				end()
			}
			return err
		})
	}
}

// slowly is an actor on slow paths between the servers and the database, so that changes take as long as elsewhere.
func slowly(act actor) actor { return delayed(40, act) }

// delayed is an actor on paths between the servers and the databases that delay all requests, by milliseconds.
func delayed(latency int64, act actor) actor {
	return func(ctx, load context.Context, c *cluster.Cluster) (err error) {
		slow := cluster.Toxic{Type: "latency", Stream: "upstream", Toxicity: 1,
			Attributes: map[string]int64{"latency": latency}}
		var cures []func() error
		defer func() {
			for _, cure := range cures {
				err = errors.Join(err, cure())
			}
		}()
		for _, s := range c.Servers {
			for _, back := range s.Backs {
				cure, err := back.Poison(slow)
				if err != nil {
					return err
				}
				cures = append(cures, cure)
			}
		}
		if act == nil {
			<-load.Done()
			return nil
		}
		return act(ctx, load, c)
	}
}

// beside does something to the database again and again, once more when the load has ended.
func beside(ctx, load context.Context, c *cluster.Cluster, pause time.Duration, do func(*pgx.Conn) error) error {
	conn, err := pgx.Connect(ctx, c.Databases[0].URL())
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }()
	ticker := time.NewTicker(pause)
	defer ticker.Stop()
	for load.Err() == nil {
		select {
		case <-ticker.C:
		case <-load.Done():
		}
		if err := do(conn); err != nil {
			return err
		}
	}
	return nil
}

// The calendar's clock runs sixty times as fast, so that holds of a minute, the shortest there are, end within the
// run.
var fastClockRewrites = []rewrite{
	{where: []string{"-- name: DatesClock"}, old: "clock_timestamp()", by: "public.fast_clock()"},
}

// fastExpiry is the fast clock, by which workers end holds too. Everything else that is due is due by the database's
// own clock.
var fastExpiry = append([]rewrite{anyTimeIsDue, {
	where: []string{"-- name: EventLease"}, old: "s.due_at <= now()",
	by: "s.due_at <= CASE s.kind WHEN 'booking.hold_expiry' THEN public.fast_clock() ELSE now() END",
}}, fastClockRewrites...)

// anyTimeIsDue has workers lease events of each kind that has some, and the lease say which are due.
var anyTimeIsDue = rewrite{
	where: []string{"-- name: EventPollWork"}, old: "AND s.due_at <= now() AND s.due_at >= now() - $2::interval",
	by: "",
}

const fastClock = `
	DO $$ BEGIN EXECUTE format('CREATE FUNCTION public.fast_clock() RETURNS timestamptz LANGUAGE sql VOLATILE AS
		$f$ SELECT timestamptz %1$L + 60 * (clock_timestamp() - timestamptz %1$L) $f$', clock_timestamp()); END $$;`

// slowCrowd has many clients hold and confirm, to make up for slow paths.
func slowCrowd(_ *testing.T, cfg *torture.Config) {
	cfg.Clients = 48
	cfg.Env = append(cfg.Env, "HOLDFAST_DATABASE_CONNS=24")
	cfg.Operations = operations(map[string]int{"hold": 4, "confirm": 5, "cancel": 1, "create": 1, "read": 1})
}

// payingCrowd has clients pay for holds of which many end by themselves.
func payingCrowd(_ *testing.T, cfg *torture.Config) {
	cfg.Operations = operations(map[string]int{"hold": 6, "pay": 8, "confirm": 2, "cancel": 1, "create": 2, "read": 1})
}

// delivered has the events of a crowd delivered to a receiver, which fails now and then.
func delivered(crowd func(*testing.T, *torture.Config)) func(*testing.T, *torture.Config) {
	return func(t *testing.T, cfg *torture.Config) {
		t.Helper()
		crowd(t, cfg)
		cfg.Webhooks = true
	}
}

// changingPayers has clients pay for bookings while others change them.
func changingPayers(_ *testing.T, cfg *torture.Config) {
	cfg.Clients = 48
	cfg.Env = append(cfg.Env, "HOLDFAST_DATABASE_CONNS=24")
	cfg.Operations = operations(map[string]int{"hold": 4, "pay": 12, "confirm": 5, "cancel": 3, "create": 1})
}

// cancellingCrowd has clients cancel most of what they book. Each cancellation plans an event that is due at once.
func cancellingCrowd(_ *testing.T, cfg *torture.Config) {
	cfg.Clients = 24
	cfg.Operations = operations(map[string]int{"create": 6, "hold": 4, "cancel": 9})
}

// operations are those of the workload that have a weight.
func operations(weights map[string]int) (list []workload.Share) {
	for _, s := range workload.Operations() {
		if weight := weights[s.Kind()]; weight > 0 {
			list = append(list, workload.Share{Operation: s.Operation, Weight: weight})
		}
	}
	return list
}

// expireHolds marks holds that are over as expired, and doesn't know of their dates' locks.
func expireHolds(ctx, load context.Context, c *cluster.Cluster) error {
	return beside(ctx, load, c, 5*time.Millisecond, func(conn *pgx.Conn) error {
		rows, err := conn.Query(ctx,
			`SELECT booking_id FROM bookings WHERE status = 'held' AND hold_expires_at <= public.fast_clock()`)
		if err != nil {
			return err
		}
		over, err := pgx.CollectRows(rows, pgx.RowTo[[16]byte])
		if err != nil {
			return err
		}
		for _, id := range over {
			if _, err := conn.Exec(ctx, `
				WITH freed AS (DELETE FROM claims WHERE owner_id = $1)
				UPDATE bookings SET status = 'expired', version = version + 1, updated_at = public.fast_clock() WHERE booking_id = $1`,
				uuid.UUID(id).String()); err != nil {
				return err
			}
		}
		return nil
	})
}

// impatient puts somebody between the servers and the provider who takes no answer for a decline, as an adapter might.
// The provider's events, which would tell the truth in the end, are off.
func impatient(t *testing.T, cfg *torture.Config) {
	t.Helper()
	const answerLimit = 500 * time.Millisecond
	var provider atomic.Value
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		to, known := provider.Load().(string)
		if err != nil || !known {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		ctx, cancel := context.WithTimeout(r.Context(), answerLimit)
		defer cancel()
		request, err := http.NewRequestWithContext(ctx, r.Method, to+r.URL.RequestURI(), bytes.NewReader(body))
		if err != nil {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		request.Header = r.Header.Clone()
		response, err := http.DefaultClient.Do(request)
		if err == nil {
			defer func() { _ = response.Body.Close() }()
			body, err = io.ReadAll(response.Body)
		}
		switch {
		case err == nil:
			w.WriteHeader(response.StatusCode)
			_, _ = w.Write(body)
		case r.Method == http.MethodPost && r.URL.Path == "/v1/charges":
			w.WriteHeader(http.StatusCreated)
			_, _ = io.WriteString(w, `{"id": "ch_none", "status": "declined", "decline_code": "timeout"}`)
		default:
			w.WriteHeader(http.StatusBadGateway)
		}
	}))
	t.Cleanup(proxy.Close)
	cfg.Env = append(cfg.Env, "HOLDFAST_SANDBOX_URL="+proxy.URL)
	cfg.Actor = func(ctx, _ context.Context, c *cluster.Cluster) error {
		request, err := http.NewRequestWithContext(ctx, http.MethodPut, c.Provider.URL+"/admin/webhook",
			strings.NewReader(`{"url": ""}`))
		if err != nil {
			return err
		}
		request.Header.Set("Authorization", "Bearer "+cluster.SandboxKey)
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			return err
		}
		provider.Store(c.Provider.URL)
		return response.Body.Close()
	}
}
