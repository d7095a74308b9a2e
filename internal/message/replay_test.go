package message_test

import (
	"context"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/event"
	"holdfast/internal/problem"
)

// scheduled returns the use cases of scheduled events.
func (b *testBundle) scheduled() *event.Service {
	return event.NewService(b.store)
}

// cancelEvent cancels an event on request.
func (b *testBundle) cancelEvent(t testing.TB, id uuid.UUID) {
	t.Helper()
	_, err := b.scheduled().Cancel(t.Context(), b.tenant.ID, request(t), id, "")
	require.NoError(t, err)
}

func (b *testBundle) replay(t testing.TB, id uuid.UUID) {
	t.Helper()
	_, err := b.scheduled().Replay(t.Context(), b.tenant.ID, request(t), id, "")
	require.NoError(t, err)
}

func TestReplay_CompletedMessage_IsToldAndSentAgain(t *testing.T) {
	t.Parallel()
	for kind, subject := range map[string]string{
		event.KindBookingReminder: "See you soon",
		event.KindBalanceDue:      "Payment due",
		event.KindBookingFollowUp: "Thank you for your visit",
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.set(t, `{"reminders": [{"before_minutes": 120}], "balance_due": {"before_minutes": 60}, "follow_up_minutes": 60, `+sender+`}`)
			b.book(t, b.newService(t, nil), inDays(10))
			b.run(t) // the email that confirms the booking
			planned := b.only(t, kind)
			b.runAt(t, kind, planned.DueAt)
			b.runAt(t, event.KindEmail, planned.DueAt)
			require.Equal(t, 1, b.told(t, planned.SubjectID, kind))
			require.Equal(t, 1, containing(b.outbox.subjects(), subject))
			first := b.outbox.last(t)

			b.replay(t, planned.EventID)
			b.runAt(t, kind, planned.DueAt)
			b.runAt(t, event.KindEmail, planned.DueAt)
			require.Equal(t, 2, b.told(t, planned.SubjectID, kind))
			require.Equal(t, 2, containing(b.outbox.subjects(), subject))
			again := b.outbox.last(t)
			require.NotEqual(t, first.ID, again.ID, "a mail program hides a second email of one Message-ID")
			require.Equal(t, []string{first.Subject, first.Text}, []string{again.Subject, again.Text})
		})
	}
}

func TestReminder_LeaseEndsBeforeTheResultIsRecorded_IsSentOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.set(t, `{"reminders": [{"before_minutes": 120}], `+sender+`}`)
	made := b.book(t, b.newService(t, nil), inDays(10))
	b.makeDue(t, event.KindBookingReminder)
	reminder := b.kind(t, event.KindBookingReminder)
	handle, handled := reminder.Handle, 0
	reminder.Handle = func(ctx context.Context, e event.Event) (event.Result, error) {
		result, err := handle(ctx, e)
		if handled++; handled == 1 {
			// As the monitor takes back an event whose lease has ended.
			b.exec(t, `UPDATE scheduled_events SET status = 'failed', due_at = now(), version = version + 1, lease = NULL,
				leased_until = NULL
				WHERE event_id = $1`, e.ID)
		}
		return result, err
	}
	event.NewWorker(b.store, event.Config{}, reminder).RunUntilIdle(t.Context())
	b.run(t)
	require.Equal(t, 2, handled)
	require.Equal(t, 1, b.told(t, made.ID, "booking.reminder"))
	require.Equal(t, 1, containing(b.outbox.subjects(), "See you soon"))
}

func TestReplay_CompletedGreeting_IsRefused(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{event.KindAnniversary, event.KindBirthday} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.set(t, `{"greetings": {"birthday": true, "anniversary": true}}`)
			made := b.book(t, b.newService(t, nil), inDays(10), bornOn(born(0), "", ""))
			if kind == event.KindAnniversary {
				b.planUntil(t, made.StartsAt.AddDate(1, 0, 0))
			}
			greeting := b.events(t, kind)[0]
			b.runAt(t, kind, greeting.DueAt)
			require.Equal(t, 1, b.told(t, greeting.SubjectID, kind))
			_, err := b.scheduled().Replay(t.Context(), b.tenant.ID, request(t), greeting.EventID, "")
			require.True(t, problem.Is(err, problem.InvalidState), "%v", err)
			selected, err := event.NewOperator(b.store).Select(t.Context(), event.Replay,
				event.AcrossFilter{Kind: kind, Status: event.Completed})
			require.NoError(t, err)
			require.Zero(t, selected.Len(), "nobody is greeted twice in a year, whatever changes afterwards")
		})
	}
}
