package webhook_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/db"
	"holdfast/internal/event"
	"holdfast/internal/testtime"
)

// BenchmarkDelivery_Burst commits a burst of events and delivers them to one endpoint: how many deliveries a second,
// and how late the last one is. Run it with -benchtime=1x.
func BenchmarkDelivery_Burst(b *testing.B) {
	const subjects, perTransaction = 1500, 50
	for _, bench := range []struct {
		name       string
		took       time.Duration // how long the endpoint takes for an answer
		perSubject int
	}{
		{"endpoint of 0 ms", 0, 1},
		{"endpoint of 100 ms", 100 * time.Millisecond, 1},
		{"endpoint of 100 ms, 3 events a subject", 100 * time.Millisecond, 3},
	} {
		b.Run(bench.name, func(b *testing.B) {
			for range b.N {
				deliverBurst(b, bench.took, subjects, bench.perSubject, perTransaction)
			}
		})
	}
}

func deliverBurst(b *testing.B, took time.Duration, subjects, perSubject, perTransaction int) {
	b.Helper()
	s := setup(b)
	rec := newReceiver(b, func(_ int, w http.ResponseWriter, _ *http.Request) {
		time.Sleep(took) //nolint:forbidigo // the endpoint's delay is what is measured
		w.WriteHeader(http.StatusNoContent)
	})
	s.newEndpoint(b, rec.URL, "*")
	worker := event.NewWorker(s.store, event.Config{Jobs: []event.Job{event.Relay(s.store)}}, s.service.DeliveryKind())
	ctx, stop := context.WithCancel(b.Context())
	done := make(chan struct{})
	go func() { worker.Run(ctx); close(done) }()
	defer func() { stop(); <-done }()

	committed := make(map[string]time.Time, subjects*perSubject)
	ids := make([]uuid.UUID, subjects)
	for i := range ids {
		ids[i] = uuid.New()
	}
	began := testtime.Now()
	for n := range perSubject {
		for first := 0; first < subjects; first += perTransaction {
			var events []uuid.UUID
			err := s.store.Write(b.Context(), "write", s.tenant.ID, nil, func(tx *db.WriteTx) func() error {
				return func() error {
					events = events[:0]
					for _, subject := range ids[first:min(first+perTransaction, subjects)] {
						id := uuid.Must(uuid.NewV7())
						events = append(events, id)
						tx.AddChange(db.Change{
							ID: id, Type: "booking.created", SubjectType: "booking", SubjectID: subject,
							Version: int64(n + 1),
							Data:    []byte(`{"name": "Zoë"}`),
						})
					}
					return nil
				}
			})
			require.NoError(b, err)
			for _, id := range events {
				committed[id.String()] = testtime.Now()
			}
		}
	}
	var latest time.Duration
	for range subjects * perSubject {
		id := <-rec.arrived
		latest = max(latest, testtime.Now().Sub(committed[id]))
	}
	b.ReportMetric(float64(subjects*perSubject)/testtime.Now().Sub(began).Seconds(), "deliveries/s")
	b.ReportMetric(latest.Seconds(), "s-latest")
	b.ReportMetric(0, "ns/op")
}
