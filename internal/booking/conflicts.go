package booking

import (
	"cmp"
	"context"
	"slices"
	"time"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"

	"holdfast/internal/datetime"
	"holdfast/internal/problem"
	"holdfast/internal/store"
	"holdfast/internal/tenant"
)

// longestBusyMinutes is the longest time that any booking can occupy a resource, its buffers included.
const longestBusyMinutes = maxDurationMinutes + 2*maxBufferDays*datetime.MinutesPerDay + 3*(longestDayMinutes-datetime.MinutesPerDay)

// maxNamedBookings is how many of the bookings that stand in a change's way are named.
const maxNamedBookings = 100

// Conflict is why a booking doesn't fit its resource or its service as they are now.
type Conflict string

// The conflicts.
const (
	// OverCapacity: at some moment of the booking, from now on, more units of the resource are in use than its capacity.
	OverCapacity Conflict = "over_capacity"
	// ResourceArchived and ServiceArchived: it is archived.
	ResourceArchived Conflict = "resource_archived"
	ServiceArchived  Conflict = "service_archived"
	// OutsideHours: the resource isn't open for all of the booking.
	OutsideHours Conflict = "outside_hours"
	// Closed: a closure closes the resource during the booking.
	Closed Conflict = "closed"
)

// ConflictingBooking is a booking that doesn't fit, with every reason.
type ConflictingBooking struct {
	Booking
	Conflicts []Conflict
}

// ConflictQuery asks for the bookings of a resource or of a service that don't fit: those that follow a date and an id, in this order.
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

// Conflicts returns, of the bookings that are held or confirmed and not over, those that don't fit the resources and services as they
// are now, at most the query's limit. next is the last booking that was looked at, nil if there are no more: a page may be short, or
// empty, although more follow. It takes no lock.
//
// Errors: problem.NotFound for a resource or service that doesn't exist; problem.DatabaseUnavailable.
func (s *Service) Conflicts(ctx context.Context, t tenant.Tenant, q ConflictQuery) (found []ConflictingBooking, next *Booking, err error) {
	switch {
	case q.ResourceID != nil:
		_, err = s.store.Resource(ctx, t.ID, *q.ResourceID)
	case q.ServiceID != nil:
		_, err = s.store.Service(ctx, t.ID, *q.ServiceID)
	}
	if err != nil {
		return nil, nil, err
	}
	filter := store.BookingFilter{
		From: longAgo(time.Now()), To: civil.Date{Year: datetime.MaxYear, Month: 12, Day: 31}, ResourceID: q.ResourceID, ServiceID: q.ServiceID,
		AfterDate: q.AfterDate, AfterID: q.AfterID, Limit: conflictStep,
	}
	for looked := 0; looked < maxLookedAt; looked += conflictStep {
		rows, err := s.store.Bookings(ctx, t.ID, filter)
		list, err := each(rows, FromRow, err)
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
	q := store.FitQuery{Since: longAgo(time.Now())}
	periods := make(map[uuid.UUID]*store.Period)
	for _, b := range list {
		if !slices.Contains(q.Services, b.ServiceID) {
			q.Services = append(q.Services, b.ServiceID)
		}
		p := periods[b.ResourceID]
		if p == nil {
			p = &store.Period{Resources: []uuid.UUID{b.ResourceID}, From: b.busyFrom, Until: b.busyUntil, Longest: minutes(longestBusyMinutes)}
			periods[b.ResourceID] = p
			q.Resources = append(q.Resources, b.ResourceID)
		}
		if b.busyFrom.Before(p.From) {
			p.From = b.busyFrom
		}
		if b.busyUntil.After(p.Until) {
			p.Until = b.busyUntil
		}
	}
	for _, id := range q.Resources {
		q.Occupied = append(q.Occupied, *periods[id])
	}
	row, err := s.store.Fit(ctx, t.ID, q)
	if err != nil {
		return nil, err
	}
	f := fitting{rules: rules{loc: t.Location}, services: make(map[uuid.UUID]store.ServiceState), resources: make(map[uuid.UUID]fittingResource)}
	for _, c := range row.Closures {
		f.rules.closures = append(f.rules.closures, closureFromRow(c))
	}
	for _, v := range row.Services {
		f.services[v.ServiceID] = v
	}
	for _, r := range row.Resources {
		res, err := resourceFromRow(r)
		if err != nil {
			return nil, err
		}
		own := slices.DeleteFunc(slices.Clone(row.Occupied), func(o store.Claim) bool { return o.ResourceID != res.ID })
		f.resources[res.ID] = fittingResource{res, overfullTimes(res.Capacity, own, row.Now)}
	}
	conflicts := make(map[uuid.UUID][]Conflict)
	for _, b := range list {
		if of := f.conflicts(b, row.Now); len(of) > 0 {
			conflicts[b.ID] = of
		}
	}
	return conflicts, nil
}

// fitting is what bookings must fit.
type fitting struct {
	rules     rules // only the closures and the time zone
	services  map[uuid.UUID]store.ServiceState
	resources map[uuid.UUID]fittingResource
}

// fittingResource is a resource with the times at which more units are in use than its capacity.
type fittingResource struct {
	Resource
	overfull []interval
}

// conflicts returns why a booking doesn't fit: nothing if it fits, is over, or is neither held nor confirmed.
func (f fitting) conflicts(b Booking, now time.Time) (found []Conflict) {
	if b.Status != Held && b.Status != Confirmed || !b.State().Occupies(now) || !b.busyUntil.After(now) {
		return nil
	}
	res, service := f.resources[b.ResourceID], f.services[b.ServiceID]
	add := func(c Conflict, is bool) {
		if is {
			found = append(found, c)
		}
	}
	withoutClosures := rules{loc: f.rules.loc}
	inHours := withoutClosures.openFor(&res.Resource, Kind(service.Kind), b)
	closed := slices.ContainsFunc(datesOf(b.StartsAt, b.EndsAt, f.rules.loc), func(d civil.Date) bool { return f.rules.closed(&res.Resource, d) })
	add(OverCapacity, touches(res.overfull, b.busyFrom, b.busyUntil))
	add(ResourceArchived, res.ArchivedAt != nil)
	add(ServiceArchived, service.ArchivedAt != nil)
	add(OutsideHours, !inHours)
	add(Closed, closed || inHours && !f.rules.openFor(&res.Resource, Kind(service.Kind), b))
	return found
}

// openFor reports whether a resource is open for a booking of a service of a kind.
func (r *rules) openFor(res *Resource, kind Kind, b Booking) bool {
	if kind == KindDate {
		return len(r.open(res, b.Date)) > 0
	}
	return r.openDuring(res, b.StartsAt, b.EndsAt)
}

// overfullTimes returns the times from now on at which what occupies a resource uses more units than a capacity, in order. Holds past
// their expiry use none.
func overfullTimes(capacity int, occupied []store.Claim, now time.Time) (times []interval) {
	type moment struct {
		at     time.Time
		change int // of the units in use
	}
	var moments []moment
	counted := make(map[uuid.UUID]bool)
	for _, o := range occupied {
		if lapsed(o, now) || !o.BusyUntil.After(now) || counted[o.BookingID] {
			continue
		}
		counted[o.BookingID] = true
		units := 0
		for _, u := range o.Units {
			units += int(u.Until - u.From)
		}
		from := o.BusyFrom
		if from.Before(now) {
			from = now
		}
		moments = append(moments, moment{from, units}, moment{o.BusyUntil, -units})
	}
	slices.SortFunc(moments, func(a, b moment) int { return a.at.Compare(b.at) })
	inUse := 0
	for i, m := range moments {
		if inUse += m.change; i+1 < len(moments) && moments[i+1].at.After(m.at) && inUse > capacity {
			times = append(times, interval{m.at.UnixMicro(), moments[i+1].at.UnixMicro()})
		}
	}
	return times
}

// touches reports whether one of the times, which are in order and in microseconds, overlaps [from, until).
func touches(times []interval, from, until time.Time) bool {
	i, _ := slices.BinarySearchFunc(times, from.UnixMicro(), func(p interval, at int64) int {
		if p.until <= at {
			return -1
		}
		return 1
	})
	return i < len(times) && times[i].from < until.UnixMicro()
}

// overbooked returns those of the occupancies of a resource that take part in a moment from now on at which more units are in use than
// a capacity.
func overbooked(capacity int, occupied []store.Claim, now time.Time) (found []store.Claim) {
	times := overfullTimes(capacity, occupied, now)
	for _, o := range occupied {
		if touches(times, o.BusyFrom, o.BusyUntil) {
			found = append(found, o)
		}
	}
	return found
}

// inTheWay returns problem.BookingsInTheWay with those of the occupancies that aren't over at now, nil if there are none.
func inTheWay(occupied []store.Claim, now time.Time, detail string) error {
	standing := slices.DeleteFunc(slices.Clone(occupied), func(o store.Claim) bool {
		return o.Over || lapsed(o, now) || !o.BusyUntil.After(now)
	})
	if len(standing) == 0 {
		return nil
	}
	slices.SortFunc(standing, func(a, b store.Claim) int {
		return cmp.Or(a.BusyFrom.Compare(b.BusyFrom), slices.Compare(a.BookingID[:], b.BookingID[:]))
	})
	document := problem.DocumentOf(problem.New(problem.BookingsInTheWay, detail))
	document.BookingCount = len(standing)
	for _, o := range standing[:min(len(standing), maxNamedBookings)] {
		document.BookingIDs = append(document.BookingIDs, o.BookingID.String())
	}
	return document
}

// upcoming asks for what occupies a resource or is booked of a service from now on. The database's clock decides: this server's may be
// an hour ahead of it.
func upcoming() *store.Upcoming {
	after := time.Now().Add(-time.Hour)
	return &store.Upcoming{After: after, Longest: minutes(longestBusyMinutes), Since: longAgo(after)}
}

// longAgo is a date on which no booking begins that isn't over at now, in any time zone.
func longAgo(now time.Time) civil.Date {
	return civil.DateOf(now.UTC().Add(-minutes(longestBusyMinutes))).AddDays(-2)
}
