package message_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/booking"
	"holdfast/internal/event"
)

// TestMessage_PlannedAgainWhileAWorkerHoldsIt_IsSent has a worker read that a message isn't wanted. Before the worker
// records that, the message is wanted again, and is planned.
func TestMessage_PlannedAgainWhileAWorkerHoldsIt_IsSent(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		kind string
		// unwanted has the message not wanted, and wanted again.
		unwanted, wanted func(testing.TB, *testBundle, booking.BookingBody)
	}{
		"the booking was moved, and comes back": {
			kind: event.KindBookingReminder,
			unwanted: func(t testing.TB, b *testBundle, made booking.BookingBody) {
				t.Helper()
				b.reschedule(t, made.ID, to(inDays(11)))
			},
			wanted: func(t testing.TB, b *testBundle, made booking.BookingBody) {
				t.Helper()
				b.reschedule(t, made.ID, to(inDays(10)))
			},
		},
		"reminders were switched off, and are switched on": {
			kind: event.KindBookingReminder,
			unwanted: func(t testing.TB, b *testBundle,
				_ booking.BookingBody) {
				t.Helper()
				b.set(t, `{"reminders": []}`)
			},
			wanted: func(t testing.TB, b *testBundle, _ booking.BookingBody) { t.Helper(); b.set(t, allMessages) },
		},
		"the birthday was changed, and is changed back": {
			kind: event.KindBirthday,
			unwanted: func(t testing.TB, b *testBundle, made booking.BookingBody) {
				t.Helper()
				b.changeBirthday(t, made.Customer.ID, born(100).String())
			},
			wanted: func(t testing.TB, b *testBundle, made booking.BookingBody) {
				t.Helper()
				b.changeBirthday(t, made.Customer.ID, born(0).String())
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.set(t, allMessages)
			made := b.book(t, b.newService(t, nil), inDays(10), bornOn(born(0), "ada@example.com", ""))
			e := b.events(t, c.kind)[0]
			c.unwanted(t, b, made)
			b.exec(t, "UPDATE scheduled_events SET due_at = now() WHERE event_id = $1", e.EventID)
			b.onceAfterRead = func() {
				c.wanted(t, b, made)
				b.exec(t, "UPDATE scheduled_events SET due_at = now() WHERE kind = $1", event.KindPlanAhead)
				b.plan(t)
			}
			b.claimedAt(t, c.kind, e.DueAt)
			require.Nil(t, b.onceAfterRead, "it was planned again")
			require.Zero(t, b.told(t, e.SubjectID, c.kind))
			stored := b.stored(t, c.kind)
			again := stored[slices.IndexFunc(stored, func(p planned) bool { return p.EventID == e.EventID })]
			require.Equal(t, "pending", again.Status)
			require.Empty(t, again.Reason)
			require.True(t, again.DueAt.Equal(e.DueAt), "due at %s, and not at %s", again.DueAt, e.DueAt)

			b.runOneAt(t, again, e.DueAt)
			require.Equal(t, 1, b.told(t, e.SubjectID, c.kind))
		})
	}
}
