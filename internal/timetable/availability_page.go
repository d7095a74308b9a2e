package timetable

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"time"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"

	"holdfast/internal/claim"
	"holdfast/internal/datetime"
	"holdfast/internal/problem"
)

// MaxAvailabilityDays bounds how many dates one availability request may ask for.
const MaxAvailabilityDays = 366

// Bounds of one page of availability, and with them of its time and memory.
const (
	// maxPageEntries bounds a page's slots and the resources that serve them: each slot counts one, and one more for
	// each resource that has a slot then.
	maxPageEntries = 36_000
	// maxPageEffort bounds what a page looks at, whatever its answer holds; see availability.effort. A year of a slot
	// every minute of one resource is a page, where only days are asked for.
	maxPageEffort = 600_000
	// maxPageBookings bounds the bookings that are read for a page of more than one date.
	maxPageBookings = 100_000
)

// AvailabilityQuery asks what is free of a service.
type AvailabilityQuery struct {
	// From and To are civil dates in the tenant's time zone, both included; at most MaxAvailabilityDays.
	From, To civil.Date
	// PartySize is how many units are wanted, or the service's least party if that is more.
	PartySize int
	// Nights is how many nights are wanted of a stay; nil stands for the fewest that are sold from each date. Of other
	// services it is nil.
	Nights *int
	// DurationMinutes or DurationDays is how long a slot is wanted of a service that sells several lengths; nil stands
	// for the shortest.
	DurationMinutes, DurationDays *int
	// Prices asks for what the party would pay.
	Prices bool
	// DaysOnly leaves the slots out of the days.
	DaysOnly bool
	// ExceptBooking is a booking that is to move: what it occupies counts as free. Nil, or an id that isn't a booking
	// of the tenant, changes nothing.
	ExceptBooking *uuid.UUID
	// ResourceID asks what can be had by bookings that name this resource; nil asks for all resources.
	ResourceID *uuid.UUID
	// Limited asks for what a visitor can have within the tenant's limits.
	Limited bool
	// After is the Next of the page before; nil for the first page.
	After *AvailabilityPosition
}

// AvailabilityPosition is where a page of availability begins: with the slots of Date that follow a slot, by their
// start and then by their end, or with all of them if that slot's times are zero. Date is in the tenant's time zone;
// the times are moments and may be in any. ServiceID is for pages of several services, and nil in others.
type AvailabilityPosition struct {
	ServiceID          uuid.UUID
	Date               civil.Date
	SlotStart, SlotEnd time.Time
}

// AvailabilityPage is what is free of a service on some of the dates that were asked for.
type AvailabilityPage struct {
	rules    *Rules // of bookings as they are asked for
	length   int    // see bookable.ofLength
	times    *availability
	at       AvailabilityPosition
	last, to civil.Date // the last date that can be on the page, and the last one that was asked for
	listing  listing
	follows  bool // it shares the bounds of one page with others, and the one before has something
}

// Days computes the days of the page, one after the other: each is valid until the next one. It can be called once.
func (p *AvailabilityPage) Days() iter.Seq[Day] {
	return func(yield func(Day) bool) {
		for first := !p.follows; !p.at.Date.After(p.last) && p.times.effort <= maxPageEffort; first = false {
			p.listing.after = interval{p.at.SlotStart.Unix(), p.at.SlotEnd.Unix()}
			day, cut := p.times.day(p.at.Date, &p.listing)
			if cut && !first {
				return
			}
			if cut {
				listed := day.Slots[len(day.Slots)-1]
				p.at.SlotStart, p.at.SlotEnd, p.last = listed.StartsAt, listed.EndsAt, p.at.Date.AddDays(-1)
			} else {
				p.at = AvailabilityPosition{Date: p.at.Date.AddDays(1)}
			}
			if !yield(day) {
				return
			}
		}
	}
}

// CatalogVersion is the version of the tenant's catalog that the page's rules are of.
func (p *AvailabilityPage) CatalogVersion() int64 { return p.rules.Version }

// Next returns, after Days, where the next page begins; nil on the last one.
func (p *AvailabilityPage) Next() *AvailabilityPosition {
	if p.at.Date.After(p.to) {
		return nil
	}
	return &p.at
}

// MaxBookingsOf returns how many bookings are read of each resource for pages, at most.
func MaxBookingsOf(pages []*AvailabilityPage) int {
	resources := make(map[uuid.UUID]bool)
	for _, p := range pages {
		for i := range p.rules.Resources {
			resources[p.rules.Resources[i].ID] = true
		}
	}
	return maxPageBookings / max(len(resources), 1)
}

// ViewQuery asks for what the page is computed from.
func (p *AvailabilityPage) ViewQuery() claim.ViewQuery {
	r, from := p.rules, p.at.Date
	q := claim.ViewQuery{
		Longest: r.Longest, FirstDate: from, LastDate: p.last,
		From: datetime.StartOfDay(from.AddDays(-r.Service.BufferBeforeDays-r.Service.gapNights()),
			r.Loc).Add(-minutes(r.Service.BufferBeforeMinutes)),
		Until: time.Unix(r.busyUntil(p.last), 0),
	}
	for i := range r.Resources {
		q.Resources = append(q.Resources, r.Resources[i].ID)
	}
	if r.Service.MaxPerDay != nil {
		q.CountService = &r.Service.ID
	}
	if r.Service.Occupies == OccupiesSession {
		q.SessionsOf = q.Resources[:len(r.needs[0].resources)]
	}
	return q
}

// DropUnread leaves out the dates of which a view that was read with maxBookings doesn't have every booking.
func (p *AvailabilityPage) DropUnread(view claim.View, maxBookings int) {
	p.last = p.rules.lastComplete(p.last, view, maxBookings)
}

// KeepOneDate keeps the page's first date if DropUnread left none, and reports whether it did: all bookings of the date
// must be read then.
func (p *AvailabilityPage) KeepOneDate() bool {
	empty := p.last.Before(p.at.Date)
	if empty {
		p.last = p.at.Date
	}
	return empty
}

// Fill gives the page what it is computed from.
func (p *AvailabilityPage) Fill(q AvailabilityQuery, view claim.View) {
	p.times = newAvailability(p.rules, max(q.PartySize, p.rules.Service.MinPartySize), p.at.Date, view)
	p.times.length, p.times.prices = p.length, q.Prices
	// Nothing is free outside the booking window, whatever is booked.
	if p.last.Before(p.times.firstDate) {
		p.last = minDate(q.To, p.times.firstDate.AddDays(-1))
	}
	if !p.last.Before(p.times.lastDate) {
		p.last = q.To
	}
}

// Check returns problem.ValidationFailed or problem.TooManyDates for an invalid query.
func (q AvailabilityQuery) Check(maxDays int) error {
	if err := cmp.Or(datetime.CheckDate("from", q.From), datetime.CheckDate("to", q.To),
		problem.CheckRange("party_size", q.PartySize, 1, MaxCapacity)); err != nil {
		return err
	}
	switch days := q.To.DaysSince(q.From) + 1; {
	case days < 1:
		return problem.Invalid("to", "before_from", "Expected a date that is not before from.")
	case days > maxDays:
		return problem.New(problem.TooManyDates,
			fmt.Sprintf("Availability is told for at most %d dates at a time.", maxDays))
	case q.After != nil && (q.After.Date.Before(q.From) || q.After.Date.After(q.To)):
		return problem.Invalid("cursor", "invalid_format",
			"Expected the next_cursor of another page of the same dates.")
	}
	return nil
}

// checkLength returns problem.ValidationFailed for a length that is asked for although its field isn't among those that
// a kind has.
func (q AvailabilityQuery) checkLength(has ...string) error {
	given := When{DurationMinutes: q.DurationMinutes, DurationDays: q.DurationDays}.given(has...)
	if q.Nights != nil && !slices.Contains(has, "nights") {
		given = "nights"
	}
	if given == "" {
		return nil
	}
	return problem.Invalid(given, "not_for_kind", "The service isn't sold by this length.")
}

// PlanPages returns the pages of services up to the last date that each can have on one page with the others. load
// returns the rules of the ith service, nil after the last one.
func PlanPages(q AvailabilityQuery, load func(i int) (*Rules, error)) (pages []*AvailabilityPage, err error) {
	const whole = 1 << 32
	left := whole // of the page
	for i := 0; ; i++ {
		rs, err := load(i)
		if err != nil {
			return nil, err
		}
		if rs == nil {
			break
		}
		p := &AvailabilityPage{
			rules: rs, at: AvailabilityPosition{Date: q.From}, to: q.To,
			listing: listing{daysOnly: q.DaysOnly, budget: maxPageEntries},
		}
		if i == 0 && q.After != nil && (q.After.ServiceID == uuid.Nil || q.After.ServiceID == rs.Service.ID) {
			p.at = *q.After
		}
		if q.ResourceID != nil {
			p.rules = p.rules.withNamed(*q.ResourceID)
		}
		if p.rules, p.length, err = p.rules.kind().ofLength(p.rules, q); err != nil {
			return nil, err
		}
		if q.Limited {
			p.rules = p.rules.forVisitors()
		}
		dates := p.rules.kind().pageDates(p.rules, q.DaysOnly)
		fit := left * dates / whole
		if fit == 0 && i > 0 {
			break
		}
		p.last = minDate(q.To, p.at.Date.AddDays(max(fit, 1)-1))
		pages = append(pages, p)
		if p.last.Before(q.To) {
			break
		}
		left -= (p.last.DaysSince(p.at.Date) + 1) * whole / dates
	}
	return pages, nil
}

// lastComplete returns the last date, at most d, of which a view that was read with maxBookings has every booking.
func (r *Rules) lastComplete(d civil.Date, view claim.View, maxBookings int) civil.Date {
	for _, busy := range view.Busy {
		if len(busy) < maxBookings {
			continue
		}
		readUntil := busy[len(busy)-1].From
		d = minDate(d, datetime.DateOf(time.Unix(readUntil, 0), r.Loc))
		for r.busyUntil(d) > readUntil {
			d = d.AddDays(-1)
		}
	}
	return d
}

// busyUntil returns when a booking that starts on a date or before can end at the latest, with its buffer, as Unix time
// in seconds.
func (r *Rules) busyUntil(d civil.Date) int64 {
	s := &r.Service
	days := s.DurationDays + s.MaxNights + s.BufferAfterDays + s.gapNights()
	if days > 0 || s.UntilClosing || s.EndsNextDate() {
		days++ // clocks may change meanwhile, and hours and bookings of a date may end on the next date
	}
	return datetime.StartOfDay(d.AddDays(1+days), r.Loc).Add(minutes(s.DurationMinutes + s.BufferAfterMinutes)).Unix()
}

func minDate(a, b civil.Date) civil.Date {
	if b.Before(a) {
		return b
	}
	return a
}
