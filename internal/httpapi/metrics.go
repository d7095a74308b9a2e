package httpapi

import (
	"net/http"
	"strconv"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/prometheus/client_golang/prometheus"
)

// metrics are the figures of the HTTP edge. Durations are in seconds.
type metrics struct {
	duration  *prometheus.HistogramVec
	inFlight  prometheus.Gauge
	panics    prometheus.Counter
	replays   prometheus.Counter
	conflicts *prometheus.CounterVec
	limited   prometheus.Counter

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

// of returns the figures of the bulkhead with this name, all of them there before the first request.
func (m *metrics) of(bulkhead string) bulkheadMetrics {
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
	m := &metrics{
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "holdfast_http_request_duration_seconds",
			Help:    "Time from the end of a request's headers to the end of its answer.",
			Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10},
		}, []string{"method", "route", "status"}),
		inFlight: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "holdfast_http_requests_in_flight",
			Help: "Requests being answered.",
		}),
		panics: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "holdfast_http_panics_total",
			Help: "Requests that ended in a panic.",
		}),
		replays: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "holdfast_idempotent_replays_total",
			Help: "Requests answered with the stored answer of an earlier one.",
		}),
		conflicts: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "holdfast_conflicts_total",
			Help: "Requests refused because of what others did first (409 and 412), by code.",
		}, []string{"code"}),
		limited: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "holdfast_requests_rate_limited_total",
			Help: "Requests refused because their API key sent too many (429).",
		}),
		working: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "holdfast_requests_working",
			Help: "Requests at work, by bulkhead: payments, which wait for the provider, and all others.",
		}, []string{"bulkhead"}),
		waiting: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "holdfast_requests_waiting",
			Help: "Requests that arrive or wait for a place at work.",
		}, []string{"bulkhead"}),
		wait: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "holdfast_requests_wait_seconds", Buckets: []float64{.001, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10},
			Help: "Time that requests waited for a place at work, of those that had to.",
		}, []string{"bulkhead"}),
		shed: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "holdfast_requests_shed_total",
			Help: "Requests refused with 503 overloaded, by reason: queue_full, share_full (of one tenant), timeout, deadline (of the client).",
		}, []string{"bulkhead", "reason"}),
	}
	if reg != nil {
		reg.MustRegister(m.duration, m.inFlight, m.panics, m.replays, m.conflicts, m.limited, m.working, m.waiting, m.wait, m.shed)
	}
	return m
}

// unmatched is the route label of requests that no route answers.
const unmatched = "unmatched"

func routeOf(c *gin.Context) string {
	if route := c.FullPath(); route != "" {
		return route
	}
	return unmatched
}

// observe counts an answered request.
func (m *metrics) observe(c *gin.Context, took time.Duration) {
	status := c.Writer.Status()
	m.duration.WithLabelValues(methodLabel(c.Request.Method), routeOf(c), strconv.Itoa(status)).Observe(took.Seconds())
	if c.Writer.Header().Get("Idempotent-Replayed") == "true" {
		m.replays.Inc()
		return // what is told again didn't happen again
	}
	if status == http.StatusConflict || status == http.StatusPreconditionFailed {
		if s := stateOf(c.Request.Context()); s != nil && s.problem != nil {
			m.conflicts.WithLabelValues(string(s.problem.Code)).Inc()
		}
	}
}

// methodLabel keeps clients from inventing label values.
func methodLabel(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions:
		return method
	}
	return "other"
}
