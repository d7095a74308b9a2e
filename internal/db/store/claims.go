package store

import (
	"time"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"

	"holdfast/internal/claim"
	"holdfast/internal/db"
	"holdfast/internal/db/internal/dbsqlc"
)

func claimsOf(rows []dbsqlc.ClaimListRow) []claim.Claim {
	return convert(rows, func(r dbsqlc.ClaimListRow) claim.Claim {
		return claim.Claim{
			OwnerID: r.OwnerID, ResourceID: r.ResourceID, Units: unitRanges(r.Units), BusyFrom: r.BusyFrom, BusyUntil: r.BusyUntil,
			ExpiresAt: r.ExpiresAt,
		}
	})
}

func upcomingClaim(r dbsqlc.ClaimListUpcomingOfResourceRow) claim.Claim {
	return claim.Claim{
		OwnerID: r.OwnerID, ResourceID: r.ResourceID, Units: unitRanges(r.Units), BusyFrom: r.BusyFrom, BusyUntil: r.BusyUntil,
		ExpiresAt: r.ExpiresAt, Over: r.Over,
	}
}

// keepClaim queues that the claims of a hold, and those of its session, don't end by themselves any more.
func keepClaim(tx db.Transaction, booking uuid.UUID) {
	db.Exec(unlocked.On(tx), "keep the claim", func(q *dbsqlc.Queries) error {
		return q.ClaimKeep(tx.Context(), tx.Tenant(), booking)
	})
}

// ownedBy gives claims their owner, and until when they last; nil for ever. It changes and returns the list.
func ownedBy(owner uuid.UUID, until *time.Time, claims []claim.Claim) []claim.Claim {
	for i := range claims {
		claims[i].OwnerID, claims[i].ExpiresAt = owner, until
	}
	return claims
}

// replaceClaims queues what a booking takes, in place of what it has, if any.
func replaceClaims(tx db.Transaction, b BookingClaims) {
	freeClaim(tx, b.BookingID)
	if b.Session != nil {
		queueSession(tx, b.Session, b.ExpiresAt)
	}
	insertClaims(tx, ownedBy(b.BookingID, b.ExpiresAt, b.Claims), idOf(b.Session), 1)
}

// insertClaims queues claims of one owner, with numbers from first on. Seats are of a session; nil for other claims.
func insertClaims(tx db.Transaction, claims []claim.Claim, session *uuid.UUID, first int16) {
	for i, c := range claims {
		db.Exec(unlocked.On(tx), "insert the claim", func(q *dbsqlc.Queries) error {
			return q.ClaimInsert(tx.Context(), dbsqlc.ClaimInsertParams{
				TenantID: tx.Tenant(), OwnerID: c.OwnerID, Number: first + int16(i), ResourceID: c.ResourceID,
				Units:    multirange(c.Units),
				BusyFrom: c.BusyFrom, BusyUntil: c.BusyUntil, ExpiresAt: c.ExpiresAt, SessionID: session,
			})
		}, timeTaken)
	}
}

// freeClaim queues that a booking occupies nothing any more.
func freeClaim(tx db.Transaction, booking uuid.UUID) {
	db.Exec(unlocked.On(tx), "free the claim", func(q *dbsqlc.Queries) error {
		return q.ClaimDelete(tx.Context(), tx.Tenant(), booking)
	})
}

// queueOccupied queues the reading of what is occupied in some periods.
func queueOccupied(tx db.Transaction, periods []claim.Query, rows *[]dbsqlc.ClaimListRow) {
	arg := periodArrays(periods)
	arg.TenantID = tx.Tenant()
	db.Query(unlocked.On(tx), "read what is occupied", rows, func(q *dbsqlc.Queries) ([]dbsqlc.ClaimListRow, error) {
		return q.ClaimList(tx.Context(), arg)
	})
}

// periodArrays returns periods as the statements that read them take them.
func periodArrays(periods []claim.Query) (arg dbsqlc.ClaimListParams) {
	for _, p := range periods {
		for _, r := range p.Resources {
			arg.ResourceIds = append(arg.ResourceIds, r)
			arg.BegunFrom = append(arg.BegunFrom, p.From.Add(-p.Longest))
			arg.BusyFrom = append(arg.BusyFrom, p.From)
			arg.BusyUntil = append(arg.BusyUntil, p.Until)
		}
	}
	return arg
}

// queueCounts queues the reading of how many bookings a service has on each date.
func queueCounts(tx db.Transaction, service uuid.UUID, from, to civil.Date, except *uuid.UUID,
	rows *[]claim.DateCount,
) {
	db.Query(unlocked.On(tx), "count the service's bookings", rows, func(q *dbsqlc.Queries) ([]claim.DateCount, error) {
		counts, err := q.BookingCountByDate(tx.Context(), dbsqlc.BookingCountByDateParams{
			TenantID: tx.Tenant(), ServiceID: service, FromDate: from, ToDate: to, ExceptBooking: except,
		})
		return convert(counts, func(r dbsqlc.BookingCountByDateRow) claim.DateCount { return claim.DateCount(r) }), err
	})
}
