package store

import (
	"context"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/db/internal/core"
	"holdfast/internal/db/internal/dbsqlc"
)

// Payment returns a payment or refund.
func (s *Store) Payment(ctx context.Context, tenant, id uuid.UUID) (Payment, error) {
	return readByKey(ctx, s, "read a payment", tenant, id, (*dbsqlc.Queries).PaymentGet)
}

// BalanceView is a booking's money as it was at Now.
type BalanceView struct {
	Now     time.Time
	Booking BalanceBooking
	Sum     BalanceSum
}

// BalanceView reads a booking's money without a lock.
func (s *Store) BalanceView(ctx context.Context, tenant, booking uuid.UUID) (BalanceView, error) {
	var v BalanceView
	err := s.db.ReadOnly(ctx, "read the balance", tenant, func(t *core.Tx) {
		core.Query(t, "read the clock", &v.Now, func(q *dbsqlc.Queries) (time.Time, error) { return q.SessionClock(t.Ctx) })
		core.Query(t, "read the booking", &v.Booking, func(q *dbsqlc.Queries) (BalanceBooking, error) {
			return q.BalanceBooking(t.Ctx, tenant, booking)
		})
		core.Query(t, "add up the booking's money", &v.Sum, func(q *dbsqlc.Queries) (BalanceSum, error) {
			return q.BalanceSum(t.Ctx, tenant, booking)
		})
	})
	return v, err
}

// Payments lists a booking's payments and refunds by id.
func (s *Store) Payments(ctx context.Context, tenant, booking uuid.UUID, page Page) (list []Payment, err error) {
	err = s.db.ReadMaybeStale(ctx, "list payments", tenant, func(t *core.Tx) {
		core.Query(t, "read the booking", new(BalanceBooking), func(q *dbsqlc.Queries) (BalanceBooking, error) {
			return q.BalanceBooking(t.Ctx, tenant, booking)
		})
		core.Query(t, "list payments", &list, func(q *dbsqlc.Queries) ([]Payment, error) {
			return q.PaymentList(t.Ctx, dbsqlc.PaymentListParams{
				TenantID: tenant, BookingID: booking, AfterID: page.After, RowLimit: int32(page.Limit),
			})
		})
	})
	return list, err
}

// ListedPayment is a payment or refund with the names of its booking.
type ListedPayment = dbsqlc.PaymentListOfTenantRow

// PaymentFilter bounds a list of payments: those that changed last in [From, Until), which is when they succeeded or were declined. nil
// matches all.
type PaymentFilter struct {
	From, Until  time.Time
	Kind, Status *string
	Booking      *uuid.UUID
	// Method is that of offline payments and refunds.
	Method *string
	// AfterAt and AfterID are the position of the last payment of the page before.
	AfterAt time.Time
	AfterID uuid.UUID
	Limit   int
}

// ListPayments lists a tenant's payments and refunds by when they changed last, and by id. It takes no lock and one round trip. Errors:
// problem.DatabaseUnavailable.
func (s *Store) ListPayments(ctx context.Context, tenant uuid.UUID, f PaymentFilter) (list []ListedPayment, err error) {
	if f.AfterAt.Before(f.From) {
		f.AfterAt, f.AfterID = f.From, uuid.Nil // in front of the first payment
	}
	err = s.db.ReadMaybeStale(ctx, "list all payments", tenant, func(t *core.Tx) {
		core.Exec(t, "plan for a page", func(q *dbsqlc.Queries) error {
			if f.Booking != nil {
				return q.SessionPlanForValues(t.Ctx)
			}
			return q.SessionPlanForPages(t.Ctx)
		})
		core.Query(t, "list all payments", &list, func(q *dbsqlc.Queries) ([]ListedPayment, error) {
			return q.PaymentListOfTenant(t.Ctx, dbsqlc.PaymentListOfTenantParams{
				TenantID: tenant, Until: f.Until, AfterAt: f.AfterAt, AfterID: f.AfterID, Kind: f.Kind, Status: f.Status,
				BookingID: f.Booking, Method: f.Method, RowLimit: int32(f.Limit),
			})
		})
	})
	return list, err
}

// OfflineSum is the offline money of one day, method and currency. Day counts from 0, amounts are minor units.
type OfflineSum = dbsqlc.PaymentSumOfflineRow

// SumOffline adds up a tenant's offline payments and refunds by day, method and currency. The days begin at starts, in their order, and end
// at until. It takes no lock and one round trip. Errors: problem.DatabaseUnavailable.
func (s *Store) SumOffline(ctx context.Context, tenant uuid.UUID, starts []time.Time, until time.Time) (sums []OfflineSum, err error) {
	err = s.db.ReadMaybeStale(ctx, "add up offline payments", tenant, func(t *core.Tx) {
		core.Query(t, "add up offline payments", &sums, func(q *dbsqlc.Queries) ([]OfflineSum, error) {
			return q.PaymentSumOffline(t.Ctx, dbsqlc.PaymentSumOfflineParams{
				TenantID: tenant, Starts: starts, Since: starts[0], Until: until,
			})
		})
	})
	return sums, err
}

type (
	// Receipt is a payment with what its receipt says. UpdatedAt of one that succeeded is when it did.
	Receipt = dbsqlc.ReceiptGetRow
	// ReceiptRefund is a refund that succeeded. UpdatedAt is when it did.
	ReceiptRefund = dbsqlc.ReceiptListRefundsRow
)

// Receipt returns what a payment's receipt says, with the refunds that succeeded. Errors: problem.NotFound,
// problem.DatabaseUnavailable.
func (s *Store) Receipt(ctx context.Context, tenant, id uuid.UUID) (row Receipt, refunds []ReceiptRefund, err error) {
	err = s.db.ReadOnly(ctx, "read a receipt", tenant, func(t *core.Tx) {
		core.Query(t, "read a receipt", &row, func(q *dbsqlc.Queries) (Receipt, error) { return q.ReceiptGet(t.Ctx, tenant, id) })
		core.Query(t, "read a receipt's refunds", &refunds, func(q *dbsqlc.Queries) ([]ReceiptRefund, error) {
			return q.ReceiptListRefunds(t.Ctx, tenant, id)
		})
	})
	return row, refunds, err
}

// AcrossPayment is a payment or refund with its tenant, as far as the operator's role may read it.
type AcrossPayment = dbsqlc.PaymentListAcrossRow

// AcrossPaymentFilter bounds a list of payments of all tenants: those that were made in [From, Until). nil matches all.
type AcrossPaymentFilter struct {
	From, Until        time.Time
	Tenant             *uuid.UUID
	Status, ProviderID *string
	// AfterAt and AfterID are the position of the last payment of the page before.
	AfterAt time.Time
	AfterID uuid.UUID
	Limit   int
}

// PaymentsAcross lists payments and refunds of all tenants by when they were made, and by id. It is for the operator, and reads as the
// operator's role, in one round trip. Errors: problem.DatabaseUnavailable.
func (s *Store) PaymentsAcross(ctx context.Context, f AcrossPaymentFilter) (list []AcrossPayment, err error) {
	if f.AfterAt.Before(f.From) {
		f.AfterAt, f.AfterID = f.From, uuid.Nil // in front of the first payment
	}
	err = s.db.ReadAcross(ctx, "list the payments of all tenants", func(t *core.Tx) {
		core.Exec(t, "plan for the filters", func(q *dbsqlc.Queries) error {
			if f.ProviderID != nil {
				return q.SessionPlanForValues(t.Ctx) // few have it
			}
			return q.SessionPlanForPages(t.Ctx)
		})
		core.Query(t, "list the payments of all tenants", &list, func(q *dbsqlc.Queries) ([]AcrossPayment, error) {
			return q.PaymentListAcross(t.Ctx, dbsqlc.PaymentListAcrossParams{
				AfterAt: f.AfterAt, AfterID: f.AfterID, Until: f.Until, Tenant: f.Tenant, Status: f.Status, ProviderID: f.ProviderID,
				RowLimit: int32(f.Limit),
			})
		})
	})
	return list, err
}
