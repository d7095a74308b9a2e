package booking

import (
	"context"
	"errors"
	"math"

	"github.com/google/uuid"

	"holdfast/internal/claim"
	"holdfast/internal/db"
	"holdfast/internal/tenant"
	"holdfast/internal/timetable"
)

// Availability returns a page of what is free of a service on each date of the query. Its time and memory are
// bounded by what a page has, however many dates are asked for, or by the bookings of one date if these are more.
//
// A date whose slots don't fit on the page is left to the next one. A date that has more slots than fit on any page is
// continued on the next pages; each part tells what is free on the whole date.
//
// Errors: problem.NotFound, problem.ValidationFailed, problem.TooManyDates, problem.DatabaseUnavailable,
// problem.LockTimeout while the tenant's services keep changing, and the context's error once it is done.
func (s *Service) Availability(ctx context.Context, t tenant.Tenant, service uuid.UUID,
	q timetable.AvailabilityQuery,
) (*timetable.AvailabilityPage, error) {
	if err := q.Check(timetable.MaxAvailabilityDays); err != nil {
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

// availabilityPages returns a page of each service whose rules load returns, as far as one page can have them: they
// share its bounds. Of one service at least it is a page. q.After is where the first one begins, if it is of that
// service. load returns the rules of the ith service, nil after the last one.
func (s *Service) availabilityPages(ctx context.Context, t tenant.Tenant, q timetable.AvailabilityQuery,
	load func(i int) (*rules, error),
) ([]*timetable.AvailabilityPage, error) {
	for range maxStale {
		var loaded []*rules
		pages, err := timetable.PlanPages(q, func(i int) (*timetable.Rules, error) {
			rs, err := load(i)
			if rs == nil {
				return nil, err
			}
			loaded = append(loaded, rs)
			return rs.Rules, err
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

// readPages reads what pages are computed from. Of a page whose bookings are too many it leaves out dates, and on the
// first one at least one date. Errors: errStaleRules.
func (s *Service) readPages(ctx context.Context, t tenant.Tenant, pages []*timetable.AvailabilityPage,
	q timetable.AvailabilityQuery,
) ([]*timetable.AvailabilityPage, error) {
	maxBookings := timetable.MaxBookingsOf(pages)
	views, err := s.views(ctx, t, pages, q.ExceptBooking, maxBookings)
	if err != nil {
		return nil, err
	}
	for i, p := range pages {
		p.DropUnread(views[i], maxBookings)
	}
	if pages[0].KeepOneDate() {
		pages = pages[:1]
		if views, err = s.views(ctx, t, pages, q.ExceptBooking, math.MaxInt32); err != nil {
			return nil, err
		}
	}
	for i, p := range pages {
		p.Fill(q, views[i])
	}
	return pages, nil
}

// views reads what occupies the resources of pages' services on their dates. The rules, which are kept, come from the
// primary alone: if the standby's catalog is older or newer than they are, the primary is asked. Errors: errStaleRules.
func (s *Service) views(ctx context.Context, t tenant.Tenant, pages []*timetable.AvailabilityPage, except *uuid.UUID,
	maxBookings int,
) ([]claim.View, error) {
	queries := make([]claim.ViewQuery, len(pages))
	for i, p := range pages {
		queries[i] = p.ViewQuery()
	}
	read := func(ctx context.Context) ([]claim.View, error) {
		views, err := readViews(ctx, s.db, t.ID, except, maxBookings, queries...)
		for i, p := range pages {
			if err == nil && views[i].CatalogVersion != p.CatalogVersion() {
				err = errStaleRules
			}
		}
		return views, err
	}
	views, err := read(ctx)
	if errors.Is(err, errStaleRules) {
		if fresh, changed := db.Fresh(ctx); changed {
			return read(fresh)
		}
	}
	return views, err
}
