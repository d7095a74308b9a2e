package store

import (
	"context"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/store/internal/dbsqlc"
)

// ListedPayment is a payment or refund with the names of its booking.
type ListedPayment = dbsqlc.PaymentListOfTenantRow

// PaymentFilter bounds a list of payments: those that changed last in [From, Until), which is when they succeeded or were declined. nil matches all.
type PaymentFilter struct {
	From, Until  time.Time
	Kind, Status *string
	Booking      *uuid.UUID
	// AfterAt and AfterID are the place of the last payment of the page before.
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
	err = s.readOnly(ctx, "list all payments", tenant, func(t *tx) {
		exec(&t.batch, "plan for a page", func(q *dbsqlc.Queries) error {
			if f.Booking != nil {
				return q.SessionPlanForValues(t.ctx)
			}
			return q.SessionPlanForPages(t.ctx)
		})
		query(&t.batch, "list all payments", &list, func(q *dbsqlc.Queries) ([]ListedPayment, error) {
			return q.PaymentListOfTenant(t.ctx, dbsqlc.PaymentListOfTenantParams{
				TenantID: tenant, Until: f.Until, AfterAt: f.AfterAt, AfterID: f.AfterID, Kind: f.Kind, Status: f.Status, BookingID: f.Booking,
				RowLimit: int32(f.Limit),
			})
		})
	})
	return list, err
}
