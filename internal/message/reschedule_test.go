package message_test

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/booking"
	"holdfast/internal/catalog"
	"holdfast/internal/event"
	"holdfast/internal/mergepatch"
	"holdfast/internal/timetable"
)

func (b *testBundle) reschedule(t testing.TB, id uuid.UUID, m booking.Move) booking.BookingBody {
	t.Helper()
	resp, err := b.bookings.Reschedule(t.Context(), b.tenant, request(t), id, booking.RescheduleRequest{Move: m}, "")
	require.NoError(t, err)
	return bookingIn(t, resp)
}

func to(starts time.Time) booking.Move {
	at := starts.Format(time.RFC3339)
	return booking.Move{When: timetable.When{StartsAt: &at}}
}

var aboutBookings = []string{event.KindBookingReminder, event.KindBalanceDue, event.KindBookingFollowUp,
	event.KindAnniversary}

func TestReschedule_MessagesOfTheFormerTime_AreNotSent(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		way  []time.Time // where the booking goes
		sent time.Time   // for which of its times messages are sent
	}{
		"to a later time": {way: []time.Time{inDays(20)}, sent: inDays(20)},
		"there and back":  {way: []time.Time{inDays(20), inDays(10)}, sent: inDays(10)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.set(t, `{"reminders": [{"before_minutes": 120}], "balance_due": {"days_before": 3, "at": "09:00"}, "follow_up_minutes": 60,
				"greetings": {"anniversary": true}}`)
			made := b.book(t, b.newService(t, nil), inDays(10))
			b.planUntil(t, inDays(20))
			for _, at := range c.way {
				b.reschedule(t, made.ID, to(at))
				b.plan(t)
			}
			b.planUntil(t, inDays(20).AddDate(1, 0, 1))
			b.runAll(t)
			due := make(map[string]time.Time) // of what was sent
			for _, e := range b.events(t, aboutBookings...) {
				if e.Status == "completed" {
					require.NotContains(t, due, e.Kind)
					due[e.Kind] = e.DueAt.UTC()
					continue
				}
				require.Equal(t, "cancelled", e.Status)
				require.Contains(t, e.Reason, "moved")
			}
			local := c.sent.In(b.tenant.Location)
			at := func(years, days int) time.Time {
				return time.Date(local.Year()+years, local.Month(), local.Day()+days, 9, 0, 0, 0,
					b.tenant.Location).UTC()
			}
			require.Equal(t, map[string]time.Time{
				event.KindBookingReminder: c.sent.Add(-2 * time.Hour).UTC(),
				event.KindBookingFollowUp: c.sent.Add(2 * time.Hour).UTC(),
				event.KindBalanceDue:      at(0, -3), event.KindAnniversary: at(1, 0),
			}, due)
			for _, kind := range aboutBookings {
				require.Equal(t, 1, b.told(t, made.ID, kind), kind)
			}
		})
	}
}

func TestReschedule_ReminderThatWasSent_IsNotSentAgainForAChangeThatKeepsTheTime(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.set(t, `{"reminders": [{"before_minutes": 120}], `+sender+`}`)
	made := b.book(t, b.newService(t, nil), inDays(10))
	b.makeDue(t, event.KindBookingReminder)
	b.run(t)
	size := 2
	b.reschedule(t, made.ID, booking.Move{PartySize: &size})
	b.makeDue(t, event.KindBookingReminder)
	b.run(t)
	require.Equal(t, 1, b.told(t, made.ID, "booking.reminder"))
	require.Equal(t, "completed", b.only(t, event.KindBookingReminder).Status)
	require.Zero(t, containing(b.outbox.subjects(), "new time"), "the calendar entry stays as it is")
}

func TestReschedule_PriceQuotedHigher_PlansTheBalanceReminder(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.set(t, `{"balance_due": {"days_before": 3, "at": "09:00"}}`)
	service := b.newService(t, nil)
	_, err := b.catalog.ChangeService(t.Context(), b.tenant, service,
		mergepatch.Of[catalog.ServiceSpec](`{"price": 0}`), "")
	require.NoError(t, err)
	made := b.book(t, service, inDays(10))
	require.Empty(t, b.events(t, event.KindBalanceDue))
	_, err = b.catalog.ChangeService(t.Context(), b.tenant, service,
		mergepatch.Of[catalog.ServiceSpec](`{"price": 4500}`), "")
	require.NoError(t, err)
	require.EqualValues(t, 4500, b.reschedule(t, made.ID, booking.Move{Price: booking.PriceQuoted}).Due)
	require.Equal(t, "pending", b.only(t, event.KindBalanceDue).Status)
}

func TestReschedule_ConfirmedBooking_CalendarEntryMoves(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.set(t, `{`+sender+`}`)
	made := b.book(t, b.newService(t, nil), inDays(10))
	b.run(t)
	confirmed := b.outbox.last(t)
	moved := b.reschedule(t, made.ID, to(inDays(20)))
	b.run(t)
	email := b.outbox.last(t)
	require.Contains(t, email.Subject, "Your booking has a new time")
	require.Equal(t, confirmed.Invitation.BookingID, email.Invitation.BookingID)
	require.Equal(t, moved.Version, email.Invitation.Version)
	require.Greater(t, email.Invitation.Version, confirmed.Invitation.Version)
	require.True(t, email.Invitation.Starts.Equal(inDays(20)))
	require.Len(t, b.outbox.subjects(), 2)
}

func TestReschedule_EmailThatWasNotSentYet_IsReplacedByTheNewestOne(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.set(t, `{`+sender+`}`)
	made := b.book(t, b.newService(t, nil), inDays(10))
	b.reschedule(t, made.ID, to(inDays(20)))
	b.reschedule(t, made.ID, to(inDays(30)))
	b.run(t)
	require.Len(t, b.outbox.subjects(), 1)
	require.Contains(t, b.outbox.last(t).Subject, "Your booking has a new time")
}

func TestReschedule_HoldOfHours_IsToldWithItsNewTime(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.set(t, `{`+sender+`}`)
	service := b.newService(t, nil)
	made := b.book(t, service, inDays(10), held(120))
	short := b.book(t, service, inDays(11), held(30))
	b.run(t)
	require.Len(t, b.outbox.subjects(), 1)
	moved := b.reschedule(t, made.ID, to(inDays(20)))
	b.reschedule(t, short.ID, to(inDays(21)))
	b.run(t)
	require.Len(t, b.outbox.subjects(), 2)
	require.Equal(t, made.HoldExpiresAt, moved.HoldExpiresAt)
	require.Contains(t, b.outbox.last(t).Text, moved.StartsAt.In(b.tenant.Location).Format("15:04"))
	require.NotEqual(t, b.outbox.subjects()[0], b.outbox.subjects()[1], "the subject has the date")
}
