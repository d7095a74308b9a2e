package payment

import (
	"context"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/booking"
	"holdfast/internal/db"
	"holdfast/internal/etag"
	"holdfast/internal/problem"
)

// subject is what a request to charge or refund is about: a booking, the wallet that pays or is refunded, and the
// payment that is refunded. The last two may be nil. allowed are the versions of the booking at which the request may
// begin something.
type subject struct {
	booking          uuid.UUID
	wallet, refunded *uuid.UUID
	// accountAt is the provider at which a charge may be to the tenant's account; empty for refunds, which go back from
	// where it was made.
	accountAt string
	// atOnce: the payment or refund is offline, and succeeds in the first phase.
	atOnce  bool
	allowed etag.Precondition
}

// transfer runs the three phases of a charge or refund. newPayment checks the request against the state of the booking
// and the wallet, and returns the row to insert.
func (s *Service) transfer(ctx context.Context, tenant uuid.UUID, request *db.Request, about subject,
	newPayment func(balanceState, *lockedWallet) (newPayment, error),
) error {
	a, err := s.start(ctx, tenant, request, about, newPayment)
	if err != nil || a == nil {
		return err
	}
	// From here on the request is completed even if the client disconnects.
	ctx = context.WithoutCancel(ctx)
	result := s.whileLeased(ctx, *a, func() (result callResult) {
		if a.resumed {
			result = s.cancelOrLookUp(ctx, *a)
		}
		// the idempotency key prevents a second charge
		if a.send && (!a.resumed || result.absent() || result.err != nil) {
			result = s.sendOrder(ctx, *a)
		}
		return result
	})
	o, err := s.recordResult(ctx, tenant, a.payment, result)
	s.db.SetUnstoredOutcome(request, o)
	return notRecorded(err, "The payment was begun")
}

// notRecorded returns problem.OutcomeUnknown if the outcome of an attempt could not be recorded: the attempt is
// committed and the provider may have carried it out. Other errors stay as they are.
func notRecorded(err error, begun string) error {
	if !problem.Is(err, problem.DatabaseUnavailable) && !problem.Is(err, problem.LockTimeout) &&
		!problem.Is(err, problem.VersionConflict) {
		return err
	}
	return problem.Wrap(err, problem.OutcomeUnknown, begun+", and its outcome could not be recorded. "+
		"Repeat the request with the same Idempotency-Key to get the outcome.").Retry(time.Second)
}

// start runs the first phase. It returns the payment to work on, nil if the request has its response.
func (s *Service) start(ctx context.Context, tenant uuid.UUID, request *db.Request, about subject,
	newPayment func(balanceState, *lockedWallet) (newPayment, error),
) (a *attempt, err error) {
	id := uuid.Must(uuid.NewV7())
	// What a wallet pays alone, and what is offline, is complete in this phase, which then changes the booking. So does
	// a refund that begins.
	change := about.wallet != nil || about.refunded != nil || about.atOnce || about.allowed != ""
	read := balanceRead{Payment: about.refunded, Begin: true, Change: change, AccountAt: about.accountAt}
	var moved *Payment
	err = s.balance(ctx, request, tenant, about.booking, about.wallet, read,
		func(tx *db.BalanceTx, st balanceState, l locked) error {
			a, moved = nil, nil
			// the retried transaction had committed before
			if st.PaymentOfKey != nil && st.PaymentOfKey.PaymentID == id {
				a = &attempt{tenant: tenant, payment: *st.PaymentOfKey, refunded: st.Payment, send: true}
				return nil
			}
			if st.Begun {
				a, err = s.resume(tx, st, tenant)
				return err
			}
			if st.Booking == nil {
				return problem.Missing()
			}
			if about.allowed != "" {
				if err := about.allowed.Check("booking", st.Changing.Version+st.Changing.Movements); err != nil {
					return err
				}
			}
			n, err := newPayment(st, l.wallet)
			switch {
			// What the open payment holds may be what the wallet lacks.
			case st.Open != nil && (err == nil || problem.Is(err, problem.InsufficientFunds)):
				return booking.PaymentInProgress(st.Open, "a booking has one at a time.")
			case err != nil:
				return err
			}
			n.PaymentID = id
			if completesAtOnce(n) {
				if n.Provider == walletProvider {
					err = l.wallet.move(about.booking, n)
				}
				if err != nil {
					return err
				}
				p, err := insertSucceeded(tx, st, about.booking, n)
				if err != nil {
					return err
				}
				moved = &p
				if err := tx.Respond(p.made()); err != nil {
					return err
				}
				if p.pays() {
					return s.confirmPaidHold(tenant, st, l.hold)
				}
				return nil
			}
			n.LeasedUntil = st.Now.Add(s.lease())
			if n.RefundOf == nil && n.CancelAt == nil {
				n.CancelAt = new(st.Now.Add(s.cfg.Timeout))
			}
			tx.BeginKey()
			a = &attempt{tenant: tenant, send: true, payment: insertPayment(tx, about.booking, n, st.Now),
				refunded: st.Payment}
			if n.WalletAmount != nil {
				if err := l.wallet.hold(about.booking, n); err != nil {
					return err
				}
			}
			if n.RefundOf != nil {
				return recordMoney(tx, st, Payment{}, fromRow(a.payment), 0)
			}
			return nil
		})
	if err == nil && moved != nil {
		s.report(ctx, recorded{payment: *moved, changed: true})
	}
	return a, err
}

func stillRunning(left time.Duration) error {
	return problem.New(problem.RequestInProgress,
		"A request with the same Idempotency-Key is still running.").Retry(left)
}

// resume assigns the payment of an earlier request with the same key to this request. It fails while the earlier
// request still has its lease.
func (s *Service) resume(tx *db.BalanceTx, st balanceState, tenant uuid.UUID) (*attempt, error) {
	if st.PaymentOfKey == nil || st.Booking == nil { // it pays for another booking
		return nil, stillRunning(time.Second)
	}
	p := *st.PaymentOfKey
	left := p.LeasedUntil.Sub(st.Now)
	if p.RefundOf != nil && (st.Payment == nil || st.Payment.PaymentID != *p.RefundOf) {
		left = time.Second // an earlier request with the key began another refund after this one chose a payment
	}
	if left > 0 {
		return nil, stillRunning(left)
	}
	if p.Provider == offlineProvider { // a server of 0.1.0 began it
		return nil, problem.New(problem.InvalidState,
			"The refund waits for a person, who completes it once the money was handed back.")
	}
	provider, err := s.provider(p.Provider)
	if err != nil {
		return nil, err
	}
	a := &attempt{tenant: tenant, refunded: st.Payment, resumed: true, cancel: cancelDue(p, st.Now)}
	// Processing payments are only looked up. So are unknown ones older than AbsentAfter: a provider can repeat the
	// same error for a key, and each sending restarts the time after which an absent order counts as not carried out. A
	// payment is not sent again if its booking accepts no payments or if it must be cancelled.
	age, unknown := st.Now.Sub(p.FirstSentAt), p.Status == string(StatusUnknown)
	a.send = !a.cancel && p.Status != string(StatusProcessing) && age < s.resendWindow(provider) &&
		(!unknown || age < s.cfg.AbsentAfter) &&
		(p.RefundOf != nil || payableStill(st, p))
	p.Fence++
	p.LeasedUntil = st.Now.Add(s.lease())
	if a.send {
		p.LastSentAt = st.Now
	}
	takePayment(tx, p, st.PaymentOfKey.Fence)
	a.payment = p
	return a, nil
}
