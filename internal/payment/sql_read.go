package payment

import (
	"context"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/db"
	"holdfast/internal/payment/internal/rowsql"
)

// row returns a payment or refund. Errors, as of all reads here: problem.NotFound, problem.DatabaseUnavailable.
func (s *Service) row(ctx context.Context, tenant, id uuid.UUID) (paymentRow, error) {
	return db.ReadOne(ctx, s.db, unlocked, "read a payment", tenant,
		func(tx *db.Tx, q *rowsql.Queries) (paymentRow, error) {
			return q.PaymentGet(tx.Context(), tx.Tenant(), id)
		})
}

// balanceView is a booking's money as it was at Now.
type balanceView struct {
	Now     time.Time
	Booking bookingRow
	Sum     sumRow
}

// view reads a booking's money without a lock.
func (s *Service) view(ctx context.Context, tenant, booking uuid.UUID) (v balanceView, err error) {
	err = s.db.Read(ctx, "read the balance", tenant, func(tx *db.Tx) {
		db.Query(unlocked.On(tx), "read the booking", &v.Booking, func(q *rowsql.Queries) (bookingRow, error) {
			v.Now = tx.Now()
			return q.BalanceBooking(tx.Context(), tx.Tenant(), booking)
		})
		db.Query(unlocked.On(tx), "add up the booking's money", &v.Sum, func(q *rowsql.Queries) (sumRow, error) {
			return q.BalanceSum(tx.Context(), tx.Tenant(), booking)
		})
	})
	return v, err
}

// rows lists a booking's payments and refunds by id: at most limit that follow after.
func (s *Service) rows(ctx context.Context, tenant, booking, after uuid.UUID,
	limit int,
) (list []paymentRow, err error) {
	err = s.db.ReadMaybeStale(ctx, "list payments", tenant, func(tx *db.Tx) {
		db.Query(unlocked.On(tx), "read the booking", new(bookingRow), func(q *rowsql.Queries) (bookingRow, error) {
			return q.BalanceBooking(tx.Context(), tx.Tenant(), booking)
		})
		db.Query(unlocked.On(tx), "list payments", &list, func(q *rowsql.Queries) ([]paymentRow, error) {
			return q.PaymentList(tx.Context(), rowsql.PaymentListParams{
				TenantID: tx.Tenant(), BookingID: booking, AfterID: after, RowLimit: int32(limit),
			})
		})
	})
	return list, err
}

type (
	// listedRow is a payment or refund with the names of its booking.
	listedRow = rowsql.PaymentListOfTenantRow
	// listFilter bounds a list of payments by when they changed last: it begins with AfterAt and AfterID, the position
	// of the last payment of the page before.
	listFilter = rowsql.PaymentListOfTenantParams
)

// listRows lists a tenant's payments and refunds from a time on by when they changed last, and by id. It takes no lock
// and one round trip.
func (s *Service) listRows(ctx context.Context, tenant uuid.UUID, from time.Time,
	f listFilter,
) (list []listedRow, err error) {
	if f.AfterAt.Before(from) {
		f.AfterAt, f.AfterID = from, uuid.Nil // in front of the first payment
	}
	err = s.db.ReadMaybeStale(ctx, "list all payments", tenant, func(tx *db.Tx) {
		if f.BookingID != nil {
			tx.PlanForValues()
		} else {
			tx.PlanForPages()
		}
		f.TenantID = tx.Tenant()
		db.Query(unlocked.On(tx), "list all payments", &list, func(q *rowsql.Queries) ([]listedRow, error) {
			return q.PaymentListOfTenant(tx.Context(), f)
		})
	})
	return list, err
}

// offlineSum is the offline money of one day, method and currency. Day counts from 0, amounts are minor units.
type offlineSum = rowsql.PaymentSumOfflineRow

// sumOffline adds up a tenant's offline payments and refunds by day, method and currency. The days begin at starts, in
// their order, and end at until. It takes no lock and one round trip.
func (s *Service) sumOffline(ctx context.Context, tenant uuid.UUID, starts []time.Time,
	until time.Time,
) ([]offlineSum, error) {
	return db.ReadOneMaybeStale(ctx, s.db, unlocked, "add up offline payments", tenant,
		func(tx *db.Tx, q *rowsql.Queries) ([]offlineSum, error) {
			return q.PaymentSumOffline(tx.Context(), rowsql.PaymentSumOfflineParams{
				TenantID: tx.Tenant(), Starts: starts, Since: starts[0], Until: until,
			})
		})
}

type (
	// receiptRow is a payment with what its receipt says. UpdatedAt of one that succeeded is when it did.
	receiptRow = rowsql.ReceiptGetRow
	// receiptRefund is a refund that succeeded. UpdatedAt is when it did.
	receiptRefund = rowsql.ReceiptListRefundsRow
)

// receiptRows returns what a payment's receipt says, with the refunds that succeeded.
func (s *Service) receiptRows(ctx context.Context, tenant,
	id uuid.UUID,
) (row receiptRow, refunds []receiptRefund, err error) {
	err = s.db.Read(ctx, "read a receipt", tenant, func(tx *db.Tx) {
		db.Query(unlocked.On(tx), "read a receipt", &row, func(q *rowsql.Queries) (receiptRow, error) {
			return q.ReceiptGet(tx.Context(), tx.Tenant(), id)
		})
		db.Query(unlocked.On(tx), "read a receipt's refunds", &refunds, func(q *rowsql.Queries) ([]receiptRefund,
			error) {
			return q.ReceiptListRefunds(tx.Context(), tx.Tenant(), id)
		})
	})
	return row, refunds, err
}

type (
	// acrossRow is a payment or refund with its tenant, as far as the operator's role may read it.
	acrossRow = rowsql.PaymentListAcrossRow
	// acrossFilter bounds a list of payments of all tenants by when they were made: it begins as listFilter does.
	acrossFilter = rowsql.PaymentListAcrossParams
)

// acrossRows lists payments and refunds of all tenants from a time on by when they were made, and by id. It reads as
// the operator's role, in one round trip.
func (s *Service) acrossRows(ctx context.Context, from time.Time, f acrossFilter) (list []acrossRow, err error) {
	if f.AfterAt.Before(from) {
		f.AfterAt, f.AfterID = from, uuid.Nil // in front of the first payment
	}
	err = s.db.ReadAcross(ctx, "list the payments of all tenants", func(tx *db.Tx) {
		if f.ProviderID != nil {
			tx.PlanForValues() // few have it
		} else {
			tx.PlanForPages()
		}
		db.Query(unlocked.On(tx), "list the payments of all tenants", &list, func(q *rowsql.Queries) ([]acrossRow,
			error) {
			return q.PaymentListAcross(tx.Context(), f)
		})
	})
	return list, err
}

// leasedPayment is a payment on which a resolver has a lease, since LeasedAt by the database's clock.
type leasedPayment = rowsql.PaymentLeaseRow

// leasePayment hands an open payment to the caller if it is due and no process works on it; nil if not. The lease lasts
// for the length of lease, unless prolong prolongs it. It takes no advisory lock. Errors: problem.DatabaseUnavailable;
// problem.OutcomeUnknown, after which the lease ends by itself.
func (s *Service) leasePayment(ctx context.Context, tenant, payment uuid.UUID, lease time.Duration,
) (*leasedPayment, error) {
	var rows []leasedPayment
	err := s.db.WriteOnce(ctx, "lease a payment", false, tenant, func(tx *db.Tx) {
		db.Query(unlocked.On(tx), "lease a payment", &rows, func(q *rowsql.Queries) ([]leasedPayment, error) {
			return q.PaymentLease(tx.Context(), rowsql.PaymentLeaseParams{
				TenantID: tx.Tenant(), PaymentID: payment, Lease: db.Interval(lease),
			})
		})
	})
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	return &rows[0], nil
}

// prolong prolongs the lease of a process that works on an open payment, for the length of lease from now on, also if
// it has ended. It does nothing if another process has taken the payment over, so that its fence is another one, or if
// the payment is complete. It takes no advisory lock and one round trip. Errors: problem.DatabaseUnavailable;
// problem.OutcomeUnknown.
func (s *Service) prolong(ctx context.Context, tenant, payment uuid.UUID, fence int64, lease time.Duration) error {
	return s.db.WriteOnce(ctx, "renew the lease of a payment", true, tenant, func(tx *db.Tx) {
		db.Exec(unlocked.On(tx), "renew the lease of a payment", func(q *rowsql.Queries) error {
			return q.PaymentRenew(tx.Context(), rowsql.PaymentRenewParams{
				TenantID: tx.Tenant(), PaymentID: payment, Fence: fence, Lease: db.Interval(lease),
			})
		})
	})
}
