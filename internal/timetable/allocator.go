package timetable

import (
	"slices"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/claim"
)

// allocator finds free units for a booking. It is the calendar of what is occupied.
type allocator struct {
	*Rules

	groups   []candidates
	party    int
	occupied []claim.Claim
	// full says that the service takes no more bookings on the date, or no more sessions.
	full bool
	now  time.Time

	at BookingTime // that is looked at
}

// find finds what a booking gets at a time at which it can start at candidates of the first need as their states say,
// or why it gets nothing. A service with sessions first tries the sessions that exist.
func (p *allocator) find(at BookingTime) (a Allocation, reason Unavailable) {
	p.order(at)
	if p.at = at; !p.Service.UntilClosing {
		return p.allocate()
	}
	// Each resource closes at its own time.
	reason = InTheWay
	first := &p.groups[0]
	starting := slices.Clone(first.states)
	for k := range starting {
		i := first.candidate(k)
		if !starting[i].starts {
			continue
		}
		clear(first.states)
		p.at, first.states[i] = p.timeOn(&first.resources[i], at), starting[i]
		on, lacking := p.allocate()
		switch {
		case lacking == NoHours && reason != "":
			reason = NoHours
		case lacking != "":
		case !on.Session.Opens() && on.Session != nil:
			return on, ""
		case reason != "":
			a, reason = on, ""
		}
	}
	return a, reason
}

// checkGap takes the start from each candidate on which a stay of another number of nights than are sold fills no gap.
// Errors: problem.ValidationFailed if none is left.
func (p *allocator) checkGap(at BookingTime) error {
	if at.Nights == 0 || !p.Service.SellGaps {
		return nil
	}
	notSold := p.Service.checkNights(at.Date, at.Nights)
	if notSold == nil {
		return nil
	}
	first := &p.groups[0]
	p.keepGaps(first, at, p.party, p.firstDate(p.now), func(i int, from, until int64) int {
		return countUnits(first.resources[i], p.occupied, time.Unix(from, 0), time.Unix(until, 0), p.now)
	})
	if slices.ContainsFunc(first.states, func(s resourceState) bool { return s.starts }) {
		return nil
	}
	return notSold
}

// order gives the candidates of each need the order in which they are tried.
func (p *allocator) order(at BookingTime) {
	for n := range p.groups {
		g := &p.groups[n]
		g.order = p.ordered(g.need, g.resources, at, p.occupied, p.now)
	}
}

// allocate returns what the booking gets at the time that is looked at, or why it gets nothing.
func (p *allocator) allocate() (a Allocation, reason Unavailable) {
	for n := 1; n < len(p.groups); n++ {
		g := &p.groups[n]
		for i := range g.states {
			g.states[i].open = p.kind().isOpen(p.Rules, &g.resources[i], p.at)
		}
	}
	var j judgement
	if j.judge(p.Rules, p.groups, p, p.party, p.full, true); j.reason != "" {
		return a, j.reason
	}
	first := &p.groups[0]
	if i := slices.IndexFunc(first.serving, func(i int) bool { return first.states[i].joins }); i >= 0 {
		return p.takeSeats(&first.resources[first.serving[i]]), ""
	}
	a = Allocation{Resource: first.resources[first.serving[0]], Time: p.at}
	if !first.together {
		p.take(&a)
	}
	for n := range p.groups {
		g := &p.groups[n]
		switch {
		case g.together && n == 0:
			a.addClaims(p.takeTogether(g, p.party, p.Service.Occupies.All(), &a.Expire))
		case g.together:
			a.addClaims(p.takeTogether(g, g.Units, false, &a.Expire))
		case n > 0:
			res := &g.resources[g.serving[0]]
			a.addClaims(p.takeUnits(res, g.Units))
			a.Expire = append(a.Expire, p.lapsed(res.ID)...)
		}
	}
	return a, ""
}

// count is described with calendar.
func (p *allocator) count(need, i int, state *resourceState) {
	res := &p.groups[need].resources[i]
	if need == 0 && p.Service.Occupies == OccupiesSession {
		var id uuid.UUID
		if id, _, state.joins = p.session(res); state.joins {
			state.seats = p.countUnits(&Resource{ID: id, Capacity: res.Capacity})
			return
		}
	}
	state.free = p.countUnits(res)
}

// isShared is described with calendar.
func (p *allocator) isShared(i int) bool {
	res := &p.Resources[i]
	return p.kind().isOpen(p.Rules, res, p.at) &&
		!claim.Blocked(res.ID, p.occupied, p.at.BusyFrom, p.at.BusyUntil)
}

// session returns the session that a resource has at the time that is looked at, buffers included, and its further
// resources. joins says that it takes more bookings.
func (p *allocator) session(res *Resource) (id uuid.UUID, further []uuid.UUID, joins bool) {
	id = p.sessionID(res.ID, p.at.Start.Unix())
	for _, c := range p.occupied {
		if c.OwnerID != id || c.Lapsed(p.now) {
			continue
		}
		if c.ResourceID == res.ID {
			joins = joins || c.BusyFrom.Equal(p.at.BusyFrom) && c.BusyUntil.Equal(p.at.BusyUntil)
		} else if !slices.Contains(further, c.ResourceID) {
			// it may have several claims, and a claim may be listed several times
			further = append(further, c.ResourceID)
		}
	}
	return id, further, joins && !claim.Blocked(res.ID, p.occupied, p.at.BusyFrom, p.at.BusyUntil) &&
		p.takesMore(p.groups, further, p)
}

// takeSeats takes seats of the session that a resource has.
func (p *allocator) takeSeats(res *Resource) Allocation {
	id, further, _ := p.session(res)
	position := func(id uuid.UUID) int { return slices.Index(p.Service.AllResourceIDs(), id) }
	slices.SortFunc(further, func(a, b uuid.UUID) int { return position(a) - position(b) })
	return Allocation{
		Resource: *res, Time: p.at, Claims: p.takeUnits(&Resource{ID: id, Capacity: res.Capacity}, p.party),
		Session: &claim.Session{ID: id}, FurtherIDs: further, Expire: p.lapsed(id),
	}
}

// take takes what the party needs of the allocation's resource, which it doesn't share as a session that is there
// already.
func (p *allocator) take(a *Allocation) {
	res := &a.Resource
	a.Expire = p.lapsed(res.ID)
	if !p.Service.Occupies.All() {
		a.Claims = p.takeUnits(res, p.party)
		return
	}
	whole := claim.Claim{
		ResourceID: res.ID, Units: claim.AllUnits(), BusyFrom: p.at.BusyFrom, BusyUntil: p.at.BusyUntil,
	}
	a.Claims = []claim.Claim{whole}
	if p.Service.Occupies == OccupiesSession {
		id := p.sessionID(res.ID, p.at.Start.Unix())
		seats := whole
		seats.ResourceID, seats.Units = id, []claim.UnitRange{{From: 1, Until: int32(p.party + 1)}}
		a.Session, a.Claims = &claim.Session{ID: id, Opening: a.Claims}, []claim.Claim{seats}
		a.Expire = append(a.Expire, p.lapsed(id)...)
	}
}

// takeTogether takes units of the candidates that serve together. With whole, each is taken whole. Lapsed holds in the
// way are added to expire.
func (p *allocator) takeTogether(g *candidates, units int, whole bool, expire *[]uuid.UUID) (taken []claim.Claim) {
	for _, i := range g.serving {
		res := &g.resources[i]
		n := min(p.countUnits(res), max(units, 1))
		units -= n // all may have been asked for, and fewer be enough
		if whole {
			taken = append(taken, claim.Claim{
				ResourceID: res.ID, Units: claim.AllUnits(), BusyFrom: p.at.BusyFrom, BusyUntil: p.at.BusyUntil,
			})
		} else {
			taken = append(taken, p.takeUnits(res, n)...)
		}
		*expire = append(*expire, p.lapsed(res.ID)...)
	}
	return taken
}

// countUnits counts the free units of a resource, or the free seats of a session: see the function of this name.
func (p *allocator) countUnits(res *Resource) int {
	return countUnits(*res, p.occupied, p.at.BusyFrom, p.at.BusyUntil, p.now)
}

// takeUnits finds n units of a resource, or n seats of a session: see the function of this name.
func (p *allocator) takeUnits(res *Resource, n int) []claim.Claim {
	return takeUnits(*res, p.occupied, p.at.BusyFrom, p.at.BusyUntil, p.now, n)
}

// lapsed returns the lapsed holds that are in the way on a resource or a session.
func (p *allocator) lapsed(id uuid.UUID) []uuid.UUID {
	return lapsedHolds(id, p.occupied, p.at.BusyFrom, p.at.BusyUntil, p.now)
}
