package booking_test

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/booking"
	"holdfast/internal/catalog"
	"holdfast/internal/mergepatch"
	"holdfast/internal/problem"
	"holdfast/internal/testtime"
	"holdfast/internal/timetable"
)

// place is where the tests of rules move a booking from.
type place struct {
	*testBundle
	service, otherService uuid.UUID
	// boat serves both services, other only otherService, archived is the service's third
	boat, other, archived uuid.UUID
	booking               booking.Booking
}

func newPlace(t testing.TB) place {
	t.Helper()
	p := place{testBundle: setup(t)}
	open := timetable.Hours{Weekly: []timetable.WeeklyHours{}}
	for day := range 7 {
		open.Weekly = append(open.Weekly, timetable.WeeklyHours{Weekday: time.Weekday(day), Opens: 8 * 60,
			Closes: 18 * 60})
	}
	p.boat, p.other, p.archived = p.newResource(t, 2, open), p.newResource(t, 2, open), p.newResource(t, 2, open)
	perDay := 3
	p.service = p.newService(t, catalog.ServiceSpec{
		Name: "Tour", Spec: timetable.Spec{
			Kind:                timetable.KindSlot,
			ResourceIDs:         []uuid.UUID{p.boat, p.archived},
			DurationMinutes:     60,
			SlotIntervalMinutes: 60,
			MinLeadMinutes:      60,
			BookingWindowDays:   new(300),
			MaxPerDay:           &perDay,
		},
	})
	p.otherService = p.newService(t, catalog.ServiceSpec{
		Name: "Long tour", Spec: timetable.Spec{
			Kind: timetable.KindSlot, ResourceIDs: []uuid.UUID{p.other, p.boat}, DurationMinutes: 120,
			SlotIntervalMinutes: 60,
			BufferAfterMinutes:  60,
		},
	})
	_, err := p.catalog.ArchiveResource(t.Context(), p.tenant, request(t, newKey()), p.archived,
		catalog.Archiving{Archived: true}, "")
	require.NoError(t, err)
	p.booking = p.booked(t, p.service, slotOn(future(0), 10, 0))
	return p
}

// named names resources.
func named(ids ...uuid.UUID) booking.Resources { return booking.Resources{ResourceIDs: ids} }

func TestReschedule_ToWhatCannotBeBooked_IsRefusedAsCreateRefusesIt(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	bookings := p.testBundle.service
	dates := p.newDateService(t, 1)
	archivedService := p.newDateService(t, 1)
	_, err := p.catalog.ArchiveService(t.Context(), p.tenant, request(t, newKey()), archivedService,
		catalog.Archiving{Archived: true}, "")
	require.NoError(t, err)
	p.booked(t, p.service, slotOn(future(1), 10, 0), ofParty(2))
	for hour := range 3 {
		p.booked(t, p.service, slotOn(future(2), 10+hour, 0))
	}
	_, err = p.catalog.CreateClosure(t.Context(), p.tenant, request(t, newKey()),
		catalog.Closure{Closure: timetable.Closure{From: future(3), To: future(3)}, Reason: "Winter"})
	require.NoError(t, err)
	lapsed, three := p.hold(t, p.service, slotOn(future(4), 10, 0)), 3
	p.expireIn(t, lapsed.ID, 0)
	unknown := uuid.New()
	onAnyDate := future(5)
	past := testtime.Now().Add(-24 * time.Hour).Truncate(time.Hour)
	before, err := bookings.Get(t.Context(), p.tenant, p.booking.ID)
	require.NoError(t, err)
	for name, refused := range map[string]struct {
		m    booking.Move
		code problem.Code
	}{
		"a time that is taken":                {to(slotOn(future(1), 10, 0)), problem.SlotUnavailable},
		"a date on which the service is full": {to(slotOn(future(2), 14, 0)), problem.SlotUnavailable},
		"a closed date":                       {to(slotOn(future(3), 10, 0)), problem.OutsideOpeningHours},
		"a time outside the hours":            {to(slotOn(future(0), 7, 0)), problem.OutsideOpeningHours},
		"a time at which no slot starts":      {to(slotOn(future(0), 10, 30)), problem.ValidationFailed},
		"a time that is over":                 {to(atTime(past)), problem.OutsideBookingWindow},
		"a time that is too soon": {to(atTime(testtime.Now().Add(30 * time.Minute).Truncate(time.Minute))),
			problem.OutsideBookingWindow},
		"a date beyond the window":                 {to(slotOn(future(300), 10, 0)), problem.OutsideBookingWindow},
		"a text that is no time":                   {to(at("tomorrow")), problem.ValidationFailed},
		"a date of a service that is sold by slot": {to(onDate(onAnyDate)), problem.ValidationFailed},
		"a time of a service that is sold by date": {booking.Move{ServiceID: &dates, When: slotOn(future(5), 10, 0)},
			problem.ValidationFailed},
		"a service that doesn't exist":   {booking.Move{ServiceID: &unknown}, problem.NotFound},
		"a resource that doesn't exist":  {booking.Move{Resources: named(unknown)}, problem.NotFound},
		"a resource of another service":  {booking.Move{Resources: named(p.other)}, problem.NotFound},
		"an archived resource":           {booking.Move{Resources: named(p.archived)}, problem.InvalidState},
		"an archived service":            {booking.Move{ServiceID: &archivedService}, problem.InvalidState},
		"a party that no resource takes": {booking.Move{PartySize: &three}, problem.ValidationFailed},
		"a resource and any resource": {booking.Move{Resources: booking.Resources{ResourceIDs: []uuid.UUID{p.boat}},
			AnyResource: true},
			problem.ValidationFailed},
		"unit types of a service without": {booking.Move{Party: map[string]int{"adult": 1}, Price: booking.PriceQuoted},
			problem.ValidationFailed},
		"unit types without a quote": {booking.Move{Party: map[string]int{"adult": 1}}, problem.ValidationFailed},
	} {
		_, err := reschedule(t, bookings, p.tenant, p.booking.ID, refused.m)
		require.True(t, problem.Is(err, refused.code), "%s: %v", name, err)
	}
	_, err = reschedule(t, bookings, p.tenant, unknown, to(slotOn(future(5), 10, 0)))
	require.True(t, problem.Is(err, problem.NotFound), "%v", err)
	_, err = bookings.Reschedule(
		t.Context(),
		p.tenant,
		request(t, newKey()),
		p.booking.ID,
		booking.RescheduleRequest{Move: to(slotOn(future(5), 10, 0))},
		`"2"`,
	)
	require.True(t, problem.Is(err, problem.VersionMismatch), "%v", err)
	after, err := bookings.Get(t.Context(), p.tenant, p.booking.ID)
	require.NoError(t, err)
	require.Equal(t, before.Body(), after.Body(), "a refusal changes nothing")
	p.requireStory(t, p.booking.ID, "booking.created")

	_, err = reschedule(t, bookings, p.tenant, p.booking.ID, to(slotOn(future(4), 10, 0)))
	require.NoError(t, err, "a hold past its expiry counts as free")
	p.requireStory(t, lapsed.ID, "booking.held", "booking.expired")
}

func TestReschedule_BetweenServices_FollowsTheirBuffersAndResources(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	bookings := p.testBundle.service
	moved, err := reschedule(t, bookings, p.tenant, p.booking.ID, booking.Move{ServiceID: &p.otherService})
	require.NoError(t, err)
	require.Equal(t, p.otherService, moved.ServiceID)
	require.Equal(t, p.boat, moved.ResourceID, "the resource serves both services, so it stays")
	require.Equal(t, 2*time.Hour, moved.EndsAt.Sub(moved.StartsAt))
	require.Equal(t, 1, p.count(t,
		"SELECT count(*) FROM bookings WHERE busy_from = starts_at AND busy_until = ends_at + interval '1 hour'"))

	moved, err = reschedule(t, bookings, p.tenant, p.booking.ID,
		booking.Move{AnyResource: true, When: slotOn(future(0), 12, 0)})
	require.NoError(t, err)
	require.Equal(t, p.other, moved.ResourceID, "the first of the service's resources")
	moved, err = reschedule(t, bookings, p.tenant, p.booking.ID, booking.Move{ServiceID: &p.service})
	require.NoError(t, err)
	require.Equal(t, p.boat, moved.ResourceID, "the service doesn't list the other boat")
	require.Equal(t, time.Hour, moved.EndsAt.Sub(moved.StartsAt))

	p.booked(
		t,
		p.otherService,
		slotOn(future(1), 10, 0),
		func(n *booking.CreateRequest) { n.ResourceIDs, n.PartySize = []uuid.UUID{p.boat}, 2 },
	)
	_, err = reschedule(t, bookings, p.tenant, p.booking.ID,
		booking.Move{ServiceID: &p.otherService, When: slotOn(future(1), 12, 0)})
	require.True(t, problem.Is(err, problem.SlotUnavailable),
		"the buffer of the booking on the same boat is in the way: %v", err)
	moved, err = reschedule(t, bookings, p.tenant, p.booking.ID,
		booking.Move{ServiceID: &p.otherService, AnyResource: true, When: slotOn(future(1), 12, 0)})
	require.NoError(t, err)
	require.Equal(t, p.other, moved.ResourceID)
	p.requireNoOverlap(t)
}

func TestReschedule_WhatIsAlreadySo_KeepsTheVersion(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	bookings := p.testBundle.service
	// Nothing of this is judged, although the date is closed by now.
	_, err := p.catalog.CreateClosure(t.Context(), p.tenant, request(t, newKey()),
		catalog.Closure{Closure: timetable.Closure{From: future(0), To: future(0)}, Reason: "Winter"})
	require.NoError(t, err)
	one := 1
	key := newKey()
	for _, m := range []booking.Move{
		{},
		to(slotOn(future(0), 10, 0)),
		{ServiceID: &p.service, Resources: booking.Resources{ResourceIDs: []uuid.UUID{p.boat}}, PartySize: &one,
			When: slotOn(future(0), 10, 0)},
		{AnyResource: true},
		{Price: booking.PriceQuoted},
	} {
		resp, err := bookings.Reschedule(t.Context(), p.tenant, request(t, key), p.booking.ID,
			booking.RescheduleRequest{Move: m}, `"1"`)
		require.NoError(t, err)
		require.Equal(t, p.booking.ID, bookingIn(t, resp).ID)
		require.Equal(t, `"1"`, resp.Answer().ETag)
	}
	p.requireStory(t, p.booking.ID, "booking.created")
}

func TestReschedule_ResourceTakesNoBookings_AnyOtherOneIsTaken(t *testing.T) {
	t.Parallel()
	b := setup(t)
	first, second := b.newResource(t, 1, timetable.Hours{}), b.newResource(t, 1, timetable.Hours{})
	service := b.newService(
		t,
		catalog.ServiceSpec{Name: "Day",
			Spec: timetable.Spec{Kind: timetable.KindDate, ResourceIDs: []uuid.UUID{first, second}}},
	)
	archived, unlisted := b.booked(t, service, onDate(future(0))), b.booked(t, service, onDate(future(1)))
	require.Equal(t, []uuid.UUID{first, first}, []uuid.UUID{archived.ResourceID, unlisted.ResourceID})
	_, err := b.catalog.ArchiveResource(t.Context(), b.tenant, request(t, newKey()), first,
		catalog.Archiving{Archived: true, Force: true},
		"")
	require.NoError(t, err)
	kept, err := reschedule(t, b.service, b.tenant, archived.ID, booking.Move{})
	require.NoError(t, err)
	require.Equal(t, first, kept.ResourceID, "nobody asked for another one")
	moved, err := reschedule(t, b.service, b.tenant, archived.ID, booking.Move{AnyResource: true})
	require.NoError(t, err)
	require.Equal(t, second, moved.ResourceID)

	change := mergepatch.Of[catalog.ServiceSpec](`{"resource_ids": ["` + second.String() + `"]}`)
	_, err = b.catalog.ChangeService(t.Context(), b.tenant, service, change, "")
	require.NoError(t, err)
	moved, err = reschedule(t, b.service, b.tenant, unlisted.ID, booking.Move{})
	require.NoError(t, err)
	require.Equal(t, second, moved.ResourceID, "the service doesn't list the former one")
}
