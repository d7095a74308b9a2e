package event_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"holdfast/internal/db"
	"holdfast/internal/event"
	"holdfast/internal/testtime"
)

// modelEvent is a plain model of one event. Time is only whether it is due, and whether its lease has ended.
type modelEvent struct {
	status   string
	due      bool
	attempts int
	version  int64
	holder   int // the lease that holds it, -1 for none
	ended    bool
}

// outstanding are the statuses of events whose next attempt is planned.
func (m *modelEvent) outstanding() bool { return m.status == "pending" || m.status == "failed" }

// set changes the status and takes the event from its holder.
func (m *modelEvent) set(status string, due bool) {
	m.status, m.due, m.holder, m.ended = status, due, -1, false
	m.version++
}

// TestStates_RandomSteps_AgreeWithAModel has several workers lease, finish, lose and repeat, in any order, while the
// event is cancelled, moved and replayed.
func TestStates_RandomSteps_AgreeWithAModel(t *testing.T) {
	t.Parallel()
	const maxAttempts = 3
	b := setup(t)
	ctx := t.Context()
	rapid.Check(t, func(r *rapid.T) {
		kind, subject := "test."+uuid.NewString(), event.Subject{Type: "test", ID: uuid.New()}
		now, later := testtime.Now().Add(-time.Second), testtime.Now().Add(time.Hour)
		write := func(change func(tx *db.WriteTx)) {
			require.NoError(r, b.store.Write(ctx, "write an event", b.tenant, nil, func(tx *db.WriteTx) func() error {
				return func() error {
					change(tx)
					return nil
				}
			}))
		}
		planned := event.New(kind, subject, "", now, time.UTC)
		write(func(tx *db.WriteTx) { tx.PlanEvents(planned) })
		m := modelEvent{status: "pending", due: true, version: 1, holder: -1}
		var leases []event.LeasedEvent // of all workers, also those that lost the event
		reported := make(map[int]bool) // leases whose result was recorded
		due := func() (time.Time, bool) {
			if rapid.Bool().Draw(r, "due") {
				return now, true
			}
			return later, false
		}
		r.Repeat(map[string]func(*rapid.T){
			"claim": func(r *rapid.T) {
				lease := event.LeaseQuery{Kind: kind, Limit: 3, LeaseTime: time.Hour}
				if rapid.Bool().Draw(r, "fairly") {
					lease.Fairly, lease.PerTenant = true, 2
				}
				leased, err := event.LeaseDue(ctx, b.store, uuid.New(), lease)
				require.NoError(r, err)
				got := leased[0].Events
				if !m.outstanding() || !m.due {
					require.Empty(r, got)
					return
				}
				require.Len(r, got, 1)
				leases = append(leases, got[0])
				m.attempts++
				m.set("processing", m.due)
				m.holder = len(leases) - 1
			},
			"finish": func(r *rapid.T) {
				if len(leases) == 0 {
					r.Skip("nobody has claimed it")
				}
				i := rapid.IntRange(0, len(leases)-1).Draw(r, "claim")
				status := rapid.SampledFrom([]string{"completed", "cancelled", "dead", "failed", "pending"}).Draw(r,
					"status")
				at, isDue := due()
				f := event.FinishedEvent{Event: leases[i], Status: status, DueAt: at}
				follows := uuid.New()
				// a worker that repeats a report repeats what follows as well, which then is there already
				if !reported[i] {
					f.Next = []db.NewEvent{{EventID: follows, Kind: "test.next", SubjectType: "test",
						SubjectID: follows, DueAt: later,
						TimeZone: "UTC"}}
				}
				unfinished, err := event.Finish(ctx, b.store, []event.FinishedEvent{f})
				require.NoError(r, err)
				recorded := m.holder == i
				require.Equal(r, recorded, len(unfinished.Lost) == 0)
				_, _, err = event.WithAttempts(ctx, b.store, b.tenant, follows, 1)
				require.Equal(r, recorded, err == nil, "what follows: %v", err)
				if !recorded {
					return
				}
				reported[i] = true
				switch status {
				case "pending":
					m.attempts = 0
				case "completed", "cancelled", "dead":
					isDue = m.due // stays as it was
				}
				m.set(status, isDue)
			},
			"lease ends": func(r *rapid.T) {
				_, err := b.sql.Exec(ctx,
					"UPDATE scheduled_events SET leased_until = now() WHERE event_id = $1 AND status = 'processing'",
					planned.EventID)
				require.NoError(r, err)
				m.ended = m.status == "processing"
			},
			"rescue": func(r *rapid.T) {
				got, err := event.Rescue(ctx, b.store, 0, 10,
					map[string]event.RescueRule{kind: {MaxAttempts: maxAttempts}})
				require.NoError(r, err)
				if !m.ended {
					require.Empty(r, got)
					return
				}
				require.Len(r, got, 1)
				if m.attempts >= maxAttempts {
					m.set("dead", true)
				} else {
					m.set("failed", true)
				}
			},
			"cancel": func(*rapid.T) {
				write(func(tx *db.WriteTx) { tx.EndEvents("It was ended.", subject.ID, kind) })
				if m.outstanding() || m.status == "processing" {
					m.set("cancelled", m.due)
				}
			},
			"move": func(*rapid.T) {
				at, isDue := due()
				write(func(tx *db.WriteTx) { tx.MoveEvent(event.New(kind, subject, "", at, time.UTC)) })
				m.attempts = 0
				m.set("pending", isDue)
			},
			"plan again": func(*rapid.T) {
				write(func(tx *db.WriteTx) { tx.PlanEvents(event.New(kind, subject, "", later, time.UTC)) })
			},
			"replay": func(*rapid.T) {
				write(func(tx *db.WriteTx) { event.ReplayAt(tx, planned.EventID, kind, now) })
				m.attempts = 0
				m.set("pending", true)
			},
			"": func(r *rapid.T) {
				got, _, err := event.WithAttempts(context.WithoutCancel(ctx), b.store, b.tenant, planned.EventID, 1)
				require.NoError(r, err)
				stored := modelEvent{
					status: got.Status, due: !got.DueAt.After(testtime.Now()), attempts: int(got.Attempts),
					version: got.Version,
					holder:  m.holder, ended: m.ended,
				}
				require.Equal(r, m, stored)
			},
		})
	})
}
