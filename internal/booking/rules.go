package booking

import (
	"slices"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/catalog"
	"holdfast/internal/settings"
	"holdfast/internal/store"
	"holdfast/internal/timetable"
)

// rules are all that decides when a service can be booked, as of one version of the tenant's catalog.
type rules struct {
	service   catalog.BookableService
	resources []catalog.Resource // those that take bookings, in the service's order: none that is archived, and none of an archived service
	needs     []need             // the same resources by need
	named     *uuid.UUID         // the resource that every booking names, by withNamed; nil for none
	preferred []uuid.UUID        // resources that are tried before the others of their need: those that a booking has
	closures  []catalog.Closure
	// tenantHours are in the Times of the resources that inherit them.
	tenantHours timetable.Hours
	longest     time.Duration // that one booking can occupy any of the resources, by whichever service
	loc         *time.Location
	version     int64
	// uniqueReferences says that a booking gets no reference that another one of the tenant has.
	uniqueReferences bool
	limits           settings.VisitorLimits // of visitors
	visitors         bool                   // the rules are those for visitors: see forVisitors
}

// readFor returns what allocate has to know for a booking at a time, on the wanted resources and, for a need of which none is wanted, on
// any.
func (r *rules) readFor(at bookingTime, wanted []uuid.UUID) store.BookRead {
	read := store.BookRead{
		Occupied: store.Period{Resources: r.eligible(wanted), From: at.busyFrom, Until: at.busyUntil, Longest: r.longest},
	}
	if r.choosesByLoad() {
		from, until := r.wholeDate(at)
		read.Occupied.From, read.Occupied.Until = minTime(at.busyFrom, from), maxTime(at.busyUntil, until)
	}
	read.Occupied.Resources = r.claimable(read.Occupied.Resources, at.start)
	if r.service.MaxPerDay != nil {
		read.CountService, read.CountDate = &r.service.ID, at.date
	}
	return read
}

// eligible returns the resources that a booking may get if some are wanted.
func (r *rules) eligible(wanted []uuid.UUID) (all []uuid.UUID) {
	if len(wanted) == 0 {
		return r.service.AllResourceIDs()
	}
	for _, n := range r.service.AllNeeds() {
		asked := slices.DeleteFunc(slices.Clone(n.ResourceIDs), func(id uuid.UUID) bool { return !slices.Contains(wanted, id) })
		if len(asked) == 0 {
			asked = n.ResourceIDs
		}
		all = append(all, asked...)
	}
	return all
}

// readForMove is readFor for a booking that is there already: it isn't in its own way, and isn't counted.
func (r *rules) readForMove(at bookingTime, wanted []uuid.UUID, b Booking) store.BookRead {
	read := r.readFor(at, wanted)
	read.CountExcept = &b.ID
	if b.sessionID != nil && !slices.Contains(read.Occupied.Resources, *b.sessionID) {
		read.Occupied.Resources = append(slices.Clip(read.Occupied.Resources), *b.sessionID)
	}
	return read
}

// size returns about how many bytes of memory the rules take, far from exactly.
func (r *rules) size() int {
	const service, resource, override, weekly, closure = 1000, 1000, 200, 60, 150
	n := service + len(r.service.Metadata) + closure*len(r.closures)
	for _, rate := range r.service.Rates {
		n += override + weekly*(len(rate.Weekdays)+len(rate.UnitPrices))
	}
	hours := func(h timetable.Hours) {
		n += override*len(h.Overrides) + weekly*len(h.Weekly)
		for _, s := range h.Seasons {
			n += 2*override + weekly*len(s.Weekly)
		}
	}
	hours(r.tenantHours)
	for _, res := range r.resources {
		n += resource
		hours(res.Hours)
	}
	for _, c := range r.closures {
		n += len(c.Reason)
	}
	return n
}
