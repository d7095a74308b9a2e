package payment

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/booking"
	"holdfast/internal/db"
	"holdfast/internal/idempotency"
	"holdfast/internal/problem"
)

// recordResult runs the third phase: it records the call result and returns the response.
func (s *Service) recordResult(ctx context.Context, tenant uuid.UUID, p paymentRow,
	result callResult,
) (idempotency.Outcome, error) {
	rec, err := s.record(ctx, tenant, p, result)
	if err != nil || rec.payment.final() {
		return rec.outcome, err
	}
	if rec.deleted {
		return idempotency.Outcome{}, methodError(result.methodError())
	}
	var notDone *NotDone
	if errors.As(result.err, &notDone) && notDone.TryAgain {
		return idempotency.Outcome{}, problem.Wrap(result.err, problem.ProviderUnavailable,
			"The payment provider can't be reached, so nothing was sent to it now. "+
				"Repeat the request with the same Idempotency-Key.").Retry(5 * time.Second)
	}
	return rec.outcome, nil
}

// record records a call result, whatever became of the request that began the payment. Errors: problem.NotFound for an
// attempt that was deleted.
func (s *Service) record(ctx context.Context, tenant uuid.UUID, p paymentRow,
	result callResult,
) (rec recorded, err error) {
	read := balanceRead{Change: true, Payment: &p.PaymentID}
	err = s.balance(ctx, nil, tenant, p.BookingID, walletToChange(p), read,
		func(tx *db.BalanceTx, st balanceState, l locked) error {
			if st.Payment == nil || st.Booking == nil || st.Changing == nil {
				if rec = (recorded{deleted: result.methodError() != ""}); rec.deleted {
					return nil // this transaction is a retry, and the one before had deleted the attempt
				}
				return problem.Missing() // another request has deleted it: its payment method can't be used
			}
			rec, err = s.applyResult(tenant, tx, st, l, result)
			return err
		})
	if err == nil {
		s.report(ctx, rec)
	}
	return rec, err
}

// recorded is a payment after a call result was applied, with its response.
type recorded struct {
	payment Payment
	outcome idempotency.Outcome
	changed bool
	// fromWallet is the wallet's part of a payment by card that succeeded, nil if there is none.
	fromWallet *Payment
	// deleted: the payment method can't be used, and nothing is left of the attempt.
	deleted bool
	// contradicted: the provider reported success earlier and now reports failure, for example of a refund.
	contradicted bool
	// other is what the provider says it captured or refunded, if that isn't what was ordered; nil otherwise.
	other *Outcome
}

// report updates the metrics and logs what needs an operator.
func (s *Service) report(ctx context.Context, rec recorded) {
	if rec.changed && rec.payment.final() {
		s.metrics.completed.WithLabelValues(string(rec.payment.Kind), string(rec.payment.Status)).Inc()
	}
	if rec.fromWallet != nil {
		s.metrics.completed.WithLabelValues(string(rec.fromWallet.Kind), string(rec.fromWallet.Status)).Inc()
	}
	if rec.contradicted {
		s.metrics.contradictions.Inc()
		s.log.ErrorContext(ctx,
			"the provider reports the failure of a payment or refund after it reported success; a person has to look",
			"payment", rec.payment.ID, "booking", rec.payment.BookingID, "provider", rec.payment.Provider)
	}
	if rec.other != nil {
		s.metrics.contradictions.Inc()
		s.log.ErrorContext(
			ctx,
			"the provider reports another amount or currency than was ordered, so the payment or refund stays unknown; "+
				"a person has to look",
			"payment",
			rec.payment.ID,
			"booking",
			rec.payment.BookingID,
			"provider",
			rec.payment.Provider,
			"amount",
			rec.payment.Amount,
			"currency",
			rec.payment.Currency,
			"reported_amount",
			rec.other.Amount,
			"reported_currency",
			rec.other.Currency,
		)
	}
	if rec.changed && rec.payment.Automatic && rec.payment.Status == StatusDeclined {
		s.metrics.refundsDeclined.Inc()
		s.log.ErrorContext(ctx, "the provider refused an automatic refund; a person has to look",
			"refund", rec.payment.ID, "payment", rec.payment.RefundOf, "booking", rec.payment.BookingID, "provider",
			rec.payment.Provider)
	}
}

// applyResult applies a call result to st.Payment and queues the changes: the row, what the wallet pays, the stored
// response, and an automatic refund if the booking can't keep the payment. A payment that completes the deposit of a
// hold may confirm it. l has the payment's wallet if the outcome changes it. Errors: datesNeeded.
func (s *Service) applyResult(tenant uuid.UUID, tx *db.BalanceTx, st balanceState, l locked,
	result callResult,
) (recorded, error) {
	row, changed := result.apply(*st.Payment, s.backoff, st.Now)
	resolveInTime(&row, result, st.Now)
	if changed && row.Status == string(StatusDeclined) && result.methodError() != "" {
		return deleteAttempt(tx, l, row)
	}
	complete := changed && fromRow(row).final()
	var excess, refund int64
	if complete {
		excess, refund = toReturn(st, row)
	}
	var fromWallet *newPayment
	if complete && l.wallet != nil && walletToChange(row) != nil {
		var err error
		if row.Provider == walletProvider {
			err = l.wallet.ledger.Refund(l.wallet.wallet, row.Amount, row.BookingID, row.PaymentID)
		} else {
			fromWallet, err = l.wallet.endHold(&row, row.Status == string(StatusSucceeded) && excess == 0)
		}
		if err != nil {
			return recorded{}, err
		}
	}
	if changed {
		row.UpdatedAt = st.Now
		setPayment(tx, row)
	}
	rec := recorded{payment: fromRow(row), changed: changed}
	rec.contradicted = row.Status == string(StatusSucceeded) && result.err == nil && result.outcome.Result == Declined
	if result.differsFrom(row) {
		rec.other = &result.outcome
	}
	var err error
	if rec.outcome, err = rec.payment.made(); err != nil || !complete {
		return rec, err
	}
	if err := recordMoney(tx, st, fromRow(*st.Payment), rec.payment, refund); err != nil {
		return rec, err
	}
	if fromWallet != nil {
		p, err := insertSucceeded(tx, st, row.BookingID, *fromWallet)
		if err != nil {
			return rec, err
		}
		rec.fromWallet = &p
	}
	if row.IdempotencyKey != nil {
		tx.FinishKey(*row.IdempotencyKey, rec.outcome)
	}
	if refund > 0 {
		n := newRefund(&row, refund)
		n.PaymentID, n.Automatic, n.LeasedUntil = uuid.Must(uuid.NewV7()), true, st.Now // sent by the resolver
		insertPayment(tx, row.BookingID, n, st.Now)
	}
	if rec.payment.pays() && refund == 0 {
		return rec, s.confirmPaidHold(tenant, st, l.hold)
	}
	return rec, nil
}

// deleteAttempt queues that nothing is left of an attempt whose payment method can't be used. Of a wallet beside it,
// the entries stay that held its part and released it.
func deleteAttempt(tx *db.BalanceTx, l locked, row paymentRow) (recorded, error) {
	if l.wallet != nil && row.WalletHeld {
		if _, err := l.wallet.endHold(&row, false); err != nil {
			return recorded{}, err
		}
	}
	deletePayment(tx, row.PaymentID)
	return recorded{deleted: true}, nil
}

// toReturn returns by how much a payment that is complete now exceeds what its booking owes, and how much of it must be
// refunded. What a wallet holds for it counts as paid. Both are zero for a payment that the booking can keep.
//
// A booking that ended with a cancellation fee keeps its fee of the payment by card, without the wallet's part. In
// every other case the whole payment is refunded.
func toReturn(st balanceState, row paymentRow) (excess, refund int64) {
	if row.Status != string(StatusSucceeded) || row.RefundOf != nil {
		return 0, 0
	}
	all := row.Amount - st.Refunded
	if st.Payment.Status == string(StatusDeclined) { // the client may have received 402 for this payment
		return all, all
	}
	var held int64
	if row.WalletHeld {
		held = *row.WalletAmount
	}
	state, m := stateOf(*st.Booking), booking.Balance(st.Sum)
	excess = m.Kept() + row.Amount + held - state.Owed(st.Booking.Price, m, st.Now)
	switch {
	case excess <= 0:
		return 0, 0
	case state.Fee == nil:
		return excess, all
	}
	return excess, refundable(&row, all, max(excess-held, 0))
}
