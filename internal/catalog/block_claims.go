package catalog

import (
	"slices"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/problem"
	"holdfast/internal/store"
)

// periods are the times of the block, cut at each date, in which something may be in its way.
func (b Block) periods(loc *time.Location) (periods []store.Period) {
	for _, t := range perDate(b.Times, loc) {
		periods = append(periods, store.Period{
			Resources: []uuid.UUID{b.ResourceID}, From: t.StartsAt, Until: t.EndsAt,
		})
	}
	return periods
}

// take returns the block and its claims: at each of its times the units that nothing else has. The block doesn't claim units that holds
// past their expiry or past bookings still have; the time counts as full all the same. Errors: problem.BlockInTheWay;
// problem.BookingsInTheWay without force.
func (b Block) take(st store.DatesState, force bool, loc *time.Location) (store.BlockWithClaims, error) {
	foreign := b.foreignClaims(st)
	var blocks []store.Claim
	for _, c := range foreign {
		if c.OfBlock() {
			blocks = append(blocks, c)
		}
	}
	if len(blocks) > 0 {
		document := problem.DocumentOf(problem.New(problem.BlockInTheWay, "Another block takes some of this time of the resource."))
		document.BlockIDs = namesOf(blocks)
		return store.BlockWithClaims{}, document
	}
	if !force {
		const detail = "There are bookings at this time. With force they stay, and the rest is taken."
		if err := inTheWay(foreign, st.Now, detail); err != nil {
			return store.BlockWithClaims{}, err
		}
	}
	row, err := b.row(loc)
	take := store.BlockWithClaims{Block: row, Location: loc}
	for _, t := range perDate(b.Times, loc) {
		var used [store.MaxUnits + 1]bool
		for _, c := range foreign {
			if c.BusyFrom.Before(t.EndsAt) && t.StartsAt.Before(c.BusyUntil) {
				for _, u := range c.Units {
					for i := u.From; i < u.Until; i++ {
						used[i] = true
					}
				}
			}
		}
		take.Claims = append(take.Claims, store.BlockClaim{Units: unused(&used), From: t.StartsAt, Until: t.EndsAt})
	}
	return take, err
}

// unused returns the units that aren't used, as ranges. There is no unit 0.
func unused(used *[store.MaxUnits + 1]bool) (free []store.UnitRange) {
	for i := int32(1); i <= store.MaxUnits; i++ {
		switch last := len(free) - 1; {
		case used[i]:
		case last >= 0 && free[last].Until == i:
			free[last].Until++
		default:
			free = append(free, store.UnitRange{From: i, Until: i + 1})
		}
	}
	return free
}

// foreignClaims returns what occupies the block's times besides the block itself.
func (b Block) foreignClaims(st store.DatesState) []store.Claim {
	return slices.DeleteFunc(slices.Clone(st.InTheWay), func(c store.Claim) bool { return c.OwnerID == b.ID })
}

// standIn notes the bookings that stand in the block.
func (b *Block) standIn(st store.DatesState) {
	standing := stillOn(b.foreignClaims(st), st.Now)
	b.conflictCount = len(standing)
	for _, c := range standing[:min(len(standing), maxNamedBookings)] {
		b.conflicts = append(b.conflicts, c.OwnerID)
	}
}

// namesOf returns the owners of claims, each once.
func namesOf(claims []store.Claim) (ids []string) {
	for _, c := range claims {
		if id := c.OwnerID.String(); !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}
