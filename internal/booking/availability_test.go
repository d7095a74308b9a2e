package booking_test

import (
	"context"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/booking"
	"holdfast/internal/problem"
)

func TestAvailability_OfTooManySlots_IsRefusedAndOfAYearOfQuarterHoursIsNot(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var resources []uuid.UUID
	for range 10 {
		resources = append(resources, b.newResource(t, 1, booking.Hours{}))
	}
	offer := booking.Offer{Name: "Minute", Kind: booking.KindSlot, ResourceIDs: resources, DurationMinutes: 5, SlotIntervalMinutes: 1}
	byMinute := b.newOffer(t, offer)
	_, err := b.service.Availability(t.Context(), b.tenant, byMinute, future(0), future(365), 1)
	require.True(t, problem.Is(err, problem.TooManyDates), "%v", err)
	days, err := b.service.Availability(t.Context(), b.tenant, byMinute, future(0), future(20), 1)
	require.NoError(t, err)
	require.Len(t, days, 21)
	offer.SlotIntervalMinutes = 15
	byQuarter := b.newOffer(t, offer)
	days, err = b.service.Availability(t.Context(), b.tenant, byQuarter, future(0), future(365), 1)
	require.NoError(t, err)
	require.Len(t, days, 366)

	gone, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = b.service.Availability(gone, b.tenant, byQuarter, future(0), future(365), 1)
	require.ErrorIs(t, err, context.Canceled, "nobody waits for it")
}
