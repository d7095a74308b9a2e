package core

import (
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

// metrics are the figures of locks, transactions and the pool. Durations are in seconds.
type metrics struct {
	lockWait     *prometheus.HistogramVec
	lockHold     *prometheus.HistogramVec
	lockTimeouts *prometheus.CounterVec
	retries      prometheus.Counter
	unknown      prometheus.Counter
	staleReads   *prometheus.CounterVec
	groupSize    prometheus.Histogram

	mu     sync.Mutex
	groups []func() int64 // how many requests wait or share a transaction, of each group
}

// groupRequests returns how many requests share a transaction, or wait to share one.
func (m *metrics) groupRequests() (sum float64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, requests := range m.groups {
		sum += float64(requests())
	}
	return sum
}

// Values of the label served_by.
const (
	servedByPrimary = "primary"
	servedByStandby = "standby"
)

func newMetrics(reg prometheus.Registerer, pool *pgxpool.Pool) *metrics {
	buckets := []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10}
	register := promauto.With(reg)
	m := &metrics{
		lockWait: register.NewHistogramVec(prometheus.HistogramOpts{
			Name: "holdfast_lock_wait_seconds", Buckets: buckets,
			Help: "Time from asking for a transaction's locks to having them, or to giving up, in the process and in PostgreSQL.",
		}, []string{"kind"}),
		lockHold: register.NewHistogramVec(prometheus.HistogramOpts{
			Name: "holdfast_lock_hold_seconds", Buckets: buckets,
			Help: "Time from having a transaction's locks to the end of the transaction.",
		}, []string{"kind"}),
		lockTimeouts: register.NewCounterVec(prometheus.CounterOpts{
			Name: "holdfast_lock_timeouts_total",
			Help: "Transactions that gave up waiting for a lock: the kinds table, row and idempotency_key are PostgreSQL's own locks.",
		}, []string{"kind"}),
		retries: register.NewCounter(prometheus.CounterOpts{
			Name: "holdfast_transaction_retries_total",
			Help: "Transactions that were run again after a lost connection, a deadlock or a lost race.",
		}),
		unknown: register.NewCounter(prometheus.CounterOpts{
			Name: "holdfast_unknown_outcomes_total",
			Help: "Commits whose outcome could not be learnt and was reported as unknown.",
		}),
		staleReads: register.NewCounterVec(prometheus.CounterOpts{
			Name: "holdfast_standby_reads_total",
			Help: "Reads of requests with Prefer: stale, by which server served them.",
		}, []string{"served_by"}),
	}
	m.groupSize = register.NewHistogram(prometheus.HistogramOpts{
		Name: "holdfast_group_size", Buckets: []float64{1, 2, 4, 8, 16, 32, 64},
		Help: "Requests of a tenant that shared one transaction.",
	})
	register.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "holdfast_group_requests", Help: "Requests that share a transaction, or wait to share one.",
	}, m.groupRequests)
	m.staleReads.WithLabelValues(servedByPrimary)
	m.staleReads.WithLabelValues(servedByStandby)
	register.NewGaugeFunc(prometheus.GaugeOpts{Name: "holdfast_pool_connections", Help: "Database connections open."},
		func() float64 { return float64(pool.Stat().TotalConns()) })
	register.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "holdfast_pool_connections_in_use", Help: "Database connections that run a transaction.",
	}, func() float64 { return float64(pool.Stat().AcquiredConns()) })
	register.NewGaugeFunc(prometheus.GaugeOpts{Name: "holdfast_pool_connections_max", Help: "Upper bound of the pool."},
		func() float64 { return float64(pool.Stat().MaxConns()) })
	register.NewCounterFunc(prometheus.CounterOpts{
		Name: "holdfast_pool_wait_seconds_total", Help: "Time that transactions waited for a connection.",
	}, func() float64 { return pool.Stat().EmptyAcquireWaitTime().Seconds() })
	return m
}

// timedOut counts a wait for a lock that ended without it.
func (m *metrics) timedOut(kind string, waited time.Duration) {
	m.lockTimeouts.WithLabelValues(kind).Inc()
	m.lockWait.WithLabelValues(kind).Observe(waited.Seconds())
}
