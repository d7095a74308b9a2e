package occupancy

import (
	"time"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgtype"

	"holdfast/internal/claim"
	"holdfast/internal/claim/internal/rowsql"
	"holdfast/internal/db"
)

// unlocked are the statements that read claims.
var unlocked = db.UnderNothing(rowsql.New)

// List queues the reading of what is occupied in some periods. A claim that touches several of a resource's periods
// comes several times.
func List(tx db.Transaction, periods []claim.Query, claims *[]claim.Claim) {
	p := rowsql.ClaimListParams{TenantID: tx.Tenant()}
	eachResource(periods, func(resource uuid.UUID, q claim.Query) {
		p.ResourceIds = append(p.ResourceIds, resource)
		p.BegunFrom = append(p.BegunFrom, q.From.Add(-q.Longest))
		p.BusyFrom = append(p.BusyFrom, q.From)
		p.BusyUntil = append(p.BusyUntil, q.Until)
	})
	db.Query(unlocked.On(tx), "read what is occupied", claims, func(q *rowsql.Queries) ([]claim.Claim, error) {
		rows, err := q.ClaimList(tx.Context(), p)
		return db.Convert(rows, func(r rowsql.ClaimListRow) claim.Claim {
			return claim.Claim{
				OwnerID: r.OwnerID, ResourceID: r.ResourceID, Units: unitRanges(r.Units), BusyFrom: r.BusyFrom,
				BusyUntil: r.BusyUntil, ExpiresAt: r.ExpiresAt,
			}
		}), err
	})
}

// ListInTheWay is List for what stands in the way of a block: in place of a session come its bookings, each with all of
// the session's units. The periods' Longest isn't looked at.
func ListInTheWay(tx db.Transaction, periods []claim.Query, claims *[]claim.Claim) {
	p := rowsql.ClaimListInTheWayParams{TenantID: tx.Tenant()}
	eachResource(periods, func(resource uuid.UUID, q claim.Query) {
		p.ResourceIds = append(p.ResourceIds, resource)
		p.BusyFrom = append(p.BusyFrom, q.From)
		p.BusyUntil = append(p.BusyUntil, q.Until)
	})
	db.Query(unlocked.On(tx), "read what is in the way", claims, func(q *rowsql.Queries) ([]claim.Claim, error) {
		rows, err := q.ClaimListInTheWay(tx.Context(), p)
		return db.Convert(rows, func(r rowsql.ClaimListInTheWayRow) claim.Claim {
			c := claim.Claim{
				OwnerID:    r.OwnerID,
				ResourceID: r.ResourceID,
				Units:      unitRanges(r.Units),
				BusyFrom:   r.BusyFrom,
				BusyUntil:  r.BusyUntil,
				ExpiresAt:  r.ExpiresAt,
				OfStay:     r.OfStay,
			}
			if r.InSession != nil {
				c.OwnerID, c.ExpiresAt = *r.InSession, r.InSessionUntil
			}
			return c
		}), err
	})
}

// Upcoming asks for what occupies a resource, or a resource for a service, after a time. Longest is the longest time
// that one booking can occupy any resource; Since is a date on which no such booking can begin any more.
type Upcoming struct {
	After   time.Time
	Longest time.Duration
	Since   civil.Date
}

// ListOfResource queues the reading of what occupies a resource, in any order. Some of it may be over, or a hold past
// its expiry. In place of a session come its seats, and of a booking of all units as many as its party has.
func ListOfResource(tx db.Transaction, resource uuid.UUID, up Upcoming, claims *[]claim.Claim) {
	db.Query(unlocked.On(tx), "read what is occupied", claims, func(q *rowsql.Queries) ([]claim.Claim, error) {
		rows, err := q.ClaimListUpcomingOfResource(tx.Context(), rowsql.ClaimListUpcomingOfResourceParams{
			TenantID: tx.Tenant(), ResourceID: resource, BegunFrom: up.After.Add(-up.Longest), BusyAfter: up.After,
			AllUnits: Multirange(claim.AllUnits()),
		})
		return db.Convert(rows, upcoming), err
	})
}

// ListOfService queues the reading of one claim of each booking of a service, with all of the booking's time, in any
// order. Some of it may be over, or a hold past its expiry.
func ListOfService(tx db.Transaction, service uuid.UUID, up Upcoming, claims *[]claim.Claim) {
	db.Query(unlocked.On(tx), "read the service's bookings", claims, func(q *rowsql.Queries) ([]claim.Claim, error) {
		rows, err := q.ClaimListUpcomingOfService(tx.Context(), rowsql.ClaimListUpcomingOfServiceParams{
			TenantID: tx.Tenant(), ServiceID: service, Since: up.Since, BusyAfter: up.After,
		})
		return db.Convert(rows, func(r rowsql.ClaimListUpcomingOfServiceRow) claim.Claim {
			return upcoming(rowsql.ClaimListUpcomingOfResourceRow(r))
		}), err
	})
}

func upcoming(r rowsql.ClaimListUpcomingOfResourceRow) claim.Claim {
	return claim.Claim{
		OwnerID:    r.OwnerID,
		ResourceID: r.ResourceID,
		Units:      unitRanges(r.Units),
		BusyFrom:   r.BusyFrom,
		BusyUntil:  r.BusyUntil,
		ExpiresAt:  r.ExpiresAt,
		Over:       r.Over,
	}
}

// eachResource calls add for each resource of each period.
func eachResource(periods []claim.Query, add func(resource uuid.UUID, q claim.Query)) {
	for _, q := range periods {
		for _, resource := range q.Resources {
			add(resource, q)
		}
	}
}

// unitRanges returns units as PostgreSQL gives them: discrete ranges in the form [from, until).
func unitRanges(m pgtype.Multirange[pgtype.Range[pgtype.Int4]]) []claim.UnitRange {
	return db.Convert(m, func(r pgtype.Range[pgtype.Int4]) claim.UnitRange {
		return claim.UnitRange{From: r.Lower.Int32, Until: r.Upper.Int32}
	})
}
