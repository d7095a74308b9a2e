package booking_test

import (
	"testing"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/booking"
	"holdfast/internal/catalog"
	"holdfast/internal/etag"
	"holdfast/internal/testtime"
	"holdfast/internal/timetable"
)

func TestList_FromADate_HasBookingsThatBeganBeforeAndAreOnThen(t *testing.T) {
	t.Parallel()
	b := setup(t)
	nights := b.newService(t, catalog.ServiceSpec{
		Name: "Three nights", Spec: timetable.Spec{
			Kind: timetable.KindSlot, DurationDays: 3,
			ResourceIDs: []uuid.UUID{b.newResource(t, 10, timetable.Hours{})},
		},
	})
	days := b.newDateService(t, 10)
	var ids []uuid.UUID
	var codes []*string
	book := func(service uuid.UUID, when timetable.When) {
		made, _, err := create(t, b.service, b.tenant, newKey(), newBooking(service, when))
		require.NoError(t, err)
		stored, err := b.service.Get(t.Context(), b.tenant, made.ID)
		require.NoError(t, err)
		ids, codes = append(ids, made.ID), append(codes, &stored.Code)
	}
	for day := range 4 { // the first ends at midnight of day 3, the last is on until then of day 6
		book(nights, atTime(testtime.At(day, 0, 0, b.tenant.Location)))
		book(days, onDate(testtime.Date(day)))
	}
	list := func(f booking.Filter) (found []uuid.UUID) {
		for {
			page, err := b.service.List(t.Context(), b.tenant, f)
			require.NoError(t, err)
			for _, listed := range page {
				found = append(found, listed.ID)
				f.AfterDate, f.AfterID = listed.Date, listed.ID
			}
			if len(page) < f.Limit {
				return found
			}
		}
	}
	dates := func(from, to int) (f, l *civil.Date) {
		first, last := testtime.Date(from), testtime.Date(to)
		return &first, &last
	}
	for _, limit := range []int{1, 2, 50} {
		for _, test := range []struct {
			from, to int
			want     []uuid.UUID
		}{
			{0, 9, ids},
			{2, 2, []uuid.UUID{ids[0], ids[2], ids[4], ids[5]}},
			{3, 3, []uuid.UUID{ids[2], ids[4], ids[6], ids[7]}},
			{5, 9, []uuid.UUID{ids[6]}},
			{6, 9, nil},
			{3, 2, nil},
		} {
			f := booking.Filter{Limit: limit}
			f.From, f.To = dates(test.from, test.to)
			require.Equal(t, test.want, list(f), "from %d to %d, pages of %d", test.from, test.to, limit)
		}
	}
	f := booking.Filter{Limit: 50, ServiceID: &days}
	f.From, _ = dates(2, 2)
	require.Equal(t, []uuid.UUID{ids[5], ids[7]}, list(f))
	f = booking.Filter{Limit: 50, Code: codes[0]}
	f.From, _ = dates(2, 2)
	require.Equal(t, ids[:1], list(f))
	f.From, _ = dates(3, 3)
	require.Empty(t, list(f))

	start := testtime.At(7, 0, 0, b.tenant.Location)
	_, err := b.service.Reschedule(
		t.Context(),
		b.tenant,
		request(t, newKey()),
		ids[0],
		booking.RescheduleRequest{Move: booking.Move{When: atTime(start)}},
		etag.Precondition(""),
	)
	require.NoError(t, err)
	f = booking.Filter{Limit: 50}
	f.From, f.To = dates(9, 9)
	require.Equal(t, ids[:1], list(f), "a booking that moved")
}
