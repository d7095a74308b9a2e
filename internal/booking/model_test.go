package booking_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
	"time"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/booking"
	"holdfast/internal/catalog"
	"holdfast/internal/problem"
	"holdfast/internal/testtime"
)

// modelPrice is what a person costs in each service of the model, in minor units.
const modelPrice = 700

// plainService is what the plain calendar knows of a service.
type plainService struct {
	id        uuid.UUID
	occupies  catalog.Occupies
	minutes   int
	buffer    time.Duration // after a booking
	most      int           // bookings, or sessions, a day; 0 for any number
	skippered bool          // a booking, or a session, needs a skipper too
}

// plainBooking is a booking in the plain calendar.
type plainBooking struct {
	id       uuid.UUID
	service  *plainService
	resource uuid.UUID
	start    time.Time
	party    int
	units    []int // of the resource, or seats
	skipper  uuid.UUID
	price    int64
	status   booking.Status
	lapsed   bool // a hold past its expiry
}

func (p *plainBooking) until() time.Time {
	return p.start.Add(time.Duration(p.service.minutes)*time.Minute + p.service.buffer)
}

func (p *plainBooking) takes() bool {
	return !p.lapsed && (p.status == booking.Held || p.status == booking.Confirmed)
}

// plainCalendar says who gets what, by looking at all bookings each time.
type plainCalendar struct {
	resources []uuid.UUID
	skippers  []uuid.UUID
	capacity  map[uuid.UUID]int
	bookings  []*plainBooking
}

// inTheWay returns the bookings that need a resource at a time, but for one that moves.
func (c *plainCalendar) inTheWay(resource uuid.UUID, from, until time.Time, moves *plainBooking) (list []*plainBooking) {
	for _, p := range c.bookings {
		if p != moves && p.takes() && (p.resource == resource || p.skipper == resource) && p.start.Before(until) && from.Before(p.until()) {
			list = append(list, p)
		}
	}
	return list
}

// lowest returns the lowest units that none of some bookings has, nil if there are too few.
func lowest(capacity, party int, others []*plainBooking) (units []int) {
	for unit := 1; unit <= capacity && len(units) < party; unit++ {
		if !slices.ContainsFunc(others, func(p *plainBooking) bool { return slices.Contains(p.units, unit) }) {
			units = append(units, unit)
		}
	}
	if len(units) < party {
		return nil
	}
	return units
}

// place gives a booking one of some resources, units or seats, and a skipper if it needs one; found is false if the time is taken.
func (c *plainCalendar) place(want *plainBooking, among []uuid.UUID, moves *plainBooking) (found bool) {
	from, until := want.start, want.until()
	want.skipper = uuid.Nil
	if want.service.occupies == catalog.OccupiesSession {
		for _, r := range among {
			others := c.inTheWay(r, from, until, moves)
			same := func(p *plainBooking) bool { return p.service == want.service && p.start.Equal(want.start) }
			if len(others) > 0 && same(others[0]) {
				if units := lowest(c.capacity[r], want.party, others); units != nil {
					want.resource, want.units, want.skipper = r, units, others[0].skipper
					return true
				}
			}
		}
	}
	if want.service.most > 0 && c.onDate(want.service, moves) >= want.service.most {
		return false
	}
	if want.service.skippered {
		i := slices.IndexFunc(c.skippers, func(s uuid.UUID) bool { return len(c.inTheWay(s, from, until, moves)) == 0 })
		if i < 0 {
			return false
		}
		want.skipper = c.skippers[i]
	}
	for _, r := range among {
		others := c.inTheWay(r, from, until, moves)
		if want.service.occupies != catalog.OccupiesUnits && len(others) > 0 {
			continue
		}
		full := slices.ContainsFunc(others, func(p *plainBooking) bool { return p.service.occupies != catalog.OccupiesUnits })
		if units := lowest(c.capacity[r], want.party, others); units != nil && !full {
			want.resource, want.units = r, units
			return true
		}
	}
	return false
}

// onDate returns how many bookings a service has, or sessions.
func (c *plainCalendar) onDate(s *plainService, moves *plainBooking) int {
	sessions := make(map[string]bool)
	for i, p := range c.bookings {
		if p == moves || p.service != s || !p.takes() {
			continue
		}
		key := strconv.Itoa(i)
		if s.occupies == catalog.OccupiesSession {
			key = fmt.Sprint(p.resource, p.start.Unix())
		}
		sessions[key] = true
	}
	return len(sessions)
}

// random returns a booking with a status.
func (c *plainCalendar) random(r *rand.Rand, of ...booking.Status) *plainBooking {
	list := slices.DeleteFunc(slices.Clone(c.bookings), func(p *plainBooking) bool { return !slices.Contains(of, p.status) || p.lapsed })
	if len(list) == 0 {
		return nil
	}
	return list[r.IntN(len(list))]
}

// modelDay returns the date of a zone's next change of the clock, and the first half hour that bookings of the model begin at: two hours
// before the change. A zone without one has some other date.
func modelDay(loc *time.Location) (d civil.Date, first time.Time) {
	d, first = testtime.Date(3), testtime.At(3, 8, 0, loc)
	_, before := first.Zone()
	for at := first; at.Before(first.AddDate(1, 0, 0)); at = at.Add(30 * time.Minute) {
		if _, after := at.Zone(); after != before {
			first = at.Add(-2 * time.Hour)
			return civil.DateOf(first), first
		}
	}
	return d, first
}

// Each answer, what is free, what is occupied, the price and what is due are those of a plain calendar, over bookings of units, of whole
// boats and of sessions on the same boats, with and without skippers, with holds that lapse, moves, confirmations and cancellations. Where
// clocks change, they change meanwhile.
func TestOccupies_AnyMixture_IsWhatAPlainCalendarSays(t *testing.T) {
	t.Parallel()
	for i, zone := range []string{
		"America/New_York", "Europe/London", "Australia/Lord_Howe", "Pacific/Apia", "Asia/Kathmandu", "America/Nuuk",
	} {
		t.Run(zone, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.tenant = b.newTenant(t, zone)
			r := rand.New(rand.NewPCG(testtime.Seed(t), uint64(i)))
			c := &plainCalendar{capacity: make(map[uuid.UUID]int)}
			for _, capacity := range []int{4, 6} {
				id := b.newResource(t, capacity, catalog.Hours{})
				c.resources, c.capacity[id] = append(c.resources, id), capacity
			}
			c.skippers = b.newResources(t, 2, 1)
			var services []*plainService
			for _, s := range []plainService{
				{occupies: catalog.OccupiesSession, minutes: 60, buffer: 30 * time.Minute, most: 3},
				{occupies: catalog.OccupiesSession, minutes: 90},
				{occupies: catalog.OccupiesWhole, minutes: 120, most: 2},
				{occupies: catalog.OccupiesUnits, minutes: 60, buffer: 15 * time.Minute},
				{occupies: catalog.OccupiesSession, minutes: 60, skippered: true},
				{occupies: catalog.OccupiesWhole, minutes: 90, skippered: true},
				{occupies: catalog.OccupiesUnits, minutes: 30, skippered: true},
			} {
				spec := catalog.ServiceSpec{
					Name: "Tour", Kind: catalog.KindSlot, ResourceIDs: c.resources, Occupies: s.occupies, DurationMinutes: s.minutes,
					SlotIntervalMinutes: 30, BufferAfterMinutes: int(s.buffer.Minutes()), Price: modelPrice,
					Pricing: catalog.Pricing{PricePer: catalog.PerUnit},
				}
				if s.skippered {
					spec.ResourceIDs, spec.Needs = nil, []catalog.Need{{ResourceIDs: c.resources}, {ResourceIDs: c.skippers}}
				}
				if s.most > 0 {
					spec.MaxPerDay = &s.most
				}
				s.id = b.newService(t, spec)
				services = append(services, &s)
			}
			day, first := modelDay(b.tenant.Location)
			start := func() time.Time { return first.Add(time.Duration(r.IntN(8)) * 30 * time.Minute) }
			for step := range testtime.Rounds(120) {
				what := b.stepOfPlainCalendar(t, c, r, services, start)
				b.requireNoOverlap(t)
				for _, s := range services {
					if step%6 == 0 {
						b.requireAvailabilityOf(t, c, s, 1+r.IntN(6), day, what)
					}
				}
			}
			for _, p := range c.bookings {
				var status booking.Status
				var units []int
				var skippers []uuid.UUID
				require.NoError(t, b.sql.QueryRow(t.Context(), `SELECT b.status, b.other_resource_ids, (SELECT array_agg(u ORDER BY u)
					FROM claims c, unnest(c.units) AS r, generate_series(lower(r), upper(r) - 1) AS u
					WHERE c.owner_id = b.booking_id AND c.number = 1)
					FROM bookings b WHERE b.booking_id = $1`, p.id).Scan(&status, &skippers, &units))
				if !p.lapsed { // a lapsed hold may or may not be marked yet
					require.Equal(t, p.status, status)
				}
				if p.takes() && p.service.skippered {
					require.Equal(t, []uuid.UUID{p.skipper}, skippers)
				}
				got, err := b.service.Get(t.Context(), b.tenant, p.id)
				require.NoError(t, err)
				require.Equal(t, p.price, got.Price)
				if p.takes() {
					require.Equal(t, p.price, got.Due)
				}
				if p.takes() && p.service.occupies != catalog.OccupiesWhole {
					require.Equal(t, p.units, units, "%v of %s", p.start, p.service.occupies)
				}
			}
		})
	}
}

// stepOfPlainCalendar makes one random request and requires the plain calendar's answer. It returns what it did.
func (b *testBundle) stepOfPlainCalendar(t *testing.T, c *plainCalendar, r *rand.Rand, services []*plainService,
	start func() time.Time,
) (what string) {
	t.Helper()
	among := c.resources
	var wanted *uuid.UUID
	if r.IntN(3) == 0 {
		wanted = &c.resources[r.IntN(len(c.resources))]
		among = []uuid.UUID{*wanted}
	}
	requireAnswer := func(err error, found bool) {
		t.Helper()
		if found {
			require.NoError(t, err, what)
			return
		}
		require.Equal(t, problem.SlotUnavailable, problem.CodeOf(err), "%s: %v", what, err)
	}
	switch die := r.IntN(11); {
	case die < 5:
		p := plainBooking{service: services[r.IntN(len(services))], start: start(), party: 1 + r.IntN(4), status: booking.Confirmed}
		n := newBooking(p.service.id, atTime(p.start))
		n.PartySize, n.ResourceIDs = p.party, one(wanted)
		if r.IntN(3) == 0 {
			p.status, n.HoldMinutes = booking.Held, new(30)
		}
		what = fmt.Sprintf("book %s at %v for %d on %v", p.service.occupies, p.start, p.party, wanted)
		found := c.place(&p, among, nil)
		p.price = modelPrice * int64(p.party)
		quote, err := b.service.Quote(t.Context(), b.tenant, n)
		require.NoError(t, err)
		require.Equal(t, found, quote.Refusal == nil, "%s: %v", what, quote.Refusal)
		require.Equal(t, p.price, quote.Booking.Due, what)
		made, _, err := create(t, b.service, b.tenant, newKey(), n)
		requireAnswer(err, found)
		if found {
			require.Equal(t, p.resource, made.ResourceID, what)
			p.id = made.ID
			c.bookings = append(c.bookings, &p)
		}
	case die < 7:
		p := c.random(r, booking.Held, booking.Confirmed)
		if p == nil {
			return ""
		}
		to := *p
		to.start, to.party = start(), 1+r.IntN(4)
		if r.IntN(3) == 0 {
			to.service = services[r.IntN(len(services))]
		}
		what = fmt.Sprintf("move %s at %v for %d to %s at %v for %d on %v", p.service.occupies, p.start, p.party,
			to.service.occupies, to.start, to.party, wanted)
		m := booking.Rescheduling{
			When: atTime(to.start), ServiceID: &to.service.id, PartySize: &to.party, ResourceIDs: one(wanted), AnyResource: wanted == nil,
			Requote: r.IntN(2) == 0,
		}
		if to.service == p.service && to.start.Equal(p.start) && to.party == p.party && (wanted == nil || *wanted == p.resource) {
			_, err := reschedule(t, b.service, b.tenant, p.id, m)
			require.NoError(t, err, what)
			if m.Requote {
				p.price = modelPrice * int64(p.party)
			}
			return what // it keeps its place
		}
		found := c.place(&to, among, p)
		if m.Requote {
			to.price = modelPrice * int64(to.party)
		}
		quote, err := b.service.QuoteMove(t.Context(), b.tenant, p.id, m)
		require.NoError(t, err)
		require.Equal(t, found, quote.Refusal == nil, "%s: %v", what, quote.Refusal)
		require.Equal(t, to.price, quote.Booking.Price, what)
		_, err = reschedule(t, b.service, b.tenant, p.id, m)
		requireAnswer(err, found)
		if found {
			*p = to
		}
	case die < 8:
		if p := c.random(r, booking.Held, booking.Confirmed); p != nil {
			what = fmt.Sprintf("cancel %s at %v", p.service.occupies, p.start)
			_, err := change(t, b.service, b.tenant, p.id, booking.Cancel)
			require.NoError(t, err)
			p.status = booking.Cancelled
		}
	case die < 9:
		if p := c.random(r, booking.Held); p != nil {
			what = fmt.Sprintf("confirm %s at %v", p.service.occupies, p.start)
			_, err := change(t, b.service, b.tenant, p.id, booking.Confirm)
			require.NoError(t, err)
			p.status = booking.Confirmed
		}
	case die < 10:
		if p := c.random(r, booking.Held); p != nil {
			what = fmt.Sprintf("extend %s at %v", p.service.occupies, p.start)
			_, err := b.service.Extend(t.Context(), b.tenant, request(t, newKey()), p.id, 60+r.IntN(600), "")
			require.NoError(t, err)
		}
	default:
		if p := c.random(r, booking.Held); p != nil {
			what = fmt.Sprintf("the hold of %s at %v lapses", p.service.occupies, p.start)
			b.expireIn(t, p.id, -time.Second)
			b.syncClaims(t)
			p.lapsed = true
		}
	}
	return what
}

// requireAvailabilityOf requires that a slot is listed on a resource if, and only if, the plain calendar books it there.
func (b *testBundle) requireAvailabilityOf(t *testing.T, c *plainCalendar, s *plainService, party int, d civil.Date, after string) {
	t.Helper()
	page, err := b.service.Availability(t.Context(), b.tenant, s.id, booking.AvailabilityQuery{
		From: d, To: d, PartySize: party,
	})
	require.NoError(t, err)
	for day := range page.Days() {
		require.NotEmpty(t, day.Slots)
		for _, slot := range day.Slots {
			for _, resource := range c.resources {
				found := c.place(&plainBooking{service: s, start: slot.StartsAt, party: party}, []uuid.UUID{resource}, nil)
				require.Equal(t, found, slices.Contains(slot.ResourceIDs, resource), "%s at %v for %d, after: %s", s.occupies,
					slot.StartsAt, party, after)
			}
		}
	}
}
