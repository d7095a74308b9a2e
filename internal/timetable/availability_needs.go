package timetable

import (
	"cloud.google.com/go/civil"
)

// vacancy is what is free at a time that begins on a date.
type vacancy struct {
	// capacity is the units of the resources of the first need at which a booking can start, free those of them that
	// are free.
	capacity, free int
	// largest is the largest party that still fits one booking.
	largest int
	// reason is why the party can't be booked, empty if it can.
	reason Unavailable
}

// fit returns what is free at a time that begins on a date, and appends to a.ids the resources that can take the party,
// and those that the other needs can get. Without a booking that could be made, it appends none. starts tells at which
// resources of the first need a booking can start, isOpen which resources are open meanwhile. full says that the
// service takes no more bookings on the date, or no more sessions.
func (a *availability) fit(d civil.Date, slot interval, full bool, starts,
	isOpen func(*resourceTimes) bool) (f vacancy) {
	before := len(a.ids)
	join := a.rules.needs[0].Join
	first := a.resources[:len(a.rules.needs[0].resources)]
	a.anyFree = false
	seats, largestJoining := 0, 0 // of sessions that exist
	opens := false
	for i := range first {
		res := &first[i]
		if res.free = 0; !starts(res) {
			if join && isOpen(res) {
				res.free, _ = a.countFree(res, d, slot, full, isOpen)
			}
			continue
		}
		f.capacity += res.Capacity
		units, joins := a.countFree(res, d, slot, full, isOpen)
		f.free += units
		f.largest = max(f.largest, units)
		if joins {
			seats += units
			largestJoining = max(largestJoining, units)
		} else {
			res.free = units
		}
		if units >= a.party {
			a.ids = append(a.ids, res.ID)
			opens = opens || !joins
		}
	}
	if join {
		f.largest = max(f.largest, a.joined(first, starts, len(a.ids) == before))
		opens = len(a.ids) > before
	}
	switch {
	case full && seats == 0, !a.anyFree:
		f.reason = SoldOut
	case len(a.ids) == before:
		f.reason = InTheWay
	}
	if len(a.rules.needs) == 1 || f.free == seats {
		return a.orBooked(f, before)
	}
	fitting := len(a.ids)
	switch lacking := a.appendFurther(d, slot, isOpen); {
	case lacking == "" && opens:
	case lacking == "":
		a.ids = a.ids[:fitting]
	default: // a further need gets nothing: only sessions that exist can be joined
		a.ids = a.ids[:before]
		f.free, f.largest, f.reason = seats, largestJoining, lacking
		for i := range first {
			if res := &first[i]; seats > 0 && starts(res) {
				if units, joins := a.countFree(res, d, slot, full, isOpen); joins && units >= a.party {
					a.ids = append(a.ids, res.ID)
				}
			}
		}
	}
	return a.orBooked(f, before)
}

// joined returns the largest party that resources of the first need take together. If asked, it appends those that take
// the party.
func (a *availability) joined(first []resourceTimes, starts func(*resourceTimes) bool, asked bool) (largest int) {
	a.effort += len(first)
	units := make([]int, len(first))
	for i := range first {
		units[i] = first[i].free
	}
	for i := range first {
		sum := 0
		for j := i; j < len(units) && units[j] > 0 && starts(&first[i]); j++ {
			sum += units[j]
		}
		largest = max(largest, sum)
	}
	if !asked {
		return largest
	}
	from, until := shortestRun(units, func(i int) bool { return starts(&first[i]) }, a.party)
	for i := from; i < until; i++ {
		a.ids = append(a.ids, first[i].ID)
	}
	return largest
}

// appendFurther appends the free resources of the further needs. If a need gets nothing, it returns the reason.
func (a *availability) appendFurther(d civil.Date, slot interval,
	isOpen func(*resourceTimes) bool) (lacking Unavailable) {
	from, until := a.rules.busy(d, slot.from, slot.until, &a.days)
	after := len(a.rules.needs[0].resources)
	for _, n := range a.rules.needs[1:] {
		of := a.resources[after : after+len(n.resources)]
		after += len(n.resources)
		before, units, open := len(a.ids), make([]int, len(of)), false
		for i := range of {
			if res := &of[i]; isOpen(res) {
				units[i], open = a.unitsOf(res, from, until), true
			}
			if units[i] >= n.Units {
				a.ids = append(a.ids, of[i].ID)
			}
		}
		if n.Join && len(a.ids) == before {
			first, last := shortestRun(units, func(int) bool { return true }, n.Units)
			for i := first; i < last; i++ {
				a.ids = append(a.ids, of[i].ID)
			}
		}
		switch {
		case !open:
			return NoHours
		case len(a.ids) == before:
			return InTheWay
		}
	}
	return ""
}
