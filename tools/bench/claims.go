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
	"github.com/jackc/pgx/v5"

	"holdfast/internal/event"
	"holdfast/internal/store"
	"holdfast/tools/bench/strategies"
)

const (
	claimKind = "bench.claim"
	// claimLimit is how many events are claimed at once.
	claimLimit = 100
	// claimsDue is how many events are due; all others are due in the future. Each event that is completed plans another one, so that as
	// many stay due.
	claimsDue    = 2000
	claimTenants = 1000
)

// errNotAllCompleted says that events were not completed.
var errNotAllCompleted = errors.New("not all events were completed")

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
	if !slices.IsSorted(sizes) {
		return nil, fmt.Errorf("the numbers of pending events must grow: %s", list)
	}
	return sizes, nil
}

// claimTable is a database with a number of pending events.
type claimTable struct {
	*eventDatabase
	store   *store.Store
	timer   *claimTimer
	pending int
	rounds  []claimRound
}

// claimRound is how long claims took.
type claimRound struct {
	// oldest are claims that begin with the oldest event; they are made one after the other. workers are those of a worker, which begin
	// where the last one ended, and fairly those of a worker that go by tenants.
	oldest, workers, fairly []time.Duration
	// completed is how many events the worker completed in a second.
	completed float64
}

// claims is what claims cost on databases that differ in their number of pending events, and beside an open transaction.
type claims struct {
	rounds  int
	window  time.Duration
	machine machine
	tables  []*claimTable
	// Of the largest database: before the transaction began, and after it had been open for so long.
	before, during claimRound
	open           time.Duration
	dead           int64 // rows that can't be removed because of the transaction
}

// measureClaims measures claims of each database in turns: all are there from the beginning.
func measureClaims(ctx context.Context, cfg eventConfig, out io.Writer) (_ *claims, err error) {
	c := &claims{rounds: cfg.rounds, window: cfg.duration, open: cfg.open}
	defer func() {
		for _, t := range c.tables {
			t.stop()
		}
	}()
	for _, n := range cfg.pending {
		_, _ = fmt.Fprintf(out, "filling a database with %d events\n", n)
		t, err := startClaimTable(ctx, n)
		if err != nil {
			return nil, err
		}
		c.tables = append(c.tables, t)
		c.machine = describeMachine(ctx, t.versions)
	}
	for round := range cfg.rounds + 1 {
		_, _ = fmt.Fprintf(out, "round %d of %d\n", round, cfg.rounds)
		for i := range c.tables {
			t := c.tables[(i+round)%len(c.tables)]
			r, err := t.measure(ctx, cfg.duration)
			if err != nil {
				return nil, fmt.Errorf("claim from %d events: %w", t.pending, err)
			}
			if round > 0 { // the round before the first one warms up
				t.rounds = append(t.rounds, r)
			}
		}
	}
	if c.open > 0 {
		_, _ = fmt.Fprintf(out, "holding a transaction open for %s\n", c.open)
		err = c.holdOpen(ctx)
	}
	return c, err
}

// holdOpen measures before a transaction begins, and again after the transaction has been open for long and a worker has gone on.
func (c *claims) holdOpen(ctx context.Context) (err error) {
	t, window := c.tables[len(c.tables)-1], 5*c.window
	if c.before, err = t.measure(ctx, window); err != nil {
		return err
	}
	tx, err := t.conn.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead})
	if err != nil {
		return fmt.Errorf("begin the transaction that stays open: %w", err)
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }()
	if _, err := tx.Exec(ctx, "SELECT count(*) FROM tenants"); err != nil { // takes the snapshot
		return fmt.Errorf("take the snapshot of the transaction that stays open: %w", err)
	}
	if _, err := t.work(ctx, c.open); err != nil {
		return err
	}
	if c.during, err = t.measure(ctx, window); err != nil {
		return err
	}
	for c.dead == 0 { // each completed event leaves some, and sessions report them late
		if _, err := tx.Exec(ctx, "SELECT pg_stat_clear_snapshot()"); err != nil {
			return fmt.Errorf("ask for new statistics: %w", err)
		}
		if err := tx.QueryRow(ctx, "SELECT pg_stat_get_dead_tuples('scheduled_events'::regclass)").Scan(&c.dead); err != nil {
			return fmt.Errorf("count the rows that can't be removed: %w", err)
		}
		time.Sleep(neighbourPause)
	}
	return nil
}

// startClaimTable makes a database with so many pending events.
func startClaimTable(ctx context.Context, pending int) (_ *claimTable, err error) {
	t := &claimTable{pending: pending, timer: new(claimTimer)}
	if t.eventDatabase, err = startEventDatabase(ctx); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			t.stop()
		}
	}()
	if err := t.fill(ctx); err != nil {
		return nil, err
	}
	t.store, err = store.Open(ctx, store.Config{URL: t.server.URL(), Tracer: t.timer})
	return t, err
}

func (t *claimTable) stop() {
	if t.store != nil {
		t.store.Close()
	}
	t.eventDatabase.stop()
}

// fill plans the events. Indexes that are no constraint's are made afterwards, which is faster.
func (t *claimTable) fill(ctx context.Context) error {
	rows, err := t.conn.Query(ctx, `SELECT indexname, indexdef FROM pg_indexes WHERE tablename = 'scheduled_events'
		AND indexname NOT IN (SELECT conname FROM pg_constraint)`)
	if err != nil {
		return fmt.Errorf("list the indexes: %w", err)
	}
	type index struct{ Name, Definition string }
	indexes, err := pgx.CollectRows(rows, pgx.RowToStructByPos[index])
	if err != nil {
		return fmt.Errorf("list the indexes: %w", err)
	}
	var drop, create []string
	for _, i := range indexes {
		drop, create = append(drop, "DROP INDEX "+i.Name), append(create, i.Definition)
	}
	return t.exec(ctx, slices.Concat(drop, []string{fmt.Sprintf(`INSERT INTO scheduled_events (tenant_id, event_id, kind, subject_type, subject_id,
			occurrence, status, due_at, time_zone, attempts, version, data, created_at, updated_at)
		SELECT ('00000000-0000-7000-8000-' || lpad(to_hex(n / greatest(%[1]d / %[2]d, 1) %% %[2]d + 1), 12, '0'))::uuid, id, '%[4]s', 'bench', id, '', 'pending',
			CASE WHEN n %% (%[1]d / %[3]d) = 0 THEN now() - make_interval(secs => n %% 600)
				ELSE now() + make_interval(hours => 12, secs => n::bigint * 7919 %% (86400 * 365)) END,
			'UTC', 0, 1, '{}', now(), now()
		FROM generate_series(0, %[1]d - 1) AS n, LATERAL (SELECT lpad(to_hex(n), 32, '0')::uuid AS id) AS ids`,
		t.pending, claimTenants, claimsDue, claimKind)}, create, []string{"VACUUM ANALYZE scheduled_events", "CHECKPOINT"})...)
}

// measure measures the claims of one caller, and those of a worker, each for the length of a window.
func (t *claimTable) measure(ctx context.Context, window time.Duration) (claimRound, error) {
	oldest, err := t.claimOldest(ctx, window)
	if err != nil {
		return claimRound{}, err
	}
	r, err := t.work(ctx, window)
	r.oldest = oldest
	return r, err
}

// claimOldest claims and completes events, at least once, one claim after the other, each from the oldest event on.
func (t *claimTable) claimOldest(ctx context.Context, window time.Duration) (took []time.Duration, err error) {
	for until := time.Now().Add(window); len(took) == 0 || time.Now().Before(until); {
		began := time.Now()
		claimed, err := t.store.ClaimEvents(ctx, uuid.New(), store.EventClaim{Kind: claimKind, Limit: claimLimit, LeaseTime: time.Minute})
		if err != nil {
			return nil, err
		}
		took = append(took, time.Since(began))
		events := claimed[0].Events
		if len(events) != claimLimit {
			return nil, fmt.Errorf("%d events were claimed instead of %d", len(events), claimLimit)
		}
		finished := make([]store.FinishedEvent, len(events))
		for i, e := range events {
			finished[i] = store.FinishedEvent{Event: e, Status: string(event.Completed), Next: []store.NewEvent{nextClaimable()}}
		}
		unfinished, err := t.store.FinishEvents(ctx, finished)
		if err != nil {
			return nil, err
		}
		if len(unfinished.Lost) > 0 {
			return nil, errNotAllCompleted
		}
	}
	return took, nil
}

// nextClaimable is planned by each event that is completed.
func nextClaimable() store.NewEvent {
	return event.New(claimKind, event.Subject{Type: "bench", ID: uuid.New()}, "", time.Now(), time.UTC)
}

// work has a worker claim and complete events for the length of a window, and until it has completed one.
func (t *claimTable) work(ctx context.Context, window time.Duration) (r claimRound, err error) {
	_, _ = t.timer.take() // what was claimed before
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	first := make(chan struct{})
	over := time.AfterFunc(window, func() {
		select {
		case <-first:
		case <-ctx.Done():
		}
		cancel()
	})
	defer over.Stop()
	began, completed := time.Now(), 0
	event.NewWorker(t.store, event.Config{Observers: []event.Observer{func(n event.Notice) {
		if n.What == event.NoticeCompleted { // told by one goroutine
			if completed++; completed == 1 {
				close(first)
			}
		}
	}}}, event.Kind{Name: claimKind, Concurrency: claimLimit, Handle: func(context.Context, event.Event) (event.Result, error) {
		return event.Done().Plan(nextClaimable()), nil
	}}).Run(ctx)
	r.workers, r.fairly = t.timer.take()
	r.completed = float64(completed) / time.Since(began).Seconds()
	if completed == 0 {
		return r, errNotAllCompleted
	}
	return r, nil
}

// quantile returns the time in milliseconds that a share q of the claims kept to.
func quantile(took []time.Duration, q float64) float64 {
	return strategies.NewResult(took).Quantile(q).Seconds() * 1000
}
