package payment

import (
	"context"
	"time"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"

	"holdfast/internal/datetime"
	"holdfast/internal/problem"
	"holdfast/internal/tenant"
)

// Listed is a payment or refund with the names of its booking, each nil without one.
type Listed struct {
	Payment
	BookingCode                                string
	BookingReference, BookingExternalReference *string
}

// Filter bounds a list of payments and refunds. From and To are civil dates in the tenant's time zone, both included,
// of when a payment succeeded or was declined; an open one counts by its last change. nil and empty match all.
type Filter struct {
	From, To *civil.Date
	Kind     Kind
	Status   Status
	Booking  *uuid.UUID
	// Method is that of offline payments and refunds.
	Method OfflineMethod
	// AfterAt and AfterID are UpdatedAt and ID of the last payment of the page before, zero for the first page.
	AfterAt time.Time
	AfterID uuid.UUID
	Limit   int
}

// ListAll lists a tenant's payments and refunds by UpdatedAt and id, at most the filter's limit. Errors:
// problem.ValidationFailed for a date out of bounds; problem.DatabaseUnavailable.
func (s *Service) ListAll(ctx context.Context, t tenant.Tenant, f Filter) ([]Listed, error) {
	from, to := civil.Date{Year: minYear, Month: 1, Day: 1}, civil.Date{Year: maxYear, Month: 12, Day: 31}
	for _, given := range []struct {
		field string
		date  *civil.Date
		into  *civil.Date
	}{{"from", f.From, &from}, {"to", f.To, &to}} {
		switch {
		case given.date == nil:
		case given.date.Year < minYear || given.date.Year > maxYear:
			return nil, problem.Invalid(given.field, "out_of_range", "Expected a year from 1900 to 9000.")
		default:
			*given.into = *given.date
		}
	}
	rows, err := s.listRows(ctx, t.ID, datetime.StartOfDay(from, t.Location), listFilter{
		Until:     datetime.StartOfDay(to.AddDays(1), t.Location),
		Kind:      given((*string)(&f.Kind)),
		Status:    given((*string)(&f.Status)),
		BookingID: f.Booking,
		Method:    given((*string)(&f.Method)),
		AfterAt:   f.AfterAt,
		AfterID:   f.AfterID,
		RowLimit:  int32(f.Limit),
	})
	list := make([]Listed, len(rows))
	for i, row := range rows {
		list[i] = Listed{
			Payment: fromRow(row.Payment), BookingCode: row.Code, BookingReference: row.Reference,
			BookingExternalReference: row.ExternalReference,
		}
	}
	return list, err
}

// given returns nil for an empty text.
func given(text *string) *string {
	if *text == "" {
		return nil
	}
	return text
}

// ListedBody is a payment or refund in the list of all.
type ListedBody struct {
	PaymentBody
	Booking PaidBookingBody `json:"booking"`
}

// PaidBookingBody names the booking of a payment.
type PaidBookingBody struct {
	Code              string  `json:"code" example:"K7MX2PQR"`
	Reference         *string `json:"reference" example:"Wedding Miller"`
	ExternalReference *string `json:"external_reference" example:"shop-4711"`
}

// Body returns the payment as the list shows it.
func (p Listed) Body() ListedBody {
	return ListedBody{
		PaymentBody: p.Payment.Body(),
		Booking: PaidBookingBody{Code: p.BookingCode, Reference: p.BookingReference,
			ExternalReference: p.BookingExternalReference},
	}
}

// Moved returns what the payment adds to the tenant's money, in minor units of its currency: its amount once it has
// succeeded, less than zero for a refund.
func (p Payment) Moved() int64 {
	switch {
	case p.Status != StatusSucceeded:
		return 0
	case p.Kind == Refund:
		return -p.Amount
	}
	return p.Amount
}

// List returns up to limit of a booking's payments and refunds after the id after, in the order of their creation.
func (s *Service) List(ctx context.Context, tenant, booking, after uuid.UUID, limit int) ([]Payment, error) {
	rows, err := s.rows(ctx, tenant, booking, after, limit)
	list := make([]Payment, len(rows))
	for i, row := range rows {
		list[i] = fromRow(row)
	}
	return list, err
}
