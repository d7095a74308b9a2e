package payment

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/idempotency"
	"holdfast/internal/lock"
	"holdfast/internal/problem"
	"holdfast/internal/store"
)

// recordResult runs the third phase: it records the call result and returns the response.
func (s *Service) recordResult(ctx context.Context, tenant uuid.UUID, p store.Payment, result callResult) (idempotency.Response, error) {
	rec, err := s.record(ctx, tenant, p, "", result, nil)
	if err != nil || rec.payment.final() {
		return rec.response, err
	}
	var notDone *NotDone
	if errors.As(result.err, &notDone) && notDone.TryAgain {
		return idempotency.Response{}, problem.Wrap(result.err, problem.ProviderUnavailable, "The payment provider can't be reached, so nothing was sent to it now. "+
			"Repeat the request with the same Idempotency-Key.").Retry(5 * time.Second)
	}
	return rec.response, nil
}

// record records a call result. then, if any, runs in the same transaction; it sees the response that is stored under key.
func (s *Service) record(ctx context.Context, tenant uuid.UUID, p store.Payment, key string, result callResult,
	then func(*store.BalanceTx, store.BalanceState, Payment),
) (rec recorded, err error) {
	read := store.BalanceRead{Key: key, Payment: &p.PaymentID}
	err = s.store.Balance(ctx, lock.Balance(tenant, p.BookingID), read, func(tx *store.BalanceTx, st store.BalanceState) error {
		if st.Payment == nil || st.Booking == nil {
			return fmt.Errorf("payment: %s of tenant %s is gone", p.PaymentID, tenant)
		}
		if rec, err = s.applyResult(tx, st, result); err == nil && then != nil {
			then(tx, st, rec.payment)
		}
		return err
	})
	if err == nil {
		s.report(rec)
	}
	return rec, err
}

// recorded is a payment after a call result was applied, with its response.
type recorded struct {
	payment  Payment
	response idempotency.Response
	changed  bool
	// contradicted: the provider reported success earlier and now reports failure, for example of a refund.
	contradicted bool
}

// report updates the metrics and logs what needs an operator.
func (s *Service) report(rec recorded) {
	if rec.changed && rec.payment.final() {
		s.metrics.completed.WithLabelValues(string(rec.payment.Kind), string(rec.payment.Status)).Inc()
	}
	if rec.contradicted {
		s.metrics.contradictions.Inc()
		s.log.Error("the provider reports the failure of a payment or refund after it reported success; a person has to look",
			"payment", rec.payment.ID, "booking", rec.payment.BookingID, "provider", rec.payment.Provider)
	}
	if rec.changed && rec.payment.Automatic && rec.payment.Status == StatusDeclined {
		s.log.Error("the provider refused an automatic refund; a person has to look",
			"refund", rec.payment.ID, "payment", rec.payment.RefundOf, "booking", rec.payment.BookingID, "provider", rec.payment.Provider)
	}
}

// applyResult applies a call result to st.Payment and queues the changes: the row, the stored response, and an automatic
// refund if the booking can't keep the payment.
func (s *Service) applyResult(tx *store.BalanceTx, st store.BalanceState, result callResult) (recorded, error) {
	row, changed := result.apply(*st.Payment, s.backoff, st.Now)
	s.resolveInTime(&row, result, st.Now)
	if changed {
		row.UpdatedAt = st.Now
		tx.SetPayment(row)
	}
	rec := recorded{payment: fromRow(row), changed: changed}
	rec.contradicted = row.Status == string(StatusSucceeded) && result.err == nil && result.outcome.Result == Declined
	var err error
	if rec.response, err = rec.payment.response(); err != nil || !changed || !rec.payment.final() {
		return rec, err
	}
	if row.IdempotencyKey != nil {
		tx.FinishKey(*row.IdempotencyKey, idempotency.Request{}.Record(rec.response, st.Now))
	}
	if rec.payment.Status == StatusSucceeded && row.RefundOf == nil {
		sum := st.Sum
		sum.Paid += row.Amount
		// The client may have received 402 for this payment.
		wasDeclined := st.Payment.Status == string(StatusDeclined)
		if wasDeclined || mustRefund(*st.Booking, summarize(*st.Booking, sum, st.Now), st.Now) {
			tx.InsertPayment(store.NewPayment{
				PaymentID: uuid.Must(uuid.NewV7()), RefundOf: &row.PaymentID, Kind: string(Refund), Amount: row.Amount - st.Refunded, Currency: row.Currency,
				Provider: row.Provider, Automatic: true, LeasedUntil: st.Now, // sent by the resolver
			})
		}
	}
	return rec, nil
}
