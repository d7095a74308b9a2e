package store

import (
	"context"
	"slices"
	"time"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"

	"holdfast/internal/claim"
	"holdfast/internal/db"
	"holdfast/internal/db/internal/core"
	"holdfast/internal/db/internal/dbsqlc"
)

// BlockClaim is what a block takes of its resource on one civil date, or on a part of it.
type BlockClaim struct {
	// Units are those of the resource, without BlockUnits.
	Units []claim.UnitRange
	// LetsLeave says that it takes LeavingUnits, and nothing else.
	LetsLeave   bool
	From, Until time.Time
}

// BlockWithClaims is a block and its claims.
type BlockWithClaims struct {
	Block
	Claims []BlockClaim
	// Location is the tenant's time zone; the store checks against it that every date of the claims is locked.
	Location *time.Location
}

// InsertBlock queues a block of the locked dates and raises the catalog's version. It returns an error, which is a defect of the caller,
// when the block touches a date whose lock isn't held.
func (tx *DatesTx) InsertBlock(b BlockWithClaims) error {
	db.Exec(unlocked.On(tx), "write the block", func(q *dbsqlc.Queries) error {
		return q.BlockInsert(tx.Context(), dbsqlc.BlockInsertParams{
			TenantID: tx.Tenant(), BlockID: b.BlockID, ResourceID: b.ResourceID, StartsAt: b.StartsAt, EndsAt: b.EndsAt,
			FromDate: b.FromDate, ToDate: b.ToDate, Rrule: b.Rrule, Reason: b.Reason, FirstDate: b.FirstDate, LastDate: b.LastDate,
			LongestMinutes: b.LongestMinutes, Now: tx.Now(),
		})
	}, noResource)
	raiseCatalog(tx)
	return tx.takeBlock(b)
}

// UpdateBlock queues what changed of a block, with its next version, and raises the catalog's version. With replace its claims are taken in
// place of those that it has; the dates of both must be locked. Errors: those of InsertBlock.
func (tx *DatesTx) UpdateBlock(b BlockWithClaims, replace bool) error {
	db.Exec(unlocked.On(tx), "write the block", func(q *dbsqlc.Queries) error {
		return q.BlockUpdate(tx.Context(), dbsqlc.BlockUpdateParams{
			TenantID: tx.Tenant(), BlockID: b.BlockID, ResourceID: b.ResourceID, StartsAt: b.StartsAt, EndsAt: b.EndsAt,
			FromDate: b.FromDate, ToDate: b.ToDate, Rrule: b.Rrule, Reason: b.Reason, FirstDate: b.FirstDate, LastDate: b.LastDate,
			LongestMinutes: b.LongestMinutes, ArchivedAt: b.ArchivedAt, Now: tx.Now(),
		})
	}, noResource)
	raiseCatalog(tx)
	if !replace {
		return nil
	}
	db.Exec(unlocked.On(tx), "free the block's claims", func(q *dbsqlc.Queries) error {
		return q.BlockClaimDelete(tx.Context(), tx.Tenant(), b.BlockID)
	})
	return tx.takeBlock(b)
}

// takeBlock queues the claims of a block.
func (tx *DatesTx) takeBlock(b BlockWithClaims) error {
	if len(b.Claims) == 0 {
		return nil
	}
	p := dbsqlc.BlockClaimInsertParams{TenantID: tx.Tenant(), BlockID: b.BlockID, ResourceID: b.ResourceID}
	for i, c := range b.Claims {
		if err := tx.Require("take a block", c.From, c.Until, b.Location); err != nil {
			return err
		}
		units := slices.Concat(c.Units, []claim.UnitRange{claim.BlockUnits()})
		if c.LetsLeave {
			units = []claim.UnitRange{claim.LeavingUnits()}
		}
		p.Numbers = append(p.Numbers, int16(i+1))
		p.Units = append(p.Units, multirange(units))
		p.BusyFrom = append(p.BusyFrom, c.From)
		p.BusyUntil = append(p.BusyUntil, c.Until)
	}
	db.Exec(unlocked.On(tx), "insert the block's claims", func(q *dbsqlc.Queries) error {
		return q.BlockClaimInsert(tx.Context(), p)
	}, timeTaken)
	return nil
}

// queueInTheWay queues the reading of what occupies some periods. In place of a session come its bookings, each with all of its units.
func queueInTheWay(tx db.Transaction, periods []claim.Query, claims *[]claim.Claim) {
	p := periodArrays(periods)
	db.Query(unlocked.On(tx), "read what is in the way", claims, func(q *dbsqlc.Queries) ([]claim.Claim, error) {
		rows, err := q.ClaimListInTheWay(tx.Context(), dbsqlc.ClaimListInTheWayParams{
			TenantID: tx.Tenant(), ResourceIds: p.ResourceIds, BusyFrom: p.BusyFrom, BusyUntil: p.BusyUntil,
		})
		return convert(rows, func(r dbsqlc.ClaimListInTheWayRow) claim.Claim {
			c := claim.Claim{
				OwnerID: r.OwnerID, ResourceID: r.ResourceID, Units: unitRanges(r.Units), BusyFrom: r.BusyFrom, BusyUntil: r.BusyUntil,
				ExpiresAt: r.ExpiresAt, OfStay: r.OfStay,
			}
			if r.InSession != nil {
				c.OwnerID, c.ExpiresAt = *r.InSession, r.InSessionUntil
			}
			return c
		}), err
	})
}

// Block returns a block. As all reads here it costs one round trip and takes no lock. Errors: problem.NotFound,
// problem.DatabaseUnavailable.
func (s *Store) Block(ctx context.Context, tenant, id uuid.UUID) (Block, error) {
	return readByKey(ctx, s, "read a block", tenant, id, (*dbsqlc.Queries).BlockGet)
}

// BlockFilter bounds a list of blocks: archived ones, or those that aren't.
type BlockFilter struct {
	Archived bool
	// ResourceID is nil for all resources.
	ResourceID *uuid.UUID
	// FromDate and ToDate are civil dates, both included, of which a block takes some time. From and Until bound them; both are nil if all
	// dates are asked for.
	FromDate, ToDate civil.Date
	From, Until      *time.Time
	// AfterDate and AfterID are the position of the last block of the page before.
	AfterDate civil.Date
	AfterID   uuid.UUID
	Limit     int
}

// Blocks lists a tenant's blocks by their last date and id. Errors: problem.DatabaseUnavailable.
func (s *Store) Blocks(ctx context.Context, tenant uuid.UUID, f BlockFilter) (list []Block, err error) {
	if f.AfterDate.Before(f.FromDate) {
		f.AfterDate, f.AfterID = f.FromDate, uuid.Nil // in front of the date's first block
	}
	err = s.db.ReadMaybeStale(ctx, "list blocks", tenant, func(t *core.Tx) {
		core.Exec(t, "plan for a page", func(q *dbsqlc.Queries) error { return q.SessionPlanForPages(t.Ctx) })
		core.Query(t, "list blocks", &list, func(q *dbsqlc.Queries) ([]Block, error) {
			return q.BlockList(t.Ctx, dbsqlc.BlockListParams{
				TenantID: tenant, AfterDate: f.AfterDate, AfterID: f.AfterID, ToDate: f.ToDate, Archived: f.Archived,
				ResourceID: f.ResourceID, BusyFrom: f.From, BusyUntil: f.Until, RowLimit: int32(f.Limit),
			})
		})
	})
	return list, err
}
