package booking

import (
	"slices"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/claim"
	"holdfast/internal/timetable"
)

// rules are all that decides when a service can be booked, as of one version of the tenant's catalog.
type rules struct {
	service   timetable.Service
	resources []timetable.Resource // those that take bookings, in the service's order: none that is archived, and none of an archived service
	needs     []need               // the same resources by need
	named     *uuid.UUID           // the resource that every booking names, by withNamed; nil for none
	preferred []uuid.UUID          // resources that are tried before the others of their need: those that a booking has
	closures  []timetable.Closure
	longest   time.Duration // that one booking can occupy any of the resources, by whichever service
	loc       *time.Location
	version   int64
	limits    timetable.Limits // of visitors
	visitors  bool             // the rules are those for visitors: see forVisitors
}

// readFor returns what allocate has to know for a booking at a time, on the wanted resources and, for a need of which none is wanted, on
// any.
func (r *rules) readFor(at bookingTime, wanted []uuid.UUID) claim.Query {
	p := claim.Query{From: at.busyFrom, Until: at.busyUntil, Longest: r.longest}
	if r.choosesByLoad() {
		from, until := r.wholeDate(at)
		p.From, p.Until = minTime(at.busyFrom, from), maxTime(at.busyUntil, until)
	}
	p.Resources = r.claimable(r.eligible(wanted), at.start)
	return p
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

// size returns about how many bytes of memory the rules take, far from exactly.
func (r *rules) size() int {
	const service, resource, rate, weekday, closure = 1000, 1000, 200, 60, 100
	n := service + closure*len(r.closures) + resource*len(r.resources)
	for _, of := range r.service.Rates {
		n += rate + weekday*(len(of.Weekdays)+len(of.UnitPrices))
	}
	inherited := 0 // the resources share it
	for i := range r.resources {
		n += r.resources[i].Times.Size()
		inherited = max(inherited, r.resources[i].Times.InheritedSize())
	}
	return n + inherited
}
