package payment

import (
	"errors"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

// metrics are the metrics of payments and provider calls.
type metrics struct {
	calls     *prometheus.HistogramVec
	completed *prometheus.CounterVec
	// contradictions counts payments that failed at the provider after it had reported success, or of which it reports
	// another amount.
	contradictions prometheus.Counter
	// otherAccounts counts webhooks that were refused because their account isn't that of their payment.
	otherAccounts prometheus.Counter
	// refundsDeclined counts automatic refunds that the provider refused.
	refundsDeclined prometheus.Counter
}

func newMetrics(r prometheus.Registerer) *metrics {
	factory := promauto.With(r)
	return &metrics{
		calls: factory.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "holdfast_provider_call_seconds",
			Help:    "How long the payment provider took to answer, by operation and result; with unknown it gave no outcome.",
			Buckets: []float64{.05, .1, .25, .5, 1, 2.5, 5, 10, 20},
		}, []string{"provider", "operation", "result"}),
		completed: factory.NewCounterVec(prometheus.CounterOpts{
			Name: "holdfast_payments_settled_total",
			Help: "Payments and refunds whose end became known, by kind and status.",
		}, []string{"kind", "status"}),
		contradictions: factory.NewCounter(prometheus.CounterOpts{
			Name: "holdfast_payments_contradicted_total",
			Help: "Reports of the provider that a payment or refund failed after it had succeeded, " +
				"or that another amount moved than was ordered. A person has to look.",
		}),
		otherAccounts: factory.NewCounter(prometheus.CounterOpts{
			Name: "holdfast_webhooks_of_other_accounts_total",
			Help: "Webhooks that were refused because their account isn't that of the payment they speak of. A person has to look.",
		}),
		refundsDeclined: factory.NewCounter(prometheus.CounterOpts{
			Name: "holdfast_automatic_refunds_declined_total",
			Help: "Refunds of money that came too late or was too much, which the provider refused. A person has to look.",
		}),
	}
}

// startCall starts the timer of a provider call. stop records the call.
func (m *metrics) startCall(provider, operation string) (stop func(callResult)) {
	start := time.Now()
	return func(result callResult) {
		label := string(result.outcome.Result)
		var notDone *NotDone
		switch {
		case errors.As(result.err, &notDone) && notDone.Method != "":
			label = "bad_method"
		case notDone != nil:
			label = "not_done"
		case result.err != nil:
			label = "unknown"
		}
		m.calls.WithLabelValues(provider, operation, label).Observe(time.Since(start).Seconds())
	}
}
