package booking_test

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/catalog"
	"holdfast/internal/testtime"
	"holdfast/internal/timetable"
)

func TestAvailability_ExceptTheBookingThatMoves_ShowsItsTimeAsFree(t *testing.T) {
	t.Parallel()
	b := setup(t)
	one := 1
	resource := b.newResource(t, 1, timetable.Hours{})
	free := b.newService(
		t,
		catalog.ServiceSpec{Name: "Day",
			Spec: timetable.Spec{Kind: timetable.KindDate, ResourceIDs: []uuid.UUID{resource}}},
	)
	counted := b.newService(t, catalog.ServiceSpec{
		Name: "Once a day", Spec: timetable.Spec{
			Kind: timetable.KindDate, ResourceIDs: []uuid.UUID{b.newResource(t, 5, timetable.Hours{})}, MaxPerDay: &one,
		},
	})
	slots := b.newSlotService(t, 1, 60)
	other := b.newTenant(t, "Europe/Berlin")
	for name, test := range map[string]struct {
		service uuid.UUID
		when    timetable.When
	}{
		"date":        {free, onDate(testtime.Date(0))},
		"max per day": {counted, onDate(testtime.Date(0))},
		"slot":        {slots, atTime(testtime.At(0, 10, 0, b.tenant.Location))},
	} {
		made, _, err := create(t, b.service, b.tenant, newKey(), newBooking(test.service, test.when))
		require.NoError(t, err, name)
		remaining := func(except *uuid.UUID) int {
			page, err := b.service.Availability(t.Context(), b.tenant, test.service, timetable.AvailabilityQuery{
				From: testtime.Date(0), To: testtime.Date(0), PartySize: 1, ExceptBooking: except,
			})
			require.NoError(t, err)
			for day := range page.Days() {
				return day.Remaining
			}
			return -1
		}
		taken := remaining(nil)
		unknown := uuid.New()
		require.Equal(t, taken, remaining(&unknown), "%s: an id that is no booking", name)
		require.Greater(t, remaining(&made.ID), taken, name)

		page, err := b.service.Availability(t.Context(), other, test.service, timetable.AvailabilityQuery{
			From: testtime.Date(0), To: testtime.Date(0), PartySize: 1, ExceptBooking: &made.ID,
		})
		require.Error(t, err, page)
	}
}
