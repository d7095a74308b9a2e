package payment

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/idempotency"
	"holdfast/internal/problem"
	"holdfast/internal/store"
)

// attempt is an open payment that the caller works on.
type attempt struct {
	tenant   uuid.UUID
	payment  store.Payment
	chargeID string // the provider's id of the charge that a refund returns
	send     bool   // the order may be sent (again)
	resumed  bool   // somebody may have sent it before: it is looked up first
	cancel   bool   // its time is over: it is cancelled and neither looked up nor sent
}

// transfer is the three phases of a request that moves money.
func (s *Service) transfer(ctx context.Context, tenant uuid.UUID, r idempotency.Request, booking uuid.UUID, refunded *uuid.UUID,
	judge func(store.BalanceState) (store.NewPayment, error),
) (idempotency.Response, error) {
	resp, a, err := s.start(ctx, tenant, r, booking, refunded, judge)
	if err != nil || a == nil {
		return resp, err
	}
	// The customer's money moves whether or not the client waits for the answer.
	ctx = context.WithoutCancel(ctx)
	var result callResult
	if a.resumed {
		result = s.cancelOrLookUp(ctx, *a)
	}
	if a.send && (!a.resumed || result.absent() || result.err != nil) { // under one key, so that it happens once
		result = s.sendOrder(ctx, *a)
	}
	resp, err = s.recordResult(ctx, tenant, a.payment, result)
	if problem.Is(err, problem.DatabaseUnavailable) || problem.Is(err, problem.LockTimeout) {
		// Nothing was written now, but the attempt was before, and money may have moved.
		err = problem.Wrap(err, problem.OutcomeUnknown, "The payment was begun, and what came of it could not be recorded. "+
			"Repeat the request with the same Idempotency-Key to learn it.").Retry(time.Second)
	}
	return resp, err
}

// start is the first phase. It returns the answer if there is one, else the payment to work on.
func (s *Service) start(ctx context.Context, tenant uuid.UUID, r idempotency.Request, booking uuid.UUID, refunded *uuid.UUID,
	judge func(store.BalanceState) (store.NewPayment, error),
) (resp idempotency.Response, a *attempt, err error) {
	id, err := uuid.NewV7()
	if err != nil {
		return resp, nil, fmt.Errorf("make a payment's id: %w", err)
	}
	read := store.BalanceRead{Key: r.Key(), Payment: refunded}
	err = s.store.Balance(ctx, balanceKey(tenant, booking), read, func(tx *store.BalanceTx, st store.BalanceState) error {
		resp, a = idempotency.Response{}, nil
		if st.Begun != nil && st.Begun.PaymentID == id { // the first try's commit was cut off, and it did happen
			a = &attempt{tenant: tenant, payment: *st.Begun, chargeID: chargeID(st.Payment), send: true}
			return nil
		}
		if st.Answer != nil && !(st.Answer.Unfinished && st.Begun != nil) {
			resp, err = r.Replay(st.Answer)
			return err
		}
		if st.Booking == nil {
			return problem.Missing()
		}
		if st.Answer != nil {
			if err := r.Match(st.Answer); err != nil {
				return err
			}
			a, err = s.takeOver(tx, st, tenant)
			return err
		}
		n, err := judge(st)
		switch {
		case problem.Is(err, problem.Overpayment) || problem.Is(err, problem.RefundExceedsPayment):
			resp = refusalResponse(err)
			tx.PutAnswer(r.Record(resp, st.Now))
			return nil
		case err != nil:
			return err
		case st.Open != nil:
			return problem.New(problem.PaymentInProgress, "Another payment or refund of this booking is in progress.").Retry(time.Second)
		}
		n.PaymentID, n.LeasedUntil = id, st.Now.Add(s.lease())
		if n.RefundOf == nil {
			end := st.Now.Add(s.cfg.Timeout)
			n.CancelAt = &end
		}
		tx.ClaimKey(r.Record(resp, st.Now))
		tx.InsertPayment(n)
		a = &attempt{tenant: tenant, send: true, payment: store.Payment{
			PaymentID: id, BookingID: booking, RefundOf: n.RefundOf, Kind: n.Kind, Status: string(StatusStarted), Amount: n.Amount,
			Currency: n.Currency, Method: n.Method, Provider: n.Provider, Fence: 1, LeasedUntil: n.LeasedUntil, FirstSentAt: st.Now,
			LastSentAt: st.Now, CancelAt: n.CancelAt, CreatedAt: st.Now, UpdatedAt: st.Now,
		}}
		a.chargeID = chargeID(st.Payment)
		return nil
	})
	return resp, a, err
}

// takeOver hands the payment that an earlier request with the same key began to this one, unless the earlier one is
// still at it.
func (s *Service) takeOver(tx *store.BalanceTx, st store.BalanceState, tenant uuid.UUID) (*attempt, error) {
	p := *st.Begun
	if left := p.LeasedUntil.Sub(st.Now); left > 0 {
		return nil, problem.New(problem.RequestInProgress, "A request with the same Idempotency-Key is still running.").Retry(left)
	}
	provider, err := s.provider(p.Provider)
	if err != nil {
		return nil, err
	}
	a := &attempt{tenant: tenant, chargeID: chargeID(st.Payment), resumed: true, cancel: s.cancelDue(p, st.Now)}
	// What the provider works on is only looked at, and so, after a while, is what it gave no answer to: it may give the
	// same error as long as it is asked, and an order that is sent for ever is never known to be absent. Money for a
	// booking that takes none any more isn't asked for again, and neither is that of a payment to be cancelled.
	age, asked := st.Now.Sub(p.FirstSentAt), p.Status == string(StatusUnknown)
	a.send = !a.cancel && p.Status != string(StatusProcessing) && age < s.resendWindow(provider) && (!asked || age < s.cfg.AbsentAfter) &&
		(p.RefundOf != nil || payable(*st.Booking, st.Now) == nil)
	p.Fence++
	p.LeasedUntil = st.Now.Add(s.lease())
	if a.send {
		p.LastSentAt = st.Now
	}
	tx.TakePayment(p)
	a.payment = p
	return a, nil
}

func chargeID(refunded *store.Payment) string {
	if refunded == nil || refunded.ProviderID == nil {
		return ""
	}
	return *refunded.ProviderID
}
