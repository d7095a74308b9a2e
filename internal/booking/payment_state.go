package booking

import (
	"context"

	"holdfast/internal/tenant"
)

// PaymentState says how much of what a booking costs was paid: of its price, less what refunds lower it by. It follows from the booking's money.
type PaymentState string

// The payment states. Each booking has one of them.
const (
	// Refunded: something was captured, and all of it was returned or is on its way back.
	Refunded PaymentState = "refunded"
	// Paid: what was captured and not returned is the price or more. A booking that costs nothing is paid.
	Paid PaymentState = "paid"
	// DepositPaid: it is less than the price, and the deposit or more.
	DepositPaid PaymentState = "deposit_paid"
	// PartlyPaid: it is something, but less than the deposit, or there is no deposit.
	PartlyPaid PaymentState = "partly_paid"
	// Unpaid: nothing was captured.
	Unpaid PaymentState = "unpaid"
)

// paymentState returns the state of a price and a deposit, in minor units of the currency of m.
func paymentState(price, deposit int64, m Balance) PaymentState {
	switch kept := m.Kept(); {
	case m.Paid > 0 && kept <= 0:
		return Refunded
	case kept >= price-m.Lowered:
		return Paid
	case deposit > 0 && kept >= deposit-m.Lowered:
		return DepositPaid
	case kept > 0:
		return PartlyPaid
	}
	return Unpaid
}

// PaymentState returns the booking's payment state.
func (b Booking) PaymentState() PaymentState {
	return paymentState(b.Price, b.Deposit, b.Balance)
}

// Bounds of a page of ListPaid: how many bookings are read first and at most at once, and how often. No index has the state, so a page looks at so many
// bookings at most.
const (
	firstPaidStep, maxPaidStep = 50, 200
	maxPaidSteps               = 6
)

// matchesMoney reports whether a booking's money is as the filter asks for.
func (f Filter) matchesMoney(b Booking) bool {
	return (f.PaymentState == "" || f.PaymentState == b.PaymentState()) && (f.Overpaid == nil || *f.Overpaid == (b.Overpaid > 0))
}

// ListPaid is List for the bookings whose payment state, and what they are overpaid by, is as the filter asks for. It looks at a bounded number of bookings, so a page can be short, or empty, although
// more follows: last is then the booking that was looked at last, and nil on the last page.
func (s *Service) ListPaid(ctx context.Context, t tenant.Tenant, f Filter) (list []Booking, last *Booking, err error) {
	limit := f.Limit
	f.Limit = firstPaidStep
	for range maxPaidSteps {
		seen, err := s.List(ctx, t, f)
		if err != nil {
			return nil, nil, err
		}
		for i := range seen {
			if last = &seen[i]; f.matchesMoney(*last) {
				list = append(list, *last)
			}
			if len(list) == limit {
				return list, last, nil
			}
		}
		if len(seen) < f.Limit {
			return list, nil, nil
		}
		f.AfterDate, f.AfterID, f.Limit = last.Date, last.ID, min(2*f.Limit, maxPaidStep)
	}
	return list, last, nil
}
