package event_test

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/db"
	"holdfast/internal/event"
	"holdfast/internal/testtime"
)

// The results of a batch are recorded in one round trip, and what follows from them in another one. Nothing follows
// from a result that is lost, and the other results are recorded all the same.
func TestFinish_OneResultOfABatchIsLost_TheOtherOneIsRecorded(t *testing.T) {
	t.Parallel()
	for name, bothPlan := range map[string]bool{"only the lost one plans": false, "both plan": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.scheduled().ready().insert(t, 2)
			leased, err := event.LeaseDue(t.Context(), b.store, uuid.New(),
				event.LeaseQuery{Kind: testKind, Limit: 2, LeaseTime: time.Hour})
			require.NoError(t, err)
			require.Len(t, leased[0].Events, 2)
			lost, held := leased[0].Events[0], leased[0].Events[1]
			_, err = b.sql.Exec(t.Context(), "UPDATE scheduled_events SET version = version + 1 WHERE event_id = $1",
				lost.EventID)
			require.NoError(t, err)
			results := []event.FinishedEvent{{Event: lost, Status: "completed"}, {Event: held, Status: "completed"}}
			for i := range results {
				if i == 0 || bothPlan {
					subject := event.Subject{Type: "test", ID: results[i].Event.SubjectID}
					results[i].Next = []db.NewEvent{event.New(testKind, subject, "next", testtime.At(0, 9, 0, time.UTC),
						time.UTC)}
				}
			}
			unfinished, err := event.Finish(t.Context(), b.store, results)
			require.NoError(t, err)
			require.Equal(t, []uuid.UUID{lost.EventID}, unfinished.Lost)
			var status string
			require.NoError(t, b.sql.QueryRow(t.Context(), "SELECT status FROM scheduled_events WHERE event_id = $1",
				held.EventID).Scan(&status))
			require.Equal(t, "completed", status)
			var planned []uuid.UUID
			require.NoError(t, b.sql.QueryRow(t.Context(),
				"SELECT coalesce(array_agg(subject_id), '{}') FROM scheduled_events WHERE occurrence = 'next'").Scan(&planned))
			if bothPlan {
				require.Equal(t, []uuid.UUID{held.SubjectID}, planned)
			} else {
				require.Empty(t, planned)
			}
		})
	}
}

// An event's id may follow from a booking's, which a client may choose: two tenants can have one.
func TestFinish_LostResultHasTheIDOfAnotherTenantsEvent_NothingFollowsFromIt(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.scheduled().ready().insert(t, 1)
	_, err := b.sql.Exec(t.Context(), `INSERT INTO scheduled_events (tenant_id, event_id, kind, subject_type, subject_id, occurrence,
			status, due_at, time_zone, attempts, version, data, created_at, updated_at)
		SELECT gen_random_uuid(), event_id, kind, subject_type, gen_random_uuid(), occurrence, status, due_at, time_zone, attempts, version,
			data, created_at, updated_at FROM scheduled_events`)
	require.NoError(t, err)
	leased, err := event.LeaseDue(t.Context(), b.store, uuid.New(),
		event.LeaseQuery{Kind: testKind, Limit: 2, LeaseTime: time.Hour})
	require.NoError(t, err)
	require.Len(t, leased[0].Events, 2)
	lost, held := leased[0].Events[0], leased[0].Events[1]
	require.Equal(t, lost.EventID, held.EventID)
	_, err = b.sql.Exec(t.Context(), "UPDATE scheduled_events SET version = version + 1 WHERE tenant_id = $1",
		lost.TenantID)
	require.NoError(t, err)
	next := event.New(testKind, event.Subject{Type: "test", ID: lost.SubjectID}, "next", testtime.At(0, 9, 0, time.UTC),
		time.UTC)
	unfinished, err := event.Finish(t.Context(), b.store, []event.FinishedEvent{
		{Event: lost, Status: "completed", Next: []db.NewEvent{next}}, {Event: held, Status: "completed"},
	})
	require.NoError(t, err)
	require.Equal(t, []uuid.UUID{lost.EventID}, unfinished.Lost)
	var planned int
	require.NoError(t, b.sql.QueryRow(t.Context(),
		"SELECT count(*) FROM scheduled_events WHERE occurrence = 'next'").Scan(&planned))
	require.Zero(t, planned)
}
