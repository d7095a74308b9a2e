package catalog

import (
	"time"

	"holdfast/internal/catalog/internal/datessql"
	"holdfast/internal/claim"
	"holdfast/internal/claim/occupancy"
	"holdfast/internal/db"
)

// underDates are the statements of closures and blocks, whose dates must be locked: as they were, and as they will be.
// Of a yearly closure these are the dates of a year.
var underDates = db.UnderDates(datessql.New)

// queueClosure queues a closure and raises the catalog's version.
func queueClosure(tx *db.DatesTx, c closureRow) {
	db.Exec(underDates.On(tx), "write the closure", func(q *datessql.Queries) error {
		return q.ClosureInsert(tx.Context(), datessql.ClosureInsertParams{
			TenantID:     tx.Tenant(),
			ClosureID:    c.ClosureID,
			ResourceID:   c.ResourceID,
			FromDate:     c.FromDate,
			ToDate:       c.ToDate,
			StartsMinute: c.StartsMinute,
			EndsMinute:   c.EndsMinute,
			Yearly:       c.Yearly,
			Reason:       c.Reason,
			CreatedAt:    tx.Now(),
		})
	}, noResource)
	raiseVersion(tx)
}

// queueClosureChange queues what changed of a closure, with its next version, and raises the catalog's version.
func queueClosureChange(tx *db.DatesTx, c closureRow) {
	db.Exec(underDates.On(tx), "write the closure", func(q *datessql.Queries) error {
		return q.ClosureUpdate(tx.Context(), datessql.ClosureUpdateParams{
			TenantID:     tx.Tenant(),
			ClosureID:    c.ClosureID,
			ResourceID:   c.ResourceID,
			FromDate:     c.FromDate,
			ToDate:       c.ToDate,
			StartsMinute: c.StartsMinute,
			EndsMinute:   c.EndsMinute,
			Yearly:       c.Yearly,
			Reason:       c.Reason,
			ArchivedAt:   c.ArchivedAt,
			Now:          tx.Now(),
		})
	}, noResource)
	raiseVersion(tx)
}

// takenBlock is a block with what it takes, in the tenant's time zone.
type takenBlock struct {
	blockRow

	parts []takenPart
	loc   *time.Location
}

// takenPart is what a block takes of its resource on one civil date, or on a part of it.
type takenPart struct {
	units       []claim.UnitRange
	from, until time.Time
}

// queueBlock queues a block with what it takes, and raises the catalog's version. It returns an error, which is a
// defect of the caller, when the block touches a date whose lock isn't held.
func queueBlock(tx *db.DatesTx, b takenBlock) error {
	db.Exec(underDates.On(tx), "write the block", func(q *datessql.Queries) error {
		return q.BlockInsert(tx.Context(), datessql.BlockInsertParams{
			TenantID:       tx.Tenant(),
			BlockID:        b.BlockID,
			ResourceID:     b.ResourceID,
			StartsAt:       b.StartsAt,
			EndsAt:         b.EndsAt,
			FromDate:       b.FromDate,
			ToDate:         b.ToDate,
			Rrule:          b.Rrule,
			Reason:         b.Reason,
			FirstDate:      b.FirstDate,
			LastDate:       b.LastDate,
			LongestMinutes: b.LongestMinutes,
			Now:            tx.Now(),
		})
	}, noResource)
	raiseVersion(tx)
	return b.queueParts(tx)
}

// queueBlockChange queues what changed of a block, with its next version, and raises the catalog's version. With
// replace its parts are taken in place of those that it has. Errors: those of queueBlock.
func queueBlockChange(tx *db.DatesTx, b takenBlock, replace bool) error {
	db.Exec(underDates.On(tx), "write the block", func(q *datessql.Queries) error {
		return q.BlockUpdate(tx.Context(), datessql.BlockUpdateParams{
			TenantID:       tx.Tenant(),
			BlockID:        b.BlockID,
			ResourceID:     b.ResourceID,
			StartsAt:       b.StartsAt,
			EndsAt:         b.EndsAt,
			FromDate:       b.FromDate,
			ToDate:         b.ToDate,
			Rrule:          b.Rrule,
			Reason:         b.Reason,
			FirstDate:      b.FirstDate,
			LastDate:       b.LastDate,
			LongestMinutes: b.LongestMinutes,
			ArchivedAt:     b.ArchivedAt,
			Now:            tx.Now(),
		})
	}, noResource)
	raiseVersion(tx)
	if !replace {
		return nil
	}
	occupancy.Free(tx, b.BlockID)
	return b.queueParts(tx)
}

func (b takenBlock) queueParts(tx *db.DatesTx) error {
	if len(b.parts) == 0 {
		return nil
	}
	var claims []claim.Claim
	for _, p := range b.parts {
		if err := tx.Require("take a block", p.from, p.until, b.loc); err != nil {
			return err
		}
		claims = append(claims, claim.Claim{
			OwnerID: b.BlockID, ResourceID: b.ResourceID, Units: p.units, BusyFrom: p.from, BusyUntil: p.until,
		})
	}
	var all occupancy.Many
	all.Add(claims, nil, 1)
	occupancy.TakeMany(tx, all)
	return nil
}
