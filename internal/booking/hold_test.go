package booking_test

import (
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/booking"
	"holdfast/internal/problem"
)

func (b *testBundle) hold(t testing.TB, service uuid.UUID, when booking.When) booking.Booking {
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
			UPDATE bookings SET hold_expires_at = clock_timestamp() + $2 * interval '1 microsecond' WHERE booking_id = $1
			RETURNING tenant_id, booking_id, hold_expires_at)
		UPDATE scheduled_events e SET due_at = h.hold_expires_at
		FROM hold h WHERE e.tenant_id = h.tenant_id AND e.subject_id = h.booking_id AND e.kind = 'booking.hold_expiry'`, id, d.Microseconds())
	require.NoError(t, err)
}

func TestHold_ConfirmRacesRebooking_OneWins(t *testing.T) {
	t.Parallel()
	const rounds, workers = 2000, 8
	b := setup(t)
	other, _ := b.process(t)
	service := b.newDateService(t, 1)
	var mu sync.Mutex
	confirmed, rebooked, both, neither := 0, 0, 0, 0
	days := make(chan int)
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for day := range days {
				held := b.hold(t, service, onDate(future(day)))
				b.expireIn(t, held.ID, 12*time.Millisecond)
				errs := make([]error, 2)
				var race sync.WaitGroup
				race.Go(func() {
					time.Sleep(time.Duration(rand.IntN(14_000)) * time.Microsecond)
					_, errs[0] = change(t, b.service, b.tenant, held.ID, booking.Confirm)
				})
				race.Go(func() {
					time.Sleep(time.Duration(rand.IntN(20_000)) * time.Microsecond)
					_, _, errs[1] = create(t, other, b.tenant, newKey(), newBooking(service, onDate(future(day))))
				})
				race.Wait()
				mu.Lock()
				switch {
				case errs[0] == nil && errs[1] == nil:
					both++
				case errs[0] == nil:
					confirmed++
				case errs[1] == nil:
					rebooked++
				default:
					neither++ // the rival was too early and the confirmation too late
				}
				mu.Unlock()
				if errs[0] != nil && !problem.Is(errs[0], problem.HoldExpired) || errs[1] != nil && !problem.Is(errs[1], problem.SlotUnavailable) {
					t.Errorf("confirm: %v; create: %v", errs[0], errs[1])
				}
			}
		})
	}
	for day := range rounds {
		days <- day
	}
	close(days)
	wg.Wait()
	t.Logf("confirmed %d, rebooked %d, neither %d", confirmed, rebooked, neither)
	require.Zero(t, both)
	require.Positive(t, confirmed)
	require.Positive(t, rebooked)
	b.requireNoOverlap(t)
	require.Equal(t, confirmed, b.count(t, "SELECT count(*) FROM bookings WHERE status = 'confirmed' AND hold_expires_at IS NOT NULL"))
	require.Equal(t, rebooked, b.count(t, "SELECT count(*) FROM bookings WHERE status = 'confirmed' AND hold_expires_at IS NULL"))
}

func TestHold_Lapsed_IsFreeAndExpiredByTheNextBooking(t *testing.T) {
	t.Parallel()
	b := setup(t)
	service := b.newDateService(t, 1)
	held := b.hold(t, service, onDate(future(0)))
	_, _, err := create(t, b.service, b.tenant, newKey(), newBooking(service, onDate(future(0))))
	require.True(t, problem.Is(err, problem.SlotUnavailable), "a live hold keeps others out: %v", err)
	b.expireIn(t, held.ID, 0)
	page, err := b.service.Availability(t.Context(), b.tenant, service, booking.AvailabilityQuery{From: future(0), To: future(0), PartySize: 1})
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
	for _, c := range []booking.Change{booking.Confirm, booking.Complete, booking.MarkNoShow} {
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
