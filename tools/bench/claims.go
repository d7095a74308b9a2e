package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/db"
	"holdfast/internal/event"
	"holdfast/tools/bench/strategies"
)

const (
	claimKind = "bench.claim"
	// claimLimit is how many events are claimed at once, and claimsOfTenant how many of them are one tenant's if they are claimed fairly.
	claimLimit     = 100
	claimsOfTenant = 4
	// claimMargin is how much earlier than the last event a worker begins its next claim.
	claimMargin = 5 * time.Second
	// claimsDue is how many events are due; all others are due in the future. Each event that is completed plans another one, so that as
	// many stay due.
	claimsDue    = 2000
	claimTenants = 1000
)

// mostPending bounds how many events a database is filled with.
const mostPending = 50_000_000

// parsePending reads the numbers of pending events of the databases, such as 10000,1000000.
func parsePending(list string) (sizes []int, err error) {
	for text := range strings.SplitSeq(list, ",") {
		n, err := strconv.Atoi(text)
		if err != nil || n < 2*claimsDue || n > mostPending {
			return nil, fmt.Errorf("%q is not a number of pending events from %d to %d", text, 2*claimsDue, mostPending)
		}
		sizes = append(sizes, n)
	}
	return sizes, nil
}

// claimWays are the claims that are told apart. next returns the claim after the one that claimed these events.
var claimWays = []struct {
	name string
	next func(last event.Claimed) event.Claim
}{
	{"from the oldest on", func(event.Claimed) event.Claim { return event.Claim{} }},
	{"from the last one on", func(last event.Claimed) event.Claim {
		if len(last.Events) == 0 {
			return event.Claim{}
		}
		newest := slices.MaxFunc(last.Events, func(a, b event.ClaimedEvent) int { return a.DueAt.Compare(b.DueAt) })
		return event.Claim{Since: newest.DueAt.Add(-claimMargin)}
	}},
	{"by tenants", func(last event.Claimed) event.Claim {
		return event.Claim{Fairly: true, PerTenant: claimsOfTenant, After: last.LastTenant}
	}},
}

// claimTable is a database with a number of pending events.
type claimTable struct {
	*database
	store *db.DB
}

// measureClaims measures claims of databases that differ in their number of pending events. All are there from the beginning.
func measureClaims(ctx context.Context, pending []int, rounds int, duration time.Duration, out io.Writer) (*report, error) {
	var tables []*claimTable
	defer func() {
		for _, t := range tables {
			t.stop()
		}
	}()
	var all []entry
	for _, n := range pending {
		_, _ = fmt.Fprintf(out, "filling a database with %d events\n", n)
		t, err := startClaimTable(ctx, n)
		if err != nil {
			return nil, err
		}
		tables = append(tables, t)
	}
	for _, way := range claimWays {
		for i, t := range tables {
			run := func(ctx context.Context) (measurement, error) { return t.claim(ctx, duration, way.next) }
			all = append(all, entry{"claims " + way.name, atService, fmt.Sprintf("%d events", pending[i]), run})
		}
	}
	r := newReport(all, rounds, duration)
	r.machine = describeMachine(ctx, tables[0].version, "")
	if err := r.measureAll(ctx, 0, false); err != nil {
		return nil, err
	}
	return r.measureRounds(ctx, out)
}

// startClaimTable makes a database with so many pending events.
func startClaimTable(ctx context.Context, pending int) (_ *claimTable, err error) {
	t := new(claimTable)
	if t.database, err = startDatabase(ctx, nil); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			t.stop()
		}
	}()
	if err := t.fill(ctx, pending); err != nil {
		return nil, err
	}
	t.store, err = db.Open(ctx, db.Config{URL: t.url})
	return t, err
}

func (t *claimTable) stop() {
	if t.store != nil {
		t.store.Close()
	}
	t.database.stop()
}

// fill plans the events.
func (t *claimTable) fill(ctx context.Context, pending int) error {
	return t.exec(ctx, fmt.Sprintf(`INSERT INTO scheduled_events (tenant_id, event_id, kind, subject_type,
			subject_id, occurrence, status, due_at, time_zone, attempts, version, data, created_at, updated_at)
		SELECT ('00000000-0000-7000-8000-' || lpad(to_hex(n / greatest(%[1]d / %[2]d, 1) %% %[2]d + 1), 12, '0'))::uuid, id, '%[4]s',
			'bench', id, '', 'pending',
			CASE WHEN n %% (%[1]d / %[3]d) = 0 THEN now() - make_interval(secs => n %% 600)
				ELSE now() + make_interval(hours => 12, secs => n::bigint * 7919 %% (86400 * 365)) END,
			'UTC', 0, 1, '{}', now(), now()
		FROM generate_series(0, %[1]d - 1) AS n, LATERAL (SELECT lpad(to_hex(n), 32, '0')::uuid AS id) AS ids`,
		pending, claimTenants, claimsDue, claimKind), "REINDEX TABLE scheduled_events", "VACUUM ANALYZE scheduled_events", "CHECKPOINT")
}

// claim claims and completes events until the window is over, at least once, one claim after the other. The latencies are those of the
// claims alone; the processor time is that of both.
func (t *claimTable) claim(ctx context.Context, window time.Duration,
	next func(event.Claimed) event.Claim,
) (measurement, error) {
	m := meter{postmaster: t.postmaster, process: selfCPU}
	before, began := m.read(), time.Now()
	var last event.Claimed
	var took []time.Duration
	for len(took) == 0 || time.Since(began) < window {
		c := next(last)
		c.Kind, c.Limit, c.LeaseTime = claimKind, claimLimit, time.Minute
		claiming := time.Now()
		claimed, err := event.ClaimDue(ctx, t.store, uuid.New(), c)
		if err != nil {
			return measurement{}, err
		}
		took, last = append(took, time.Since(claiming)), claimed[0]
		if err := t.complete(ctx, last.Events); err != nil {
			return measurement{}, err
		}
	}
	r := strategies.NewResult(took)
	r.Elapsed = time.Since(began)
	return measured(r, before, m.read()), nil
}

// complete completes events, each of which plans another one.
func (t *claimTable) complete(ctx context.Context, events []event.ClaimedEvent) error {
	if len(events) == 0 {
		return errors.New("no events were claimed")
	}
	finished := make([]event.FinishedEvent, len(events))
	for i, e := range events {
		next := event.New(claimKind, event.Subject{Type: "bench", ID: uuid.New()}, "", time.Now(), time.UTC)
		finished[i] = event.FinishedEvent{Event: e, Status: string(event.Completed), Next: []db.NewEvent{next}}
	}
	unfinished, err := event.Finish(ctx, t.store, finished)
	if err == nil && len(unfinished.Lost) > 0 {
		err = errors.New("not all events were completed")
	}
	return err
}
