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
	asked     bool  // the request named them; if it named several, the booking gets all of them
	offset    int   // in Rules.Resources, where they are all of the need's
	order     []int // in which they are tried, by position; nil for the order in which they stand

	// states are the resources' at the time that is judged. serving are those of which one serves the party then, by
	// position. With together all of them are taken, joined. Of a further need they matter only if judgement.opens says
	// so.
	states   []resourceState
	serving  []int
	together bool
}

// set gives the need its resources.
func (c *candidates) set(resources []Resource) {
	c.resources, c.states = resources, make([]resourceState, len(resources))
	for i := range resources {
		c.states[i].capacity = resources[i].Capacity
	}
}

// candidate returns which candidate is tried as the kth.
func (c *candidates) candidate(k int) int {
	if c.order == nil {
		return k
	}
	return c.order[k]
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
		all[i] = candidates{need: n}
		all[i].set(n.resources)
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
			all[i].set(asked)
			all[i].asked = true
		}
	}
	return all, nil
}

// allCandidates returns the resources of each need. Those that every booking names are asked for.
func (r *Rules) allCandidates() []candidates {
	all, offset := make([]candidates, len(r.needs)), 0
	for i := range r.needs {
		n := &r.needs[i]
		all[i] = candidates{
			need: n, offset: offset, serving: make([]int, 0, len(n.resources)),
			asked: r.named != nil && slices.Contains(n.ResourceIDs, *r.named),
		}
		all[i].set(n.resources)
		offset += len(n.resources)
	}
	return all
}

// takesAll reports whether all candidates are taken, joined.
func (c candidates) takesAll() bool { return c.asked && len(c.resources) > 1 }

// load is what is booked of a resource on a date.
type load struct {
	bookings int
	time     time.Duration
}

// ordered returns the order in which resources of a need are tried for a booking at a time, by position: first those
// that are preferred, then as the need's choose says. It is nil for the order in which they stand. occupied has what
// the resources have on the date.
func (r *Rules) ordered(n *need, resources []Resource, at BookingTime, occupied []claim.Claim, now time.Time) []int {
	byLoad := n.Choose == ChooseInTurn || n.Choose == ChooseLeastBooked
	if !byLoad && len(r.preferred) == 0 {
		return nil
	}
	order := make([]int, len(resources))
	for i := range order {
		order[i] = i
	}
	if byLoad {
		r.sortByLoad(order, n, resources, at, occupied, now)
	}
	slices.SortStableFunc(order, func(a, b int) int {
		isOther := func(i int) int {
			if slices.Contains(r.preferred, resources[i].ID) {
				return 0
			}
			return 1
		}
		return isOther(a) - isOther(b)
	})
	return order
}

// sortByLoad sorts resources as a need's choose takes them.
func (r *Rules) sortByLoad(order []int, n *need, resources []Resource, at BookingTime, occupied []claim.Claim,
	now time.Time,
) {
	loads := r.loadsOn(at, occupied, now)
	rotation := at.Date.DaysSince(firstRotation)
	position := func(i int) int {
		inNeed := slices.IndexFunc(n.resources, func(o Resource) bool { return o.ID == resources[i].ID })
		if n.Choose == ChooseLeastBooked {
			return inNeed
		}
		return ((inNeed-rotation)%len(n.resources) + len(n.resources)) % len(n.resources)
	}
	slices.SortStableFunc(order, func(a, b int) int {
		l, m := loads[resources[a].ID], loads[resources[b].ID]
		if n.Choose == ChooseLeastBooked {
			return cmp.Or(cmp.Compare(l.time, m.time), cmp.Compare(position(a), position(b)))
		}
		return cmp.Or(cmp.Compare(l.bookings, m.bookings), cmp.Compare(position(a), position(b)))
	})
}

// loadsOn returns what is booked of each resource on the civil date on which a booking begins.
func (r *Rules) loadsOn(at BookingTime, occupied []claim.Claim, now time.Time) map[uuid.UUID]load {
	from, until := r.wholeDate(at)
	loads := make(map[uuid.UUID]load)
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
	return loads
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
