package booking

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"time"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"

	"holdfast/internal/datetime"
	"holdfast/internal/problem"
	"holdfast/internal/store"
	"holdfast/internal/tenant"
	"holdfast/internal/timetable"
)

// MaxAvailabilityDays bounds how many dates one availability request may ask for.
const MaxAvailabilityDays = 366

// Bounds of one page of availability, and with them of its time and memory.
const (
	// maxPageEntries bounds a page's slots and the resources that serve them: each slot counts one, and one more for each
	// resource that has a slot then.
	maxPageEntries = 36_000
	// maxPageEffort bounds what a page looks at, whatever its answer holds; see availability.effort. A year of a slot every minute
	// of one resource is a page, where only days are asked for.
	maxPageEffort = 600_000
	// maxPageBookings bounds the bookings that are read for a page of more than one date.
	maxPageBookings = 100_000
)

// AvailabilityQuery asks what is free of a service.
type AvailabilityQuery struct {
	// From and To are civil dates in the tenant's time zone, both included; at most MaxAvailabilityDays.
	From, To civil.Date
	// PartySize is how many units are wanted.
	PartySize int
	// Nights is how many nights are wanted of a stay; nil stands for the least of the service. Of other services it is nil.
	Nights *int
	// DurationMinutes or DurationDays is how long a slot is wanted of a service that sells several lengths; nil stands for the shortest.
	DurationMinutes, DurationDays *int
	// Prices asks for what the party would pay.
	Prices bool
	// DaysOnly leaves the slots out of the days.
	DaysOnly bool
	// ExceptBooking is a booking that is to move: what it occupies counts as free. Nil, or an id that isn't a booking of the tenant,
	// changes nothing.
	ExceptBooking *uuid.UUID
	// ResourceID asks what can be had by bookings that name this resource; nil asks for all resources.
	ResourceID *uuid.UUID
	// Limited asks for what a visitor can have within the tenant's limits.
	Limited bool
	// After is the Next of the page before; nil for the first page.
	After *AvailabilityPosition
}

// AvailabilityPosition is where a page of availability begins: with the slots of Date that follow a slot, by their start and then by their
// end, or with all of them if that slot's times are zero. Date is in the tenant's time zone; the times are moments and may be in any.
// ServiceID is for pages of several services, and nil in others.
type AvailabilityPosition struct {
	ServiceID          uuid.UUID
	Date               civil.Date
	SlotStart, SlotEnd time.Time
}

// AvailabilityPage is what is free of a service on some of the dates that were asked for.
type AvailabilityPage struct {
	rules    *rules // of bookings as they are asked for
	length   int    // see kind.ofLength
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

// Next returns, after Days, where the next page begins; nil on the last one.
func (p *AvailabilityPage) Next() *AvailabilityPosition {
	if p.at.Date.After(p.to) {
		return nil
	}
	return &p.at
}

// check returns problem.ValidationFailed or problem.TooManyDates for an invalid query.
func (q AvailabilityQuery) check(maxDays int) error {
	if err := cmp.Or(datetime.CheckDate("from", q.From), datetime.CheckDate("to", q.To),
		problem.CheckRange("party_size", q.PartySize, 1, timetable.MaxCapacity)); err != nil {
		return err
	}
	switch days := q.To.DaysSince(q.From) + 1; {
	case days < 1:
		return problem.Invalid("to", "before_from", "Expected a date that is not before from.")
	case days > maxDays:
		return problem.New(problem.TooManyDates, fmt.Sprintf("Availability is told for at most %d dates at a time.", maxDays))
	case q.After != nil && (q.After.Date.Before(q.From) || q.After.Date.After(q.To)):
		return problem.Invalid("cursor", "invalid_format", "Expected the next_cursor of another page of the same dates.")
	}
	return nil
}

// checkLength returns problem.ValidationFailed for a length that is asked for although its field isn't among those that a kind has.
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

// Availability returns a page of what is free of a service on each date of the query. Its time and memory are
// bounded by what a page has, however many dates are asked for, or by the bookings of one date if these are more.
//
// A date whose slots don't fit on the page is left to the next one. A date that has more slots than fit on any page is
// continued on the next pages; each part tells what is free on the whole date.
//
// Errors: problem.NotFound, problem.ValidationFailed, problem.TooManyDates, problem.DatabaseUnavailable, problem.LockTimeout while the
// tenant's services keep changing, and the context's error once it is done.
func (s *Service) Availability(ctx context.Context, t tenant.Tenant, service uuid.UUID, q AvailabilityQuery) (*AvailabilityPage, error) {
	if err := q.check(MaxAvailabilityDays); err != nil {
		return nil, err
	}
	pages, err := s.availabilityPages(ctx, t, q, func(i int) (*rules, error) {
		if i > 0 {
			return nil, nil
		}
		return s.rulesOf(ctx, t, service)
	})
	if err != nil {
		return nil, err
	}
	return pages[0], nil
}

// availabilityPages returns a page of each service whose rules load returns, as far as one page can have them: they share its bounds. Of
// one service at least it is a page. q.After is where the first one begins, if it is of that service. load returns the rules of the ith
// service, nil after the last one. It isn't asked for services that the page has no room for.
func (s *Service) availabilityPages(ctx context.Context, t tenant.Tenant, q AvailabilityQuery, load func(i int) (*rules, error),
) ([]*AvailabilityPage, error) {
	for range maxStale {
		var loaded []*rules
		pages, err := planPages(q, func(i int) (*rules, error) {
			rs, err := load(i)
			if rs != nil {
				loaded = append(loaded, rs)
			}
			return rs, err
		})
		if err == nil && len(pages) > 0 {
			pages, err = s.readPages(ctx, t, pages, q)
		}
		if !errors.Is(err, errStaleRules) {
			return pages, err
		}
		for _, rs := range loaded {
			s.forgetRules(t, rs)
		}
	}
	return nil, rulesKeepChanging()
}

// planPages returns the pages of services up to the last date that each can have on one page with the others. load is described with
// availabilityPages.
func planPages(q AvailabilityQuery, load func(i int) (*rules, error)) (pages []*AvailabilityPage, err error) {
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
			rules: rs, at: AvailabilityPosition{Date: q.From}, to: q.To, listing: listing{daysOnly: q.DaysOnly, budget: maxPageEntries},
		}
		if i == 0 && q.After != nil && (q.After.ServiceID == uuid.Nil || q.After.ServiceID == rs.service.ID) {
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

// readPages reads what pages are computed from. Of a page whose bookings are too many it leaves out dates, and on the first one at least
// one date. Errors: errStaleRules.
func (s *Service) readPages(ctx context.Context, t tenant.Tenant, pages []*AvailabilityPage, q AvailabilityQuery,
) ([]*AvailabilityPage, error) {
	resources := make(map[uuid.UUID]bool)
	for _, p := range pages {
		for i := range p.rules.resources {
			resources[p.rules.resources[i].ID] = true
		}
	}
	maxBookings := maxPageBookings / max(len(resources), 1)
	views, err := s.views(ctx, t, pages, q.ExceptBooking, maxBookings)
	if err != nil {
		return nil, err
	}
	for i, p := range pages {
		p.last = p.rules.lastComplete(p.last, views[i], maxBookings)
	}
	if first := pages[0]; first.last.Before(first.at.Date) {
		pages, first.last = pages[:1], first.at.Date
		if views, err = s.views(ctx, t, pages, q.ExceptBooking, math.MaxInt32); err != nil {
			return nil, err
		}
	}
	for i, p := range pages {
		p.times = newAvailability(p.rules, q.PartySize, p.at.Date, views[i])
		p.times.length, p.times.prices = p.length, q.Prices
		// Nothing is free outside the booking window, whatever is booked.
		if p.last.Before(p.times.firstDate) {
			p.last = minDate(q.To, p.times.firstDate.AddDays(-1))
		}
		if !p.last.Before(p.times.lastDate) {
			p.last = q.To
		}
	}
	return pages, nil
}

// lastComplete returns the last date, at most d, of which a view that was read with maxBookings has every booking.
func (r *rules) lastComplete(d civil.Date, view store.AvailabilityView, maxBookings int) civil.Date {
	for _, busy := range view.Busy {
		if len(busy) < maxBookings {
			continue
		}
		readUntil := busy[len(busy)-1].From
		d = minDate(d, datetime.DateOf(time.Unix(readUntil, 0), r.loc))
		for r.busyUntil(d) > readUntil {
			d = d.AddDays(-1)
		}
	}
	return d
}

// busyUntil returns when a booking that starts on a date or before can end at the latest, with its buffer, as Unix time in seconds.
func (r *rules) busyUntil(d civil.Date) int64 {
	s := &r.service
	days := s.DurationDays + s.MaxNights + s.BufferAfterDays
	if days > 0 || s.UntilClosing || s.EndsNextDate() {
		days++ // clocks may change meanwhile, and hours and bookings of a date may end on the next date
	}
	return startOfDay(d.AddDays(1+days), r.loc).Add(minutes(s.DurationMinutes + s.BufferAfterMinutes)).Unix()
}

func minDate(a, b civil.Date) civil.Date {
	if b.Before(a) {
		return b
	}
	return a
}

// views reads what occupies the resources of pages' services on their dates. The rules, which are kept, come from the primary alone: if the
// standby's catalog is older or newer than they are, the primary is asked. Errors: errStaleRules.
func (s *Service) views(ctx context.Context, t tenant.Tenant, pages []*AvailabilityPage, except *uuid.UUID, maxBookings int,
) ([]store.AvailabilityView, error) {
	queries := make([]store.ViewQuery, len(pages))
	for i, p := range pages {
		rs, from := p.rules, p.at.Date
		q := &queries[i]
		*q = store.ViewQuery{
			Longest: rs.longest, FirstDate: from, LastDate: p.last,
			From:  startOfDay(from.AddDays(-rs.service.BufferBeforeDays), rs.loc).Add(-minutes(rs.service.BufferBeforeMinutes)),
			Until: time.Unix(rs.busyUntil(p.last), 0),
		}
		for i := range rs.resources {
			q.Resources = append(q.Resources, rs.resources[i].ID)
		}
		if rs.service.MaxPerDay != nil {
			q.CountService = &rs.service.ID
		}
		if rs.service.Occupies == timetable.OccupiesSession {
			q.SessionsOf = q.Resources[:len(rs.needs[0].resources)]
		}
	}
	read := func(ctx context.Context) ([]store.AvailabilityView, error) {
		views, err := s.store.Views(ctx, t.ID, except, maxBookings, queries...)
		for i, p := range pages {
			if err == nil && views[i].CatalogVersion != p.rules.version {
				err = errStaleRules
			}
		}
		return views, err
	}
	views, err := read(ctx)
	if errors.Is(err, errStaleRules) {
		if fresh, changed := store.Fresh(ctx); changed {
			return read(fresh)
		}
	}
	return views, err
}
