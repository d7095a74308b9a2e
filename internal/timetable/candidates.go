package timetable

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/claim"
	"holdfast/internal/datetime"
	"holdfast/internal/problem"
)

// need is a group of resources. A booking gets one of them, or several that are joined.
type need struct {
	Need
	resources []Resource // those that take bookings, in order
}

// SetResources sets the resources of the service that take bookings, in the service's order.
func (r *Rules) SetResources(all []Resource) {
	r.Resources, r.needs = all, nil
	if len(r.Service.Needs) == 0 {
		r.needs = []need{{resources: all}}
	}
	for _, n := range r.Service.Needs {
		of := 0
		for of < len(all) && slices.Contains(n.ResourceIDs, all[of].ID) {
			of++
		}
		r.needs = append(r.needs, need{n, all[:of:of]})
		all = all[of:]
	}
}

// withNamed returns the rules of bookings that name a resource: its need has no other. Nothing can be had if the
// service doesn't have the resource, or if it takes no bookings.
func (r *Rules) withNamed(resource uuid.UUID) *Rules {
	alternatives := r.Service.AllResourceIDs()
	for _, n := range r.Service.AllNeeds() {
		if slices.Contains(n.ResourceIDs, resource) {
			alternatives = n.ResourceIDs
		}
	}
	named := *r
	named.named = &resource
	named.SetResources(slices.DeleteFunc(slices.Clone(r.Resources), func(res Resource) bool {
		return res.ID != resource && slices.Contains(alternatives, res.ID)
	}))
	return &named
}

// Preferring returns the rules under which some resources are tried before the others of their need.
func (r *Rules) Preferring(ids []uuid.UUID) *Rules {
	preferring := *r
	preferring.preferred = ids
	return &preferring
}

// candidates are the resources of a need that may be taken.
type candidates struct {
	*need

	resources []Resource
	asked     bool // the request named them; if it named several, the booking gets all of them
}

// candidates returns the resources that may serve a booking, for each need. Errors: problem.NotFound for a wanted
// resource that doesn't serve the service; problem.InvalidState for an archived service or resource;
// problem.ValidationFailed for several of one need whose resources can't be joined.
func (r *Rules) candidates(wanted []uuid.UUID) ([]candidates, error) {
	for _, id := range wanted {
		switch {
		case slices.ContainsFunc(r.Resources, func(res Resource) bool { return res.ID == id }):
		case !slices.Contains(r.Service.AllResourceIDs(), id):
			return nil, problem.Missing()
		case !r.Service.Archived:
			return nil, problem.New(problem.InvalidState, "The resource is archived and takes no new bookings.")
		}
	}
	if r.Service.Archived {
		return nil, problem.New(problem.InvalidState, "The service is archived and takes no new bookings.")
	}
	all := make([]candidates, len(r.needs))
	for i := range r.needs {
		n := &r.needs[i]
		if len(n.resources) == 0 {
			return nil, problem.New(problem.InvalidState,
				"All resources of the service are archived and take no new bookings.")
		}
		all[i] = candidates{need: n, resources: n.resources}
		if len(wanted) == 0 {
			continue
		}
		var asked []Resource
		for _, res := range n.resources {
			if slices.Contains(wanted, res.ID) {
				asked = append(asked, res)
			}
		}
		switch {
		case len(asked) > 1 && !n.Join:
			return nil, problem.Invalid("resource_ids", "too_many",
				"The service needs one of these resources, not several.")
		case len(asked) > 0:
			all[i].resources, all[i].asked = asked, true
		}
	}
	return all, nil
}

// takesAll reports whether all candidates are taken, joined.
func (c candidates) takesAll() bool { return c.asked && len(c.resources) > 1 }

// load is what is booked of a resource on a date.
type load struct {
	bookings int
	time     time.Duration
}

// ordered returns resources of a need in the order in which they are tried for a booking at a time: first those that
// are preferred, then as the need's choose says. occupied has what the need's resources have on the date.
func (r *Rules) ordered(n *need, resources []Resource, at BookingTime, occupied []claim.Claim, now time.Time,
) []Resource {
	all := r.chosen(n, resources, at, occupied, now)
	if len(r.preferred) == 0 {
		return all
	}
	isOther := func(res Resource) bool { return !slices.Contains(r.preferred, res.ID) }
	return slices.Concat(slices.DeleteFunc(slices.Clone(all), isOther),
		slices.DeleteFunc(slices.Clone(all), func(res Resource) bool { return !isOther(res) }))
}

// chosen returns resources of a need in the order in which its choose takes them. See ordered.
func (r *Rules) chosen(n *need, resources []Resource, at BookingTime, occupied []claim.Claim, now time.Time,
) []Resource {
	if n.Choose != ChooseInTurn && n.Choose != ChooseLeastBooked {
		return resources
	}
	from, until := r.wholeDate(at)
	loads := make(map[uuid.UUID]load, len(resources))
	type claim struct {
		owner, resource uuid.UUID
		from            int64
	}
	const wholeBooking = math.MinInt64
	counted := make(map[claim]bool, len(occupied)) // a claim may be listed several times
	for _, c := range occupied {
		of := claim{c.OwnerID, c.ResourceID, c.BusyFrom.Unix()}
		if c.OfBlock() || counted[of] || !occupies(c, c.ResourceID, from, until, now) {
			continue
		}
		counted[of] = true
		l := loads[c.ResourceID]
		if of.from = wholeBooking; !counted[of] { // an owner may have several claims
			counted[of] = true
			l.bookings++
		}
		l.time += minTime(c.BusyUntil, until).Sub(maxTime(c.BusyFrom, from))
		loads[c.ResourceID] = l
	}
	rotation := at.Date.DaysSince(firstRotation)
	position := func(res Resource) int {
		i := slices.IndexFunc(n.resources, func(o Resource) bool { return o.ID == res.ID })
		if n.Choose == ChooseLeastBooked {
			return i
		}
		return ((i-rotation)%len(n.resources) + len(n.resources)) % len(n.resources)
	}
	return slices.SortedStableFunc(slices.Values(resources), func(a, b Resource) int {
		byLoad := cmp.Compare(loads[a.ID].bookings, loads[b.ID].bookings)
		if n.Choose == ChooseLeastBooked {
			byLoad = cmp.Compare(loads[a.ID].time, loads[b.ID].time)
		}
		return cmp.Or(byLoad, cmp.Compare(position(a), position(b)))
	})
}

// firstRotation is a date on which the rotation of in_turn begins with the first resource of a list.
var firstRotation = datetime.DateOf(time.Unix(0, 0), time.UTC)

// wholeDate returns the civil date on which a booking begins, and until when it lasts.
func (r *Rules) wholeDate(at BookingTime) (from, until time.Time) {
	return datetime.StartOfDay(at.Date, r.Loc), datetime.StartOfDay(at.Date.AddDays(1), r.Loc)
}

// choosesByLoad reports whether one of the needs takes the resource that has the least on the date.
func (r *Rules) choosesByLoad() bool {
	return slices.ContainsFunc(r.needs, func(n need) bool {
		return n.Choose == ChooseInTurn || n.Choose == ChooseLeastBooked
	})
}

func minTime(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

func maxTime(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// shortestRun finds resources that follow each other and have the units together: as few as possible, and of those the
// first. free are the units that can be taken of each; canBegin tells which resource can be the first. It returns an
// empty run if there is none.
func shortestRun(free []int, canBegin func(i int) bool, units int) (from, until int) {
	for i := range free {
		sum := 0
		for j := i; j < len(free) && free[j] > 0 && (until == 0 || j-i+1 < until-from) && canBegin(i); j++ {
			if sum += free[j]; sum >= units {
				from, until = i, j+1
			}
		}
	}
	return from, until
}
