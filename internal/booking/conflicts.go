package booking

import (
	"context"
	"slices"
	"time"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"

	"holdfast/internal/catalog"
	"holdfast/internal/claim"
	"holdfast/internal/datetime"
	"holdfast/internal/tenant"
	"holdfast/internal/timetable"
)

// Conflict is why a booking doesn't fit its resource or its service as they are now.
type Conflict string

// The conflicts.
const (
	// OverCapacity: at some moment of the booking, from now on, more units of the resource are in use than its
	// capacity.
	OverCapacity Conflict = "over_capacity"
	// ResourceArchived and ServiceArchived: it is archived.
	ResourceArchived Conflict = "resource_archived"
	ServiceArchived  Conflict = "service_archived"
	// OutsideHours: the resource isn't open for all of the booking.
	OutsideHours Conflict = "outside_hours"
	// Closed: a closure closes the resource during the booking.
	Closed Conflict = "closed"
	// Blocked: a block takes some of its time, from now on.
	Blocked Conflict = "blocked"
	// NotASlot: the service has start times, and the booking's isn't one of them.
	NotASlot Conflict = "not_a_slot"
)

// ConflictingBooking is a booking that doesn't fit, with every reason.
type ConflictingBooking struct {
	Booking
	Conflicts []Conflict
}

// ConflictQuery asks for the bookings of a resource, of a service or, with neither, of the tenant that don't fit: those
// that follow a date and an id, in this order.
type ConflictQuery struct {
	ResourceID, ServiceID *uuid.UUID
	AfterDate             civil.Date
	AfterID               uuid.UUID
	Limit                 int
}

// Bounds of a page of conflicts.
const (
	conflictStep = 200  // bookings that are looked at in one go
	maxLookedAt  = 1000 // bookings that are looked at for a page
)

// Conflicts returns, of the bookings that are held or confirmed and not over, those that don't fit the resources and
// services as they are now, at most the query's limit. next is the last booking that was looked at, nil if there are no
// more: a page may be short, or empty, although more follow. It takes no lock.
//
// Errors: problem.NotFound for a resource or service that doesn't exist; problem.DatabaseUnavailable.
func (s *Service) Conflicts(ctx context.Context, t tenant.Tenant, q ConflictQuery,
) (found []ConflictingBooking, next *Booking, err error) {
	switch {
	case q.ResourceID != nil:
		err = catalog.CheckResource(ctx, s.db, t.ID, *q.ResourceID)
	case q.ServiceID != nil:
		err = catalog.CheckService(ctx, s.db, t.ID, *q.ServiceID)
	}
	if err != nil {
		return nil, nil, err
	}
	filter := RowFilter{
		From:       catalog.LongAgo(time.Now()),
		To:         civil.Date{Year: datetime.MaxYear, Month: 12, Day: 31},
		ResourceID: q.ResourceID,
		ServiceID:  q.ServiceID,
		AfterDate:  q.AfterDate,
		AfterID:    q.AfterID,
		Limit:      conflictStep,
	}
	for looked := 0; looked < maxLookedAt; looked += conflictStep {
		rows, err := ListRows(ctx, s.db, t.ID, filter)
		list, err := fromRows(rows, err)
		if err != nil || len(list) == 0 {
			return found, nil, err
		}
		conflicts, err := s.conflictsOf(ctx, t, list)
		if err != nil {
			return nil, nil, err
		}
		for i := range list {
			if of := conflicts[list[i].ID]; len(of) > 0 {
				found = append(found, ConflictingBooking{list[i], of})
			}
			if len(found) == q.Limit && (i < len(list)-1 || len(list) == conflictStep) {
				return found, &list[i], nil
			}
		}
		if len(list) < conflictStep {
			return found, nil, nil
		}
		next = &list[len(list)-1]
		filter.AfterDate, filter.AfterID = next.Date, next.ID
	}
	return found, next, nil
}

// conflictsOf returns the conflicts of some bookings, for those that have any.
func (s *Service) conflictsOf(ctx context.Context, t tenant.Tenant, list []Booking) (map[uuid.UUID][]Conflict, error) {
	q := catalog.FitQuery{Since: catalog.LongAgo(time.Now())}
	periods := make(map[uuid.UUID]*claim.Query)
	ask := func(b Booking, of uuid.UUID) {
		p := periods[of]
		if p == nil {
			p = &claim.Query{Resources: []uuid.UUID{of}, From: b.busyFrom, Until: b.busyUntil,
				Longest: timetable.LongestBusy}
			periods[of] = p
		}
		p.Include(b.busyFrom, b.busyUntil)
	}
	for _, b := range list {
		if !slices.Contains(q.Services, b.ServiceID) {
			q.Services = append(q.Services, b.ServiceID)
		}
		for _, id := range b.booked().Claimed() {
			ask(b, id)
		}
		for _, id := range b.ResourceIDs() {
			ask(b, id) // also for its blocks
			if !slices.Contains(q.Resources, id) {
				q.Resources = append(q.Resources, id)
			}
		}
	}
	for _, p := range periods {
		q.Occupied = append(q.Occupied, *p)
	}
	fit, err := catalog.ReadFit(ctx, s.db, t.ID, q)
	if err != nil {
		return nil, err
	}
	isBlock := func(c claim.Claim) bool { return c.OfBlock() }
	blocks := slices.DeleteFunc(slices.Clone(fit.Occupied), func(c claim.Claim) bool { return !isBlock(c) })
	fit.Occupied = slices.DeleteFunc(fit.Occupied, isBlock)
	f := fitting{
		Fit: fit, blocks: blocks, rules: timetable.Rules{Loc: t.Location, Closures: fit.Closures},
		overfull: make(map[uuid.UUID]catalog.Overfull),
	}
	for _, b := range list {
		for i, id := range b.booked().Claimed() {
			if _, done := f.overfull[id]; !done {
				of := slices.DeleteFunc(slices.Clone(fit.Occupied),
					func(c claim.Claim) bool { return c.ResourceID != id })
				f.overfull[id] = catalog.OverfullTimes(f.Resources[b.ResourceIDs()[i]].Capacity, of, fit.Now)
			}
		}
	}
	conflicts := make(map[uuid.UUID][]Conflict)
	for _, b := range list {
		if of := f.conflicts(b, fit.Now); len(of) > 0 {
			conflicts[b.ID] = of
		}
	}
	return conflicts, nil
}

// fitting is what bookings must fit.
type fitting struct {
	catalog.Fit

	rules  timetable.Rules // only the closures and the time zone
	blocks []claim.Claim
	// overfull is, of each resource and session, when more units are in use than the resource's capacity.
	overfull map[uuid.UUID]catalog.Overfull
}

// conflicts returns why a booking doesn't fit: nothing if it fits, is over, or is neither held nor confirmed.
func (f fitting) conflicts(b Booking, now time.Time) (found []Conflict) {
	if b.Status != Held && b.Status != Confirmed || !b.State().Occupies(now) || !b.busyUntil.After(now) {
		return nil
	}
	service := f.Services[b.ServiceID]
	add := func(c Conflict, is bool) {
		if is {
			found = append(found, c)
		}
	}
	blocks, at := f.blocks, b.booked()
	if b.Nights > 0 {
		blocks = slices.DeleteFunc(slices.Clone(blocks), claim.Claim.LetsLeave)
	}
	f.rules.Service.Spec = service.Spec
	var archived, overfull, outside, closed bool
	capacity := 0
	for i, id := range b.ResourceIDs() {
		res := f.Resources[id]
		inHours, closedThen := f.rules.OpenFor(&res, at.BookingTime)
		closed, outside = closed || closedThen, outside || !inHours
		overfull = overfull || f.overfull[at.Claimed()[i]].Touches(b.busyFrom, b.busyUntil)
		archived, capacity = archived || f.Archived[id], capacity+res.Capacity
	}
	add(OverCapacity, overfull || b.PartySize > capacity) // which of several resources take the party isn't known
	add(ResourceArchived, archived)
	add(ServiceArchived, service.Archived)
	add(OutsideHours, outside)
	add(Closed, closed)
	add(NotASlot, !f.rules.IsStart(at.BookingTime))
	from := b.busyFrom
	if from.Before(now) {
		from = now
	}
	add(Blocked, slices.ContainsFunc(b.ResourceIDs(), func(id uuid.UUID) bool {
		return claim.Blocked(id, blocks, from, b.busyUntil)
	}))
	return found
}
