package event

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

const (
	sampleEvery = 30 * time.Second
	// maxSampled bounds how many events of a kind are counted. A larger backlog is shown as this many.
	maxSampled = 10_000
)

// samples are the figures of the rows of all tenants. They are counted anew each time, so that they are right however
// many processes ran or died. Every worker shows the same: take the maximum and not the sum.
type samples struct {
	due, oldestDue, dead, processing *prometheus.GaugeVec
	relayLag, sampled                prometheus.Gauge
}

func newSamples(reg prometheus.Registerer) samples {
	factory := promauto.With(reg)
	gauge := func(name, help string) *prometheus.GaugeVec {
		return factory.NewGaugeVec(prometheus.GaugeOpts{Name: name, Help: help}, []string{"kind"})
	}
	return samples{
		due: gauge("holdfast_events_due",
			"Scheduled events of all tenants that are due and wait for a worker, counted up to 10,000. Read from the database every 30 s."),
		oldestDue: gauge("holdfast_events_oldest_due_seconds",
			"Time since the oldest due event was due; 0 if none is. Read every 30 s."),
		dead: gauge("holdfast_events_dead",
			"Events that failed for the last time and wait for a person, counted up to 10,000. Read every 30 s."),
		processing: gauge("holdfast_events_processing",
			"Events that workers hold, counted up to 10,000. Read every 30 s."),
		relayLag: factory.NewGauge(prometheus.GaugeOpts{
			Name: "holdfast_feed_relay_lag_seconds",
			Help: "Time since the oldest change was recorded from which the relay hasn't planned what follows: webhook deliveries, " +
				"messages. 0 if there is none. Read every 30 s.",
		}),
		sampled: factory.NewGauge(prometheus.GaugeOpts{
			Name: "holdfast_events_sampled_timestamp_seconds",
			Help: "Unix time at which this worker last counted events. It stands still when no worker runs or the database can't be read.",
		}),
	}
}

// sample counts the events of the worker's kinds.
func (w *Worker) sample(ctx context.Context) (more bool, err error) {
	rows, relayLag, err := SampleKinds(ctx, w.db, maxSampled, w.order)
	if err != nil {
		return false, err
	}
	m := w.metrics.samples
	for _, r := range rows {
		m.due.WithLabelValues(r.Kind).Set(float64(r.Due))
		m.oldestDue.WithLabelValues(r.Kind).Set(r.OldestDue)
		m.dead.WithLabelValues(r.Kind).Set(float64(r.Dead))
		m.processing.WithLabelValues(r.Kind).Set(float64(r.Processing))
	}
	m.relayLag.Set(relayLag)
	m.sampled.SetToCurrentTime()
	return false, nil
}
