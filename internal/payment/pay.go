package payment

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/idempotency"
	"holdfast/internal/problem"
	"holdfast/internal/store"
)

// Pay takes a booking's deposit, balance, or an amount. It has three phases: under the balance lock it claims the key,
// judges the order and writes the attempt; with no lock and no transaction it calls the provider; under the lock again it
// records the outcome and, if that is final, the answer. A request that is repeated goes on where the first one was left.
//
// A response with status 202 tells of a payment whose end isn't known yet; it is not stored, and repeating the request
// tells more. Errors: problem.NotFound, problem.HoldExpired, problem.InvalidState, problem.PaymentInProgress,
// problem.PaymentsNotConfigured, problem.ProviderUnavailable; problem.OutcomeUnknown where the outcome could not be recorded; those of idempotency.Gate.Do and
// of store.Store.Balance.
func (s *Service) Pay(ctx context.Context, tenant uuid.UUID, r idempotency.Request, booking uuid.UUID, o Order) (idempotency.Response, error) {
	return s.gate.Do(ctx, tenant, r, func(ctx context.Context) (idempotency.Response, error) {
		if s.cfg.Provider == nil {
			return idempotency.Response{}, idempotency.Early(problem.New(problem.PaymentsNotConfigured, ""))
		}
		return s.move(ctx, tenant, r, booking, nil, func(st store.BalanceState) (store.NewPayment, error) {
			if err := payable(*st.Booking, st.Now); err != nil {
				return store.NewPayment{}, err
			}
			m := moneyOf(*st.Booking, st.Sum, st.Now)
			amount, err := o.amount(m)
			return store.NewPayment{Kind: string(o.Kind), Amount: amount, Currency: m.Currency, Method: o.Method, Provider: s.cfg.Provider.Name()}, err
		})
	})
}

// Refund returns a payment, or amount of it in minor units of its currency; nil returns what is left. See Pay. Errors
// besides: problem.InvalidState for what isn't a payment that succeeded; problem.RefundExceedsPayment.
func (s *Service) Refund(ctx context.Context, tenant uuid.UUID, r idempotency.Request, payment uuid.UUID, amount *int64) (idempotency.Response, error) {
	return s.gate.Do(ctx, tenant, r, func(ctx context.Context) (idempotency.Response, error) {
		paid, err := s.store.Payment(ctx, tenant, payment)
		if err != nil {
			return idempotency.Response{}, err
		}
		if paid == nil {
			return idempotency.Response{}, idempotency.Early(problem.Missing())
		}
		return s.move(ctx, tenant, r, paid.BookingID, &payment, func(st store.BalanceState) (store.NewPayment, error) {
			return refundOf(st.Payment, st.Refunded, amount)
		})
	})
}

// refundOf judges the refund of a payment of which refunded was returned already.
func refundOf(p *store.Payment, refunded int64, amount *int64) (store.NewPayment, error) {
	if p == nil {
		return store.NewPayment{}, problem.Missing()
	}
	if p.RefundOf != nil || p.Status != string(StatusSucceeded) {
		return store.NewPayment{}, problem.New(problem.InvalidState, "Only a payment that succeeded can be refunded.")
	}
	left := p.Amount - refunded
	want := left
	if amount != nil {
		want = *amount
	}
	if left == 0 || want > left {
		return store.NewPayment{}, problem.New(problem.RefundExceedsPayment, "This is more than what is left of the payment.")
	}
	return store.NewPayment{RefundOf: &p.PaymentID, Kind: string(Return), Amount: want, Currency: p.Currency, Provider: p.Provider}, nil
}

// job is an open payment that the caller works on.
type job struct {
	tenant  uuid.UUID
	payment store.Payment
	charge  string // the provider's id of the charge that a refund returns
	send    bool   // the order may be sent (again)
	resumed bool   // somebody may have sent it before: it is looked up first
	cancel  bool   // its time is over: it is cancelled and neither looked up nor sent
}

// move is the three phases of a request that moves money.
func (s *Service) move(ctx context.Context, tenant uuid.UUID, r idempotency.Request, booking uuid.UUID, refunded *uuid.UUID,
	judge func(store.BalanceState) (store.NewPayment, error),
) (idempotency.Response, error) {
	resp, j, err := s.begin(ctx, tenant, r, booking, refunded, judge)
	if err != nil || j == nil {
		return resp, err
	}
	// The customer's money moves whether or not the client waits for the answer.
	ctx = context.WithoutCancel(ctx)
	var f finding
	if j.resumed {
		f = s.findOut(ctx, *j)
	}
	if j.send && (!j.resumed || f.absent() || f.err != nil) { // under one key, so that it happens once
		f = s.order(ctx, *j)
	}
	resp, err = s.record(ctx, tenant, j.payment, f)
	if problem.Is(err, problem.DatabaseUnavailable) || problem.Is(err, problem.LockTimeout) {
		// Nothing was written now, but the attempt was before, and money may have moved.
		err = problem.Wrap(err, problem.OutcomeUnknown, "The payment was begun, and what came of it could not be recorded. "+
			"Repeat the request with the same Idempotency-Key to learn it.").Retry(time.Second)
	}
	return resp, err
}

// begin is the first phase. It returns the answer if there is one, else the payment to work on.
func (s *Service) begin(ctx context.Context, tenant uuid.UUID, r idempotency.Request, booking uuid.UUID, refunded *uuid.UUID,
	judge func(store.BalanceState) (store.NewPayment, error),
) (resp idempotency.Response, j *job, err error) {
	id, err := uuid.NewV7()
	if err != nil {
		return resp, nil, fmt.Errorf("make a payment's id: %w", err)
	}
	read := store.BalanceRead{Key: r.Key(), Payment: refunded}
	err = s.store.Balance(ctx, balanceKey(tenant, booking), read, func(tx *store.BalanceTx, st store.BalanceState) error {
		resp, j = idempotency.Response{}, nil
		if st.Begun != nil && st.Begun.PaymentID == id { // the first try's commit was cut off, and it did happen
			j = &job{tenant: tenant, payment: *st.Begun, charge: chargeID(st.Payment), send: true}
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
			j, err = s.takeOver(tx, st, tenant)
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
		j = &job{tenant: tenant, send: true, payment: store.Payment{
			PaymentID: id, BookingID: booking, RefundOf: n.RefundOf, Kind: n.Kind, Status: string(StatusStarted), Amount: n.Amount,
			Currency: n.Currency, Method: n.Method, Provider: n.Provider, Fence: 1, LeasedUntil: n.LeasedUntil, FirstSentAt: st.Now,
			LastSentAt: st.Now, CancelAt: n.CancelAt, CreatedAt: st.Now, UpdatedAt: st.Now,
		}}
		j.charge = chargeID(st.Payment)
		return nil
	})
	return resp, j, err
}

// takeOver hands the payment that an earlier request with the same key began to this one, unless the earlier one is
// still at it.
func (s *Service) takeOver(tx *store.BalanceTx, st store.BalanceState, tenant uuid.UUID) (*job, error) {
	p := *st.Begun
	if left := p.LeasedUntil.Sub(st.Now); left > 0 {
		return nil, problem.New(problem.RequestInProgress, "A request with the same Idempotency-Key is still running.").Retry(left)
	}
	provider, err := s.provider(p.Provider)
	if err != nil {
		return nil, err
	}
	j := &job{tenant: tenant, charge: chargeID(st.Payment), resumed: true, cancel: s.cancelDue(p, st.Now)}
	// What the provider works on is only looked at, and so, after a while, is what it gave no answer to: it may give the
	// same error as long as it is asked, and an order that is sent for ever is never known to be absent. Money for a
	// booking that takes none any more isn't asked for again, and neither is that of a payment to be cancelled.
	age, asked := st.Now.Sub(p.FirstSentAt), p.Status == string(StatusUnknown)
	j.send = !j.cancel && p.Status != string(StatusProcessing) && age < s.sendable(provider) && (!asked || age < s.cfg.AbsentAfter) &&
		(p.RefundOf != nil || payable(*st.Booking, st.Now) == nil)
	p.Fence++
	p.LeasedUntil = st.Now.Add(s.lease())
	if j.send {
		p.LastSentAt = st.Now
	}
	tx.TakePayment(p)
	j.payment = p
	return j, nil
}

func chargeID(refunded *store.Payment) string {
	if refunded == nil || refunded.ProviderID == nil {
		return ""
	}
	return *refunded.ProviderID
}

// order is the second phase: it sends the order. No lock and no transaction is held.
func (s *Service) order(ctx context.Context, j job) finding {
	if j.payment.RefundOf != nil {
		return s.ask(ctx, j, "refund", func(ctx context.Context, p Provider, ref Reference) (Outcome, error) {
			return p.Refund(ctx, RefundOrder{
				Reference: ref, Key: providerKey(ref.ID, j.payment.FirstSentAt), ChargeID: j.charge, Amount: j.payment.Amount,
				Currency: j.payment.Currency,
			})
		})
	}
	return s.ask(ctx, j, "charge", func(ctx context.Context, p Provider, ref Reference) (Outcome, error) {
		return p.Charge(ctx, ChargeOrder{
			Reference: ref, Key: providerKey(ref.ID, j.payment.FirstSentAt), Amount: j.payment.Amount, Currency: j.payment.Currency,
			Method: j.payment.Method, Description: "Booking " + j.payment.BookingID.String(),
		})
	})
}

// findOut asks the provider what became of an order; one whose time is over it cancels.
func (s *Service) findOut(ctx context.Context, j job) finding {
	if j.cancel {
		return s.cancel(ctx, j)
	}
	return s.lookUp(ctx, j)
}

// lookUp asks the provider what became of an order.
func (s *Service) lookUp(ctx context.Context, j job) finding {
	known := knownID(j.payment)
	f := s.ask(ctx, j, "look_up", func(ctx context.Context, p Provider, ref Reference) (Outcome, error) {
		if j.payment.RefundOf != nil {
			return p.FindRefund(ctx, ref, known, j.charge)
		}
		return p.FindCharge(ctx, ref, known)
	})
	f.absentAfter = s.cfg.AbsentAfter
	if j.payment.Automatic {
		f.absentAfter = math.MaxInt64 // it is sent until it is done
	}
	return f
}

// cancel has the provider end a charge that has not succeeded.
func (s *Service) cancel(ctx context.Context, j job) finding {
	known := knownID(j.payment)
	f := s.ask(ctx, j, "cancel", func(ctx context.Context, p Provider, ref Reference) (Outcome, error) {
		return p.CancelCharge(ctx, ref, known)
	})
	f.cancel, f.absentAfter = true, s.cfg.AbsentAfter
	return f
}

func knownID(p store.Payment) string {
	if p.ProviderID == nil {
		return ""
	}
	return *p.ProviderID
}

// ask calls the provider. It holds no lock, no transaction and no connection.
func (s *Service) ask(ctx context.Context, j job, operation string, call func(context.Context, Provider, Reference) (Outcome, error)) finding {
	f := finding{fence: j.payment.Fence}
	provider, err := s.provider(j.payment.Provider)
	if err != nil {
		f.err = err
		return f
	}
	ctx, cancel := context.WithTimeout(ctx, s.cfg.CallTimeout)
	defer cancel()
	done := s.metrics.call(provider.Name(), operation)
	f.outcome, f.err = call(ctx, provider, Reference{TenantID: j.tenant, ID: j.payment.PaymentID})
	done(f)
	s.warn(f, "provider", provider.Name(), "operation", operation, "tenant", j.tenant, "payment", j.payment.PaymentID, "error", f.err)
	return f
}

// warn tells the operator of a call that failed, unless that was the caller's mistake.
func (s *Service) warn(f finding, attributes ...any) {
	var notDone *NotDone
	switch refused := errors.As(f.err, &notDone); {
	case f.err == nil, refused && notDone.Method != "":
	case refused && notDone.TryAgain:
		s.log.Warn("the payment provider can't be reached or takes no order now", attributes...)
	case refused:
		s.log.Warn("the payment provider refused the order", attributes...)
	default:
		s.log.Warn("the payment provider gave no outcome", attributes...)
	}
}

// record is the third phase. It returns the answer: a stored one if the payment's end is known, else what is known.
func (s *Service) record(ctx context.Context, tenant uuid.UUID, p store.Payment, f finding) (resp idempotency.Response, err error) {
	var w written
	automatic, err := uuid.NewV7()
	if err != nil {
		return resp, fmt.Errorf("make a refund's id: %w", err)
	}
	err = s.store.Balance(ctx, balanceKey(tenant, p.BookingID), store.BalanceRead{Payment: &p.PaymentID}, func(tx *store.BalanceTx, st store.BalanceState) error {
		if st.Payment == nil || st.Booking == nil {
			return fmt.Errorf("payment: %s of tenant %s is gone", p.PaymentID, tenant)
		}
		w, err = s.write(tx, st, f, automatic)
		return err
	})
	if err != nil {
		return resp, err
	}
	s.note(w)
	if w.payment.final() {
		return w.response, nil
	}
	var notDone *NotDone
	if errors.As(f.err, &notDone) && notDone.TryAgain {
		return idempotency.Response{}, problem.Wrap(f.err, problem.ProviderUnavailable, "The payment provider can't be reached, so nothing was sent to it now. "+
			"Repeat the request with the same Idempotency-Key.").Retry(5 * time.Second)
	}
	return w.response, nil
}

// written is a payment as it is after a finding, with the response that tells of it.
type written struct {
	payment  Payment
	response idempotency.Response
	changed  bool
	// contradicted says that the provider took back what it had said: a refund that had succeeded failed after all.
	contradicted bool
}

// note counts and tells what became of a payment.
func (s *Service) note(w written) {
	s.metrics.note(w)
	if w.contradicted {
		s.log.Error("the provider says that a payment or refund failed which it had said succeeded; a person has to look",
			"payment", w.payment.ID, "booking", w.payment.BookingID, "provider", w.payment.Provider)
	}
	if w.changed && w.payment.Automatic && w.payment.Status == StatusDeclined {
		s.log.Error("the provider refused an automatic refund; a person has to look",
			"refund", w.payment.ID, "payment", w.payment.RefundOf, "booking", w.payment.BookingID, "provider", w.payment.Provider)
	}
}

// write queues what a finding changes.
func (s *Service) write(tx *store.BalanceTx, st store.BalanceState, f finding, automatic uuid.UUID) (written, error) {
	row, changed := f.apply(*st.Payment, s.pace, st.Now)
	s.resolveInTime(&row, f, st.Now)
	if changed {
		row.UpdatedAt = st.Now
		tx.SetPayment(row)
	}
	w := written{payment: fromRow(row), changed: changed}
	w.contradicted = row.Status == string(StatusSucceeded) && f.err == nil && f.outcome.Result == Declined
	var err error
	if w.response, err = w.payment.response(); err != nil || !changed || !w.payment.final() {
		return w, err
	}
	if row.IdempotencyKey != nil {
		tx.FinishKey(*row.IdempotencyKey, idempotency.Request{}.Record(w.response, st.Now))
	}
	if w.payment.Status == StatusSucceeded && row.RefundOf == nil {
		sum := st.Sum
		sum.Paid += row.Amount
		// Whoever asked for it may have been told that none was taken and none will be.
		denied := st.Payment.Status == string(StatusDeclined)
		if denied || unwanted(*st.Booking, moneyOf(*st.Booking, sum, st.Now), st.Now) {
			tx.InsertPayment(store.NewPayment{
				PaymentID: automatic, RefundOf: &row.PaymentID, Kind: string(Return), Amount: row.Amount - st.Refunded, Currency: row.Currency,
				Provider: row.Provider, Automatic: true, LeasedUntil: st.Now, // the resolver sends it
			})
		}
	}
	return w, nil
}
