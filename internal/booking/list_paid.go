package booking

import (
	"context"

	"holdfast/internal/tenant"
)

// Bounds of a page of ListPaid: how many bookings are read first and at most at once, and how often. No index has the state, so a page
// looks at so many bookings at most.
const (
	firstPaidStep, maxPaidStep = 50, 200
	maxPaidSteps               = 6
)

// matchesMoney reports whether a booking's money is as the filter asks for.
func (f Filter) matchesMoney(b Booking) bool {
	return (f.PaymentState == "" || f.PaymentState == b.PaymentState()) && (f.Overpaid == nil || *f.Overpaid == (b.Overpaid > 0))
}

// ListPaid is List for the bookings whose payment state, and what they are overpaid by, is as the filter asks for. It looks at a bounded
// number of bookings, so a page can be short, or empty, although more follows: last is then the booking that was looked at last, and nil on
// the last page.
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
