package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"golang.org/x/sync/errgroup"

	"holdfast/internal/event"
	"holdfast/internal/store"
	"holdfast/tools/bench/strategies"
)

// What is the same for Holdfast and River.
const (
	queueConns     = 32   // of each pool
	queueBatch     = 1000 // events that are inserted in a transaction
	queueInserters = 4
)

// queueTenants is how many tenants Holdfast's events are spread over.
const queueTenants = 100

// queue is one way to insert events, and to claim and complete them.
type queue struct {
	name string
	// insert inserts n events that are due.
	insert func(ctx context.Context, n int) error
	// work starts workers with one of the settings, and returns when n events are recorded as completed, and a function that stops
	// the workers.
	work     func(ctx context.Context, setting, n int) (stop func(), err error)
	settings []string // of the workers, of which the fastest is measured
	tables   string
	setting  int // the fastest
	rounds   []queueRound
}

// queueRound is what a queue came to in one round.
type queueRound struct {
	insert, work     time.Duration
	process, dbUsage time.Duration // CPU of this process and of the database
}

func (r queueRound) whole() time.Duration { return r.insert + r.work }

// cpu is the processor time that this process and the database took.
func (r queueRound) cpu() time.Duration { return r.process + r.dbUsage }

// queueComparison is Holdfast's events beside River's jobs.
type queueComparison struct {
	events  int
	rounds  int
	machine machine
	queues  []*queue
}

// measureQueues inserts, claims and completes events that do nothing, with Holdfast and with River, in turns on one database.
func measureQueues(ctx context.Context, events, rounds int, out io.Writer) (*queueComparison, error) {
	d, err := startEventDatabase(ctx)
	if err != nil {
		return nil, err
	}
	defer d.stop()
	st, err := store.Open(ctx, store.Config{URL: d.server.URL(), MaxConns: queueConns})
	if err != nil {
		return nil, err
	}
	defer st.Close()
	jobs, err := openRiver(ctx, d.server.URL())
	if err != nil {
		return nil, err
	}
	defer jobs.pool.Close()
	c := &queueComparison{events: events, rounds: rounds, machine: describeMachine(ctx, d.versions), queues: append([]*queue{holdfastQueue(st)}, jobs.queues()...)}
	for _, q := range c.queues {
		if err := d.chooseSetting(ctx, q, max(events/10, 1), out); err != nil {
			return nil, err
		}
	}
	for round := range rounds {
		for i := range c.queues {
			q := c.queues[(i+round)%len(c.queues)]
			r, err := d.measureQueue(ctx, q, q.setting, events)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", q.name, err)
			}
			q.rounds = append(q.rounds, r)
			_, _ = fmt.Fprintf(out, "round %d of %d, %s: inserted in %.1f s, claimed and completed in %.1f s\n", round+1, rounds, q.name,
				r.insert.Seconds(), r.work.Seconds())
		}
	}
	return c, nil
}

// chooseSetting finds the fastest setting of a queue's workers. Each is tried twice, because other programs take time too.
func (d *eventDatabase) chooseSetting(ctx context.Context, q *queue, events int, out io.Writer) error {
	least := make([]time.Duration, len(q.settings))
	for range 2 {
		for i, setting := range q.settings {
			r, err := d.measureQueue(ctx, q, i, events)
			if err != nil {
				return fmt.Errorf("%s, %s: %w", q.name, setting, err)
			}
			if least[i] == 0 || r.work < least[i] {
				least[i] = r.work
			}
		}
	}
	for i, setting := range q.settings {
		_, _ = fmt.Fprintf(out, "%s, %s: %.0f events/s claimed and completed\n", q.name, setting, float64(events)/least[i].Seconds())
		if least[i] < least[q.setting] {
			q.setting = i
		}
	}
	return nil
}

// measureQueue measures one queue on empty tables. Between the phases it does what autovacuum has done in a database in use.
func (d *eventDatabase) measureQueue(ctx context.Context, q *queue, setting, events int) (r queueRound, err error) {
	if err := d.exec(ctx, "TRUNCATE "+q.tables, "CHECKPOINT"); err != nil {
		return r, err
	}
	m := meter{postmaster: d.postmaster, process: selfCPU}
	phase := func(do func() error) (took time.Duration, err error) {
		before, began := m.read(), time.Now()
		err = do()
		took = time.Since(began)
		after := m.read()
		r.process += after.process - before.process
		r.dbUsage += after.database - before.database
		return took, err
	}
	if r.insert, err = phase(func() error { return q.insert(ctx, events) }); err != nil {
		return r, fmt.Errorf("insert: %w", err)
	}
	if err := d.exec(ctx, "VACUUM ANALYZE "+q.tables); err != nil {
		return r, err
	}
	stop := func() {}
	defer func() { stop() }()
	r.work, err = phase(func() error {
		stop, err = q.work(ctx, setting, events)
		return err
	})
	if err != nil {
		return r, fmt.Errorf("claim and complete: %w", err)
	}
	return r, nil
}

// insertInBatches calls insert for n events, a batch at a time, by several goroutines.
func insertInBatches(n int, insert func(batch, size int) error) error {
	var all errgroup.Group
	all.SetLimit(queueInserters)
	for from := 0; from < n; from += queueBatch {
		all.Go(func() error { return insert(from/queueBatch, min(queueBatch, n-from)) })
	}
	return all.Wait()
}

// errNotAllCompleted says that events were not completed.
var errNotAllCompleted = errors.New("not all events were completed")

// holdfastQueue is Holdfast's own. Its settings are the kind's concurrency.
func holdfastQueue(st *store.Store) *queue {
	const kind = "bench.nothing"
	concurrency := []int{100, 500, 2000, 5000}
	q := &queue{name: "Holdfast", tables: "scheduled_events, event_attempts"}
	for _, n := range concurrency {
		q.settings = append(q.settings, fmt.Sprintf("concurrency %d", n))
	}
	q.insert = func(ctx context.Context, n int) error {
		return insertInBatches(n, func(batch, size int) error {
			tenant := strategies.ID(batch%queueTenants + 1)
			return st.Write(ctx, tenant, store.WriteRead{Scope: tenant}, func(tx *store.WriteTx, _ store.WriteState) error {
				for range size {
					tx.PlanEvents(event.New(kind, event.Subject{Type: "bench", ID: uuid.New()}, "", time.Now(), time.UTC))
				}
				return nil
			})
		})
	}
	q.work = func(ctx context.Context, setting, n int) (func(), error) {
		var completed atomic.Int64
		all := make(chan struct{})
		w := event.NewWorker(st, event.Config{Observers: []event.Observer{func(notice event.Notice) {
			if notice.What == event.NoticeCompleted && completed.Add(1) == int64(n) {
				close(all)
			}
		}}}, event.Kind{Name: kind, Concurrency: concurrency[setting], Handle: func(context.Context, event.Event) (event.Result, error) {
			return event.Done(), nil
		}})
		ctx, cancel := context.WithCancel(ctx)
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			w.Run(ctx)
		}()
		stop := func() {
			cancel()
			<-ended
		}
		select {
		case <-all:
			return stop, nil
		case <-ended:
			return stop, errNotAllCompleted
		}
	}
	return q
}
