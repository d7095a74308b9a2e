package payment

import (
	"errors"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

// metrics counts what the provider is asked and what it says.
type metrics struct {
	calls   *prometheus.HistogramVec
	settled *prometheus.CounterVec
	// contradictions are payments that the provider took back after it had said that they succeeded.
	contradictions prometheus.Counter
}

func newMetrics(r prometheus.Registerer) *metrics {
	factory := promauto.With(r)
	return &metrics{
		calls: factory.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "holdfast_provider_call_seconds",
			Help:    "How long the payment provider took to answer, by operation and result; with unknown it gave no outcome.",
			Buckets: []float64{.05, .1, .25, .5, 1, 2.5, 5, 10, 20},
		}, []string{"provider", "operation", "result"}),
		settled: factory.NewCounterVec(prometheus.CounterOpts{
			Name: "holdfast_payments_settled_total",
			Help: "Payments and refunds whose end became known, by kind and status.",
		}, []string{"kind", "status"}),
		contradictions: factory.NewCounter(prometheus.CounterOpts{
			Name: "holdfast_payments_contradicted_total",
			Help: "Payments and refunds that the provider said failed after it had said that they succeeded. A person has to look.",
		}),
	}
}

// call starts the clock of a call and returns what stops it.
func (m *metrics) call(provider, operation string) func(finding) {
	began := time.Now()
	return func(f finding) {
		result := string(f.outcome.Result)
		var notDone *NotDone
		switch {
		case errors.As(f.err, &notDone) && notDone.Method != "":
			result = "bad_method"
		case notDone != nil:
			result = "not_done"
		case f.err != nil:
			result = "unknown"
		}
		m.calls.WithLabelValues(provider, operation, result).Observe(time.Since(began).Seconds())
	}
}

// note counts a payment whose end has just become known.
func (m *metrics) note(w written) {
	if w.contradicted {
		m.contradictions.Inc()
	}
	if w.changed && w.payment.final() {
		m.settled.WithLabelValues(string(w.payment.Kind), string(w.payment.Status)).Inc()
	}
}
