package booking

import (
	"cloud.google.com/go/civil"
	"github.com/google/uuid"
)

// fit returns how many units of the resources of the first need are free at a time that begins on a date, and appends to ids the resources
// that can take the party, and those that the other needs can get. Without a booking that could be made, it appends none. starts tells at
// which resources of the first need a booking can start, isOpen which resources are open meanwhile. full says that the service takes no
// more bookings on the date, or no more sessions.
func (a *availability) fit(ids []uuid.UUID, d civil.Date, slot interval, full bool, starts, isOpen func(*resourceTimes) bool,
) (free int, fitting []uuid.UUID) {
	n := len(a.rules.needs[0].resources)
	first, before := a.resources[:n], len(ids)
	var seats int // of sessions that are there already
	opens := false
	for i := range first {
		res := &first[i]
		if res.free = 0; !starts(res) {
			continue
		}
		units, joins := a.countFree(res, d, slot, full)
		free += units
		if joins {
			seats += units
		} else {
			res.free = units
		}
		if units >= a.party {
			ids = append(ids, res.ID)
			opens = opens || !joins
		}
	}
	if a.rules.needs[0].Join && len(ids) == before {
		ids = a.appendJoined(ids, first, d, slot, full, starts, isOpen)
		opens = len(ids) > before
	}
	if len(a.rules.needs) == 1 || free == seats {
		return free, ids
	}
	others, found := a.appendOthers(ids, d, slot, isOpen)
	if found && opens {
		return free, others
	}
	if found {
		return free, ids
	}
	// Only the sessions that are there already have what the other needs need.
	ids = ids[:before]
	for i := range first {
		if res := &first[i]; starts(res) {
			if units, joins := a.countFree(res, d, slot, full); joins && units >= a.party {
				ids = append(ids, res.ID)
			}
		}
	}
	return seats, ids
}

// appendJoined appends the resources of the first need that take the party together.
func (a *availability) appendJoined(ids []uuid.UUID, first []resourceTimes, d civil.Date, slot interval, full bool,
	starts, isOpen func(*resourceTimes) bool,
) []uuid.UUID {
	units := make([]int, len(first))
	for i := range first {
		if res := &first[i]; starts(res) {
			units[i] = res.free
		} else if isOpen(res) {
			units[i], _ = a.countFree(res, d, slot, full)
		}
	}
	a.effort += len(units)
	from, until := shortestRun(units, func(i int) bool { return starts(&first[i]) }, a.party)
	for i := from; i < until; i++ {
		ids = append(ids, first[i].ID)
	}
	return ids
}

// appendOthers appends the resources that the other needs can get at a time. It reports whether each of them can get what it needs.
func (a *availability) appendOthers(ids []uuid.UUID, d civil.Date, slot interval, isOpen func(*resourceTimes) bool,
) (all []uuid.UUID, found bool) {
	from, until := a.rules.busy(d, slot.from, slot.until, &a.days)
	after := len(a.rules.needs[0].resources)
	for _, n := range a.rules.needs[1:] {
		of := a.resources[after : after+len(n.resources)]
		after += len(n.resources)
		before, units := len(ids), make([]int, len(of))
		for i := range of {
			if res := &of[i]; isOpen(res) {
				units[i] = a.unitsOf(res, from, until)
			}
			if units[i] >= n.Units {
				ids = append(ids, of[i].ID)
			}
		}
		if n.Join && len(ids) == before {
			first, last := shortestRun(units, func(int) bool { return true }, n.Units)
			for i := first; i < last; i++ {
				ids = append(ids, of[i].ID)
			}
		}
		if len(ids) == before {
			return ids, false
		}
	}
	return ids, true
}
