package event

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

// metrics are the figures of a worker. Durations are in seconds.
type metrics struct {
	notices *prometheus.CounterVec
	lag     *prometheus.HistogramVec
	took    *prometheus.HistogramVec
	batch   *prometheus.HistogramVec
	// Of leases, which are one transaction with one query for each kind.
	leaseQueries      *prometheus.HistogramVec
	leaseTransactions prometheus.Histogram
	samples           samples
}

func newMetrics(reg prometheus.Registerer) *metrics {
	factory := promauto.With(reg)
	// with the limits of the alerts: 0.1, 0.2 and 1
	leaseBuckets := []float64{.001, .0025, .005, .01, .025, .05, .1, .2, .5, 1, 5}
	return &metrics{
		samples: newSamples(reg),
		notices: factory.NewCounterVec(prometheus.CounterOpts{
			Name: "holdfast_events_total",
			Help: "What this process did with scheduled events, by kind. recorded: completed, cancelled or moved by the handler itself. " +
				"lost: the result was not recorded, because the event was cancelled, moved or given to another worker. " +
				"rescued: taken back from a worker that did not finish in time.",
		}, []string{"kind", "what"}),
		lag: factory.NewHistogramVec(prometheus.HistogramOpts{
			Name: "holdfast_event_due_lag_seconds", Buckets: []float64{.1, .25, .5, 1, 2.5, 5, 10, 30, 60, 300, 3600},
			Help: "How late events were leased.",
		}, []string{"kind"}),
		took: factory.NewHistogramVec(prometheus.HistogramOpts{
			Name: "holdfast_event_attempt_seconds", Buckets: []float64{.001, .005, .01, .05, .1, .5, 1, 5, 15, 60},
			Help: "How long attempts took.",
		}, []string{"kind"}),
		leaseQueries: factory.NewHistogramVec(prometheus.HistogramOpts{
			Name: "holdfast_event_claim_query_seconds", Buckets: leaseBuckets,
			Help: "How long the query that leases events of a kind took in the database.",
		}, []string{"kind"}),
		leaseTransactions: factory.NewHistogram(prometheus.HistogramOpts{
			Name: "holdfast_event_claim_transaction_seconds", Buckets: leaseBuckets,
			Help: "How long it took to lease events of all kinds: " +
				"the wait for a connection, the queries and the COMMIT.",
		}),
		batch: factory.NewHistogramVec(prometheus.HistogramOpts{
			Name: "holdfast_event_claimed_batch", Buckets: []float64{1, 2, 5, 10, 20, 50, 100, 200, 500, 1000},
			Help: "How many events of a kind were leased at once, if any.",
		}, []string{"kind"}),
	}
}

func (m *metrics) observe(n Notice) {
	m.notices.WithLabelValues(n.Event.Kind, n.What).Inc()
	if n.What == NoticeLeased {
		m.lag.WithLabelValues(n.Event.Kind).Observe(n.Event.LeasedAt.Sub(n.Event.DueAt).Seconds())
	}
	if n.Took > 0 {
		m.took.WithLabelValues(n.Event.Kind).Observe(n.Took.Seconds())
	}
}
