package booking

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/catalog"
	"holdfast/internal/store"
)

// freeUnits returns which units of a resource are free, by number from 1 (index 0 is unused), and how many can be taken. These are
// fewer than the free ones if a unit beyond the capacity is in use, which happens after the capacity was lowered, and none during a block:
// see store.BlockUnits.
// Claims of other resources, or of other times, don't count; nor do holds that are past their expiry.
func freeUnits(r catalog.Resource, occupied []store.Claim, from, until, now time.Time) (free []bool, count int) {
	inUse := make([]bool, r.Capacity+1)
	count = r.Capacity
	for _, c := range occupied {
		if !occupies(c, r.ID, from, until, now) {
			continue
		}
		for _, u := range c.Units {
			if beyond := int(u.Until) - len(inUse); beyond > 0 {
				inUse = slices.Concat(inUse, make([]bool, beyond))
			}
			for i := max(u.From, 1); i < u.Until; i++ {
				if !inUse[i] {
					inUse[i] = true
					count--
				}
			}
		}
	}
	free = inUse[:r.Capacity+1]
	for i := range free {
		free[i] = i > 0 && !free[i]
	}
	return free, max(count, 0)
}

// occupies reports whether a claim takes units of a resource during [from, until).
func occupies(c store.Claim, resource uuid.UUID, from, until, now time.Time) bool {
	return c.ResourceID == resource && c.BusyFrom.Before(until) && from.Before(c.BusyUntil) && !catalog.Lapsed(c, now)
}

// unitCount counts the units of a resource that can be taken during windows of time. It is fast for windows that begin and end later and
// later, and starts anew for another one. Units in use beyond the capacity, which was lowered then, count as freeUnits counts them.
type unitCount struct {
	capacity        int
	busy            []store.Busy // all of them
	from, until     int64        // the window before
	byFrom, byUntil []store.Busy
	bookings        []uint16 // of each unit, also beyond the capacity, that occupy it during the window
	free            int      // negative if more units are in use than the capacity
	effort          int      // bookings that were looked at, with their units
}

func newUnitCount(capacity int, busy []store.Busy) unitCount {
	units := capacity
	for _, b := range busy {
		units = max(units, int(b.Units.Until)-1)
	}
	c := unitCount{capacity: capacity, busy: busy, from: math.MinInt64, until: math.MinInt64, byFrom: busy, byUntil: busy,
		bookings: make([]uint16, units), free: capacity}
	if order := func(a, b store.Busy) int { return cmp.Compare(a.Until, b.Until) }; !slices.IsSortedFunc(busy, order) {
		c.byUntil = slices.SortedFunc(slices.Values(busy), order)
	}
	return c
}

// during returns how many units can be taken for all of [from, until), in Unix time in seconds.
func (c *unitCount) during(from, until int64) int {
	if from < c.from || until < c.until {
		effort := c.effort + len(c.busy)
		*c = newUnitCount(c.capacity, c.busy)
		c.effort = effort
	}
	c.from, c.until = from, until
	for ; len(c.byFrom) > 0 && c.byFrom[0].From < until; c.byFrom = c.byFrom[1:] {
		units := c.of(c.byFrom[0])
		for i := range units {
			if units[i] == 0 {
				c.free--
			}
			units[i]++
		}
	}
	for ; len(c.byUntil) > 0 && c.byUntil[0].Until <= from; c.byUntil = c.byUntil[1:] {
		units := c.of(c.byUntil[0])
		for i := range units {
			units[i]--
			if units[i] == 0 {
				c.free++
			}
		}
	}
	return max(c.free, 0)
}

// blocked reports whether a block takes some of the window that was asked for last: only its claims have units beyond all others.
func (c *unitCount) blocked() bool {
	return len(c.bookings) > store.MaxUnits && c.bookings[store.MaxUnits] > 0
}

// of returns the units that a booking occupies.
func (c *unitCount) of(b store.Busy) []uint16 {
	units := c.bookings[max(b.Units.From, 1)-1 : b.Units.Until-1]
	c.effort += 1 + len(units)/32
	return units
}

// lowest takes the n lowest free units, as ranges. There must be n.
func lowest(free []bool, n int) []store.UnitRange {
	var taken []store.UnitRange
	for i := int32(1); n > 0; i++ {
		if !free[i] {
			continue
		}
		n--
		if last := len(taken) - 1; last >= 0 && taken[last].Until == i {
			taken[last].Until++
			continue
		}
		taken = append(taken, store.UnitRange{From: i, Until: i + 1})
	}
	return taken
}

// lapsedHolds returns the lapsed holds, and sessions that have no other bookings, among what occupies a resource during [from, until).
func lapsedHolds(resource uuid.UUID, occupied []store.Claim, from, until, now time.Time) []uuid.UUID {
	var ids []uuid.UUID
	for _, c := range occupied {
		if c.ResourceID == resource && c.BusyFrom.Before(until) && from.Before(c.BusyUntil) && catalog.Lapsed(c, now) {
			ids = append(ids, c.OwnerID)
		}
	}
	return ids
}
