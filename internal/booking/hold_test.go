package booking_test

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/booking"
	"holdfast/internal/problem"
	"holdfast/internal/timetable"
)

func (b *testBundle) hold(t testing.TB, service uuid.UUID, when timetable.When) booking.Booking {
	t.Helper()
	n := newBooking(service, when)
	minutes := 5
	n.HoldMinutes = &minutes
	held, _, err := create(t, b.service, b.tenant, newKey(), n)
	require.NoError(t, err)
	require.Equal(t, booking.Held, held.Status)
	return held
}

// expireIn moves a hold's expiry, and the event of it, to a moment from now, by the database's clock.
func (b *testBundle) expireIn(t testing.TB, id uuid.UUID, d time.Duration) {
	t.Helper()
	_, err := b.sql.Exec(t.Context(), `
		WITH hold AS (
			UPDATE bookings SET hold_expires_at = now() + $2 * interval '1 microsecond' WHERE booking_id = $1
			RETURNING tenant_id, booking_id, hold_expires_at), claim AS (
			UPDATE claims c SET expires_at = h.hold_expires_at FROM hold h WHERE c.tenant_id = h.tenant_id AND c.owner_id = h.booking_id)
		UPDATE scheduled_events e SET due_at = h.hold_expires_at
		FROM hold h WHERE e.tenant_id = h.tenant_id AND e.subject_id = h.booking_id AND e.kind = 'booking.hold_expiry'`,
		id, d.Microseconds())
	require.NoError(t, err)
}

func TestHold_Lapsed_IsFreeAndExpiredByTheNextBooking(t *testing.T) {
	t.Parallel()
	b := setup(t)
	service := b.newDateService(t, 1)
	held := b.hold(t, service, onDate(future(0)))
	_, _, err := create(t, b.service, b.tenant, newKey(), newBooking(service, onDate(future(0))))
	require.True(t, problem.Is(err, problem.SlotUnavailable), "a live hold keeps others out: %v", err)
	b.expireIn(t, held.ID, 0)
	page, err := b.service.Availability(t.Context(), b.tenant, service,
		timetable.AvailabilityQuery{From: future(0), To: future(0), PartySize: 1})
	require.NoError(t, err)
	require.True(t, daysOf(page)[0].Available)
	_, err = change(t, b.service, b.tenant, held.ID, booking.Confirm)
	require.True(t, problem.Is(err, problem.HoldExpired), "%v", err)
	_, _, err = create(t, b.service, b.tenant, newKey(), newBooking(service, onDate(future(0))))
	require.NoError(t, err)
	got, err := b.service.Get(t.Context(), b.tenant, held.ID)
	require.NoError(t, err)
	require.Equal(t, booking.Expired, got.Status)
	require.EqualValues(t, 2, got.Version)
	_, err = change(t, b.service, b.tenant, held.ID, booking.Confirm)
	require.True(t, problem.Is(err, problem.HoldExpired), "%v", err)
}

func TestChange_FollowsTheStatesAndFreesTheTime(t *testing.T) {
	t.Parallel()
	b := setup(t)
	service := b.newDateService(t, 1)
	held := b.hold(t, service, onDate(future(0)))
	got, err := change(t, b.service, b.tenant, held.ID, booking.Confirm)
	require.NoError(t, err)
	require.Equal(t, booking.Confirmed, got.Status)
	for _, c := range []booking.Transition{booking.Confirm, booking.Complete, booking.MarkNoShow} {
		_, err = change(t, b.service, b.tenant, held.ID, c)
		require.True(t, problem.Is(err, problem.InvalidState), "%s: %v", c, err)
	}
	got, err = change(t, b.service, b.tenant, held.ID, booking.Cancel)
	require.NoError(t, err)
	require.Equal(t, booking.Cancelled, got.Status)
	require.EqualValues(t, 3, got.Version)
	_, err = change(t, b.service, b.tenant, held.ID, booking.Cancel)
	require.True(t, problem.Is(err, problem.InvalidState), "%v", err)
	_, _, err = create(t, b.service, b.tenant, newKey(), newBooking(service, onDate(future(0))))
	require.NoError(t, err)
}
