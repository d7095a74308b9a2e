package booking_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/booking"
	"holdfast/internal/db"
	"holdfast/internal/db/dbtest"
	"holdfast/internal/event"
	"holdfast/internal/idempotency"
)

// requireTimes requires that these times are the same, and written alike.
func requireTimes(t testing.TB, want, got booking.StatusTimes) {
	t.Helper()
	w, err := json.Marshal(want)
	require.NoError(t, err)
	g, err := json.Marshal(got)
	require.NoError(t, err)
	require.JSONEq(t, string(w), string(g))
}

// requireTimes requires that a booking, as it is read, has these times of statuses and no others, and returns it.
func (b *testBundle) requireTimes(t testing.TB, id uuid.UUID, want booking.StatusTimes) booking.BookingBody {
	t.Helper()
	read, err := b.service.Get(t.Context(), b.tenant, id)
	require.NoError(t, err)
	requireTimes(t, want, read.Body().StatusTimes)
	return read.Body()
}

func bodyIn(t testing.TB, resp idempotency.Outcome, err error) booking.BookingBody {
	t.Helper()
	require.NoError(t, err)
	var body booking.BookingBody
	require.NoError(t, json.Unmarshal(resp.Body, &body))
	return body
}

// statusBundle is a service on which a test changes bookings.
type statusBundle struct {
	*testBundle
	serviceID uuid.UUID
	day       int
}

func newStatusBundle(t testing.TB) *statusBundle {
	t.Helper()
	b := setup(t)
	return &statusBundle{testBundle: b, serviceID: b.newDateService(t, 1)}
}

// book makes a booking, or a hold, of another date.
func (s *statusBundle) book(t testing.TB, hold bool) booking.BookingBody {
	t.Helper()
	s.day++
	n := newBooking(s.serviceID, onDate(future(s.day)))
	if hold {
		n.HoldMinutes = new(5)
	}
	_, resp, err := create(t, s.service, s.tenant, newKey(), n)
	return bodyIn(t, resp, err)
}

func (s *statusBundle) change(t testing.TB, id uuid.UUID, c booking.Transition) booking.BookingBody {
	t.Helper()
	resp, err := s.service.Transition(t.Context(), s.tenant, request(t, newKey()), id, c, "")
	return bodyIn(t, resp, err)
}

// begun moves a booking into the past.
func (s *statusBundle) begun(t testing.TB, id uuid.UUID) {
	t.Helper()
	_, err := s.sql.Exec(t.Context(), dbtest.MoveBookings(-400, "booking_id = $1"), id)
	require.NoError(t, err)
	s.syncClaims(t)
}

func TestStatusTimes_OfEachChange_AreThoseOfTheChange(t *testing.T) {
	t.Parallel()
	s := newStatusBundle(t)
	made, held := s.book(t, false), s.book(t, true)
	requireTimes(t, booking.StatusTimes{ConfirmedAt: &made.CreatedAt}, made.StatusTimes)
	require.Zero(t, held.StatusTimes)
	s.requireTimes(t, made.ID, made.StatusTimes)
	s.requireTimes(t, held.ID, booking.StatusTimes{})

	confirmed := s.change(t, held.ID, booking.Confirm)
	requireTimes(t, booking.StatusTimes{ConfirmedAt: &confirmed.UpdatedAt}, confirmed.StatusTimes)
	require.True(t, confirmed.UpdatedAt.After(held.CreatedAt))
	s.requireTimes(t, held.ID, confirmed.StatusTimes)
	cancelled := s.change(t, held.ID, booking.Cancel)
	requireTimes(t, booking.StatusTimes{ConfirmedAt: confirmed.ConfirmedAt, CancelledAt: &cancelled.UpdatedAt},
		cancelled.StatusTimes)
	s.requireTimes(t, held.ID, cancelled.StatusTimes)
	unconfirmed := s.book(t, true)
	cancelled = s.change(t, unconfirmed.ID, booking.Cancel)
	requireTimes(t, booking.StatusTimes{CancelledAt: &cancelled.UpdatedAt}, cancelled.StatusTimes)

	s.begun(t, made.ID)
	completed := s.change(t, made.ID, booking.Complete)
	requireTimes(t, booking.StatusTimes{ConfirmedAt: &made.CreatedAt, CompletedAt: &completed.UpdatedAt},
		completed.StatusTimes)
	s.requireTimes(t, made.ID, completed.StatusTimes)
	absent := s.book(t, false)
	s.begun(t, absent.ID)
	noShow := s.change(t, absent.ID, booking.MarkNoShow)
	requireTimes(t, booking.StatusTimes{ConfirmedAt: &absent.CreatedAt, NoShowAt: &noShow.UpdatedAt},
		noShow.StatusTimes)
	later, err := s.service.Amend(t.Context(), s.tenant, absent.ID,
		booking.AmendRequest{Details: details(`{"metadata": {"a": 1}}`)}, "")
	require.NoError(t, err)
	require.True(t, later.UpdatedAt.After(noShow.UpdatedAt))
	read := s.requireTimes(t, absent.ID, noShow.StatusTimes)
	require.Equal(t, "Europe/Berlin", read.NoShowAt.Location().String(),
		"times have the offset of the booking's time zone")
}

func TestStatusTimes_OfAHoldThatExpires_AreThoseOfItsExpiry(t *testing.T) {
	t.Parallel()
	s := newStatusBundle(t)
	swept := s.book(t, true)
	s.expireIn(t, swept.ID, 0)
	s.requireTimes(t, swept.ID, booking.StatusTimes{}) // nobody has marked it yet
	st := dbtest.Open(t, db.Config{URL: s.url, MaxConns: 2})
	event.NewWorker(st, event.Config{}, booking.NewService(st).HoldExpiry()).RunUntilIdle(t.Context())
	expired, err := s.service.Get(t.Context(), s.tenant, swept.ID)
	require.NoError(t, err)
	require.Equal(t, booking.Expired, expired.Status)
	marked := s.requireTimes(t, swept.ID, booking.StatusTimes{ExpiredAt: new(expired.Body().UpdatedAt)})

	resp, err := s.service.Confirm(t.Context(), s.tenant, request(t, newKey()), swept.ID,
		booking.AmendRequest{IfStillFree: true}, "")
	confirmed := bodyIn(t, resp, err)
	requireTimes(t, booking.StatusTimes{ConfirmedAt: &confirmed.UpdatedAt, ExpiredAt: marked.ExpiredAt},
		confirmed.StatusTimes)
	s.begun(t, swept.ID)
	completed := s.change(t, swept.ID, booking.Complete)
	s.requireTimes(t, swept.ID,
		booking.StatusTimes{ConfirmedAt: confirmed.ConfirmedAt, CompletedAt: &completed.UpdatedAt,
			ExpiredAt: marked.ExpiredAt})

	reused := s.book(t, true)
	s.expireIn(t, reused.ID, 0)
	_, _, err = create(t, s.service, s.tenant, newKey(), newBooking(s.serviceID, onDate(future(s.day))))
	require.NoError(t, err)
	after, err := s.service.Get(t.Context(), s.tenant, reused.ID)
	require.NoError(t, err)
	require.Equal(t, booking.Expired, after.Status)
	s.requireTimes(t, reused.ID, booking.StatusTimes{ExpiredAt: new(after.Body().UpdatedAt)})
}

// A server of 0.1.0 sets the status and not its time.
func TestStatusTimes_OfWhatAnOlderServerChanged_AreAbsent(t *testing.T) {
	t.Parallel()
	s := newStatusBundle(t)
	made, held := s.book(t, false), s.book(t, true)
	_, err := s.sql.Exec(t.Context(),
		"UPDATE bookings SET status = 'cancelled', version = version + 1 WHERE booking_id = $1", made.ID)
	require.NoError(t, err)
	_, err = s.sql.Exec(t.Context(),
		"UPDATE bookings SET status = 'confirmed', version = version + 1 WHERE booking_id = $1", held.ID)
	require.NoError(t, err)
	s.requireTimes(t, made.ID, booking.StatusTimes{ConfirmedAt: &made.CreatedAt})
	s.requireTimes(t, held.ID, booking.StatusTimes{})
	cancelled := s.change(t, held.ID, booking.Cancel)
	require.WithinDuration(t, cancelled.UpdatedAt, *cancelled.CancelledAt, time.Microsecond)
	s.requireTimes(t, held.ID, booking.StatusTimes{CancelledAt: &cancelled.UpdatedAt})
}
