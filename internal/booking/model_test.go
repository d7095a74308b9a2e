package booking_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/booking"
	"holdfast/internal/catalog"
	"holdfast/internal/problem"
	"holdfast/internal/testtime"
	"holdfast/internal/timetable"
)

// modelPrice is what a person costs in each service of the model, in minor units; of a stay, each night.
const modelPrice = 700

// modelNights is how long the longest stay of the model is.
const modelNights = 3

// plainService is what the plain calendar knows of a service.
type plainService struct {
	id        uuid.UUID
	occupies  timetable.Occupies
	minutes   int
	buffer    time.Duration // after a booking
	most      int           // bookings that begin on a date, or sessions; 0 for any number
	skippered bool          // a booking, or a session, needs a skipper too

	stay          bool
	before, after int // days on which nobody else gets the boat: the check-in date is the last one, and the check-out date the first one
}

func (s *plainService) String() string {
	kind := "slot"
	if s.stay {
		kind = "stay"
	}
	return fmt.Sprintf("%s of %s", kind, s.occupies)
}

// plainTime is when a booking takes place.
type plainTime struct {
	start, end time.Time
	nights     int // of a stay
}

// when is how a request asks for the time.
func (at plainTime) when() booking.When {
	if at.nights > 0 {
		return booking.When{CheckIn: new(civil.DateOf(at.start)), CheckOut: new(civil.DateOf(at.end))}
	}
	return atTime(at.start)
}

func (at plainTime) String() string { return fmt.Sprintf("%s until %s", at.start, at.end) }

func (at plainTime) equal(other plainTime) bool {
	return at.start.Equal(other.start) && at.end.Equal(other.end)
}

// plainBooking is a booking in the plain calendar.
type plainBooking struct {
	plainTime

	id       uuid.UUID
	service  *plainService
	resource uuid.UUID
	party    int
	skipper  uuid.UUID
	keeps    uuid.UUID // the skipper that it keeps where it moves; a session that it opens gets another one if this one is taken
	price    int64
	status   booking.Status
	lapsed   bool // a hold past its expiry
}

// from and until are when a booking takes its boat, and its skipper.
func (p *plainBooking) from() time.Time {
	if p.service.before > 0 {
		return clockOn(civil.DateOf(p.start).AddDays(1-p.service.before), 0, p.start.Location())
	}
	return p.start
}

func (p *plainBooking) until() time.Time {
	if p.service.after > 0 {
		return clockOn(civil.DateOf(p.end).AddDays(p.service.after), 0, p.end.Location())
	}
	return p.end.Add(p.service.buffer)
}

// fullPrice is what a booking costs that is made now.
func (p *plainBooking) fullPrice() int64 {
	return modelPrice * int64(p.party) * int64(max(p.nights, 1))
}

func (p *plainBooking) takes() bool {
	return !p.lapsed && (p.status == booking.Held || p.status == booking.Confirmed)
}

// plainBlock is a block in the plain calendar.
type plainBlock struct {
	id, resource uuid.UUID
	from, until  time.Time
	night        time.Time // of a block of whole dates, the end of its first one, until which stays may last; else its beginning
}

// begins is when the block begins for a booking, a stay or not.
func (k *plainBlock) begins(stay bool) time.Time {
	if stay {
		return k.night
	}
	return k.from
}

// plainCalendar says who gets what, by looking at all bookings and blocks each time.
type plainCalendar struct {
	loc       *time.Location
	first     time.Time  // at which slots begin
	day       civil.Date // of first
	checkIn   int        // the minute of the day at which stays begin; they end an hour before it
	resources []uuid.UUID
	skippers  []uuid.UUID
	capacity  map[uuid.UUID]int
	bookings  []*plainBooking
	blocks    []*plainBlock
}

// clockOn returns when clocks show a minute of a date.
func clockOn(d civil.Date, minute int, loc *time.Location) time.Time {
	return time.Date(d.Year, d.Month, d.Day, 0, minute, 0, 0, loc)
}

// slot and stay return the time of a service that begins at a moment, or on a date.
func (c *plainCalendar) slot(s *plainService, start time.Time) plainTime {
	return plainTime{start: start, end: start.Add(time.Duration(s.minutes) * time.Minute)}
}

func (c *plainCalendar) stay(d civil.Date, nights int) plainTime {
	return plainTime{clockOn(d, c.checkIn, c.loc), clockOn(d.AddDays(nights), c.checkIn-60, c.loc), nights}
}

func (c *plainCalendar) drawTime(r *rand.Rand, s *plainService) plainTime {
	if s.stay {
		return c.stay(c.day.AddDays(r.IntN(6)-3), 1+r.IntN(modelNights))
	}
	return c.slot(s, c.drawStart(r))
}

func (c *plainCalendar) drawStart(r *rand.Rand) time.Time {
	return c.first.Add(time.Duration(r.IntN(8)) * 30 * time.Minute)
}

// isBlocked reports whether a resource is taken by a block at a time, for a stay or not, but for one that moves.
func (c *plainCalendar) isBlocked(resource uuid.UUID, from, until time.Time, stay bool, moves *plainBlock) bool {
	return slices.ContainsFunc(c.blocks, func(k *plainBlock) bool {
		return k != moves && k.resource == resource && k.begins(stay).Before(until) && from.Before(k.until)
	})
}

// standIn reports whether bookings stand in a block.
func (c *plainCalendar) standIn(k plainBlock) bool {
	return slices.ContainsFunc(c.inTheWay(k.resource, k.from, k.until, nil), func(p *plainBooking) bool {
		return k.begins(p.service.stay).Before(p.until())
	})
}

// inTheWay returns the bookings that need a resource at a time, but for one that moves.
func (c *plainCalendar) inTheWay(resource uuid.UUID, from, until time.Time, moves *plainBooking) (list []*plainBooking) {
	for _, p := range c.bookings {
		has := p.resource == resource || p.skipper == resource
		if p != moves && has && p.takes() && p.from().Before(until) && from.Before(p.until()) {
			list = append(list, p)
		}
	}
	return list
}

// fits reports whether at each moment of a booking there is room for its party beside some bookings. Units have no numbers here.
func (p *plainBooking) fits(capacity int, others []*plainBooking) bool {
	for _, at := range append(slices.Clone(others), p) {
		moment, people := at.from(), p.party
		if moment.Before(p.from()) {
			moment = p.from()
		}
		for _, other := range others {
			if !other.from().After(moment) && moment.Before(other.until()) {
				people += other.party
			}
		}
		if people > capacity {
			return false
		}
	}
	return true
}

// place gives a booking one of some resources, units or seats, and a skipper if it needs one; found is false if the time is taken. A
// session has its skipper already; its seats can't be had while the skipper or the boat is blocked.
func (c *plainCalendar) place(want *plainBooking, among []uuid.UUID, moves *plainBooking) (found bool) {
	from, until := want.from(), want.until()
	want.skipper = uuid.Nil
	if want.service.occupies == timetable.OccupiesSession {
		for _, r := range among {
			others := c.inTheWay(r, from, until, moves)
			same := func(p *plainBooking) bool { return p.service == want.service && p.start.Equal(want.start) }
			blocked := func(resource uuid.UUID) bool { return c.isBlocked(resource, from, until, false, nil) }
			if len(others) > 0 && same(others[0]) && !blocked(r) && !blocked(others[0].skipper) {
				if want.fits(c.capacity[r], others) {
					want.resource, want.skipper = r, others[0].skipper
					return true
				}
			}
		}
	}
	if want.service.most > 0 && c.onDate(want.service, want.start, moves) >= want.service.most {
		return false
	}
	if want.service.skippered {
		skippers := c.skippers
		if want.keeps != uuid.Nil {
			skippers = []uuid.UUID{want.keeps}
			if want.service.occupies == timetable.OccupiesSession {
				skippers = append(skippers, c.skippers...)
			}
		}
		i := slices.IndexFunc(skippers, func(s uuid.UUID) bool {
			return len(c.inTheWay(s, from, until, moves)) == 0 && !c.isBlocked(s, from, until, want.service.stay, nil)
		})
		if i < 0 {
			return false
		}
		want.skipper = skippers[i]
	}
	for _, r := range among {
		others := c.inTheWay(r, from, until, moves)
		if c.isBlocked(r, from, until, want.service.stay, nil) || want.service.occupies != timetable.OccupiesUnits &&
			len(others) > 0 {
			continue
		}
		full := slices.ContainsFunc(others,
			func(p *plainBooking) bool { return p.service.occupies != timetable.OccupiesUnits })
		if !full && want.fits(c.capacity[r], others) {
			want.resource = r
			return true
		}
	}
	return false
}

// onDate returns how many bookings of a service begin on the date of a moment, or how many sessions.
func (c *plainCalendar) onDate(s *plainService, at time.Time, moves *plainBooking) int {
	sessions := make(map[string]bool)
	for i, p := range c.bookings {
		if p == moves || p.service != s || !p.takes() || civil.DateOf(p.start) != civil.DateOf(at) {
			continue
		}
		key := strconv.Itoa(i)
		if s.occupies == timetable.OccupiesSession {
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
// boats, of sessions and of stays on the same boats, with and without skippers, with holds that lapse, moves, confirmations and
// cancellations, and over blocks of boats and skippers that come, move and go. Where clocks change, they change meanwhile.
func TestOccupies_AnyMixture_IsWhatAPlainCalendarSays(t *testing.T) {
	t.Parallel()
	zones := []string{"America/New_York", "Europe/London", "Australia/Lord_Howe", "Pacific/Apia", "Asia/Kathmandu", "America/Nuuk"}
	counts := make([]map[string]int, len(zones)) // of answers
	t.Cleanup(func() {
		for _, what := range []string{"book slot", "book stay", "move slot", "move stay", "block"} {
			for _, answer := range []string{" accepted", " refused"} {
				require.True(t, slices.ContainsFunc(counts, func(zone map[string]int) bool { return zone[what+answer] > 0 }), what+answer)
			}
		}
	})
	for i, zone := range zones {
		t.Run(zone, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.tenant = b.newTenant(t, zone)
			r := rand.New(rand.NewPCG(testtime.Seed(t), uint64(i)))
			c := &plainCalendar{capacity: make(map[uuid.UUID]int), loc: b.tenant.Location}
			c.day, c.first = modelDay(c.loc)
			checkIn := c.first.Add(5 * time.Hour) // clocks show this time and an hour before it once on each date
			c.checkIn = checkIn.Hour()*60 + checkIn.Minute()
			for _, capacity := range []int{4, 6} {
				id := b.newResource(t, capacity, timetable.Hours{})
				c.resources, c.capacity[id] = append(c.resources, id), capacity
			}
			c.skippers = b.newResources(t, 2, 1)
			var services []*plainService
			for _, s := range []plainService{
				{occupies: timetable.OccupiesSession, minutes: 60, buffer: 30 * time.Minute, most: 3},
				{occupies: timetable.OccupiesSession, minutes: 90},
				{occupies: timetable.OccupiesWhole, minutes: 120, most: 2},
				{occupies: timetable.OccupiesUnits, minutes: 60, buffer: 15 * time.Minute},
				{occupies: timetable.OccupiesSession, minutes: 60, skippered: true},
				{occupies: timetable.OccupiesWhole, minutes: 90, skippered: true},
				{occupies: timetable.OccupiesUnits, minutes: 30, skippered: true},
				{occupies: timetable.OccupiesUnits, stay: true, after: 1},
				{occupies: timetable.OccupiesWhole, stay: true, before: 1, after: 2, most: 1},
				{occupies: timetable.OccupiesUnits, stay: true, skippered: true},
			} {
				spec := catalog.ServiceSpec{
					Name: "Tour", Spec: timetable.Spec{
						Kind: timetable.KindSlot, ResourceIDs: c.resources, Occupies: s.occupies,
						DurationMinutes:     s.minutes,
						SlotIntervalMinutes: 30, BufferAfterMinutes: int(s.buffer.Minutes()), Price: modelPrice,
						Pricing: timetable.Pricing{PricePer: timetable.PerUnit},
					},
				}
				if s.stay {
					clock := func(minute int) string { return fmt.Sprintf("%02d:%02d", minute/60, minute%60) }
					spec.Kind, spec.MaxNights = timetable.KindStay, modelNights
					spec.CheckIn, spec.CheckOut = clock(c.checkIn), clock(c.checkIn-60)
					spec.SlotIntervalMinutes, spec.BufferBeforeDays, spec.BufferAfterDays = 0, s.before, s.after
				}
				if s.skippered {
					spec.ResourceIDs, spec.Needs = nil,
						[]timetable.Need{{ResourceIDs: c.resources}, {ResourceIDs: c.skippers}}
				}
				if s.most > 0 {
					spec.MaxPerDay = &s.most
				}
				s.id = b.newService(t, spec)
				services = append(services, &s)
			}
			counts[i] = make(map[string]int)
			for step := range testtime.Rounds(120) {
				what := b.stepOfPlainCalendar(t, c, r, services, counts[i])
				b.requireNoOverlap(t)
				for _, s := range services {
					if step%6 == 0 {
						b.requireAvailabilityOf(t, c, s, 1+r.IntN(6), what)
					}
				}
			}
			for _, p := range c.bookings {
				var status booking.Status
				var units int
				var skippers []uuid.UUID
				require.NoError(t, b.sql.QueryRow(t.Context(), `SELECT b.status, b.other_resource_ids, coalesce((
						SELECT sum(upper(r) - lower(r)) FROM claims c,
						unnest(c.units) AS r WHERE c.owner_id = b.booking_id AND c.number = 1), 0)
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
				require.Equal(t, p.nights, got.Nights)
				require.True(t, p.equal(plainTime{start: got.StartsAt, end: got.EndsAt}))
				if p.takes() {
					require.Equal(t, p.price, got.Due)
				}
				if p.takes() && p.service.occupies != timetable.OccupiesWhole {
					require.Equal(t, p.party, units, "%v of %s", p.start, p.service.occupies)
				}
			}
		})
	}
}

// stepOfPlainCalendar makes one random request and requires the plain calendar's answer. It returns what it did.
func (b *testBundle) stepOfPlainCalendar(t *testing.T, c *plainCalendar, r *rand.Rand, services []*plainService,
	counts map[string]int,
) (what string) {
	t.Helper()
	among := c.resources
	var wanted *uuid.UUID
	if r.IntN(3) == 0 {
		wanted = &c.resources[r.IntN(len(c.resources))]
		among = []uuid.UUID{*wanted}
	}
	// requireAnswer requires that a request was accepted if refusal is empty, and otherwise refused with it.
	requireAnswer := func(err error, refusal problem.Code) {
		t.Helper()
		kind, _, _ := strings.Cut(what, " of ")
		counts[kind+map[bool]string{true: " accepted", false: " refused"}[refusal == ""]]++
		if refusal == "" {
			require.NoError(t, err, what)
			return
		}
		require.Equal(t, refusal, problem.CodeOf(err), "%s: %v", what, err)
	}
	unavailable := map[bool]problem.Code{false: problem.SlotUnavailable}
	switch die := r.IntN(16); {
	case die < 5:
		p := plainBooking{service: services[r.IntN(len(services))], party: 1 + r.IntN(4), status: booking.Confirmed}
		p.plainTime = c.drawTime(r, p.service)
		if like := c.random(r, booking.Held, booking.Confirmed); like != nil && r.IntN(2) == 0 { // such as one seat more of a session
			p.service, p.plainTime = like.service, like.plainTime
		}
		n := newBooking(p.service.id, p.when())
		n.PartySize, n.ResourceIDs = p.party, one(wanted)
		if r.IntN(3) == 0 {
			p.status, n.HoldMinutes = booking.Held, new(30)
		}
		what = fmt.Sprintf("book %s at %v for %d on %v", p.service, p.plainTime, p.party, wanted)
		found := c.place(&p, among, nil)
		p.price = p.fullPrice()
		quote, err := b.service.Quote(t.Context(), b.tenant, n)
		require.NoError(t, err)
		require.Equal(t, found, quote.Refusal == nil, "%s: %v", what, quote.Refusal)
		require.Equal(t, p.price, quote.Booking.Due, what)
		made, _, err := create(t, b.service, b.tenant, newKey(), n)
		requireAnswer(err, unavailable[found])
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
		if r.IntN(3) == 0 {
			to.service = services[r.IntN(len(services))]
		}
		to.plainTime, to.party = c.drawTime(r, to.service), 1+r.IntN(4)
		what = fmt.Sprintf("move %s to %s at %v for %d on %v from %v for %d", p.service, to.service, to.plainTime, to.party, wanted,
			p.plainTime, p.party)
		m := booking.Rescheduling{
			When: to.when(), ServiceID: &to.service.id, PartySize: &to.party, ResourceIDs: one(wanted), AnyResource: wanted == nil,
			Requote: r.IntN(2) == 0,
		}
		if to.service == p.service && to.equal(p.plainTime) && to.party == p.party && (wanted == nil || *wanted == p.resource) {
			_, err := reschedule(t, b.service, b.tenant, p.id, m)
			require.NoError(t, err, what)
			if m.Requote {
				p.price = p.fullPrice()
			}
			return what // it keeps its place
		}
		if wanted != nil { // what the move doesn't name stays
			to.keeps = p.skipper
		}
		found := c.place(&to, among, p)
		to.keeps = uuid.Nil
		if m.Requote {
			to.price = to.fullPrice()
		}
		quote, err := b.service.QuoteMove(t.Context(), b.tenant, p.id, m)
		require.NoError(t, err)
		require.Equal(t, found, quote.Refusal == nil, "%s: %v", what, quote.Refusal)
		require.Equal(t, to.price, quote.Booking.Price, what)
		_, err = reschedule(t, b.service, b.tenant, p.id, m)
		requireAnswer(err, unavailable[found])
		if found {
			*p = to
		}
	case die < 9:
		if p := c.random(r, booking.Held, booking.Confirmed); p != nil {
			what = fmt.Sprintf("cancel %s at %v", p.service, p.plainTime)
			_, err := change(t, b.service, b.tenant, p.id, booking.Cancel)
			require.NoError(t, err)
			p.status = booking.Cancelled
		}
	case die < 10:
		if p := c.random(r, booking.Held); p != nil {
			what = fmt.Sprintf("confirm %s at %v", p.service, p.plainTime)
			_, err := change(t, b.service, b.tenant, p.id, booking.Confirm)
			require.NoError(t, err)
			p.status = booking.Confirmed
		}
	case die < 11:
		if p := c.random(r, booking.Held); p != nil {
			what = fmt.Sprintf("extend %s at %v", p.service, p.plainTime)
			_, err := b.service.Extend(t.Context(), b.tenant, request(t, newKey()), p.id, 60+r.IntN(600), "")
			require.NoError(t, err)
		}
	case die < 12:
		if p := c.random(r, booking.Held); p != nil {
			what = fmt.Sprintf("the hold of %s at %v lapses", p.service, p.plainTime)
			b.expireIn(t, p.id, -time.Second)
			b.syncClaims(t)
			p.lapsed = true
		}
	case die < 14 || len(c.blocks) == 0:
		moves := (*plainBlock)(nil)
		if len(c.blocks) > 0 && r.IntN(2) == 0 {
			moves = c.blocks[r.IntN(len(c.blocks))]
		}
		k, request := c.drawBlock(r)
		what = fmt.Sprintf("block of %s at %v until %v, force %t, moves %t", k.resource, k.from, k.until, request.Force, moves != nil)
		refusal := problem.Code("")
		switch {
		case moves != nil && moves.resource == k.resource && moves.from.Equal(k.from) && moves.until.Equal(k.until): // it stays
		case c.isBlocked(k.resource, k.from, k.until, false, moves):
			refusal = problem.BlockInTheWay
		case c.standIn(k) && !request.Force:
			refusal = problem.BookingsInTheWay
		}
		if moves == nil {
			made, err := createBlock(t, b.catalog, b, request)
			requireAnswer(err, refusal)
			if refusal == "" {
				k.id = made.ID
				c.blocks = append(c.blocks, &k)
			}
			break
		}
		const patch = `{"resource_id": %q, "starts_at": %s, "ends_at": %s, "from": %s, "to": %s, "force": %t}`
		_, err := b.patchBlock(t, moves.id, fmt.Sprintf(patch, k.resource, orNull(request.StartsAt), orNull(request.EndsAt),
			orNull(request.From), orNull(request.To), request.Force))
		requireAnswer(err, refusal)
		if refusal == "" {
			moves.resource, moves.from, moves.until, moves.night = k.resource, k.from, k.until, k.night
		}
	default:
		i := r.IntN(len(c.blocks))
		what = fmt.Sprintf("archive the block at %v until %v", c.blocks[i].from, c.blocks[i].until)
		require.NoError(t, b.archiveBlock(t, c.blocks[i].id, catalog.Archiving{Archived: true}))
		c.blocks = slices.Delete(c.blocks, i, i+1)
	}
	return what
}

// drawBlock returns a block of a boat or a skipper, of some hours or of dates, and the request for it.
func (c *plainCalendar) drawBlock(r *rand.Rand) (k plainBlock, request catalog.BlockChange) {
	k.resource = c.resources[r.IntN(len(c.resources))]
	if r.IntN(3) == 0 {
		k.resource = c.skippers[r.IntN(len(c.skippers))]
	}
	request.ResourceID, request.Force = k.resource, r.IntN(2) == 0
	if r.IntN(3) == 0 {
		from, days := c.day.AddDays(r.IntN(5)-2), 1+r.IntN(2)
		k.from, k.until = clockOn(from, 0, c.loc), clockOn(from.AddDays(days), 0, c.loc)
		k.night = clockOn(from.AddDays(1), 0, c.loc).Add(-time.Minute)
		request.From, request.To = new(from.String()), new(from.AddDays(days-1).String())
		return k, request
	}
	k.from = c.drawStart(r)
	if in := c.random(r, booking.Held, booking.Confirmed); in != nil && r.IntN(2) == 0 { // where a booking is, now and then
		k.from, k.resource, request.ResourceID = in.start, in.resource, in.resource
	}
	k.until, k.night = k.from.Add(time.Duration(1+r.IntN(4))*30*time.Minute), k.from
	request.StartsAt, request.EndsAt = new(k.from.Format(time.RFC3339)), new(k.until.Format(time.RFC3339))
	return k, request
}

// requireAvailabilityOf requires that a slot is listed on a resource if, and only if, the plain calendar books it there, and that a stay is
// listed, and the most nights for which one can stay, as the plain calendar says.
func (b *testBundle) requireAvailabilityOf(t *testing.T, c *plainCalendar, s *plainService, party int, after string) {
	t.Helper()
	fits := func(at plainTime, among ...uuid.UUID) bool {
		return c.place(&plainBooking{service: s, plainTime: at, party: party}, among, nil)
	}
	if s.stay {
		for nights := 1; nights <= modelNights; nights++ {
			page, err := b.service.Availability(t.Context(), b.tenant, s.id, booking.AvailabilityQuery{
				From: c.day.AddDays(-4), To: c.day.AddDays(3), PartySize: party, Nights: &nights,
			})
			require.NoError(t, err)
			for day := range page.Days() {
				most := 0
				for most < modelNights && fits(c.stay(day.Date, most+1), c.resources...) {
					most++
				}
				require.Equal(t, most, *day.MaxNights, "%s on %s for %d, after: %s", s, day.Date, party, after)
				require.Equal(t, nights <= most, day.Available, "%s on %s, %d nights for %d, after: %s", s, day.Date, nights, party,
					after)
			}
		}
		return
	}
	page, err := b.service.Availability(t.Context(), b.tenant, s.id, booking.AvailabilityQuery{From: c.day, To: c.day, PartySize: party})
	require.NoError(t, err)
	for day := range page.Days() {
		require.NotEmpty(t, day.Slots)
		for _, slot := range day.Slots {
			for _, resource := range c.resources {
				require.Equal(t, fits(c.slot(s, slot.StartsAt), resource), slices.Contains(slot.ResourceIDs, resource),
					"%s at %v for %d, after: %s", s, slot.StartsAt, party, after)
			}
		}
	}
}
