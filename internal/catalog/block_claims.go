package catalog

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/claim"
	"holdfast/internal/problem"
	"holdfast/internal/timetable"
)

// periods are the times of the block, cut at each date, in which something may be in its way.
func (b Block) periods(loc *time.Location) (periods []claim.Query) {
	for _, t := range timetable.PerDate(b.Times, loc) {
		periods = append(periods, claim.Query{
			Resources: []uuid.UUID{b.ResourceID}, From: t.StartsAt, Until: t.EndsAt,
		})
	}
	return periods
}

// blockPart is a part of a block's time that one claim takes, at most a civil date.
type blockPart struct {
	timetable.BlockTime

	// letsLeave says that stays may end meanwhile.
	letsLeave bool
}

func (p blockPart) overlaps(c claim.Claim) bool {
	return c.BusyFrom.Before(p.EndsAt) && p.StartsAt.Before(c.BusyUntil)
}

// parts are the times of the block, cut at each date. Of a resource that is sold by the night, whole dates are taken as
// nights: on the first one a guest may leave, so it is cut where its night begins, at its last minute.
func (b Block) parts(loc *time.Location) (parts []blockPart) {
	for _, t := range b.Times {
		for i, date := range timetable.PerDate([]timetable.BlockTime{t}, loc) {
			if night := date.EndsAt.Add(-time.Minute); i == 0 && b.byNight && b.From != nil &&
				date.StartsAt.Before(night) {
				parts = append(parts, blockPart{timetable.BlockTime{StartsAt: date.StartsAt, EndsAt: night}, true})
				date.StartsAt = night
			}
			parts = append(parts, blockPart{date, false})
		}
	}
	return parts
}

// sellsNights reports whether a service that isn't archived sells a resource by the night. Errors: problem.NotFound,
// problem.DatabaseUnavailable.
func (s *Service) sellsNights(ctx context.Context, tenant, resource uuid.UUID) (bool, error) {
	ids, err := ServicesOfResource(ctx, s.db, tenant, resource, uuid.Nil, maxServicesLookedAt)
	if err != nil || len(ids) == 0 {
		return false, err
	}
	now, err := readFit(ctx, s.db, tenant, FitQuery{Services: ids, Since: never})
	return slices.ContainsFunc(now.services,
		func(svc serviceStateRow) bool { return timetable.ServiceKind(svc.Kind) == timetable.KindStay }), err
}

// maxServicesLookedAt is how many services of a resource sellsNights looks at.
const maxServicesLookedAt = 1000

// take returns the block and what it takes of what is occupied: at each of its times the units that nothing else has.
// The block doesn't take units that holds past their expiry or past bookings still have; the time counts as full all
// the same. Errors: problem.BlockInTheWay; problem.BookingsInTheWay without force.
func (b Block) take(occupied []claim.Claim, now time.Time, force bool, loc *time.Location) (takenBlock, error) {
	foreign := b.foreignClaims(occupied, loc)
	var blocks []claim.Claim
	for _, c := range foreign {
		if c.OfBlock() {
			blocks = append(blocks, c)
		}
	}
	if len(blocks) > 0 {
		document := problem.DocumentOf(problem.New(problem.BlockInTheWay,
			"Another block takes some of this time of the resource."))
		document.BlockIDs = namesOf(blocks)
		return takenBlock{}, document
	}
	if !force {
		const detail = "There are bookings at this time. With force they stay, and the rest is taken."
		if err := inTheWay(foreign, now, detail); err != nil {
			return takenBlock{}, err
		}
	}
	row, err := b.row(loc)
	take := takenBlock{blockRow: row, loc: loc}
	for _, t := range b.parts(loc) {
		if t.letsLeave {
			leaving := []claim.UnitRange{claim.LeavingUnits()}
			take.parts = append(take.parts, takenPart{units: leaving, from: t.StartsAt, until: t.EndsAt})
			continue
		}
		var used [claim.MaxUnits + 1]bool
		for _, c := range foreign {
			if t.overlaps(c) {
				for _, u := range c.Units {
					for i := u.From; i < u.Until; i++ {
						used[i] = true
					}
				}
			}
		}
		units := append(unused(&used), claim.BlockUnits())
		take.parts = append(take.parts, takenPart{units: units, from: t.StartsAt, until: t.EndsAt})
	}
	return take, err
}

// unused returns the units that aren't used, as ranges. There is no unit 0.
func unused(used *[claim.MaxUnits + 1]bool) (free []claim.UnitRange) {
	for i := int32(1); i <= claim.MaxUnits; i++ {
		switch last := len(free) - 1; {
		case used[i]:
		case last >= 0 && free[last].Until == i:
			free[last].Until++
		default:
			free = append(free, claim.UnitRange{From: i, Until: i + 1})
		}
	}
	return free
}

// foreignClaims returns what occupies the block's times besides the block itself, without stays that end in time.
func (b Block) foreignClaims(occupied []claim.Claim, loc *time.Location) []claim.Claim {
	parts := b.parts(loc)
	return slices.DeleteFunc(slices.Clone(occupied), func(c claim.Claim) bool {
		return c.OwnerID == b.ID ||
			c.OfStay && !slices.ContainsFunc(parts, func(p blockPart) bool { return !p.letsLeave && p.overlaps(c) })
	})
}

// standIn notes the bookings that stand in the block.
func (b *Block) standIn(occupied []claim.Claim, now time.Time, loc *time.Location) {
	standing := stillOn(b.foreignClaims(occupied, loc), now)
	b.conflictCount = len(standing)
	for _, c := range standing[:min(len(standing), maxNamedBookings)] {
		b.conflicts = append(b.conflicts, c.OwnerID)
	}
}

// namesOf returns the owners of claims, each once.
func namesOf(claims []claim.Claim) (ids []string) {
	for _, c := range claims {
		if id := c.OwnerID.String(); !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}
