package timetable

import (
	"slices"

	"github.com/google/uuid"
)

// vacancy is what is free at a time.
type vacancy struct {
	// capacity is the units of the resources of the first need at which a booking can start, free those of them that
	// are free.
	capacity, free int
	// largest is the largest party that still fits one booking.
	largest int
	// reason is why the party can't be booked, empty if it can.
	reason Unavailable
}

// resourceState is how a candidate is at a time.
type resourceState struct {
	open   bool // for all of the time
	starts bool // a booking can start then; of each open candidate of a further need
	// joins says that a session which takes more bookings has the resource at exactly this time.
	joins bool
	// capacity is how many units the resource has, free how many are free at every moment of the time, seats how many
	// are free of the session.
	capacity, free, seats int
	// units is how many of them a booking can have.
	units int
}

// calendar counts what is free at one time. A booking counts the claims that are in its way, availability sweeps over
// many dates. What a booking can have is judged in one place all the same.
type calendar interface {
	// count sets joins, free and seats of an open candidate of a need. With joins, free doesn't matter.
	count(need, i int, state *resourceState)
	// isShared reports whether a resource, by its position in Rules.Resources, is open for all of a session and no
	// block takes it meanwhile.
	isShared(i int) bool
}

// judgement is what a party can have at a time, beside what the candidates of each need say of it.
type judgement struct {
	vacancy

	// opens says that the party can have what no session has yet.
	opens bool
}

// judge says what a party can have at the time of a calendar, at which candidates are open and start as their states
// say. full says that the service takes no more bookings on the date, or no more sessions. With firstOnly the first
// candidate of each need that serves is enough.
func (j *judgement) judge(r *Rules, groups []candidates, c calendar, party int, full, firstOnly bool) {
	*j = judgement{}
	seats, mostSeats := j.judgeFirst(r, &groups[0], c, party, full, firstOnly)
	if len(groups) > 1 && (firstOnly && j.opens || !firstOnly && j.free > seats) {
		if lacking := judgeFurther(groups, c, firstOnly); lacking != "" {
			first := &groups[0] // only sessions that exist can be joined
			first.serving = slices.DeleteFunc(first.serving, func(i int) bool { return !first.states[i].joins })
			j.free, j.largest, j.reason, j.opens = seats, mostSeats, lacking, false
		}
	}
	if len(groups[0].serving) > 0 {
		j.reason = ""
	}
}

// judgeFirst judges the first need. It returns how many seats are free of sessions that can be joined, and the most of
// one.
func (j *judgement) judgeFirst(r *Rules, g *candidates, c calendar, party int, full, firstOnly bool) (seats, most int) {
	sessions, whole, joined := r.Service.Occupies == OccupiesSession, r.Service.Occupies.All(), g.takesAll()
	anyFree := 0
	g.serving, g.together = g.serving[:0], false
	for k := range g.states {
		i := g.candidate(k)
		state := &g.states[i]
		if state.units = 0; !state.open {
			continue
		}
		c.count(0, i, state)
		switch {
		case state.joins:
			state.units = state.seats
		case !full && (!whole || state.free == state.capacity):
			state.units = state.free
		}
		anyFree |= state.free | state.units
		if !state.starts {
			continue
		}
		j.capacity += state.capacity
		j.free += state.units
		j.largest = max(j.largest, state.units)
		if state.joins {
			seats, most = seats+state.units, max(most, state.units)
		}
		if state.units < party || joined {
			continue
		}
		g.serving = append(g.serving, i)
		j.opens = j.opens || !state.joins
		if firstOnly && (state.joins || !sessions) {
			return seats, most
		}
	}
	g.join(party)
	j.opens = j.opens || g.together
	if g.Join && !firstOnly {
		j.largest = max(j.largest, largestRun(g.states))
	}
	switch {
	case full && seats == 0, anyFree == 0:
		j.reason = SoldOut
	case len(g.serving) == 0:
		j.reason = InTheWay
	}
	return seats, most
}

// judgeFurther judges the needs after the first one. It returns why one of them gets nothing.
func judgeFurther(groups []candidates, c calendar, firstOnly bool) (lacking Unavailable) {
	for n := 1; n < len(groups); n++ {
		g, anyOpen := &groups[n], false
		g.serving, g.together = g.serving[:0], false
		for k := range g.states {
			i := g.candidate(k)
			state := &g.states[i]
			if state.units = 0; !state.open {
				continue
			}
			c.count(n, i, state)
			anyOpen, state.starts, state.units = true, true, state.free
			if state.units < g.Units || g.takesAll() {
				continue
			}
			if g.serving = append(g.serving, i); firstOnly {
				break
			}
		}
		g.join(g.Units)
		switch {
		case !anyOpen:
			return NoHours
		case len(g.serving) == 0:
			return InTheWay
		}
	}
	return ""
}

// join has candidates serve together, if none serves alone and they have the units.
func (c *candidates) join(units int) {
	if !c.Join || len(c.serving) > 0 {
		return
	}
	from, until := shortestRun(c.states, units)
	if c.takesAll() {
		from, until = 0, wholeRun(c.states, units)
	}
	for i := from; i < until; i++ {
		c.serving, c.together = append(c.serving, i), true
	}
}

// shortestRun finds resources that follow each other and have the units together: as few as possible, and of those the
// first. It returns an empty run if there is none.
func shortestRun(all []resourceState, units int) (from, until int) {
	for i := range all {
		sum := 0
		for j := i; j < len(all) && all[j].units > 0 && (until == 0 || j-i+1 < until-from) && all[i].starts; j++ {
			if sum += all[j].units; sum >= units {
				from, until = i, j+1
			}
		}
	}
	return from, until
}

// wholeRun returns how many resources there are, if each has something free, they have the units together, and a
// booking can start at the first; zero otherwise.
func wholeRun(all []resourceState, units int) int {
	sum := 0
	for i := range all {
		if sum += all[i].units; all[i].units == 0 {
			return 0
		}
	}
	if !all[0].starts || sum < units {
		return 0
	}
	return len(all)
}

// largestRun returns how many units resources that follow each other have together, at most.
func largestRun(all []resourceState) (largest int) {
	for i := range all {
		sum := 0
		for j := i; j < len(all) && all[j].units > 0 && all[i].starts; j++ {
			sum += all[j].units
		}
		largest = max(largest, sum)
	}
	return largest
}

// takesMore reports whether a session that has some further resources takes more bookings: it has one of each further
// need, and each that was asked for; and each can be shared. A resource that the service doesn't need any more isn't
// asked.
func (r *Rules) takesMore(groups []candidates, further []uuid.UUID, c calendar) bool {
	for n := 1; n < len(groups); n++ {
		g := &groups[n]
		if !slices.ContainsFunc(further, func(id uuid.UUID) bool { return slices.Contains(g.ResourceIDs, id) }) {
			return false
		}
		if g.asked && slices.ContainsFunc(g.resources, func(res Resource) bool {
			return !slices.Contains(further, res.ID)
		}) {
			return false
		}
	}
	for _, id := range further {
		i := slices.IndexFunc(r.Resources, func(res Resource) bool { return res.ID == id })
		if i < 0 && slices.Contains(r.Service.AllResourceIDs(), id) || i >= 0 && !c.isShared(i) {
			return false
		}
	}
	return true
}
