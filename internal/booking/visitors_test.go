package booking_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/booking"
	"holdfast/internal/problem"
)

// TestGroup_VisitorsAndOthers_EachBookingKnowsWhoMadeIt has bookings share a commit, which writes them by one
// statement.
func TestGroup_VisitorsAndOthers_EachBookingKnowsWhoMadeIt(t *testing.T) {
	t.Parallel()
	b := setup(t)
	service := b.newSlotService(t, 1, 60)
	made := make([]booking.Booking, 24)
	for _, err := range b.together(t, future(0), len(made), func(i int) (err error) {
		n, minutes := newBooking(service, slotOn(future(0), i, 0)), 30
		n.HoldMinutes, n.ByVisitor = &minutes, i%2 == 0
		made[i], _, err = create(t, b.service, b.tenant, newKey(), n)
		return err
	}) {
		require.NoError(t, err)
	}
	require.LessOrEqual(t, b.transactions(t), groups)
	for i, m := range made {
		hold, err := b.service.GetHold(t.Context(), b.tenant, m.ID)
		if i%2 == 1 {
			require.True(t, problem.Is(err, problem.NotFound))
			continue
		}
		require.NoError(t, err)
		require.Equal(t, m.ID, hold.ID)
	}
}
