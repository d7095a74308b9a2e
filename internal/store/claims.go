package store

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5/pgtype"

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

// ClaimedPayment is a payment on which a resolver has a lease, since ClaimedAt by the database's clock.
type ClaimedPayment = dbsqlc.PaymentClaimRow

// ClaimPayments hands up to limit open payments that are due, of every tenant, to the caller for the length of lease. Each
// goes to one caller; payments with another lease are skipped. It takes no advisory lock.
//
// Errors: problem.DatabaseUnavailable; problem.OutcomeUnknown, after which the leases end by themselves.
func (s *Store) ClaimPayments(ctx context.Context, limit int, lease time.Duration) (rows []ClaimedPayment, err error) {
	err = s.writeAcross(ctx, "claim payments", func(t *tx) {
		query(&t.batch, "claim payments", &rows, func(q *dbsqlc.Queries) ([]ClaimedPayment, error) {
			return q.PaymentClaim(t.ctx, interval(lease), int32(min(limit, 1000)))
		})
	})
	return rows, err
}

func interval(d time.Duration) pgtype.Interval {
	return pgtype.Interval{Microseconds: d.Microseconds(), Valid: true}
}

type (
	// Hold is a booking that is held, with the time that it occupies, buffers included.
	Hold = dbsqlc.BookingListHoldsRow
	// LapsedHold is a hold past its expiry, of any tenant. TimeZone is that of its dates.
	LapsedHold = dbsqlc.BookingListLapsedHoldsRow
)

// LapsedHolds lists up to limit holds past their expiry, of all tenants, the longest past first. It takes no lock. Another
// transaction may have expired a listed hold before its dates are locked: check again under the lock. Errors:
// problem.DatabaseUnavailable.
func (s *Store) LapsedHolds(ctx context.Context, limit int) (holds []LapsedHold, err error) {
	err = s.readAsLogin(ctx, "list lapsed holds", func(t *tx) {
		becomeResolver(t)
		query(&t.batch, "list lapsed holds", &holds, func(q *dbsqlc.Queries) ([]LapsedHold, error) {
			return q.BookingListLapsedHolds(t.ctx, int32(min(limit, 10_000)))
		})
	})
	return holds, err
}
