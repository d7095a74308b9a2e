package timetable

import "cloud.google.com/go/civil"

// vacancyOf returns what is free at a time that begins on a date, at which candidates are open and start as their
// states say. It appends to a.ids the resources that can take the party, and those that the other needs can get;
// without a booking that could be made, it appends none. A visitor can't book more units than the tenant's limits
// allow. full says that the service takes no more bookings on the date, or no more sessions. The answer is valid until
// the next one.
func (a *availability) vacancyOf(d civil.Date, slot interval, full bool) *vacancy {
	a.full = full
	a.from, a.until = a.rules.busy(d, slot.from, slot.until, &a.days)
	j, limits := &a.judgement, &a.rules.Limits
	j.judge(a.rules, a.groups, a, a.party, full, false)
	if a.rules.visitors && !limits.AllowUnits(j.largest) {
		j.largest = limits.Units
	}
	if a.rules.visitors && !limits.AllowUnits(a.party) && j.reason == "" {
		j.reason = InTheWay
		return &j.vacancy
	}
	for n := range a.groups {
		g := &a.groups[n]
		if n > 0 && !j.opens {
			break
		}
		for _, i := range g.serving {
			a.ids = append(a.ids, g.resources[i].ID)
		}
	}
	return &j.vacancy
}

// count is described with calendar.
func (a *availability) count(need, i int, state *resourceState) {
	res := &a.resources[a.groups[need].offset+i]
	state.joins, state.free = false, a.unitsOf(res)
	if need > 0 || a.rules.Service.Occupies != OccupiesSession || state.free == state.capacity && !a.full ||
		res.units.blocked() {
		return
	}
	s, exists := a.sessions[a.rules.sessionID(res.ID, a.start)]
	state.joins = exists && s.From == a.from && s.Until == a.until && a.rules.takesMore(a.groups, s.FurtherIDs, a)
	state.seats = max(res.Capacity-s.SeatsInUse, 0)
}

// isShared is described with calendar.
func (a *availability) isShared(i int) bool {
	res := &a.resources[i]
	a.unitsOf(res)
	return a.stateOf(i).open && !res.units.blocked()
}

// stateOf returns the state of a resource, by its position in Rules.Resources.
func (a *availability) stateOf(i int) *resourceState {
	n := 0
	for i >= a.groups[n].offset+len(a.groups[n].states) {
		n++
	}
	return &a.groups[n].states[i-a.groups[n].offset]
}

// setOpen sets at which candidates a booking can start that takes place on dates: at those that are open.
func (a *availability) setOpen(isOpen func(res *resourceTimes, before bool) bool) {
	for n := range a.groups {
		g := &a.groups[n]
		for i := range g.states {
			state := &g.states[i]
			state.open = isOpen(&a.resources[g.offset+i], state.open)
			state.starts = state.open
		}
	}
}

// unitsOf returns how many units of a resource are free at each moment of the time that is looked at.
func (a *availability) unitsOf(res *resourceTimes) int { return a.unitsDuring(res, a.from, a.until) }

// unitsDuring returns how many units of a resource are free at each moment of a time.
func (a *availability) unitsDuring(res *resourceTimes, from, until int64) int {
	before := res.units.effort
	free := res.units.during(from, until)
	a.effort += 1 + res.units.effort - before
	return free
}
