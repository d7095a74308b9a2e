package timetable

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/claim"
)

// inTheWay returns what is in the way of the service's bookings among what is occupied: not the first date of a block,
// if they are stays that may end on it. It doesn't change the list.
func (r *Rules) inTheWay(occupied []claim.Claim) []claim.Claim {
	if r.Service.Kind != KindStay || !slices.ContainsFunc(occupied, claim.Claim.LetsLeave) {
		return occupied
	}
	return slices.DeleteFunc(slices.Clone(occupied), claim.Claim.LetsLeave)
}

// busyInTheWay is inTheWay for what availability is computed from.
func (r *Rules) busyInTheWay(busy []claim.Busy) []claim.Busy {
	if r.Service.Kind != KindStay || !slices.ContainsFunc(busy, claim.Busy.LetsLeave) {
		return busy
	}
	return slices.DeleteFunc(slices.Clone(busy), claim.Busy.LetsLeave)
}

// freeUnits returns which units of a resource are free for all of [from, until), by number from 1 (index 0 is unused),
// and how many can be taken so. These are fewer than the free ones if a unit beyond the capacity is in use, which
// happens after the capacity was lowered, and none during a block: see claim.BlockUnits. Claims of other resources, or
// of other times, don't count; nor do holds that are past their expiry.
func freeUnits(r Resource, occupied []claim.Claim, from, until, now time.Time) (free []bool, count int) {
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
func occupies(c claim.Claim, resource uuid.UUID, from, until, now time.Time) bool {
	return c.ResourceID == resource && c.BusyFrom.Before(until) && from.Before(c.BusyUntil) && !c.Lapsed(now)
}

// countUnits returns how many units of a resource are free at each moment of [from, until). No unit need be free for
// all of it.
func countUnits(r Resource, occupied []claim.Claim, from, until, now time.Time) int {
	if _, count := freeUnits(r, occupied, from, until, now); count == r.Capacity {
		return count
	}
	units := newUnitCount(r.Capacity, busyOf(r.ID, occupied, from, until, now))
	return units.during(from.Unix(), until.Unix())
}

// takeUnits returns claims of n units of a resource for [from, until), without an owner; none if fewer are free at some
// moment of it. It is one claim if n units are free for all of it. Otherwise the claims follow each other, with other
// units each: as few claims as possible.
func takeUnits(r Resource, occupied []claim.Claim, from, until, now time.Time, n int) []claim.Claim {
	free, count := freeUnits(r, occupied, from, until, now)
	switch {
	case count >= n:
		return []claim.Claim{{ResourceID: r.ID, Units: lowest(free, n), BusyFrom: from, BusyUntil: until}}
	case n >= r.Capacity: // all units are needed all the time
		return nil
	}
	busy := busyOf(r.ID, occupied, from, until, now)
	if units := newUnitCount(r.Capacity, busy); units.during(from.Unix(), until.Unix()) < n {
		return nil
	}
	var claims []claim.Claim
	for at := from; at.Before(until); {
		units, last := longestFree(r.Capacity, busy, at.Unix(), until.Unix(), n)
		end := time.Unix(last, 0).In(from.Location())
		claims = append(claims, claim.Claim{ResourceID: r.ID, Units: units, BusyFrom: at, BusyUntil: end})
		at = end
	}
	return claims
}

// longestFree returns n units that are free from a moment on for as long as any n are, and until when: at most until.
// At the moment n are free. busy is in the order of From.
func longestFree(capacity int, busy []claim.Busy, from, until int64, n int) ([]claim.UnitRange, int64) {
	freeUntil := make([]int64, capacity+1) // of each unit
	for i := range freeUntil {
		freeUntil[i] = until
	}
	freeUntil[0] = math.MinInt64 // there is no unit 0
	for _, b := range busy {
		if b.Until <= from {
			continue
		}
		for i := max(b.Units.From, 1); i < min(b.Units.Until, int32(capacity+1)); i++ {
			freeUntil[i] = min(freeUntil[i], b.From)
		}
	}
	last := slices.Sorted(slices.Values(freeUntil))[capacity+1-n]
	free := make([]bool, capacity+1)
	for i := range free {
		free[i] = freeUntil[i] >= last
	}
	return lowest(free, n), last
}

// busyOf returns what takes units of a resource during [from, until), in the order of From. A claim may be listed
// several times.
func busyOf(resource uuid.UUID, occupied []claim.Claim, from, until, now time.Time) (busy []claim.Busy) {
	claims := make([]*claim.Claim, 0, len(occupied))
	for i := range occupied {
		if occupies(occupied[i], resource, from, until, now) {
			claims = append(claims, &occupied[i])
		}
	}
	slices.SortFunc(claims, func(a, b *claim.Claim) int {
		return cmp.Or(a.BusyFrom.Compare(b.BusyFrom), slices.Compare(a.OwnerID[:], b.OwnerID[:]))
	})
	busy = make([]claim.Busy, 0, len(claims))
	for i, c := range claims {
		if i > 0 && claims[i-1].OwnerID == c.OwnerID && claims[i-1].BusyFrom.Equal(c.BusyFrom) {
			continue
		}
		for _, u := range c.Units {
			busy = append(busy, claim.Busy{From: c.BusyFrom.Unix(), Until: c.BusyUntil.Unix(), Units: u})
		}
	}
	return busy
}

// unitCount counts the units of a resource that are free at each moment of a window of time. It is fast for windows
// that begin and end later and later, and starts anew for another one. Units in use beyond the capacity, which was
// lowered then, count as in use.
type unitCount struct {
	capacity      int
	busy, byUntil []claim.Busy // all of them, in the order of From and of Until
	blocks        []claim.Busy // those of blocks
	from, until   int64        // the window before
	begun, ended  int          // how many of busy begin before the window ends, and how many of byUntil end before that
	inUse         int          // when the window ends
	peaks         []peak       // each with fewer units than the one before
	effort        int          // bookings that were looked at
}

// peak is a time that ends at until, during which so many units are in use.
type peak struct {
	until int64
	inUse int
}

func newUnitCount(capacity int, busy []claim.Busy) unitCount {
	c := unitCount{capacity: capacity, busy: busy, byUntil: busy, from: math.MinInt64, until: math.MinInt64}
	if order := func(a, b claim.Busy) int { return cmp.Compare(a.Until, b.Until) }; !slices.IsSortedFunc(busy, order) {
		c.byUntil = slices.SortedFunc(slices.Values(busy), order)
	}
	for _, b := range busy {
		if b.OfBlock() {
			c.blocks = append(c.blocks, b)
		}
	}
	return c
}

// during returns how many units are free at each moment of [from, until), in Unix time in seconds.
func (c *unitCount) during(from, until int64) int {
	if from < c.from || until < c.until {
		c.begun, c.ended, c.inUse, c.peaks = 0, 0, 0, c.peaks[:0]
	}
	c.from, c.until = from, until
	for c.begun < len(c.busy) && c.busy[c.begun].From < until || c.ended < len(
		c.byUntil) && c.byUntil[c.ended].Until < until {
		c.goOn()
	}
	over := 0
	for over < len(c.peaks) && c.peaks[over].until <= from {
		over++
	}
	c.peaks = slices.Delete(c.peaks, 0, over)
	if len(c.peaks) == 0 {
		return c.capacity
	}
	return max(c.capacity-c.peaks[0].inUse, 0)
}

// goOn goes on to the next moment at which a booking begins or ends.
func (c *unitCount) goOn() {
	at := c.byUntil[c.ended].Until
	if c.begun < len(c.busy) {
		at = min(at, c.busy[c.begun].From)
	}
	for ; c.begun < len(c.busy) && c.busy[c.begun].From == at; c.begun++ {
		c.inUse += int(c.busy[c.begun].Units.Until - c.busy[c.begun].Units.From)
		c.effort++
	}
	for ; c.ended < len(c.byUntil) && c.byUntil[c.ended].Until == at; c.ended++ {
		c.inUse -= int(c.byUntil[c.ended].Units.Until - c.byUntil[c.ended].Units.From)
		c.effort++
	}
	if last := len(c.peaks) - 1; last >= 0 {
		c.peaks[last].until = at
	}
	for len(c.peaks) > 0 && c.peaks[len(c.peaks)-1].inUse <= c.inUse {
		c.peaks = c.peaks[:len(c.peaks)-1]
	}
	c.peaks = append(c.peaks, peak{math.MaxInt64, c.inUse})
}

// blocked reports whether a block takes some of the window that was asked for last.
func (c *unitCount) blocked() bool {
	return slices.ContainsFunc(c.blocks, func(b claim.Busy) bool { return b.From < c.until && c.from < b.Until })
}

// lowest takes the n lowest free units, as ranges. There must be n.
func lowest(free []bool, n int) []claim.UnitRange {
	var taken []claim.UnitRange
	for i := int32(1); n > 0; i++ {
		if !free[i] {
			continue
		}
		n--
		if last := len(taken) - 1; last >= 0 && taken[last].Until == i {
			taken[last].Until++
			continue
		}
		taken = append(taken, claim.UnitRange{From: i, Until: i + 1})
	}
	return taken
}

// lapsedHolds returns the lapsed holds, and sessions that have no other bookings, among what occupies a resource during
// [from, until).
func lapsedHolds(resource uuid.UUID, occupied []claim.Claim, from, until, now time.Time) []uuid.UUID {
	var ids []uuid.UUID
	for _, c := range occupied {
		if c.ResourceID == resource && c.BusyFrom.Before(until) && from.Before(c.BusyUntil) && c.Lapsed(now) &&
			!slices.Contains(ids, c.OwnerID) {
			ids = append(ids, c.OwnerID)
		}
	}
	return ids
}
