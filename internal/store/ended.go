package store

import (
	"context"
	"time"

	"holdfast/internal/store/internal/dbsqlc"
)

// EndedBooking is a booking that ended before it took place and whose payments need work. Refund says whether what was paid
// is refunded.
type EndedBooking = dbsqlc.EndedBookingClaimRow

// ClaimEndedBookings hands up to limit ended bookings that are due, of every tenant, to the caller for the length of lease.
// Each goes to one caller; bookings with another lease are skipped. It takes no advisory lock.
//
// Errors: problem.DatabaseUnavailable; problem.OutcomeUnknown, after which the leases end by themselves.
func (s *Store) ClaimEndedBookings(ctx context.Context, limit int, lease time.Duration) (rows []EndedBooking, err error) {
	err = s.writeAcross(ctx, "claim ended bookings", func(t *tx) {
		query(&t.batch, "claim ended bookings", &rows, func(q *dbsqlc.Queries) ([]EndedBooking, error) {
			return q.EndedBookingClaim(t.ctx, interval(lease), int32(min(limit, 1000)))
		})
	})
	return rows, err
}

// DelayEndedBooking queues that a worker judges the payments of the locked booking, which has a row of ended_bookings, again at
// a time.
func (tx *BalanceTx) DelayEndedBooking(until time.Time) {
	exec(&tx.t.batch, "delay the ended booking", func(q *dbsqlc.Queries) error {
		return q.EndedBookingDelay(tx.t.ctx, dbsqlc.EndedBookingDelayParams{TenantID: tx.t.tenant, BookingID: tx.booking, DueAt: until})
	})
}

// DeleteEndedBooking queues that the payments of the locked booking, which has a row of ended_bookings, need no more work.
func (tx *BalanceTx) DeleteEndedBooking() {
	exec(&tx.t.batch, "delete the ended booking", func(q *dbsqlc.Queries) error { return q.EndedBookingDelete(tx.t.ctx, tx.t.tenant, tx.booking) })
}
