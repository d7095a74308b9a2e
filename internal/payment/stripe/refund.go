package stripe

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	api "github.com/stripe/stripe-go/v85"

	"holdfast/internal/payment"
)

// refundDeclines are the errors for a valid request whose refund Stripe declines.
var refundDeclines = []api.ErrorCode{
	api.ErrorCodeBalanceInsufficient,
	api.ErrorCodeChargeAlreadyRefunded,
	api.ErrorCodeChargeDisputed,
	api.ErrorCodeChargeNotRefundable,
	api.ErrorCodeInsufficientFunds,
	api.ErrorCodeRefundDisputedPayment,
}

// Refund creates a Refund of a PaymentIntent. Outcome.ProviderID is its id, "re_…". A refund that succeeded may fail
// later, when the customer's bank returns the amount.
func (p *Provider) Refund(ctx context.Context, order payment.RefundOrder) (payment.Outcome, error) {
	amount, err := toStripe(order.Amount, order.Currency)
	switch {
	case err != nil:
	case order.Key == "":
		err = errors.New("without an idempotency key")
	case order.ChargeID == "":
		err = errors.New("without a charge")
	}
	if err != nil {
		return payment.Outcome{}, &payment.NotDone{Err: fmt.Errorf("stripe: refund: %w", err)}
	}
	params := &api.RefundCreateParams{
		Amount:        api.Int64(amount),
		Metadata:      metadata(order.Reference, refundField, nil),
		PaymentIntent: api.String(order.ChargeID),
	}
	if order.ReturnFee {
		params.RefundApplicationFee = api.Bool(true)
	}
	params.SetIdempotencyKey(order.Key)

	watching, connected := traceConnection(ctx)
	r, err := p.client.V1Refunds.Create(watching, params)
	switch e := stripeError(err); {
	case err == nil && isReplay(r.LastResponse):
		return p.FindRefund(ctx, order.Reference, r.ID, order.ChargeID)
	case err == nil:
		return refundOutcome(r)
	case isDecline(e), e != nil && slices.Contains(refundDeclines, e.Code), exceedsCharge(e):
		return payment.Outcome{
			Result:      payment.Declined,
			DeclineCode: cmp.Or(string(e.Code), "amount_too_large"),
			TryAgain:    e.Code == api.ErrorCodeBalanceInsufficient || e.Code == api.ErrorCodeInsufficientFunds,
		}, nil
	}
	return payment.Outcome{}, failure(err, connected())
}

// exceedsCharge reports whether a refund exceeds the rest of its charge. Stripe has no code for that. All other errors
// of the amount were checked before sending.
func exceedsCharge(e *api.Error) bool {
	return e != nil && e.Type == api.ErrorTypeInvalidRequest && e.Param == "amount"
}

// FindRefund looks up a refund by Stripe's id, or if that is unknown among the charge's refunds.
func (p *Provider) FindRefund(ctx context.Context, ref payment.Reference, providerID, chargeID string,
) (payment.Outcome, error) {
	if providerID != "" {
		r, err := p.client.V1Refunds.Retrieve(ctx, providerID, nil)
		if err != nil {
			return payment.Outcome{}, fmt.Errorf("look up a refund: %w", safeError(err))
		}
		return refundOutcome(r)
	}
	if chargeID == "" {
		return payment.Outcome{}, errors.New("stripe: a refund without a known id can only be looked for by its charge")
	}
	list := p.client.V1Refunds.List(ctx, &api.RefundListParams{
		ListParams:    api.ListParams{Limit: api.Int64(pageSize)},
		PaymentIntent: api.String(chargeID),
	})
	for r, err := range list.All(ctx) {
		if err != nil {
			return payment.Outcome{}, fmt.Errorf("look for a refund: %w", safeError(err))
		}
		if found, ok := reference(r.Metadata, refundField); ok && found == ref {
			return refundOutcome(r)
		}
	}
	return payment.Outcome{Result: payment.Absent}, nil
}

// refundOutcome converts a refund's status. A refund that waits for the customer's bank details is Processing: Stripe
// contacts the customer.
func refundOutcome(r *api.Refund) (payment.Outcome, error) {
	outcome := payment.Outcome{ProviderID: r.ID}
	switch r.Status {
	case api.RefundStatusSucceeded:
		amount, err := fromStripe(r.Amount, r.Currency)
		if err != nil {
			return payment.Outcome{}, err
		}
		outcome.Result, outcome.Amount, outcome.Currency = payment.Succeeded, amount, isoCode(r.Currency)
	case api.RefundStatusPending, api.RefundStatusRequiresAction:
		outcome.Result = payment.Processing
	case api.RefundStatusFailed, api.RefundStatusCanceled:
		outcome.Result, outcome.DeclineCode = payment.Declined, string(r.FailureReason)
		if outcome.DeclineCode == "" {
			outcome.DeclineCode = string(r.Status)
		}
		outcome.TryAgain = outcome.DeclineCode == "insufficient_funds"
	default:
		return payment.Outcome{}, fmt.Errorf("stripe: refund %q has the unexpected status %q", r.ID, r.Status)
	}
	return outcome, nil
}
