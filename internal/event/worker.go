package event

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/trace"

	"holdfast/internal/db"
	"holdfast/internal/tracing"
)

// Config configures a worker.
type Config struct {
	// Poll is how often the worker polls for work without a notification. Default 1 s.
	Poll time.Duration
	// DrainTimeout is how long attempts may go on after the context of Run has ended. Default 10 s.
	DrainTimeout time.Duration
	// Jobs run beside the kinds, each as often as it says.
	Jobs []Job
	// Observers are called with each notice, after metrics and log.
	Observers []Observer
	// Tracer begins the trace of each attempt; nil begins none.
	Tracer trace.Tracer
	// Metrics registers the worker's metrics; nil registers none. Logger may be nil.
	Metrics prometheus.Registerer
	Logger  *slog.Logger

	lease time.Duration // leaseTime, but in tests
}

// Worker handles scheduled events of every tenant. Any number of instances may run one each.
type Worker struct {
	db        *db.DB
	cfg       Config
	kinds     map[string]registered
	order     []string // of the kinds, as they were registered
	jobs      []*repeatedJob
	leases    leaseSearch
	held      *heldEvents
	contact   *contact
	polls     polls
	observers []Observer
	metrics   *metrics
	log       *slog.Logger
	woken     chan []string // kinds
	// late waits for results whose rows other transactions have locked. The goroutine that holds retryMu tries one of
	// them again.
	late    sync.WaitGroup
	retryMu sync.Mutex
	// followers are of deliveries whose results were recorded. The loop takes them.
	followersMu sync.Mutex
	followers   []Follower
}

// NewWorker returns a worker on d. The kinds have passed CheckKinds, but in tests.
func NewWorker(d *db.DB, cfg Config, kinds ...Kind) *Worker {
	cfg.Poll = cmp.Or(cfg.Poll, time.Second)
	cfg.DrainTimeout = cmp.Or(cfg.DrainTimeout, 10*time.Second)
	cfg.Logger = cmp.Or(cfg.Logger, slog.New(slog.DiscardHandler))
	cfg.lease = cmp.Or(cfg.lease, leaseTime)
	w := &Worker{
		db:      d,
		cfg:     cfg,
		kinds:   make(map[string]registered),
		held:    newHeldEvents(),
		contact: newContact(cfg.Poll, cfg.lease),
		metrics: newMetrics(cfg.Metrics),
		log:     cfg.Logger,
		woken:   make(chan []string, 64),
	}
	w.observers = append([]Observer{w.metrics.observe, logNotices(cfg.Logger)}, cfg.Observers...)
	d.ObservePlanned(func(tenant uuid.UUID, events []db.NewEvent) {
		for _, e := range events {
			w.notify(Notice{What: NoticePlanned, Event: fromNew(tenant, e)})
		}
	})
	own := []Job{{
		Name: "take back events whose lease has ended", Every: lookBackEvery, Woken: db.WakeLeases, Run: w.rescue,
	}}
	if cfg.Metrics != nil {
		own = append(own, Job{Name: "count events for metrics", Every: sampleEvery, Run: w.sample})
	}
	for _, j := range append(own, cfg.Jobs...) {
		w.jobs = append(w.jobs, &repeatedJob{Job: j, woken: make(chan struct{}, 1)})
	}
	for _, k := range kinds {
		w.order = append(w.order, k.Name)
		w.kinds[k.Name] = register(k)
	}
	return w
}

func (w *Worker) notify(n Notice) {
	for _, observe := range w.observers {
		observe(n)
	}
}

// Run handles events until ctx ends. Then it leases no more, and returns when the attempts under way have ended and are
// recorded. After the drain timeout their contexts end.
func (w *Worker) Run(ctx context.Context) {
	var beside sync.WaitGroup
	beside.Go(func() { w.listen(ctx) })
	beside.Go(func() { w.runJobs(ctx) })
	w.handle(ctx, true)
	beside.Wait()
}

// RunUntilIdle handles the events that are due, and those that become due meanwhile, until none is due, and returns
// when all results are recorded.
func (w *Worker) RunUntilIdle(ctx context.Context) { w.handle(ctx, false) }

// handle leases and handles events until ctx ends or, unless forever, until none is due.
func (w *Worker) handle(ctx context.Context, forever bool) {
	// Attempts outlive ctx by the drain timeout.
	working, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(w.cfg.DrainTimeout, stop) })()
	renewing, endRenewing := context.WithCancel(context.WithoutCancel(ctx))
	var renewer sync.WaitGroup
	renewer.Go(func() { w.renewLeases(renewing) })
	defer renewer.Wait()
	defer endRenewing() // when all results are recorded
	attempts, recorded := make(chan attempt, maxFinished), make(chan []attempt, 1)
	var recorder sync.WaitGroup
	recorder.Go(func() { w.recordAll(working, attempts, recorded) })
	defer func() {
		close(attempts)
		recorder.Wait()
	}()

	running := 0
	end := func(batch []attempt) {
		running -= len(batch)
		for _, a := range batch {
			w.kinds[a.event.Kind].ended(a)
		}
		w.follow()
	}
	w.markDue(nil)
	// It is one timer, which notifications don't start anew: they may come without a pause.
	poll := time.NewTimer(untilPoll(time.Now(), w.cfg.Poll))
	defer poll.Stop()
	for ctx.Err() == nil {
		err := w.lease(ctx, func(c LeasedEvent) {
			running++
			go w.attempt(working, c, attempts)
		})
		switch {
		case err != nil && ctx.Err() == nil:
			w.log.Warn("claim scheduled events", "error", err)
		case err == nil && w.canLease(): // also after a fair lease that came to nothing
			continue
		case !forever && running == 0:
			return
		}
		select {
		case batch := <-recorded:
			end(batch)
			if !forever {
				w.markDue(nil)
			}
		case kinds := <-w.woken:
			w.markDue(kinds)
		case <-poll.C:
			w.wake(w.poll(ctx))
			poll.Reset(untilPoll(time.Now(), w.cfg.Poll))
		case <-ctx.Done():
		}
	}
	for running > 0 {
		end(<-recorded)
	}
}

// markDue notes that events of some kinds may be due; nil means of every kind.
func (w *Worker) markDue(kinds []string) {
	for name, k := range w.kinds {
		if kinds == nil || slices.Contains(kinds, name) {
			k.markDue()
		}
	}
}

// follow has the deliveries leased that waited for others that have ended.
func (w *Worker) follow() {
	w.followersMu.Lock()
	followers := w.followers
	w.followers = nil
	w.followersMu.Unlock()
	if d, ok := w.kinds[KindWebhookDelivery].leaser.(*deliveryLeaser); ok {
		for _, f := range followers {
			d.followed(f)
		}
	}
}

// canLease reports whether there is a kind that lease would ask for.
func (w *Worker) canLease() bool {
	for _, k := range w.kinds {
		if k.ready() {
			return true
		}
	}
	return false
}

// lease leases events of every kind that can take some, in one round trip, and calls begin with each.
func (w *Worker) lease(ctx context.Context, begin func(LeasedEvent)) error {
	var queries []LeaseQuery
	now := time.Now()
	for _, kind := range w.order {
		if k := w.kinds[kind]; k.ready() {
			q := k.query(now)
			q.LeaseTime = min(w.cfg.lease, k.kind.longestHold())
			queries = append(queries, q)
		}
	}
	if len(queries) == 0 {
		return nil
	}
	leased, err := LeaseDue(ctx, w.db, uuid.Must(uuid.NewV7()), queries...)
	w.metrics.leaseTransactions.Observe(time.Since(now).Seconds())
	if err != nil {
		return fmt.Errorf("lease: %w", err)
	}
	for i, q := range queries {
		k := w.kinds[q.Kind]
		k.leased(leased[i])
		w.held.add(leased[i].Events, now, k.kind.longestHold())
		w.metrics.leaseQueries.WithLabelValues(q.Kind).Observe(leased[i].Took.Seconds())
		if n := len(leased[i].Events); n > 0 {
			w.metrics.batch.WithLabelValues(q.Kind).Observe(float64(n))
		}
		for _, e := range leased[i].Events {
			begin(e)
		}
	}
	return nil
}

// errHandlerExited is the error of a handler that returned nothing: it ended its goroutine by runtime.Goexit.
var errHandlerExited = errors.New("the handler ended its goroutine")

// attempt makes one attempt at an event and sends it to made, also if the handler panics or ends its goroutine.
func (w *Worker) attempt(ctx context.Context, c LeasedEvent, made chan<- attempt) {
	kind := w.kinds[c.Kind].kind
	ctx, span := startAttempt(ctx, w.cfg.Tracer, c.Kind)
	a := attempt{leased: c, event: fromLeased(c), began: time.Now(), err: errHandlerExited, ids: tracing.Detached(ctx)}
	w.notify(Notice{What: NoticeLeased, Event: a.event, ids: a.ids})
	ctx, cancel := context.WithTimeout(ctx, kind.Timeout)
	defer cancel()
	defer func() {
		a.took = time.Since(a.began)
		if p := recover(); p != nil {
			a.err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		} else if errors.Is(ctx.Err(), context.Canceled) && cutOff(a.err) {
			// The worker stops. That is no failure of the event.
			a.result, a.err = RetryUncounted(a.event.LeasedAt.Add(a.took)), nil
		}
		endAttempt(span, a)
		made <- a
	}()
	a.result, a.err = kind.Handle(ctx, a.event)
}

// cutOff reports whether an attempt whose context was cancelled ended for that reason. An AttemptError that isn't of
// the context is a result, for example a receiver's refusal.
func cutOff(err error) bool {
	var failed *AttemptError
	return err != nil && (errors.Is(err, context.Canceled) || !errors.As(err, &failed))
}
