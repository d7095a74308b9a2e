package admission

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

// Why requests are shed, as metrics label it.
const (
	shedDeadline  = "deadline"
	shedQueueFull = "queue_full"
	shedShareFull = "share_full"
	shedTimeout   = "timeout"
)

// metrics are the figures of admission. Durations are in seconds.
type metrics struct {
	limited prometheus.Counter
	working *prometheus.GaugeVec
	waiting *prometheus.GaugeVec
	wait    *prometheus.HistogramVec
	shed    *prometheus.CounterVec
}

// bulkheadMetrics are the figures of one bulkhead.
type bulkheadMetrics struct {
	working, waiting prometheus.Gauge
	wait             prometheus.Observer
	shed             map[string]prometheus.Counter // by reason
}

// bulkhead returns the figures of the bulkhead with this name, all of them there before the first request.
func (m *metrics) bulkhead(bulkhead string) bulkheadMetrics {
	b := bulkheadMetrics{
		working: m.working.WithLabelValues(bulkhead), waiting: m.waiting.WithLabelValues(bulkhead),
		wait: m.wait.WithLabelValues(bulkhead), shed: make(map[string]prometheus.Counter),
	}
	for _, reason := range []string{shedDeadline, shedQueueFull, shedShareFull, shedTimeout} {
		b.shed[reason] = m.shed.WithLabelValues(bulkhead, reason)
	}
	return b
}

// newMetrics returns metrics registered with reg; nil registers none.
func newMetrics(reg prometheus.Registerer) *metrics {
	register := promauto.With(reg)
	return &metrics{
		limited: register.NewCounter(prometheus.CounterOpts{
			Name: "holdfast_requests_rate_limited_total",
			Help: "Requests refused because their API key, their visitor or their address sent too many (429).",
		}),
		working: register.NewGaugeVec(prometheus.GaugeOpts{
			Name: "holdfast_requests_working",
			Help: "Requests at work, by bulkhead: payments, which wait for the provider, and all others.",
		}, []string{"bulkhead"}),
		waiting: register.NewGaugeVec(prometheus.GaugeOpts{
			Name: "holdfast_requests_waiting",
			Help: "Requests that wait for a place at work; those of a tenant's own API key also while their bodies arrive.",
		}, []string{"bulkhead"}),
		wait: register.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "holdfast_requests_wait_seconds",
			Buckets: []float64{.001, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10},
			Help:    "Time that requests waited for a place at work, of those that had to.",
		}, []string{"bulkhead"}),
		shed: register.NewCounterVec(prometheus.CounterOpts{
			Name: "holdfast_requests_shed_total",
			Help: "Requests refused with 503 overloaded, by reason: queue_full, share_full (of one tenant), timeout, deadline (of the " +
				"client).",
		}, []string{"bulkhead", "reason"}),
	}
}
