package catalog

import (
	"cmp"
	"slices"
	"time"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"

	"holdfast/internal/claim"
	"holdfast/internal/claim/occupancy"
	"holdfast/internal/problem"
	"holdfast/internal/timetable"
)

// maxNamedBookings is how many of the bookings that stand in a change's way are named.
const maxNamedBookings = 100

// Overfull is the times at which more units of a resource are in use than its capacity, in order.
type Overfull []overfullTime

type overfullTime struct{ from, until time.Time }

// OverfullTimes returns the times from now on at which what occupies a resource uses more units than a capacity. Holds
// past their expiry use none.
func OverfullTimes(capacity int, occupied []claim.Claim, now time.Time) (times Overfull) {
	type moment struct {
		at     time.Time
		change int // of the units in use
	}
	var moments []moment
	type ownedFrom struct {
		owner uuid.UUID
		from  time.Time
	}
	counted := make(map[ownedFrom]bool) // a claim may be listed several times
	for _, c := range occupied {
		of := ownedFrom{c.OwnerID, c.BusyFrom.UTC()}
		if c.Lapsed(now) || !c.BusyUntil.After(now) || counted[of] {
			continue
		}
		counted[of] = true
		units := 0
		for _, u := range c.Units {
			units += int(u.Until - u.From)
		}
		if units == claim.MaxUnits { // a claim of all units
			units = capacity
		}
		from := c.BusyFrom
		if from.Before(now) {
			from = now
		}
		moments = append(moments, moment{from, units}, moment{c.BusyUntil, -units})
	}
	slices.SortFunc(moments, func(a, b moment) int { return a.at.Compare(b.at) })
	inUse := 0
	for i, m := range moments {
		if inUse += m.change; i+1 < len(moments) && moments[i+1].at.After(m.at) && inUse > capacity {
			times = append(times, overfullTime{m.at, moments[i+1].at})
		}
	}
	return times
}

// Touches reports whether one of the times overlaps [from, until).
func (times Overfull) Touches(from, until time.Time) bool {
	i, _ := slices.BinarySearchFunc(times, from, func(t overfullTime, at time.Time) int {
		if t.until.After(at) {
			return 1
		}
		return -1
	})
	return i < len(times) && times[i].from.Before(until)
}

// overbooked returns the claims of a resource that overlap a time, from now on, at which more units are in use than a
// capacity.
func overbooked(capacity int, occupied []claim.Claim, now time.Time) (found []claim.Claim) {
	times := OverfullTimes(capacity, occupied, now)
	for _, c := range occupied {
		if times.Touches(c.BusyFrom, c.BusyUntil) {
			found = append(found, c)
		}
	}
	return found
}

// stillOn returns those of the occupancies that aren't over at now, by their beginning, each owner once.
func stillOn(occupied []claim.Claim, now time.Time) []claim.Claim {
	standing := slices.DeleteFunc(slices.Clone(occupied), func(c claim.Claim) bool {
		return c.Over || c.Lapsed(now) || !c.BusyUntil.After(now)
	})
	slices.SortFunc(standing, func(a, b claim.Claim) int {
		return cmp.Or(a.BusyFrom.Compare(b.BusyFrom), slices.Compare(a.OwnerID[:], b.OwnerID[:]))
	})
	seen := make(map[uuid.UUID]bool, len(standing))
	return slices.DeleteFunc(standing, func(c claim.Claim) bool {
		again := seen[c.OwnerID]
		seen[c.OwnerID] = true
		return again
	})
}

// inTheWay returns problem.BookingsInTheWay with those of the occupancies that aren't over at now, nil if there are
// none.
func inTheWay(occupied []claim.Claim, now time.Time, detail string) error {
	standing := stillOn(occupied, now)
	if len(standing) == 0 {
		return nil
	}
	document := problem.DocumentOf(problem.New(problem.BookingsInTheWay, detail))
	document.BookingCount = len(standing)
	for _, c := range standing[:min(len(standing), maxNamedBookings)] {
		document.BookingIDs = append(document.BookingIDs, c.OwnerID.String())
	}
	return document
}

// upcoming asks for what occupies a resource or is booked of a service from now on. The database's clock decides: this
// server's may be an hour ahead of it.
func upcoming() occupancy.Upcoming {
	after := time.Now().Add(-time.Hour)
	return occupancy.Upcoming{After: after, Longest: timetable.LongestBusy, Since: LongAgo(after)}
}

// LongAgo is a date on which no booking begins that isn't over at now, in any time zone.
func LongAgo(now time.Time) civil.Date {
	return civil.DateOf(now.UTC().Add(-timetable.LongestBusy)).AddDays(-2)
}
