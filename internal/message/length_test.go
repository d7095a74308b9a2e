package message_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/internal/booking"
	"holdfast/internal/catalog"
	"holdfast/internal/event"
	"holdfast/internal/testtime"
	"holdfast/internal/timetable"
)

// TestMessages_Stay_CountFromCheckInToCheckOut has the mail, the calendar entry, the reminder and the follow-up of
// three nights.
func TestMessages_Stay_CountFromCheckInToCheckOut(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.set(t, `{`+sender+`, "reminders": [{"before_minutes": 120}], "follow_up_minutes": 60}`)
	service := b.newServiceOf(t,
		catalog.ServiceSpec{Spec: timetable.Spec{Kind: timetable.KindStay, CheckIn: "15:00", CheckOut: "10:00"}})
	checkIn, checkOut := testtime.Date(10), testtime.Date(13)
	b.book(t, service, inDays(10), func(n *booking.CreateRequest) {
		n.When = timetable.When{CheckIn: &checkIn,
			CheckOut: &checkOut}
	})
	starts, ends := testtime.At(10, 15, 0, berlin()), testtime.At(13, 10, 0, berlin())
	b.planUntil(t, ends.AddDate(0, 0, 1))
	require.True(t, starts.Add(-2*time.Hour).Equal(b.only(t, event.KindBookingReminder).DueAt))
	require.True(t, ends.Add(time.Hour).Equal(b.only(t, event.KindBookingFollowUp).DueAt))
	b.run(t)
	sent := b.outbox.last(t)
	require.True(t, starts.Equal(sent.Invitation.Starts))
	require.True(t, ends.Equal(sent.Invitation.Ends))
	require.False(t, sent.Invitation.AllDay)
	require.Contains(t, sent.Text,
		starts.Format("Monday 2 January 2006, 15:04")+" to "+ends.Format("Monday 2 January 2006, 15:04"))
}

// TestMessages_DateByTheClock_CountFromItsTimes has a date service with times of its own, beside one that lasts from
// midnight to midnight.
func TestMessages_DateByTheClock_CountFromItsTimes(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.set(t, `{`+sender+`, "reminders": [{"before_minutes": 120}]}`)
	day := testtime.Date(10)
	onDate := func(n *booking.CreateRequest) { n.When = timetable.When{Date: &day} }
	b.book(
		t,
		b.newServiceOf(t,
			catalog.ServiceSpec{Spec: timetable.Spec{Kind: timetable.KindDate, Starts: "09:00", Ends: "18:00"}}),
		inDays(10),
		onDate,
	)
	starts, ends := testtime.At(10, 9, 0, berlin()), testtime.At(10, 18, 0, berlin())
	b.planUntil(t, ends)
	require.True(t, starts.Add(-2*time.Hour).Equal(b.only(t, event.KindBookingReminder).DueAt))
	b.run(t)
	sent := b.outbox.last(t)
	require.False(t, sent.Invitation.AllDay)
	require.True(t, starts.Equal(sent.Invitation.Starts) && ends.Equal(sent.Invitation.Ends))
	require.Contains(t, sent.Text, starts.Format("Monday 2 January 2006")+", 09:00 to 18:00")

	b.book(t, b.newServiceOf(t, catalog.ServiceSpec{Spec: timetable.Spec{Kind: timetable.KindDate}}), inDays(10),
		onDate)
	b.run(t)
	require.True(t, b.outbox.last(t).Invitation.AllDay)
}
