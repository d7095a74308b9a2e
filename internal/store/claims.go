package store

import (
	"time"

	"github.com/google/uuid"

	"holdfast/internal/store/internal/dbsqlc"
)

// Claim is what a booking takes of a resource.
type Claim struct {
	BookingID, ResourceID uuid.UUID
	Units                 []UnitRange
	// BusyFrom and BusyUntil bound the time that is taken, buffers included.
	BusyFrom, BusyUntil time.Time
	// ExpiresAt is when the claim of a hold ends; nil for one that doesn't end by itself.
	ExpiresAt *time.Time
	// Over says that the booking took place or nobody came. It still takes its time. Only WriteState.Upcoming tells it.
	Over bool
}

func claimsOf(rows []dbsqlc.ClaimListRow) []Claim {
	return convert(rows, func(r dbsqlc.ClaimListRow) Claim {
		return Claim{
			BookingID: r.OwnerID, ResourceID: r.ResourceID, Units: unitRanges(r.Units), BusyFrom: r.BusyFrom, BusyUntil: r.BusyUntil,
			ExpiresAt: r.ExpiresAt,
		}
	})
}

func upcomingClaim(r dbsqlc.ClaimListUpcomingOfResourceRow) Claim {
	return Claim{
		BookingID: r.OwnerID, ResourceID: r.ResourceID, Units: unitRanges(r.Units), BusyFrom: r.BusyFrom, BusyUntil: r.BusyUntil,
		ExpiresAt: r.ExpiresAt, Over: r.Over,
	}
}

// keepClaim queues that the claim of a hold doesn't end by itself any more.
func keepClaim(t *tx, booking uuid.UUID) {
	exec(&t.batch, "keep the claim", func(q *dbsqlc.Queries) error { return q.ClaimKeep(t.ctx, t.tenant, booking) })
}

// replaceClaim queues a booking's claim, in place of the one that it has, if any.
func replaceClaim(t *tx, c Claim) {
	exec(&t.batch, "replace the claim", func(q *dbsqlc.Queries) error {
		return q.ClaimReplace(t.ctx, dbsqlc.ClaimReplaceParams{
			TenantID: t.tenant, OwnerID: c.BookingID, ResourceID: c.ResourceID, Units: multirange(c.Units), BusyFrom: c.BusyFrom,
			BusyUntil: c.BusyUntil, ExpiresAt: c.ExpiresAt,
		})
	}, timeTaken)
}

// freeClaim queues that a booking occupies nothing any more.
func freeClaim(t *tx, booking uuid.UUID) {
	exec(&t.batch, "free the claim", func(q *dbsqlc.Queries) error { return q.ClaimDelete(t.ctx, t.tenant, booking) })
}
