package timetable

import (
	"slices"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/claim"
)

// allocator finds free units for a booking. It judges by what is occupied.
type allocator struct {
	*Rules

	groups []candidates
	// starting are the resources of the first need at which a booking can start at its time, in the service's order.
	starting []Resource
	party    int
	occupied []claim.Claim
	// full says that the service takes no more bookings on the date, or no more sessions.
	full bool
	now  time.Time
	// furtherClosed says that all resources of a further need are closed at the time, and that the needs before it have
	// what is needed.
	furtherClosed bool
}

// find finds the units that a booking gets at a time. A service with sessions first tries the sessions that exist.
// Otherwise the booking gets the first resource, in the order of choose, that has the units, and the same for each
// further need. Resources are joined if none alone has enough. timeOn returns the time of the booking on a resource of
// the first need.
func (p *allocator) find(at BookingTime, timeOn func(*Resource, BookingTime) BookingTime) (a Allocation, found bool) {
	first := &p.groups[0]
	starting := p.ordered(first.need, p.starting, at, p.occupied, p.now)
	if p.Service.Occupies == OccupiesSession {
		for _, res := range starting {
			if a, found = p.takeSeats(res, timeOn(&res, at)); found {
				return a, true
			}
		}
	}
	if p.full {
		return a, false
	}
	if !first.takesAll() {
		for _, res := range starting {
			if a, found = p.take(res, timeOn(&res, at)); !found {
				continue
			}
			if p.addFurther(&a) {
				return a, true
			}
			if !p.Service.UntilClosing {
				// the time is the same on each resource, and so is what the further needs lack
				return Allocation{}, false
			}
		}
	}
	if first.Join {
		if a, found = p.takeJoined(at); found && p.addFurther(&a) {
			return a, true
		}
	}
	return Allocation{}, false
}

// take finds what a party needs of a resource that it doesn't share as a session that is there already.
func (p *allocator) take(res Resource, at BookingTime) (a Allocation, found bool) {
	n := p.party
	if p.Service.Occupies.All() {
		n = max(n, res.Capacity)
	}
	a = Allocation{Resource: res, Time: at, Claims: p.takeUnits(res, at, n)}
	if len(a.Claims) == 0 {
		return a, false
	}
	a.Expire = lapsedHolds(res.ID, p.occupied, at.BusyFrom, at.BusyUntil, p.now)
	switch p.Service.Occupies {
	case OccupiesWhole:
		a.Claims[0].Units = claim.AllUnits()
	case OccupiesSession:
		id, seats := p.sessionID(res.ID, at.Start.Unix()), a.Claims[0]
		seats.ResourceID, seats.Units = id, []claim.UnitRange{{From: 1, Until: int32(p.party + 1)}}
		a.Claims[0].Units = claim.AllUnits()
		a.Session, a.Claims = &claim.Session{ID: id, Opening: a.Claims}, []claim.Claim{seats}
		a.Expire = append(a.Expire, lapsedHolds(id, p.occupied, at.BusyFrom, at.BusyUntil, p.now)...)
	case OccupiesUnits: // as they were found
	}
	return a, true
}

// takeUnits finds n units of a resource: see the function of this name.
func (p *allocator) takeUnits(res Resource, at BookingTime, n int) []claim.Claim {
	return takeUnits(res, p.occupied, at.BusyFrom, at.BusyUntil, p.now, n)
}

// takeJoined finds what a party needs of several resources of the first need together.
func (p *allocator) takeJoined(at BookingTime) (a Allocation, found bool) {
	a.Time = at
	taken := p.joined(p.groups[0], at, p.party, p.Service.Occupies.All(), func(id uuid.UUID) bool {
		return slices.ContainsFunc(p.starting, func(res Resource) bool { return res.ID == id })
	}, &a.Expire)
	if len(taken) == 0 {
		return a, false
	}
	i := slices.IndexFunc(p.groups[0].resources, func(res Resource) bool { return res.ID == taken[0].ResourceID })
	a.Resource = p.groups[0].resources[i]
	a.addClaims(taken)
	return a, true
}

// addFurther adds the units of the further needs. It reports whether every need got its units.
func (p *allocator) addFurther(a *Allocation) bool {
	var further []claim.Claim
	for i := 1; i < len(p.groups); i++ {
		g := &p.groups[i]
		open := slices.DeleteFunc(slices.Clone(g.resources),
			func(res Resource) bool { return !p.isOpenAt(&res, a.Time) })
		if len(open) == 0 {
			p.furtherClosed = true
			return false
		}
		taken := p.one(g, open, a)
		if len(taken) == 0 && g.Join {
			taken = p.joined(*g, a.Time, g.Units, false, func(uuid.UUID) bool { return true }, &a.Expire)
		}
		if len(taken) == 0 {
			return false
		}
		further = append(further, taken...)
	}
	a.addClaims(further)
	return true
}

// one finds the units of a need on a single resource.
func (p *allocator) one(g *candidates, open []Resource, a *Allocation) []claim.Claim {
	if g.takesAll() {
		return nil
	}
	for _, res := range p.ordered(g.need, open, a.Time, p.occupied, p.now) {
		if taken := p.takeUnits(res, a.Time, g.Units); len(taken) > 0 {
			a.Expire = append(a.Expire, lapsedHolds(res.ID, p.occupied, a.Time.BusyFrom, a.Time.BusyUntil, p.now)...)
			return taken
		}
	}
	return nil
}

// joined finds units of several resources that follow each other, or of all candidates if the request named them. With
// whole, each resource must be free and is taken whole. canBegin tells which resource can be the first. Lapsed holds in
// the way are added to expire.
func (p *allocator) joined(g candidates, at BookingTime, units int, whole bool, canBegin func(uuid.UUID) bool,
	expire *[]uuid.UUID,
) (taken []claim.Claim) {
	counts := make([]int, len(g.resources))
	for i := range g.resources {
		res := &g.resources[i]
		if !p.isOpenAt(res, at) {
			continue
		}
		counts[i] = countUnits(*res, p.occupied, at.BusyFrom, at.BusyUntil, p.now)
		if whole && counts[i] < res.Capacity {
			counts[i] = 0
		}
	}
	from, until := 0, len(counts)
	if !g.takesAll() {
		from, until = shortestRun(counts, func(i int) bool { return canBegin(g.resources[i].ID) }, units)
	} else if !canBegin(g.resources[0].ID) || slices.Contains(counts, 0) {
		return nil
	}
	for i := from; i < until; i++ {
		res, n := g.resources[i], min(counts[i], units)
		if n == 0 { // all were asked for, and fewer are enough
			n = 1
		}
		units -= min(n, units)
		if whole {
			taken = append(taken, claim.Claim{ResourceID: res.ID, Units: claim.AllUnits(), BusyFrom: at.BusyFrom,
				BusyUntil: at.BusyUntil})
		} else {
			taken = append(taken, p.takeUnits(res, at, n)...)
		}
		*expire = append(*expire, lapsedHolds(res.ID, p.occupied, at.BusyFrom, at.BusyUntil, p.now)...)
	}
	if units > 0 {
		return nil
	}
	return taken
}

// isOpenAt reports whether a resource is open at a time.
func (p *allocator) isOpenAt(res *Resource, at BookingTime) bool {
	return p.kind().isOpen(p.Rules, res, at)
}

// takeSeats finds seats for a party in the session that a resource has at a time, buffers included.
func (p *allocator) takeSeats(res Resource, at BookingTime) (a Allocation, found bool) {
	id := p.sessionID(res.ID, at.Start.Unix())
	var further []uuid.UUID // of the session
	for _, c := range p.occupied {
		if c.OwnerID != id || c.Lapsed(p.now) {
			continue
		}
		if c.ResourceID == res.ID {
			found = found || c.BusyFrom.Equal(at.BusyFrom) && c.BusyUntil.Equal(at.BusyUntil)
			// it may have several claims, and a claim may be listed several times
		} else if !slices.Contains(further, c.ResourceID) {
			further = append(further, c.ResourceID)
		}
	}
	if !found || !p.hasFurther(further) || !p.hasAllAsked(further) ||
		claim.Blocked(res.ID, p.occupied, at.BusyFrom, at.BusyUntil) ||
		slices.ContainsFunc(further, func(id uuid.UUID) bool { return !p.canBeShared(id, at) }) {
		return a, false
	}
	seats := res
	seats.ID = id
	taken := p.takeUnits(seats, at, p.party)
	if len(taken) == 0 {
		return a, false
	}
	position := func(id uuid.UUID) int { return slices.Index(p.Service.AllResourceIDs(), id) }
	slices.SortFunc(further, func(a, b uuid.UUID) int { return position(a) - position(b) })
	return Allocation{
		Resource: res, Time: at, Claims: taken, Session: &claim.Session{ID: id}, FurtherIDs: further,
		Expire: lapsedHolds(id, p.occupied, at.BusyFrom, at.BusyUntil, p.now),
	}, true
}

// hasAllAsked reports whether a session has all further resources that were asked for.
func (p *allocator) hasAllAsked(further []uuid.UUID) bool {
	for _, g := range p.groups[1:] {
		if !g.asked {
			continue
		}
		for _, res := range g.resources {
			if !slices.Contains(further, res.ID) {
				return false
			}
		}
	}
	return true
}

// canBeShared reports whether a further resource of a session takes bookings, is open for all of the session, and no
// block takes it. A resource that the service doesn't need any more isn't asked.
func (p *allocator) canBeShared(id uuid.UUID, at BookingTime) bool {
	i := slices.IndexFunc(p.Resources, func(res Resource) bool { return res.ID == id })
	if i < 0 {
		return !slices.Contains(p.Service.AllResourceIDs(), id)
	}
	return p.isOpenAt(&p.Resources[i], at) && !claim.Blocked(id, p.occupied, at.BusyFrom, at.BusyUntil)
}
