package timetable

import (
	"slices"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/claim"
)

// Rules are all that decides when a service can be booked, as of one version of the tenant's catalog.
type Rules struct {
	Service Service
	// Resources are those that take bookings, in the service's order: none that is archived, and none of an archived
	// service. SetResources sets them.
	Resources []Resource
	Closures  []Closure
	// Longest is the longest time that one booking can occupy any of the resources, by whichever service.
	Longest time.Duration
	// Loc is the tenant's time zone.
	Loc *time.Location
	// Version is that of the tenant's catalog.
	Version int64
	// Limits are those of visitors.
	Limits Limits

	needs     []need      // the same resources by need
	named     *uuid.UUID  // the resource that every booking names, by withNamed; nil for none
	preferred []uuid.UUID // resources that are tried before the others of their need: those that a booking has
	visitors  bool        // the rules are those for visitors: see forVisitors
}

// ReadFor returns what Allocate has to know for a booking at a time, on the wanted resources and, for a need of which
// none is wanted, on any.
func (r *Rules) ReadFor(at BookingTime, wanted []uuid.UUID) claim.Query {
	q := claim.Query{
		Resources: r.claimable(r.eligible(wanted), at.Start),
		From:      at.BusyFrom, Until: at.BusyUntil, Longest: r.Longest,
	}
	if r.choosesByLoad() {
		q.Include(r.wholeDate(at))
	}
	if r.Service.SellGaps { // two days, because one may have 50 hours
		q.Include(at.BusyFrom.AddDate(0, 0, -2), at.BusyUntil.AddDate(0, 0, 2))
	}
	return q
}

// eligible returns the resources that a booking may get if some are wanted.
func (r *Rules) eligible(wanted []uuid.UUID) (all []uuid.UUID) {
	if len(wanted) == 0 {
		return r.Service.AllResourceIDs()
	}
	for _, n := range r.Service.AllNeeds() {
		asked := slices.DeleteFunc(slices.Clone(n.ResourceIDs),
			func(id uuid.UUID) bool { return !slices.Contains(wanted, id) })
		if len(asked) == 0 {
			asked = n.ResourceIDs
		}
		all = append(all, asked...)
	}
	return all
}

// Size returns about how many bytes of memory the rules take, far from exactly.
func (r *Rules) Size() int {
	const service, resource, rate, weekday, closure = 1000, 1000, 200, 60, 100
	n := service + closure*len(r.Closures) + resource*len(r.Resources) + rate*len(r.Service.ArrivalRules)
	for i := range r.Service.StartTimes {
		n += rate + weekday*(len(r.Service.StartTimes[i].Dates)+len(r.Service.StartTimes[i].At))
	}
	for _, of := range r.Service.Rates {
		n += rate + weekday*(len(of.Weekdays)+len(of.UnitPrices))
	}
	inherited := 0 // the resources share it
	for i := range r.Resources {
		n += r.Resources[i].Times.Size()
		inherited = max(inherited, r.Resources[i].Times.inheritedSize())
	}
	return n + inherited
}
