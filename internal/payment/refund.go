package payment

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"holdfast/internal/booking"
	"holdfast/internal/bounds"
	"holdfast/internal/db"
	"holdfast/internal/etag"
	"holdfast/internal/idempotency"
	"holdfast/internal/problem"
)

// RefundRequest is a request to refund a payment.
type RefundRequest struct {
	Amount  *int64         `json:"amount,omitempty" minimum:"1" maximum:"9007199254740991" doc:"Minor units of the payment's currency; without it, all that is left of the payment." example:"1000"`
	Offline *OfflineRefund `json:"offline,omitempty" doc:"You have handed the money back, and no provider sees it. Required of a payment that was received offline; of any other it may say so, for example if its provider has declined the refund."`
	// OwedAgain: without it, the refund lowers what the booking owes by as much of it as wasn't overpaid.
	OwedAgain bool `json:"owed_again,omitempty" doc:"true: the customer owes the amount again, and will pay in another way. Otherwise the refund lowers what the booking owes by what wasn't overpaid of it, so that due doesn't rise."`
	// Allowed are the versions of the booking that may be changed; the empty one allows each.
	Allowed etag.Precondition `json:"-"`
}

// Refund refunds a payment, whole or in part. A payment from a wallet goes back to the wallet, in the first phase. One
// that was received offline was handed back already, and any other may have been: the provider may have declined its
// refund. Phases and errors are those of Pay, and also problem.InvalidState unless the payment succeeded, and
// problem.RefundExceedsPayment.
func (s *Service) Refund(ctx context.Context, tenant uuid.UUID, r idempotency.Request, payment uuid.UUID,
	req RefundRequest,
) (idempotency.Outcome, error) {
	if err := bounds.Check("", req); err != nil {
		return idempotency.Outcome{}, err
	}
	request := r.DBRequest(tenant)
	paid, err := s.row(ctx, tenant, payment)
	if err != nil {
		return idempotency.Outcome{}, err
	}
	if err := checkOffline(paid, req.Offline); err != nil {
		return idempotency.Outcome{}, err
	}
	about := subject{booking: paid.BookingID, refunded: &payment, atOnce: req.Offline != nil, allowed: req.Allowed}
	if req.Offline == nil {
		about.wallet = walletToChange(paid)
	}
	return request.Outcome(
		s.transfer(ctx, tenant, request, about, func(st balanceState, _ *lockedWallet) (newPayment, error) {
			n, err := refundOf(st.Payment, st.Refunded, req.Amount)
			if err == nil && !req.OwedAgain {
				n.LowersOwed = lowersOwed(st, n.Amount)
				n.LowersFee = n.LowersOwed > 0 && stateOf(*st.Booking).Fee != nil
			}
			if err == nil && req.Offline != nil {
				n, err = req.Offline.returned(n, st.Payment, st.Now)
			}
			return n, err
		}),
	)
}

// RefundOverpaid refunds what a booking is overpaid by, out of the latest payment of which something is left, and at
// most that: what is overpaid beyond it needs another request. Payments of which a refund was declined come last.
// Offline payments aren't chosen. Phases and errors are those of Refund, and also problem.InvalidState for a booking
// that isn't overpaid, and for one whose payments were received offline.
func (s *Service) RefundOverpaid(ctx context.Context, tenant uuid.UUID, r idempotency.Request, id uuid.UUID,
	allowed etag.Precondition,
) (idempotency.Outcome, error) {
	request := r.DBRequest(tenant)
	paid, err := s.latestRefundable(ctx, tenant, id, request.Key())
	if err != nil {
		return idempotency.Outcome{}, err
	}
	return request.Outcome(s.refundOverpaid(ctx, tenant, request, id, paid, allowed))
}

func (s *Service) refundOverpaid(ctx context.Context, tenant uuid.UUID, request *db.Request, id uuid.UUID,
	paid paymentRow,
	allowed etag.Precondition,
) error {
	about := subject{booking: id, wallet: walletToChange(paid), refunded: &paid.PaymentID, allowed: allowed}
	return s.transfer(ctx, tenant, request, about, func(st balanceState, _ *lockedWallet) (newPayment, error) {
		overpaid := stateOf(*st.Booking).Overpaid(st.Booking.Price, booking.Balance(st.Sum), st.Now)
		if overpaid == 0 {
			return newPayment{}, notOverpaid()
		}
		left := st.Payment.Amount - st.Refunded
		if left == 0 {
			return newPayment{},
				problem.New(problem.InvalidState, "The payment was refunded meanwhile. Send the request again.")
		}
		refund := refundable(st.Payment, left, overpaid)
		if refund == 0 {
			return newPayment{}, problem.New(problem.InvalidState,
				"The booking is overpaid by less than the provider can refund.")
		}
		return newRefund(st.Payment, refund), nil
	})
}

func notOverpaid() error { return problem.New(problem.InvalidState, "The booking isn't overpaid.") }

// latestRefundable returns the latest payment of a booking of which something is left, one without a declined refund if
// there is one, or, to a request with a key that began a refund, the payment that it refunds. Errors: problem.NotFound
// for a booking that doesn't exist; problem.InvalidState if there is no such payment, and if all of them were received
// offline.
func (s *Service) latestRefundable(ctx context.Context, tenant, id uuid.UUID, key string) (paymentRow, error) {
	const pageSize = 200
	payments := make(map[uuid.UUID]paymentRow)
	var order []uuid.UUID
	left, declined := make(map[uuid.UUID]int64), make(map[uuid.UUID]bool)
	for after := uuid.Nil; ; {
		rows, err := s.rows(ctx, tenant, id, after, pageSize)
		if err != nil {
			return paymentRow{}, err
		}
		for _, p := range rows {
			switch {
			case p.RefundOf == nil && p.Status == string(StatusSucceeded):
				payments[p.PaymentID] = p
				order = append(order, p.PaymentID)
				left[p.PaymentID] += p.Amount
			case p.RefundOf == nil:
			case p.IdempotencyKey != nil && *p.IdempotencyKey == key:
				return s.row(ctx, tenant, *p.RefundOf)
			case p.Status == string(StatusDeclined):
				declined[*p.RefundOf] = true
			default:
				left[*p.RefundOf] -= p.Amount
			}
		}
		if len(rows) < pageSize {
			break
		}
		after = rows[len(rows)-1].PaymentID
	}
	for _, wasDeclined := range []bool{false, true} {
		for _, id := range slices.Backward(order) {
			if left[id] > 0 && declined[id] == wasDeclined && payments[id].Provider != offlineProvider {
				return payments[id], nil
			}
		}
	}
	for _, id := range slices.Backward(order) {
		if left[id] > 0 {
			return paymentRow{}, problem.New(problem.InvalidState,
				"The payment "+id.String()+" was received offline. Hand the money "+
					"back, and record it as a refund of that payment.")
		}
	}
	return paymentRow{}, notOverpaid()
}
