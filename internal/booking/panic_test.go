package booking_test

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/booking"
	"holdfast/internal/catalog"
	"holdfast/internal/db"
	"holdfast/internal/db/dbtest"
	"holdfast/internal/timetable"
)

func TestCreate_PanicUnderTheLock_LeavesNeitherDateNorKeyNorConnectionStuck(t *testing.T) {
	t.Parallel()
	b := setup(t)
	service, panics := b.newPanickingService(t,
		catalog.ServiceSpec{Name: "Day", Spec: timetable.Spec{Kind: timetable.KindDate}})
	s := dbtest.Open(t, db.Config{URL: b.url, MaxConns: 2})
	bookings := booking.NewService(s)
	key, n := newKey(), newBooking(service, onDate(future(0)))
	broken := n
	broken.ResourceIDs = []uuid.UUID{panics}
	for range 5 { // more than there are connections, or turns at a date
		require.Panics(t, func() {
			_, _ = bookings.Create(t.Context(), b.tenant, request(t, key), broken)
		})
	}
	require.Zero(t, b.count(t, "SELECT count(*) FROM bookings"))
	_, resp, err := create(t, bookings, b.tenant, key, n)
	require.NoError(t, err)
	require.False(t, resp.Replayed)
}
