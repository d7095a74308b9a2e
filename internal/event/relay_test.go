package event_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"holdfast/internal/db"
	"holdfast/internal/db/dbtest"
	"holdfast/internal/event"
	"holdfast/internal/testtime"
)

func TestRelay_TooManyDeliveriesForOneStatement_TakesFewerEventsUntilItSucceeds(t *testing.T) {
	t.Parallel()
	dbtest.NotOnCitus(t)
	b := setup(t)
	const endpoints, events = 5, 300
	// Stands for a statement that takes longer than it may.
	_, err := b.sql.Exec(t.Context(), `
		CREATE FUNCTION refuse_many() RETURNS trigger LANGUAGE plpgsql AS $$
		BEGIN
			IF (SELECT count(*) FROM inserted) > 400 THEN
				RAISE query_canceled;
			END IF;
			RETURN NULL;
		END $$;
		CREATE TRIGGER refuse_many AFTER INSERT ON scheduled_events REFERENCING NEW TABLE AS inserted
			FOR EACH STATEMENT EXECUTE FUNCTION refuse_many()`)
	require.NoError(t, err)
	_, err = b.sql.Exec(t.Context(), `
		INSERT INTO webhook_endpoints (tenant_id, endpoint_id, url, types, description, status, secret, failures, version, created_at,
			updated_at)
		SELECT $1, gen_random_uuid(), 'https://receiver.example', '{*}', '', 'enabled', '', 0, 1, now(), now()
			FROM generate_series(1, $2)`, b.tenant, endpoints)
	require.NoError(t, err)
	_, err = b.sql.Exec(t.Context(), `
		INSERT INTO changes (tenant_id, change_id, type, subject_type, subject_id, version, notice, occurred_at, data)
		SELECT $1, gen_random_uuid(), 'booking.created', 'booking', $2, i, true, now(), '{}'
			FROM generate_series(1, $3) AS i`, b.tenant, uuid.New(), events)
	require.NoError(t, err)

	relay := event.Relay(b.store)
	planned := 0
	require.Eventually(t, func() bool { // transactions of other tests hold the outbox up
		_, _ = relay.Run(t.Context())
		require.NoError(t, b.sql.QueryRow(t.Context(), "SELECT count(*) FROM scheduled_events").Scan(&planned))
		return planned == endpoints*events
	}, longestWait, 5*time.Millisecond, "the relay is stuck at %d deliveries", planned)
}

// plansMessages gives a tenant the event that plans its messages ahead, which is due in a day.
func (b *testBundle) plansMessages(t testing.TB, tenant uuid.UUID) {
	t.Helper()
	require.NoError(t, b.store.Write(t.Context(), "write", tenant, nil, func(tx *db.WriteTx) func() error {
		return func() error {
			tx.PlanEvents(event.New(event.KindPlanAhead, event.Subject{Type: event.SubjectTenant, ID: tenant}, "",
				tx.Now().AddDate(0, 0, 1), time.UTC))
			return nil
		}
	}))
}

// change is a change to be recorded.
type change struct {
	changeType string
	subject    uuid.UUID
	version    int64
	data       string
}

// recordChanges commits changes of a tenant.
func (b *testBundle) recordChanges(t testing.TB, tenant uuid.UUID, changes ...change) {
	t.Helper()
	require.NoError(t, b.store.Write(t.Context(), "write", tenant, nil, func(tx *db.WriteTx) func() error {
		return func() error {
			for _, c := range changes {
				subjectType := event.SubjectBooking
				if c.changeType == "customer.created" || c.changeType == "customer.updated" {
					subjectType = event.SubjectCustomer
				}
				tx.AddChange(db.Change{
					ID: uuid.Must(uuid.NewV7()), Type: c.changeType, SubjectType: subjectType, SubjectID: c.subject,
					Version: c.version, Data: []byte(c.data),
				})
			}
			return nil
		}
	}))
}

// relay passes all changes on. Transactions of other tests in the same cluster hold them up.
func (b *testBundle) relay(t testing.TB) {
	t.Helper()
	relay := event.Relay(b.store)
	require.Eventually(t, func() bool {
		_, err := relay.Run(t.Context())
		require.NoError(t, err)
		var left int
		require.NoError(t, b.sql.QueryRow(t.Context(), `SELECT count(*) FROM changes c, feed_positions p
			WHERE p.reader = 'relay' AND (c.transaction_id, c.change_id) > (p.transaction_id, p.change_id)`).Scan(&left))
		return left == 0
	}, longestWait, 5*time.Millisecond)
}

// messagePlan is what is stored of an event that plans the messages of a subject.
type messagePlan struct {
	TenantID    uuid.UUID
	SubjectType string
	SubjectID   uuid.UUID
	Status      string
	Due         bool
	Version     int64
	Data        string
}

// messagePlans lists the events that plan the messages of subjects, by subject.
func (b *testBundle) messagePlans(t testing.TB) map[uuid.UUID]messagePlan {
	t.Helper()
	rows, err := b.sql.Query(t.Context(), `
		SELECT tenant_id, subject_type, subject_id, status, due_at <= now() AS due, version, data::text AS data
		FROM scheduled_events WHERE kind = 'message.plan' AND occurrence = '' AND time_zone = 'UTC'`)
	require.NoError(t, err)
	found, err := pgx.CollectRows(rows, pgx.RowToStructByName[messagePlan])
	require.NoError(t, err)
	plans := make(map[uuid.UUID]messagePlan, len(found))
	for _, p := range found {
		require.NotContains(t, plans, p.SubjectID, "one for each subject")
		plans[p.SubjectID] = p
	}
	return plans
}

func TestRelay_ChangesOfATenantThatPlansMessages_PlanOneEventForEachSubject(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.plansMessages(t, b.tenant)
	want := make(map[uuid.UUID]messagePlan)
	for _, c := range []struct {
		subjectType string
		before      int64 // the version before the first of the changes
		types       []string
	}{
		{"booking", 0, []string{"booking.created"}},
		{"booking", 0, []string{"booking.held", "booking.confirmed", "booking.rescheduled"}},
		{"booking", 4, []string{"booking.updated", "booking.overpaid", "booking.cancelled"}},
		{"booking", 2, []string{"booking.confirmed"}},
		{"booking", 2, []string{"booking.rescheduled"}},
		{"booking", 2, []string{"booking.cancelled"}},
		{"customer", 0, []string{"customer.created", "customer.updated"}},
		{"customer", 6, []string{"customer.updated"}},
	} {
		subject := uuid.New()
		var changes []change
		for i, changeType := range c.types {
			changes = append(changes,
				change{changeType, subject, c.before + 1 + int64(i), `{"birthday": "1990-12-10"}`})
		}
		b.recordChanges(t, b.tenant, changes...)
		want[subject] = messagePlan{b.tenant, c.subjectType, subject, "pending", true, 1,
			fmt.Sprintf(`{"version" : %d}`, c.before)}
	}
	for _, changeType := range []string{
		"booking.completed", "booking.no_show", "booking.expired", "booking.reminder", "payment.succeeded",
		"wallet.credited",
	} {
		b.recordChanges(t, b.tenant, change{changeType, uuid.New(), 2, `{}`}) // of which no message tells
	}
	b.relay(t)
	require.Equal(t, want, b.messagePlans(t))
}

func TestRelay_TenantThatPlansNoMessages_PlansNone(t *testing.T) {
	t.Parallel()
	b := setup(t)
	other := uuid.Must(uuid.NewV7())
	b.plansMessages(t, other)
	b.recordChanges(t, b.tenant, change{"booking.created", uuid.New(), 1, `{}`})
	theirs := uuid.New()
	b.recordChanges(t, other, change{"booking.created", theirs, 1, `{}`})
	b.relay(t)
	plans := b.messagePlans(t)
	require.Len(t, plans, 1)
	require.Equal(t, other, plans[theirs].TenantID)
}

func TestRelay_NewCustomer_PlansMessagesIfItsBirthdayIsKnown(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.plansMessages(t, b.tenant)
	born, unknown := uuid.New(), uuid.New()
	b.recordChanges(t, b.tenant, change{"customer.created", born, 1, `{"birthday": "1990-12-10"}`})
	b.recordChanges(t, b.tenant, change{"customer.created", unknown, 1, `{"name": "Ada"}`})
	b.relay(t)
	plans := b.messagePlans(t)
	require.Contains(t, plans, born)
	require.NotContains(t, plans, unknown)
	// its birthday may have changed
	b.recordChanges(t, b.tenant, change{"customer.updated", unknown, 2, `{"name": "Ada"}`})
	b.relay(t)
	require.Equal(t, `{"version" : 1}`, b.messagePlans(t)[unknown].Data)
}

func TestRelay_NextChangeOfASubject_MovesItsEventAndKeepsHowFarItIs(t *testing.T) {
	t.Parallel()
	for _, status := range []string{"pending", "processing", "failed", "dead", "completed", "cancelled"} {
		t.Run(status, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.plansMessages(t, b.tenant)
			subject := uuid.New()
			b.recordChanges(t, b.tenant, change{"booking.created", subject, 1, `{}`})
			b.relay(t)
			lease, until := &subject, "now() + interval '1 hour'"
			if status != "processing" {
				lease, until = nil, "NULL"
			}
			_, err := b.sql.Exec(t.Context(), `
				UPDATE scheduled_events SET status = $1, due_at = now() + interval '1 hour', attempts = 3, last_error = 'No.',
					data = '{"version": 7}', lease = $2, leased_until = `+until+`
				WHERE kind = 'message.plan'`, status, lease)
			require.NoError(t, err)
			b.recordChanges(t, b.tenant, change{"booking.updated", subject, 8, `{}`},
				change{"booking.cancelled", subject, 9, `{}`})
			b.relay(t)
			plans := b.messagePlans(t)
			require.Len(t, plans, 1)
			require.Equal(t, messagePlan{b.tenant, "booking", subject, "pending", true, 2, `{"version": 7}`},
				plans[subject])
			var untried int
			require.NoError(t, b.sql.QueryRow(t.Context(), `SELECT count(*) FROM scheduled_events
				WHERE kind = 'message.plan' AND attempts = 0 AND last_error IS NULL AND lease IS NULL`).Scan(&untried))
			require.Equal(t, 1, untried, "a worker that holds it loses it")
		})
	}
}

func TestRelay_EventThatPlansMessages_IsHandledWithoutPolling(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.plansMessages(t, b.tenant)
	ctx, stop := context.WithCancel(t.Context())
	planned := make(chan uuid.UUID, 1)
	kind := event.Kind{Name: event.KindPlan, Handle: func(_ context.Context, e event.Event) (event.Result, error) {
		planned <- e.Subject.ID
		return event.Done(), nil
	}}
	var running sync.WaitGroup
	running.Go(func() {
		event.NewWorker(b.store, event.Config{Poll: time.Hour, Jobs: []event.Job{event.Relay(b.store)}}, kind).Run(ctx)
	})
	defer running.Wait()
	defer stop()
	for range 3 { // by itself the worker looks twice at most; see oneAfterAnother
		subject := uuid.New()
		b.recordChanges(t, b.tenant, change{"booking.created", subject, 1, `{}`})
		require.Equal(t, subject, testtime.Receive(t, planned))
	}
}
