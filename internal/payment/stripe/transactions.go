package stripe

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"time"

	api "github.com/stripe/stripe-go/v85"

	"holdfast/internal/payment"
)

// Stripe lists the newest transactions first, and Transactions returns the oldest first. So one interval is kept in
// memory at a time: a day, doubled after each interval without transactions.
const (
	day     = 24 * time.Hour
	maxDays = 365 * 100
)

// Transactions reads the journal of Stripe's balance, which has the time of each transaction. Amounts are those of its
// charges and refunds: the journal's own are in the currency of the bank account. Reversed ones, such as a refund that
// failed later, are left out.
func (p *Provider) Transactions(ctx context.Context, from, until time.Time,
) iter.Seq2[payment.ProviderTransaction, error] {
	return func(yield func(payment.ProviderTransaction, error) bool) {
		for span := day; from.Before(until); {
			end := from.Add(span)
			if end.After(until) {
				end = until
			}
			transactions, err := p.transactions(ctx, from, end)
			if err != nil {
				yield(payment.ProviderTransaction{}, err)
				return
			}
			for _, m := range slices.Backward(transactions) {
				if !yield(m, nil) {
					return
				}
			}
			from = end
			if span = min(2*span, maxDays*day); len(transactions) > 0 {
				span = day
			}
		}
	}
}

// transactions lists the transactions of [from, until), newest first.
func (p *Provider) transactions(ctx context.Context, from, until time.Time) ([]payment.ProviderTransaction, error) {
	var found []payment.ProviderTransaction
	list := p.client.V1BalanceTransactions.List(ctx, &api.BalanceTransactionListParams{
		ListParams: api.ListParams{Limit: api.Int64(pageSize)},
		// Stripe's bounds are whole seconds: the first one that isn't before the bound.
		CreatedRange: &api.RangeQueryParams{GreaterThanOrEqual: ceil(from), LesserThan: ceil(until)},
		Expand:       []*string{api.String("data.source")},
	})
	for t, err := range list.All(ctx) {
		if err != nil {
			return nil, fmt.Errorf("read Stripe's balance: %w", safeError(err))
		}
		m, ok, err := toTransaction(t)
		if err != nil {
			return nil, err
		}
		if ok {
			found = append(found, m)
		}
	}
	return found, nil
}

func ceil(t time.Time) int64 { return t.Add(time.Second - time.Nanosecond).Unix() }

// toTransaction converts an entry of the journal. ours is false for fees, payouts, reversals, and entries of other
// applications.
func toTransaction(t *api.BalanceTransaction) (_ payment.ProviderTransaction, ours bool, err error) {
	m := payment.ProviderTransaction{At: time.Unix(t.Created, 0).UTC()}
	if t.Source == nil {
		return m, false, nil
	}
	charge, refund := t.Source.Charge, t.Source.Refund
	switch t.Type {
	case api.BalanceTransactionTypeCharge, api.BalanceTransactionTypePayment:
		if charge == nil || charge.Status != api.ChargeStatusSucceeded || charge.PaymentIntent == nil {
			return m, false, nil
		}
		m.ProviderID, m.Currency = charge.PaymentIntent.ID, isoCode(charge.Currency)
		m.Reference, ours = reference(charge.Metadata, paymentField)
		m.Amount, err = fromStripe(charge.AmountCaptured, charge.Currency)
	case api.BalanceTransactionTypeRefund, api.BalanceTransactionTypePaymentRefund:
		if refund == nil || refund.Status != api.RefundStatusSucceeded {
			return m, false, nil
		}
		m.Refund, m.ProviderID, m.Currency = true, refund.ID, isoCode(refund.Currency)
		m.Reference, ours = reference(refund.Metadata, refundField)
		m.Amount, err = fromStripe(refund.Amount, refund.Currency)
	default:
	}
	if !ours {
		return m, false, nil
	}
	return m, true, err
}
