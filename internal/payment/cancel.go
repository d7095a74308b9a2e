package payment

import (
	"context"

	"github.com/google/uuid"

	"holdfast/internal/db"
	"holdfast/internal/idempotency"
	"holdfast/internal/problem"
)

// Cancel cancels an open payment, so that the booking can be paid another way. It has the three phases of Pay: it takes
// the payment over, cancels it at the provider, and records the outcome. If the customer completes the payment first,
// the payment succeeds.
//
// A response with status 202 means that the payment isn't cancelled yet: another process works on it, or the provider
// can't cancel it now or gave no outcome. The resolver cancels it as soon as possible. Such a response is not stored.
// Errors: problem.NotFound; problem.InvalidState for refunds and for payments that succeeded or were declined;
// problem.OutcomeUnknown if the outcome could not be recorded; the errors of db.Request.Outcome and
// db.DB.Balance.
func (s *Service) Cancel(ctx context.Context, tenant uuid.UUID, r idempotency.Request,
	id uuid.UUID,
) (idempotency.Outcome, error) {
	request := r.DBRequest(tenant)
	p, err := s.row(ctx, tenant, id)
	if err != nil {
		return idempotency.Outcome{}, err
	}
	a, err := s.startCancel(ctx, tenant, request, p)
	if err != nil || a == nil {
		return request.Outcome(err)
	}
	// From here on the payment is cancelled, by this request or by the resolver, even if the client disconnects.
	ctx = context.WithoutCancel(ctx)
	result := s.whileLeased(ctx, *a, func() callResult { return s.cancelCharge(ctx, *a) })
	if _, err = s.record(ctx, tenant, a.payment, result); err == nil {
		err = s.cancelled(ctx, tenant, request, p)
	}
	return request.Outcome(notRecorded(err, "The payment is being cancelled"))
}

// startCancel runs the first phase. It returns the payment to cancel, nil if the request has its response. It sets the
// payment's cancel time to now, so that the resolver cancels it if this process dies.
func (s *Service) startCancel(ctx context.Context, tenant uuid.UUID, request *db.Request,
	p paymentRow,
) (a *attempt, err error) {
	read := balanceRead{Payment: &p.PaymentID}
	err = s.ofBalance(ctx, request, tenant, p.BookingID, read, func(tx *db.BalanceTx, st balanceState) error {
		if a = nil; st.Payment == nil {
			return problem.Missing()
		}
		row := *st.Payment
		if row.RefundOf != nil || fromRow(row).final() {
			return respondToCancel(tx, fromRow(row))
		}
		cancelPayment(tx, row.PaymentID, st.Now)
		if row.CancelAt.After(st.Now) {
			row.CancelAt = &st.Now
		}
		row.UpdatedAt = st.Now
		if row.LeasedUntil.After(st.Now) { // leased to another process: the resolver cancels it later
			return respondToCancel(tx, fromRow(row))
		}
		row.Fence++
		row.LeasedUntil = st.Now.Add(s.lease())
		takePayment(tx, row, st.Payment.Fence)
		a = &attempt{tenant: tenant, payment: row, cancel: true}
		return nil
	})
	return a, err
}

// cancelled gives the request its response after the third phase. The provider's outcome stays recorded, also after a
// refusal.
func (s *Service) cancelled(ctx context.Context, tenant uuid.UUID, request *db.Request, p paymentRow) error {
	read := balanceRead{Payment: &p.PaymentID}
	return s.ofBalance(ctx, request, tenant, p.BookingID, read, func(tx *db.BalanceTx, st balanceState) error {
		if st.Payment == nil {
			return problem.Missing()
		}
		return respondToCancel(tx, fromRow(*st.Payment))
	})
}

// respondToCancel gives a request to cancel p its response, and queues storing it if it is final.
func respondToCancel(tx *db.BalanceTx, p Payment) error {
	refuse := func(detail string) error { return problem.New(problem.InvalidState, detail) }
	switch {
	case p.RefundOf != nil:
		return refuse("A refund can't be cancelled.")
	case p.Status == StatusSucceeded:
		return refuse("The payment has succeeded. Refund it instead.")
	case p.Status == StatusDeclined && (p.DeclineCode == nil || *p.DeclineCode != Cancelled):
		return refuse("The payment was declined, so there is nothing to cancel.")
	}
	resp, err := p.cancelled()
	if err != nil || p.final() {
		return tx.Respond(resp, err)
	}
	tx.RespondUnstored(resp)
	return nil
}
