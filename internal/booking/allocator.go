package booking

import (
	"slices"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/catalog"
	"holdfast/internal/store"
)

// allocator finds free units for a booking. It judges by what is occupied.
type allocator struct {
	*rules

	groups []candidates
	// starting are the resources of the first need at which a booking can start at its time, in the service's order.
	starting []catalog.Resource
	party    int
	occupied []store.Claim
	// full says that the service takes no more bookings on the date, or no more sessions.
	full bool
	now  time.Time
	// furtherClosed says that all resources of a further need are closed at the time, and that the needs before it have what is needed.
	furtherClosed bool
}

// find finds the units that a booking gets at a time. A service with sessions first tries the sessions that exist. Otherwise the booking
// gets the first resource, in the order of choose, that has the units, and the same for each further need. Resources are joined if none
// alone has enough. timeOn returns the time of the booking on a resource of the first need.
func (p *allocator) find(at bookingTime, timeOn func(*catalog.Resource, bookingTime) bookingTime) (a allocation, found bool) {
	first := &p.groups[0]
	starting := p.ordered(first.need, p.starting, at, p.occupied, p.now)
	if p.service.Occupies == catalog.OccupiesSession {
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
			if !p.service.UntilClosing {
				return allocation{}, false // the time is the same on each resource, and so is what the further needs lack
			}
		}
	}
	if first.Join {
		if a, found = p.takeJoined(at); found && p.addFurther(&a) {
			return a, true
		}
	}
	return allocation{}, false
}

// take finds what a party needs of a resource that it doesn't share as a session that is there already.
func (p *allocator) take(res catalog.Resource, at bookingTime) (a allocation, found bool) {
	free, count := freeUnits(res, p.occupied, at.busyFrom, at.busyUntil, p.now)
	if count < p.party || p.service.Occupies.All() && count < res.Capacity {
		return a, false
	}
	a = allocation{resource: res, time: at, expire: lapsedHolds(res.ID, p.occupied, at.busyFrom, at.busyUntil, p.now)}
	switch p.service.Occupies {
	case catalog.OccupiesWhole:
		a.units = store.AllUnits()
	case catalog.OccupiesSession:
		id := p.sessionID(res.ID, at.start.Unix())
		a.session = &store.Session{ID: id, Opens: true}
		a.units = lowest(free, p.party)
		a.expire = append(a.expire, lapsedHolds(id, p.occupied, at.busyFrom, at.busyUntil, p.now)...)
	default:
		a.units = lowest(free, p.party)
	}
	return a, true
}

// takeJoined finds what a party needs of several resources of the first need together.
func (p *allocator) takeJoined(at bookingTime) (a allocation, found bool) {
	a.time = at
	taken := p.joined(p.groups[0], at, p.party, p.service.Occupies.All(), func(id uuid.UUID) bool {
		return slices.ContainsFunc(p.starting, func(res catalog.Resource) bool { return res.ID == id })
	}, &a.expire)
	if len(taken) == 0 {
		return a, false
	}
	i := slices.IndexFunc(p.groups[0].resources, func(res catalog.Resource) bool { return res.ID == taken[0].ResourceID })
	a.resource, a.units = p.groups[0].resources[i], taken[0].Units
	a.setFurther(taken[1:])
	return a, true
}

// addFurther adds the units of the further needs. It reports whether every need got its units.
func (p *allocator) addFurther(a *allocation) bool {
	further := slices.Clone(a.further)
	for i := 1; i < len(p.groups); i++ {
		g := &p.groups[i]
		open := slices.DeleteFunc(slices.Clone(g.resources), func(res catalog.Resource) bool { return !p.isOpenAt(&res, a.time) })
		if len(open) == 0 {
			p.furtherClosed = true
			return false
		}
		taken := p.one(g, open, a)
		if len(taken) == 0 && g.Join {
			taken = p.joined(*g, a.time, g.Units, false, func(uuid.UUID) bool { return true }, &a.expire)
		}
		if len(taken) == 0 {
			return false
		}
		further = append(further, taken...)
	}
	a.setFurther(further)
	return true
}

// one finds the units of a need on a single resource.
func (p *allocator) one(g *candidates, open []catalog.Resource, a *allocation) []store.FurtherUnits {
	if g.takesAll() {
		return nil
	}
	for _, res := range p.ordered(g.need, open, a.time, p.occupied, p.now) {
		if free, count := freeUnits(res, p.occupied, a.time.busyFrom, a.time.busyUntil, p.now); count >= g.Units {
			a.expire = append(a.expire, lapsedHolds(res.ID, p.occupied, a.time.busyFrom, a.time.busyUntil, p.now)...)
			return []store.FurtherUnits{{ResourceID: res.ID, Units: lowest(free, g.Units)}}
		}
	}
	return nil
}

// joined finds units of several resources that follow each other, or of all candidates if the request named them. With whole, each
// resource must be free and is taken whole. canBegin tells which resource can be the first. Lapsed holds in the way are added to expire.
func (p *allocator) joined(g candidates, at bookingTime, units int, whole bool, canBegin func(uuid.UUID) bool, expire *[]uuid.UUID,
) (taken []store.FurtherUnits) {
	counts, free := make([]int, len(g.resources)), make([][]bool, len(g.resources))
	for i := range g.resources {
		res := &g.resources[i]
		if !p.isOpenAt(res, at) {
			continue
		}
		free[i], counts[i] = freeUnits(*res, p.occupied, at.busyFrom, at.busyUntil, p.now)
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
		id, n := g.resources[i].ID, min(counts[i], units)
		if n == 0 { // all were asked for, and fewer are enough
			n = 1
		}
		units -= min(n, units)
		of := store.FurtherUnits{ResourceID: id, Units: store.AllUnits()}
		if !whole {
			of.Units = lowest(free[i], n)
		}
		taken = append(taken, of)
		*expire = append(*expire, lapsedHolds(id, p.occupied, at.busyFrom, at.busyUntil, p.now)...)
	}
	if units > 0 {
		return nil
	}
	return taken
}

// isOpenAt reports whether a resource is open at a time.
func (p *allocator) isOpenAt(res *catalog.Resource, at bookingTime) bool {
	return p.kind().isOpen(p.rules, res, at)
}

// takeSeats finds seats for a party in the session that a resource has at a time, buffers included.
func (p *allocator) takeSeats(res catalog.Resource, at bookingTime) (a allocation, found bool) {
	id := p.sessionID(res.ID, at.start.Unix())
	var further []uuid.UUID // of the session
	for _, c := range p.occupied {
		if c.OwnerID != id || !c.BusyFrom.Equal(at.busyFrom) || !c.BusyUntil.Equal(at.busyUntil) || catalog.Lapsed(c, p.now) {
			continue
		}
		if c.ResourceID == res.ID {
			found = true
		} else if !slices.Contains(further, c.ResourceID) { // a claim may be listed several times
			further = append(further, c.ResourceID)
		}
	}
	if !found || !p.hasFurther(further) || !p.hasAllAsked(further) || blocked(res.ID, p.occupied, at.busyFrom, at.busyUntil) ||
		slices.ContainsFunc(further, func(id uuid.UUID) bool { return !p.canBeShared(id, at) }) {
		return a, false
	}
	seats := res
	seats.ID = id
	free, count := freeUnits(seats, p.occupied, at.busyFrom, at.busyUntil, p.now)
	if count < p.party {
		return a, false
	}
	position := func(id uuid.UUID) int { return slices.Index(p.service.AllResourceIDs(), id) }
	slices.SortFunc(further, func(a, b uuid.UUID) int { return position(a) - position(b) })
	return allocation{
		resource: res, time: at, units: lowest(free, p.party), session: &store.Session{ID: id}, furtherIDs: further,
		expire: lapsedHolds(id, p.occupied, at.busyFrom, at.busyUntil, p.now),
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

// canBeShared reports whether a further resource of a session takes bookings, is open for all of the session, and no block takes it. A
// resource that the service doesn't need any more isn't asked.
func (p *allocator) canBeShared(id uuid.UUID, at bookingTime) bool {
	i := slices.IndexFunc(p.resources, func(res catalog.Resource) bool { return res.ID == id })
	if i < 0 {
		return !slices.Contains(p.service.AllResourceIDs(), id)
	}
	return p.isOpenAt(&p.resources[i], at) && !blocked(id, p.occupied, at.busyFrom, at.busyUntil)
}
