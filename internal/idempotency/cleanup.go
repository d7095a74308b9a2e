package idempotency

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"holdfast/internal/db"
)

// DefaultCleanupBatch is how many keys the cleanup deletes in one transaction by default.
const DefaultCleanupBatch = 1000

// refusal is the error of a cleanup that can't have a session of its own.
const refusal = "Expired idempotency keys are not deleted: the cleanup's connection leads through a transaction pooler. " +
	"Set HOLDFAST_DIRECT_DATABASE_URL to an address without one."

// CleanupConfig says how expired keys are deleted.
type CleanupConfig struct {
	// Interval is the mean time between the end of a run and the next one; each pause is between half of it and one and
	// a half. Zero or less: Run does nothing.
	Interval time.Duration
	// Batch is how many keys one transaction deletes at most. Default DefaultCleanupBatch.
	Batch int
	// Metrics receives the cleanup's metrics; nil registers none.
	Metrics prometheus.Registerer
	// Logger receives what the cleanup did; nil discards it.
	Logger *slog.Logger
}

// Cleanup deletes the keys whose life is over. Every instance may run one: a session lock of the database lets one
// at a time delete. It is safe for concurrent use.
type Cleanup struct {
	db      *db.DB
	cfg     CleanupConfig
	metrics *cleanupMetrics
	refused atomic.Bool
}

// NewCleanup returns a cleanup of the keys in s.
func NewCleanup(d *db.DB, cfg CleanupConfig) *Cleanup {
	if cfg.Batch <= 0 {
		cfg.Batch = DefaultCleanupBatch
	}
	cfg.Logger = cmp.Or(cfg.Logger, slog.New(slog.DiscardHandler))
	return &Cleanup{db: d, cfg: cfg, metrics: newCleanupMetrics(cfg.Metrics, cfg.Interval > 0)}
}

// Run cleans up at once and then on its timer, until ctx ends. It returns when the batch under way has ended. What goes
// wrong is logged and counted, and tried again at the next time.
func (c *Cleanup) Run(ctx context.Context) {
	for c.cfg.Interval > 0 && ctx.Err() == nil {
		_, _ = c.RunOnce(ctx) // has logged it
		// Instances that were started together don't stay together.
		select {
		case <-time.After(c.cfg.Interval/2 + rand.N(c.cfg.Interval)): //nolint:gosec // G404: the jitter of a timer is no secret
		case <-ctx.Done():
		}
	}
}

// CleanupRun is what one run came to.
type CleanupRun struct {
	// Deleted is how many keys this run deleted.
	Deleted int
	// Skipped says that another instance is cleaning up. It doesn't say that nothing was left to delete.
	Skipped bool
}

// RunOnce deletes the keys that are expired, batch by batch, under the session lock, until none is left or ctx ends.
// Keys that a request is writing at the moment are left for the next time.
//
// Errors: db.ErrPooled when the connection can't hold a session lock, nothing was deleted; db.ErrLockLost and
// others of the database, after Deleted keys were.
func (c *Cleanup) RunOnce(ctx context.Context) (CleanupRun, error) {
	began := time.Now()
	var run CleanupRun
	held, err := c.db.Cleanup(ctx, func(s *db.Cleanup) error {
		for ctx.Err() == nil {
			deleted, err := s.DeleteExpired(ctx, c.cfg.Batch)
			if err != nil {
				return err
			}
			run.Deleted += deleted
			c.metrics.deleted.Add(float64(deleted))
			if deleted < c.cfg.Batch {
				break
			}
		}
		return nil
	})
	run.Skipped = !held && err == nil
	c.refused.Store(errors.Is(err, db.ErrPooled))
	if held {
		c.metrics.duration.Observe(time.Since(began).Seconds())
	}
	c.note(ctx, run, err)
	return run, err
}

// note counts and logs a run.
func (c *Cleanup) note(ctx context.Context, run CleanupRun, err error) {
	log := c.cfg.Logger
	switch {
	case ctx.Err() != nil && errors.Is(err, ctx.Err()):
		// It was told to stop before it could begin.
	case errors.Is(err, db.ErrPooled):
		c.metrics.runs.WithLabelValues(runRefused).Inc()
		log.Error(refusal)
	case err != nil:
		c.metrics.runs.WithLabelValues(runFailed).Inc()
		log.Warn("clean up idempotency keys", "deleted", run.Deleted, "error", err)
	case run.Skipped:
		c.metrics.runs.WithLabelValues(runSkipped).Inc()
		log.Debug("another instance cleans up idempotency keys")
	default:
		c.metrics.runs.WithLabelValues(runDone).Inc()
		level := slog.LevelDebug
		if run.Deleted > 0 {
			level = slog.LevelInfo
		}
		log.Log(ctx, level, "cleaned up idempotency keys", "deleted", run.Deleted)
	}
}

// Warning returns what an operator has to mend before keys are deleted again, as the last run found it; empty if
// nothing. It tells nothing of the database.
func (c *Cleanup) Warning() string {
	if c.refused.Load() {
		return refusal
	}
	return ""
}

// Results of a run, as metrics label them.
const (
	runDone    = "done"
	runFailed  = "failed"
	runRefused = "refused"
	runSkipped = "skipped"
)

// cleanupMetrics are the cleanup's figures. Durations are in seconds.
type cleanupMetrics struct {
	runs     *prometheus.CounterVec
	deleted  prometheus.Counter
	duration prometheus.Histogram
}

// newCleanupMetrics returns metrics registered with reg; nil registers none. The runs of a cleanup on a timer are there
// before the first one, so that a rate can be taken. Without a timer they are absent, so that nobody expects runs.
func newCleanupMetrics(reg prometheus.Registerer, timed bool) *cleanupMetrics {
	register := promauto.With(reg)
	m := &cleanupMetrics{
		runs: register.NewCounterVec(prometheus.CounterOpts{
			Name: "holdfast_cleanup_runs_total",
			Help: "Runs of the idempotency cleanup, by result: skipped while another instance cleaned up, refused behind a transaction " +
				"pooler.",
		}, []string{"result"}),
		deleted: register.NewCounter(prometheus.CounterOpts{
			Name: "holdfast_cleanup_deleted_total",
			Help: "Expired idempotency keys that this instance deleted.",
		}),
		duration: register.NewHistogram(prometheus.HistogramOpts{
			Name: "holdfast_cleanup_duration_seconds", Buckets: []float64{.01, .05, .1, .5, 1, 5, 10, 60, 300, 1800},
			Help: "Time of those runs that held the cleanup's lock.",
		}),
	}
	if timed {
		for _, result := range []string{runDone, runFailed, runRefused, runSkipped} {
			m.runs.WithLabelValues(result)
		}
	}
	return m
}
