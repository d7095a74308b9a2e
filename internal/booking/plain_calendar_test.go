package booking_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"time"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"

	"holdfast/internal/booking"
	"holdfast/internal/catalog"
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
func (at plainTime) when() timetable.When {
	if at.nights > 0 {
		return timetable.When{CheckIn: new(civil.DateOf(at.start)), CheckOut: new(civil.DateOf(at.end))}
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
