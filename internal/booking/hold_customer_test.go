package booking_test

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/booking"
	"holdfast/internal/problem"
	"holdfast/internal/timetable"
)

// holdWithoutCustomer makes a hold of five minutes whose customer is not known.
func (b *testBundle) holdWithoutCustomer(t testing.TB, service uuid.UUID, when timetable.When) booking.Booking {
	t.Helper()
	n := newBooking(service, when)
	minutes := 5
	n.HoldMinutes, n.Customer = &minutes, nil
	held, _, err := create(t, b.service, b.tenant, newKey(), n)
	require.NoError(t, err)
	require.Equal(t, booking.Held, held.Status)
	require.False(t, held.HasCustomer())
	return held
}

func TestCreate_WithoutCustomer_OnlyAHoldMayBe(t *testing.T) {
	t.Parallel()
	b := setup(t)
	service := b.newSlotService(t, 1, 60)
	n := newBooking(service, slotOn(future(0), 10, 0))
	n.Customer = nil
	_, _, err := create(t, b.service, b.tenant, newKey(), n)
	require.True(t, problem.Is(err, problem.ValidationFailed), "%v", err)
	require.Zero(t, b.count(t, "SELECT count(*) FROM bookings"))

	held := b.holdWithoutCustomer(t, service, slotOn(future(0), 10, 0))
	read, err := b.service.Get(t.Context(), b.tenant, held.ID)
	require.NoError(t, err)
	require.False(t, read.HasCustomer())
	require.Nil(t, read.Body().Customer)
	list, err := b.service.List(t.Context(), b.tenant, booking.Filter{Limit: 10})
	require.NoError(t, err)
	require.Len(t, list, 1)
	require.Equal(t, read.Body(), list[0].Body())
	require.Equal(t, 1, b.count(t, "SELECT count(*) FROM bookings WHERE customer_id IS NULL"))
	require.Zero(t, b.count(t, "SELECT count(*) FROM customers"))
	var told []byte
	require.NoError(t, b.sql.QueryRow(t.Context(), "SELECT data FROM changes WHERE type = 'booking.held'").Scan(&told))
	require.NotContains(t, string(told), "customer")
	require.Equal(t, 1, b.count(t, "SELECT count(*) FROM scheduled_events"), "nothing but the expiry is planned")

	cancelled, err := change(t, b.service, b.tenant, held.ID, booking.Cancel)
	require.NoError(t, err)
	require.Equal(t, booking.Cancelled, cancelled.Status)
	second := b.holdWithoutCustomer(t, service, slotOn(future(0), 10, 0))
	b.expireIn(t, second.ID, 0)
	marked, failed := b.expiry(t, 0).run(t.Context())
	require.Empty(t, failed)
	require.Equal(t, 1, marked)
}

func TestCreate_HoldsWithAndWithoutCustomerInOneGroup_KeepTheirOwn(t *testing.T) {
	t.Parallel()
	b := setup(t)
	service := b.newSlotService(t, 1, 60)
	for i, err := range b.together(t, future(0), 12, func(i int) error {
		n := newBooking(service, slotOn(future(0), i, 0))
		minutes := 5
		n.HoldMinutes = &minutes
		if i%2 == 0 {
			n.Customer = nil
		}
		made, _, err := create(t, b.service, b.tenant, newKey(), n)
		if err == nil {
			require.Equal(t, i%2 != 0, made.HasCustomer(), "hold %d", i)
		}
		return err
	}) {
		require.NoError(t, err, i)
	}
	require.Equal(t, 6, b.count(t, "SELECT count(*) FROM bookings WHERE customer_id IS NULL"))
	require.Equal(t, 6, b.count(t, "SELECT count(*) FROM customers"))
}
