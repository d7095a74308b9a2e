package edge

import (
	"net/http"
	"strconv"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

// metrics are the figures of the HTTP edge. Durations are in seconds.
type metrics struct {
	duration  *prometheus.HistogramVec
	inFlight  prometheus.Gauge
	panics    prometheus.Counter
	replays   prometheus.Counter
	conflicts *prometheus.CounterVec
	failing   failingTenants
}

// newMetrics returns metrics registered with reg; nil registers none.
func newMetrics(reg prometheus.Registerer) *metrics {
	register := promauto.With(reg)
	m := &metrics{
		duration: register.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "holdfast_http_request_duration_seconds",
			Help:    "Time from the end of a request's headers to the end of its response.",
			Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10},
		}, []string{"method", "route", "status"}),
		inFlight: register.NewGauge(prometheus.GaugeOpts{
			Name: "holdfast_http_requests_in_flight",
			Help: "Requests being answered.",
		}),
		panics: register.NewCounter(prometheus.CounterOpts{
			Name: "holdfast_http_panics_total",
			Help: "Requests that ended in a panic.",
		}),
		replays: register.NewCounter(prometheus.CounterOpts{
			Name: "holdfast_idempotent_replays_total",
			Help: "Requests answered with the stored answer of an earlier one.",
		}),
		conflicts: register.NewCounterVec(prometheus.CounterOpts{
			Name: "holdfast_conflicts_total",
			Help: "Requests refused because of what others did first (409 and 412), by code.",
		}, []string{"code"}),
	}
	register.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "holdfast_tenants_failing",
		Help: "Tenants whose last five requests or more all failed with a 5xx, the last one within ten minutes.",
	}, func() float64 { return float64(m.failing.count(time.Now())) })
	return m
}

// unmatched is the route label of requests that no route answers.
const unmatched = "unmatched"

// Route returns the route of a request as it was registered, for log and metrics.
func Route(c *gin.Context) string {
	if route := c.FullPath(); route != "" {
		return route
	}
	return unmatched
}

// observe counts an answered request.
func (m *metrics) observe(c *gin.Context, r *request, took time.Duration) {
	status := c.Writer.Status()
	m.duration.WithLabelValues(methodLabel(c.Request.Method), Route(c), strconv.Itoa(status)).Observe(took.Seconds())
	m.failing.note(r.tenant, status, r.start)
	if c.Writer.Header().Get("Idempotent-Replayed") == "true" {
		m.replays.Inc()
		return // a replay is no new conflict
	}
	if status == http.StatusConflict || status == http.StatusPreconditionFailed {
		if r.problem != nil {
			m.conflicts.WithLabelValues(string(r.problem.Code)).Inc()
		}
	}
}

// methodLabel keeps clients from inventing label values.
func methodLabel(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete,
		http.MethodOptions:
		return method
	}
	return "other"
}
