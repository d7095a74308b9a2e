package store

import (
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"
)

// Kinds of locks, as metrics label them.
const (
	kindCalendar = "calendar"
	kindBalance  = "balance"
)

// metrics are the store's figures. Durations are in seconds.
type metrics struct {
	lockWait     *prometheus.HistogramVec
	lockHold     *prometheus.HistogramVec
	lockTimeouts *prometheus.CounterVec
	groupSize    prometheus.Histogram
	retries      prometheus.Counter
	unknown      prometheus.Counter
}

func newMetrics(reg prometheus.Registerer, pool *pgxpool.Pool) *metrics {
	buckets := []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10}
	m := &metrics{
		lockWait: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "holdfast_lock_wait_seconds", Buckets: buckets,
			Help: "Time from asking for a transaction's locks to having them, in the process and in PostgreSQL.",
		}, []string{"kind"}),
		lockHold: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "holdfast_lock_hold_seconds", Buckets: buckets,
			Help: "Time from having a transaction's locks to the end of the transaction.",
		}, []string{"kind"}),
		lockTimeouts: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "holdfast_lock_timeouts_total",
			Help: "Transactions that gave up waiting for their locks.",
		}, []string{"kind"}),
		groupSize: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "holdfast_group_size", Buckets: []float64{1, 2, 4, 8, 16, 32, 64},
			Help: "Requests of a tenant that shared one transaction.",
		}),
		retries: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "holdfast_transaction_retries_total",
			Help: "Transactions that were run again after a lost connection, a deadlock or a lost race.",
		}),
		unknown: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "holdfast_unknown_outcomes_total",
			Help: "Commits whose outcome could not be learnt and was reported as unknown.",
		}),
	}
	m.lockTimeouts.WithLabelValues(kindBalance)
	m.lockTimeouts.WithLabelValues(kindCalendar) // so that a rate can be taken before the first one
	if reg == nil {
		return m
	}
	reg.MustRegister(m.lockWait, m.lockHold, m.lockTimeouts, m.groupSize, m.retries, m.unknown)
	gauge := func(name, help string, value func(*pgxpool.Stat) float64) {
		reg.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help},
			func() float64 { return value(pool.Stat()) }))
	}
	gauge("holdfast_pool_connections", "Database connections open.",
		func(st *pgxpool.Stat) float64 { return float64(st.TotalConns()) })
	gauge("holdfast_pool_connections_in_use", "Database connections that run a transaction.",
		func(st *pgxpool.Stat) float64 { return float64(st.AcquiredConns()) })
	gauge("holdfast_pool_connections_max", "Upper bound of the pool.",
		func(st *pgxpool.Stat) float64 { return float64(st.MaxConns()) })
	reg.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{
		Name: "holdfast_pool_wait_seconds_total", Help: "Time that transactions waited for a connection.",
	}, func() float64 { return pool.Stat().EmptyAcquireWaitTime().Seconds() }))
	return m
}

func (m *metrics) waited(kind string, d time.Duration) {
	m.lockWait.WithLabelValues(kind).Observe(d.Seconds())
}

func (m *metrics) held(kind string, d time.Duration) {
	m.lockHold.WithLabelValues(kind).Observe(d.Seconds())
}
