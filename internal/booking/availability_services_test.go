package booking_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/booking"
	"holdfast/internal/catalog"
	"holdfast/internal/db/dbtest"
	"holdfast/internal/mergepatch"
	"holdfast/internal/problem"
	"holdfast/internal/testtime"
	"holdfast/internal/timetable"
)

// appendDay appends a day of a page, in memory of its own. A date that is continued on another page counts once, with
// all its slots.
func appendDay(days []timetable.Day, d timetable.Day) []timetable.Day {
	slots := slices.Clone(d.Slots)
	for i := range slots {
		slots[i].ResourceIDs = slices.Clone(slots[i].ResourceIDs)
	}
	if n := len(days); n > 0 && days[n-1].Date == d.Date {
		days[n-1].Slots = append(days[n-1].Slots, slots...)
		return days
	}
	d.Slots = slots
	if d.Price != nil {
		d.Price = new(*d.Price)
	}
	if d.MaxNights != nil {
		d.MaxNights = new(*d.MaxNights)
	}
	return append(days, d)
}

// daysOfService returns the days of all pages of one service.
func (b *testBundle) daysOfService(t testing.TB, service uuid.UUID,
	q timetable.AvailabilityQuery,
) (days []timetable.Day) {
	t.Helper()
	for {
		page, err := b.service.Availability(t.Context(), b.tenant, service, q)
		require.NoError(t, err)
		for d := range page.Days() {
			days = appendDay(days, d)
		}
		if q.After = page.Next(); q.After == nil {
			return days
		}
	}
}

// servicesTold is what all pages tell of several services: which, what of each, and how many pages there are.
type servicesTold struct {
	services []uuid.UUID
	days     map[uuid.UUID][]timetable.Day
	pages    int
}

func allOf(t testing.TB, q timetable.AvailabilityQuery,
	ask func(timetable.AvailabilityQuery) (*timetable.ServicesPage, error)) servicesTold {
	t.Helper()
	told := servicesTold{days: make(map[uuid.UUID][]timetable.Day)}
	for {
		page, err := ask(q)
		require.NoError(t, err)
		days, entries := 0, 0
		for d := range page.Days() {
			days++
			for _, slot := range d.Slots {
				entries += 1 + len(slot.ResourceIDs)
			}
			if !slices.Contains(told.services, d.ServiceID) {
				told.services = append(told.services, d.ServiceID)
			}
			require.Equal(t, d.ServiceID, told.services[len(told.services)-1], "service after service")
			told.days[d.ServiceID] = appendDay(told.days[d.ServiceID], d)
		}
		require.LessOrEqual(t, entries, 36_000)
		told.pages++
		require.Less(t, told.pages, 100)
		if q.After = page.Next(); q.After == nil {
			return told
		}
		require.Positive(t, days, "each page has something")
	}
}

// ofServices and ofResource ask for all pages of services, and of a resource.
func (b *testBundle) ofServices(t testing.TB, q timetable.AvailabilityQuery, services ...uuid.UUID) servicesTold {
	t.Helper()
	return allOf(t, q, func(q timetable.AvailabilityQuery) (*timetable.ServicesPage, error) {
		return b.service.AvailabilityOfServices(t.Context(), b.tenant, services, q)
	})
}

func (b *testBundle) ofResource(t testing.TB, q timetable.AvailabilityQuery, resource uuid.UUID) servicesTold {
	t.Helper()
	return allOf(t, q, func(q timetable.AvailabilityQuery) (*timetable.ServicesPage, error) {
		return b.service.AvailabilityOfResource(t.Context(), b.tenant, resource, q)
	})
}

// shapes are services of every kind on the same boats, skippers and rooms.
type shapes struct {
	*testBundle
	resources, services []uuid.UUID
}

func newShapes(t testing.TB) shapes {
	t.Helper()
	b := setup(t)
	boats, skippers, tables := b.newResources(t, 2, 3), b.newResources(t, 3, 1), b.newResources(t, 3, 2)
	var weekly []timetable.WeeklyHours
	for day := time.Sunday; day <= time.Saturday; day++ {
		weekly = append(weekly, timetable.WeeklyHours{Weekday: day, Opens: 9 * 60, Closes: 13 * 60})
	}
	skippers[2] = b.newResource(t, 1, timetable.Hours{Weekly: weekly})
	s := shapes{testBundle: b, resources: slices.Concat(boats, skippers, tables)}
	of := func(kind timetable.ServiceKind, with func(*catalog.ServiceSpec), groups ...[]uuid.UUID) {
		spec := catalog.ServiceSpec{Name: "Trip", Spec: timetable.Spec{Kind: kind, Price: 1000}}
		if kind == timetable.KindSlot {
			spec.DurationMinutes, spec.SlotIntervalMinutes = 60, 60
		}
		for i, ids := range groups {
			n := timetable.Need{ResourceIDs: ids}
			if i > 0 {
				n.Units = 1
			}
			spec.Needs = append(spec.Needs, n)
		}
		with(&spec)
		s.services = append(s.services, b.newService(t, spec))
	}
	plain := func(*catalog.ServiceSpec) {}
	of(timetable.KindDate, plain, boats)
	of(timetable.KindSlot, func(spec *catalog.ServiceSpec) { spec.MaxPerDay = new(2) }, boats, skippers)
	of(timetable.KindStay, func(spec *catalog.ServiceSpec) {
		spec.CheckIn, spec.CheckOut, spec.MinNights, spec.MaxNights = "15:00", "10:00", 2, 5
	}, tables)
	of(timetable.KindSlot, func(spec *catalog.ServiceSpec) { spec.Occupies = timetable.OccupiesSession }, boats,
		skippers)
	of(timetable.KindSlot,
		func(spec *catalog.ServiceSpec) { spec.Occupies, spec.BufferAfterMinutes = timetable.OccupiesWhole, 30 }, boats)
	of(timetable.KindSlot, func(spec *catalog.ServiceSpec) { spec.Needs[0].Join, spec.Needs[1].Join = true, true },
		tables, skippers)
	of(timetable.KindSlot, func(spec *catalog.ServiceSpec) {
		spec.DurationMinutes, spec.Durations.Durations = 0,
			[]timetable.Duration{{Length: timetable.Length{Minutes: 90}},
				{Length: timetable.Length{Minutes: 30}}}
	}, skippers)
	of(timetable.KindDate, func(spec *catalog.ServiceSpec) { spec.BufferBeforeDays = 2 }, tables, boats)
	return s
}

// draw draws a booking of a service, of which a resource is named if one is given.
func (s shapes) draw(t testing.TB, r *rand.Rand, service uuid.UUID, days int,
	resources ...uuid.UUID,
) booking.CreateRequest {
	t.Helper()
	n := newBooking(service, atTime(testtime.At(r.IntN(days), 8+r.IntN(7), 0, s.tenant.Location)))
	switch slices.Index(s.services, service) {
	case 0, 7:
		n.When = onDate(future(r.IntN(days)))
	case 2:
		from := r.IntN(days)
		n.When = stay(from, from+2)
	case 6:
		n.When.DurationMinutes = new(30)
	}
	n.PartySize, n.ResourceIDs = 1+r.IntN(3), resources
	return n
}

// TestAvailabilityOfServices_EveryKind_TellsWhatEachServiceTells compares the answer for several services with those
// for each of them.
func TestAvailabilityOfServices_EveryKind_TellsWhatEachServiceTells(t *testing.T) {
	t.Parallel()
	s := newShapes(t)
	r := rand.New(rand.NewPCG(testtime.Seed(t), 1))
	var made []uuid.UUID
	for range 60 {
		if b, _, err := create(t, s.service, s.tenant, newKey(),
			s.draw(t, r, s.services[r.IntN(len(s.services))], 12)); err == nil {
			made = append(made, b.ID)
		}
	}
	require.Greater(t, len(made), 15)
	for range 12 {
		services := slices.Clone(s.services)
		r.Shuffle(len(services), func(i, j int) { services[i], services[j] = services[j], services[i] })
		services = services[:1+r.IntN(len(services))]
		q := timetable.AvailabilityQuery{
			From: future(r.IntN(3)), To: future(3 + r.IntN(20)), PartySize: 1 + r.IntN(3), Prices: r.IntN(2) == 0,
			DaysOnly: r.IntN(3) == 0,
		}
		if r.IntN(2) == 0 {
			q.ExceptBooking = &made[r.IntN(len(made))]
		}
		told := s.ofServices(t, q, services...)
		require.Equal(t, services, told.services, "in the order asked for")
		require.Equal(t, 1, told.pages)
		for _, id := range services {
			require.Equal(t, s.daysOfService(t, id, q), told.days[id])
		}
	}
}

// TestAvailabilityOfResource_RandomBookings_ListedIfAndOnlyIfABookingThatNamesItIsAccepted tries bookings of each
// service that has a resource, while those that were made fill the calendar.
func TestAvailabilityOfResource_RandomBookings_ListedIfAndOnlyIfABookingThatNamesItIsAccepted(t *testing.T) {
	t.Parallel()
	s := newShapes(t)
	r := rand.New(rand.NewPCG(testtime.Seed(t), 2))
	accepted, refused, sessions := 0, 0, 0
	for range testtime.Rounds(400) {
		resource := s.resources[r.IntN(len(s.resources))]
		q := timetable.AvailabilityQuery{From: future(0), To: future(5), PartySize: 1 + r.IntN(3)}
		told := s.ofResource(t, q, resource)
		n := s.draw(t, r, told.services[r.IntN(len(told.services))], 6, resource)
		n.PartySize = q.PartySize
		listed := false
		for _, d := range told.days[n.ServiceID] {
			if n.When.StartsAt == nil {
				date := n.When.Date
				if n.When.CheckIn != nil {
					date = n.When.CheckIn
				}
				listed = listed || d.Date == *date && d.Available
			}
			for _, slot := range d.Slots {
				if n.When.StartsAt != nil && slot.StartsAt.Format(time.RFC3339) == *n.When.StartsAt {
					listed = len(slot.ResourceIDs) > 0
					require.Equal(t, listed, slot.LargestParty >= n.PartySize)
				}
			}
		}
		made, _, err := create(t, s.service, s.tenant, newKey(), n)
		require.Equal(t, listed, err == nil, "%v %+v", err, n.When)
		if err != nil {
			refused++
			continue
		}
		accepted++
		require.Contains(t, s.resourcesOf(t, made.ID), resource)
		if n.ServiceID == s.services[3] {
			sessions++
		}
		if r.IntN(3) > 0 {
			_, err = change(t, s.service, s.tenant, made.ID, booking.Cancel)
			require.NoError(t, err)
		}
	}
	require.Greater(t, accepted, 80)
	require.Greater(t, refused, 80)
	require.Greater(t, sessions, 10)
	s.requireNoOverlap(t)
}

// A tour that has a skipper can be joined by those who ask for this skipper, and not by those who ask for another one.
// One that began when tours needed no skipper can't be joined any more.
func TestAvailabilityOfResource_SessionHasAnotherSkipper_CannotBeJoinedWithThisOne(t *testing.T) {
	t.Parallel()
	h := newHarbour(t, 1, 2, timetable.OccupiesSession)
	change := func(patch string) {
		_, err := h.catalog.ChangeService(t.Context(), h.tenant, h.trip, mergepatch.Of[catalog.ServiceSpec](patch), "")
		require.NoError(t, err)
	}
	h.booked(t, h.trip, h.atHour(9))
	change(fmt.Sprintf(`{"needs": null, "resource_ids": [%q]}`, h.boats[0]))
	h.booked(t, h.trip, h.atHour(12))
	change(fmt.Sprintf(`{"resource_ids": null, "needs": [{"resource_ids": [%q]}, {"resource_ids": [%q, %q], "units": 1}]}`, h.boats[0],
		h.skippers[0], h.skippers[1]))
	h.requireRefused(t, problem.SlotUnavailable, newBooking(h.trip, h.atHour(12)))
	for hour, joins := range map[int][]bool{9: {true, false}, 12: {false, false}} {
		for i, free := range joins {
			n := newBooking(h.trip, h.atHour(hour))
			n.ResourceIDs = h.skippers[i : i+1]
			told := h.ofResource(t, timetable.AvailabilityQuery{From: future(0), To: future(0), PartySize: 1},
				h.skippers[i])
			slots := told.days[h.trip][0].Slots
			at := slices.IndexFunc(slots,
				func(s timetable.Slot) bool { return s.StartsAt.Hour() == hour && s.StartsAt.Minute() == 0 })
			require.Equal(t, free, len(slots[at].ResourceIDs) > 0, hour)
			_, _, err := create(t, h.service, h.tenant, newKey(), n)
			require.Equal(t, free, err == nil, "%v", err)
		}
	}
}

// Several dense services share the bounds of one page, and the pages together tell what the services tell.
func TestAvailabilityOfServices_MoreThanAPage_ComeInPagesThatTellEverything(t *testing.T) {
	t.Parallel()
	b := setup(t)
	services := []uuid.UUID{b.newDenseService(t, 1), b.newDenseService(t, 10), b.newDateService(t, 1),
		b.newDenseService(t, 3)}
	q := timetable.AvailabilityQuery{From: future(0), To: future(6), PartySize: 1}
	told := b.ofServices(t, q, services...)
	require.Equal(t, services, told.services)
	least := 7 * 1440 * (2 + 11 + 4) / 36_000 // slots and their resources
	require.GreaterOrEqual(t, told.pages, least)
	require.LessOrEqual(t, told.pages, 2*least+1, "no page is nearly empty")
	for _, id := range services {
		require.Equal(t, b.daysOfService(t, id, q), told.days[id])
	}

	q.To, q.DaysOnly = future(30), true
	told = b.ofServices(t, q, services...)
	require.Greater(t, told.pages, 1, "what is looked at is bounded too")
	require.LessOrEqual(t, told.pages, 4)
	for _, id := range services {
		require.Equal(t, b.daysOfService(t, id, q), told.days[id])
	}
}

// opensAt returns resources that are open each day, from a minute each until midnight.
func (b *testBundle) opensAt(t testing.TB, minutes ...int) (ids []uuid.UUID) {
	t.Helper()
	for _, opens := range minutes {
		var weekly []timetable.WeeklyHours
		for day := time.Sunday; day <= time.Saturday; day++ {
			weekly = append(weekly, timetable.WeeklyHours{Weekday: day, Opens: opens, Closes: 24 * 60})
		}
		ids = append(ids, b.newResource(t, 1, timetable.Hours{Weekly: weekly}))
	}
	return ids
}

// Services whose resources begin at different times have more on a page than is expected of them. What one has used up
// of the page, the next one doesn't have.
func TestAvailabilityOfServices_MoreOnAPageThanExpected_ShareItsBounds(t *testing.T) {
	t.Parallel()
	b := setup(t)
	of := func(every int, groups ...[]uuid.UUID) uuid.UUID {
		spec := catalog.ServiceSpec{
			Name: "Apart",
			Spec: timetable.Spec{Kind: timetable.KindSlot, DurationMinutes: 1, SlotIntervalMinutes: every},
		}
		for i, ids := range groups {
			spec.Needs = append(spec.Needs, timetable.Need{ResourceIDs: ids, Units: min(i, 1)})
		}
		return b.newService(t, spec)
	}
	b.tenant = b.newTenant(t, "Etc/UTC")
	often, seldom := of(2, b.opensAt(t, 0, 1)), of(8, b.opensAt(t, 0, 4))
	hourly := b.newSlotService(t, 1, 60)
	for _, c := range []struct {
		days     int
		services []uuid.UUID
		pages    int
	}{
		{8, []uuid.UUID{often, of(2, b.opensAt(t, 0, 1))}, 2},
		{9, []uuid.UUID{often, seldom, hourly}, 1},
		{10, []uuid.UUID{often, seldom, hourly}, 2}, // the second service uses up the page
	} {
		q := timetable.AvailabilityQuery{From: future(0), To: future(c.days - 1), PartySize: 1}
		told := b.ofServices(t, q, c.services...)
		require.Equal(t, c.pages, told.pages)
		for _, id := range c.services {
			require.Equal(t, b.daysOfService(t, id, q), told.days[id])
		}
	}

	boats, skippers := b.opensAt(t, 0, 1), b.newResources(t, 10, 1)
	services := []uuid.UUID{of(2, boats, skippers), of(2, boats, skippers)}
	q := timetable.AvailabilityQuery{From: future(0), To: future(30), PartySize: 1, DaysOnly: true}
	told := b.ofServices(t, q, services...)
	require.Equal(t, 2, told.pages, "what is looked at is more than is expected, too")
	for _, id := range services {
		require.Equal(t, b.daysOfService(t, id, q), told.days[id])
	}
}

// TestAvailabilityOfServices_MoreBookingsThanAPageReads_TellEveryDate has more bookings of one resource on one date
// than are read for a page of several dates.
func TestAvailabilityOfServices_MoreBookingsThanAPageReads_TellEveryDate(t *testing.T) {
	t.Parallel()
	b := setup(t)
	resources := b.newResources(t, 100, 1)
	var services []uuid.UUID
	for _, of := range [][]uuid.UUID{resources[:49], resources[49:], resources} {
		services = append(services, b.newService(t, catalog.ServiceSpec{
			Name: "Hour", Spec: timetable.Spec{Kind: timetable.KindSlot, ResourceIDs: of, DurationMinutes: 60,
				SlotIntervalMinutes: 60},
		}))
	}
	b.booked(t, services[0], atTime(testtime.At(3, 0, 0, b.tenant.Location))) // for its customer
	made, err := b.sql.Exec(t.Context(), dbtest.InsertBookings(`
		SELECT c.tenant_id, gen_random_uuid(), $1::uuid, $2::uuid, c.customer_id, 'confirmed', m, m + interval '1 minute', 'Europe/Berlin',
			'{[1,2)}', m, m + interval '1 minute', NULL, 0, 0
		FROM customers c, generate_series($3::timestamptz, $3::timestamptz + interval '1299 minutes', interval '1 minute') AS m`),
		services[1], resources[49], testtime.At(1, 0, 0, b.tenant.Location))
	require.NoError(t, err)
	require.EqualValues(t, 1300, made.RowsAffected())
	q := timetable.AvailabilityQuery{From: future(0), To: future(3), PartySize: 1}
	told := b.ofServices(t, q, services...)
	require.Greater(t, told.pages, 3)
	for _, id := range services {
		require.Equal(t, b.daysOfService(t, id, q), told.days[id])
		require.Len(t, told.days[id], 4)
	}
}

func TestAvailabilityOfResource_ManyServices_ComeTenAPageById(t *testing.T) {
	t.Parallel()
	b := setup(t)
	boat, other := b.newResource(t, 1, timetable.Hours{}), b.newResource(t, 1, timetable.Hours{})
	var services []uuid.UUID
	for range 23 {
		services = append(services, b.newService(t, catalog.ServiceSpec{
			Name: "Day", Spec: timetable.Spec{Kind: timetable.KindDate, ResourceIDs: []uuid.UUID{other, boat}},
		}))
	}
	b.newService(t,
		catalog.ServiceSpec{Name: "Elsewhere",
			Spec: timetable.Spec{Kind: timetable.KindDate, ResourceIDs: []uuid.UUID{other}}})
	slices.SortFunc(services, func(a, b uuid.UUID) int { return slices.Compare(a[:], b[:]) })
	archive := func(id uuid.UUID) {
		_, err := b.catalog.ArchiveService(t.Context(), b.tenant, request(t, newKey()), id,
			catalog.Archiving{Archived: true}, "")
		require.NoError(t, err)
	}
	archive(services[4])
	_, err := b.catalog.ChangeService(t.Context(), b.tenant, services[5],
		mergepatch.Of[catalog.ServiceSpec](`{"resource_ids": ["`+other.String()+`"]}`), "")
	require.NoError(t, err)
	services = slices.Delete(services, 4, 6)

	q := timetable.AvailabilityQuery{From: future(0), To: future(30), PartySize: 1}
	told := b.ofResource(t, q, boat)
	require.Equal(t, services, told.services)
	require.Equal(t, 3, told.pages)
	for _, id := range services {
		require.Len(t, told.days[id], 31)
		require.Equal(t, 1, told.days[id][0].Capacity, "the other boat doesn't count")
	}

	// The next page begins with what follows, also if the service that it would begin with is gone.
	page, err := b.service.AvailabilityOfResource(t.Context(), b.tenant, boat, q)
	require.NoError(t, err)
	for range page.Days() {
		continue
	}
	q.After = page.Next()
	require.Equal(t, &timetable.AvailabilityPosition{ServiceID: services[10], Date: future(0)}, q.After)
	q.After.Date = future(7)
	archive(services[10])
	told = b.ofResource(t, q, boat)
	require.Equal(t, services[11:], told.services)
	require.Len(t, told.days[services[11]], 31)

	unused := b.newResource(t, 1, timetable.Hours{})
	page, err = b.service.AvailabilityOfResource(t.Context(), b.tenant, unused, timetable.AvailabilityQuery{
		From: future(0), To: future(0), PartySize: 1,
	})
	require.NoError(t, err)
	for range page.Days() {
		require.Fail(t, "no service has it")
	}
	require.Nil(t, page.Next())
	require.NotEmpty(t, page.Fingerprint())
}

// Rules that are in memory are found stale, those of every service.
func TestAvailabilityOfServices_CatalogChangesElsewhere_TellsWhatHoldsNow(t *testing.T) {
	t.Parallel()
	b := setup(t)
	services := []uuid.UUID{b.newDateService(t, 1), b.newDateService(t, 1), b.newDateService(t, 1)}
	other, _ := b.process(t)
	q := timetable.AvailabilityQuery{From: future(0), To: future(0), PartySize: 1}
	last := func() (last timetable.Day) {
		page, err := other.AvailabilityOfServices(t.Context(), b.tenant, services, q)
		require.NoError(t, err)
		for last = range page.Days() {
			continue
		}
		return last
	}
	require.True(t, last().Available)
	_, err := b.catalog.CreateClosure(t.Context(), b.tenant, request(t, newKey()),
		catalog.Closure{Closure: timetable.Closure{From: future(0), To: future(0)}})
	require.NoError(t, err)
	require.Equal(t, timetable.ClosedOn, last().Reason)
}

func TestAvailabilityOfServices_BadQuery_IsRefusedWithItsField(t *testing.T) {
	t.Parallel()
	b := setup(t)
	one, two := b.newDateService(t, 1), b.newDateService(t, 1)
	theirs := b.tenant
	b.tenant = b.newTenant(t, "Europe/Berlin")
	mine := b.newDateService(t, 1)
	many := make([]uuid.UUID, 11)
	for i := range many {
		many[i] = uuid.New()
	}
	q := timetable.AvailabilityQuery{From: future(0), To: future(0), PartySize: 1}
	long, elsewhere := q, q
	long.To = future(31)
	elsewhere.After = &timetable.AvailabilityPosition{ServiceID: two, Date: future(0)}
	for name, c := range map[string]struct {
		services []uuid.UUID
		q        timetable.AvailabilityQuery
		code     problem.Code
		field    string
	}{
		"none":                 {nil, q, problem.ValidationFailed, "service_ids"},
		"eleven":               {many, q, problem.ValidationFailed, "service_ids"},
		"one twice":            {[]uuid.UUID{mine, one, mine}, q, problem.ValidationFailed, "service_ids[2]"},
		"32 dates":             {[]uuid.UUID{mine}, long, problem.TooManyDates, ""},
		"a cursor of others":   {[]uuid.UUID{mine}, elsewhere, problem.ValidationFailed, "cursor"},
		"another tenant's":     {[]uuid.UUID{mine, one}, q, problem.NotFound, "service_ids[1]"},
		"that doesn't exist":   {[]uuid.UUID{mine, uuid.New()}, q, problem.NotFound, "service_ids[1]"},
		"several that are not": {[]uuid.UUID{uuid.New(), two}, q, problem.NotFound, "service_ids[0]"},
	} {
		_, err := b.service.AvailabilityOfServices(t.Context(), b.tenant, c.services, c.q)
		require.Equal(t, c.code, problem.CodeOf(err), name)
		fields := problem.DocumentOf(err).Errors
		if c.field == "" {
			require.Empty(t, fields, name)
			continue
		}
		require.Len(t, fields, 1, name)
		require.Equal(t, c.field, fields[0].Name, name)
	}
	_, err := b.service.AvailabilityOfServices(t.Context(), theirs, []uuid.UUID{one, two}, q)
	require.NoError(t, err)
}
