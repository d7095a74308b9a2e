package booking

import (
	"cmp"
	"context"
	"errors"
	"time"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"

	"holdfast/internal/problem"
	"holdfast/internal/store"
	"holdfast/internal/tenant"
)

// MaxAvailabilityDays bounds how many dates one availability request may ask for.
const MaxAvailabilityDays = 366

// Bounds of one page of availability, and with them of its time and memory.
const (
	// maxPageEntries bounds a page's slots and the resources that serve them: each slot counts one, and one more for each
	// resource that is open then.
	maxPageEntries = 36_000
	// maxPageEffort bounds what a page looks at, whatever its answer holds; see calendar.effort. A year of a slot every minute
	// of one resource is a page, where only days are asked for.
	maxPageEffort = 600_000
	// maxStepDates bounds the dates whose bookings are read at once: a calendar of two months takes one round trip.
	maxStepDates = 62
)

// AvailabilityQuery asks what is free of a service.
type AvailabilityQuery struct {
	// From and To are civil dates in the tenant's time zone, both included; at most MaxAvailabilityDays.
	From, To civil.Date
	// PartySize is how many units are wanted.
	PartySize int
	// DaysOnly leaves the slots out of the days.
	DaysOnly bool
	// After is the Next of the page before; nil for the first page.
	After *AvailabilityPosition
}

// AvailabilityPosition is where a page of availability begins: with the slots of Date that start later than SlotsAfter, or
// with all of them if that is zero. Date is in the tenant's time zone; SlotsAfter is a moment and may be in any.
type AvailabilityPosition struct {
	Date       civil.Date
	SlotsAfter time.Time
}

// AvailabilityPage is what is free on some of the dates that were asked for. Next is where the next page begins; nil on
// the last one.
type AvailabilityPage struct {
	Days []Day
	Next *AvailabilityPosition
}

// check returns problem.ValidationFailed or problem.TooManyDates for an invalid query.
func (q AvailabilityQuery) check() error {
	if err := cmp.Or(checkDate("from", q.From), checkDate("to", q.To), between("party_size", int64(q.PartySize), 1, maxCapacity)); err != nil {
		return err
	}
	switch days := q.To.DaysSince(q.From) + 1; {
	case days < 1:
		return problem.Invalid("to", "before_from", "Expected a date that is not before from.")
	case days > MaxAvailabilityDays:
		return problem.New(problem.TooManyDates, "Availability is told for at most 366 dates at a time.")
	case q.After != nil && (q.After.Date.Before(q.From) || q.After.Date.After(q.To)):
		return problem.Invalid("cursor", "invalid_format", "Expected the next_cursor of another page of the same dates.")
	}
	return nil
}

// Availability returns a page of what is free of a service on each date of the query. Its time and memory are bounded,
// however many dates are asked for: the bookings are read in steps of some dates, each as of one moment.
//
// A date whose slots don't fit on the page is left to the next one. A date that has more slots than fit on any page is
// continued on the next pages; each part tells what is free on the whole date.
//
// Errors: problem.NotFound, problem.ValidationFailed, problem.TooManyDates, problem.DatabaseUnavailable, and the context's
// error once it is done.
func (s *Service) Availability(ctx context.Context, t tenant.Tenant, service uuid.UUID, q AvailabilityQuery) (AvailabilityPage, error) {
	if err := q.check(); err != nil {
		return AvailabilityPage{}, err
	}
	for range maxStale {
		rs, err := s.rulesOf(ctx, t, service)
		if err != nil {
			return AvailabilityPage{}, err
		}
		page, err := s.availabilityPage(ctx, t, rs, q)
		if !errors.Is(err, errStaleRules) {
			return page, err
		}
		s.forgetRules(t, rs)
	}
	return AvailabilityPage{}, rulesKeepChanging()
}

func (s *Service) availabilityPage(ctx context.Context, t tenant.Tenant, rs *rules, q AvailabilityQuery) (AvailabilityPage, error) {
	var page AvailabilityPage
	at := AvailabilityPosition{Date: q.From}
	if q.After != nil {
		at = *q.After
	}
	listed := dayQuery{party: q.PartySize, budget: maxPageEntries, daysOnly: q.DaysOnly}
	effort, step := 0, rs.firstStep(q.DaysOnly)
	for !at.Date.After(q.To) {
		last := at.Date.AddDays(step - 1)
		if last.After(q.To) {
			last = q.To
		}
		c, err := s.calendar(ctx, t, rs, at.Date, last)
		if err != nil {
			return page, err
		}
		for ; !at.Date.After(last); at = (AvailabilityPosition{Date: at.Date.AddDays(1)}) {
			if err := ctx.Err(); err != nil {
				return page, err // nobody waits for the answer any more
			}
			listed.after = at.SlotsAfter
			day, cut := rs.day(at.Date, &listed, c)
			if cut && len(page.Days) > 0 {
				page.Next = &at
				return page, nil
			}
			page.Days = append(page.Days, day)
			switch {
			case cut:
				page.Next = &AvailabilityPosition{Date: at.Date, SlotsAfter: day.Slots[len(day.Slots)-1].StartsAt}
				return page, nil
			case effort+c.effort > maxPageEffort && at.Date.Before(q.To):
				page.Next = &AvailabilityPosition{Date: at.Date.AddDays(1)}
				return page, nil
			}
		}
		effort += c.effort
		step = stepDates(len(page.Days), maxPageEntries-listed.budget, effort)
	}
	return page, nil
}

// firstStep returns for how many dates to read the bookings first. It assumes that each date costs the most that the rules
// allow: a slot at every interval, at which every resource is open.
func (r rules) firstStep(daysOnly bool) int {
	slots, entries := 1, 0
	if r.service.Kind == KindSlot {
		slots = minutesPerDay/r.service.SlotIntervalMinutes + 1
		if !daysOnly {
			entries = slots * (1 + len(r.resources))
		}
	}
	return stepDates(1, entries, slots*len(r.resources)) // as if one such date were on the page
}

// stepDates returns for how many dates to read the bookings next. It assumes that a date costs the average of the days on the
// page: of entries and of effort, (bound - used) * days / used dates still fit, and the smaller number counts. The result is
// from 1 to maxStepDates.
func stepDates(days, entries, effort int) int {
	fit := min((maxPageEntries-entries)*days/max(entries, 1), (maxPageEffort-effort)*days/max(effort, 1))
	return min(max(fit, 1), maxStepDates)
}

// calendar reads what is taken of the service's resources on some dates. Errors: errStaleRules.
func (s *Service) calendar(ctx context.Context, t tenant.Tenant, rs *rules, from, to civil.Date) (*calendar, error) {
	q := store.ViewQuery{
		From: from, To: to,
		Occupied: store.Period{
			Resources: rs.service.ResourceIDs, Longest: rs.longest,
			From:  startOfDay(from, rs.loc).Add(-minutes(rs.service.BufferBeforeMinutes)),
			Until: startOfDay(to.AddDays(1), rs.loc).Add(minutes(rs.service.DurationMinutes + rs.service.BufferAfterMinutes)),
		},
	}
	if rs.service.MaxPerDay != nil {
		q.CountService = &rs.service.ID
	}
	view, err := s.store.View(ctx, t.ID, q)
	if err != nil {
		return nil, err
	}
	if view.CatalogVersion != rs.version {
		return nil, errStaleRules
	}
	return newCalendar(view.Occupied, view.Counts, view.Now, rs.loc), nil
}
