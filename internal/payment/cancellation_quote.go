package payment

import (
	"context"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/booking"
)

// CancellationQuote says what cancelling a booking would cost, as the API shows it. Amounts are minor units of
// Currency.
type CancellationQuote struct {
	Fee       int64      `json:"fee" example:"2250" doc:"What would be kept, or due, of the price less what refunds have lowered it by. All amounts are minor units of currency."`
	Refund    int64      `json:"refund" example:"7750" doc:"What would be refunded automatically; what was paid offline you hand back. Without a cancellation policy it is 0 for a confirmed booking: you decide."`
	Due       int64      `json:"due" example:"0" doc:"What would still be to pay of the fee."`
	Currency  string     `json:"currency" example:"EUR"`
	AsOf      time.Time  `json:"as_of" doc:"The moment that it was computed for."`
	ChangesAt *time.Time `json:"changes_at,omitempty" doc:"When the fee changes next, unless the booking is changed before; absent if it doesn't."`
}

// CancellationQuote returns what cancelling a booking now would cost. Payments that are open are not known yet, and
// don't count. Errors: problem.NotFound, problem.DatabaseUnavailable; problem.InvalidState and problem.HoldExpired for
// a booking that can't be cancelled.
func (s *Service) CancellationQuote(ctx context.Context, tenant, id uuid.UUID) (CancellationQuote, error) {
	v, err := s.view(ctx, tenant, id)
	if err != nil {
		return CancellationQuote{}, err
	}
	c, err := booking.CancellationAt(booking.Billing(v.Booking), v.Now)
	if err != nil {
		return CancellationQuote{}, err
	}
	after, m := booking.State{Status: booking.Cancelled, Fee: &c.Fee}, booking.Balance(v.Sum)
	q := CancellationQuote{
		Fee:      after.Owed(v.Booking.Price, m, v.Now),
		Due:      after.Due(v.Booking.Price, m, v.Now),
		Currency: v.Booking.Currency,
		AsOf:     v.Now.UTC(),
	}
	if c.Refund {
		q.Refund = after.Overpaid(v.Booking.Price, m, v.Now)
	}
	if c.ChangesAt != nil {
		at := c.ChangesAt.UTC()
		q.ChangesAt = &at
	}
	return q, nil
}
