package stripe

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"
	api "github.com/stripe/stripe-go/v85"

	"holdfast/internal/payment"
)

// clockSkew is how far Stripe's clock may be from ours.
const clockSkew = 5 * time.Minute

// pageSize is the most that Stripe gives at once.
const pageSize = 100

// Charge makes a PaymentIntent and confirms it. Its Outcome.ProviderID is the PaymentIntent's id, "pi_…".
func (p *Provider) Charge(ctx context.Context, o payment.ChargeOrder) (payment.Outcome, error) {
	amount, err := toStripe(o.Amount, o.Currency)
	if err == nil && o.Key == "" {
		err = errors.New("without an idempotency key")
	}
	if err != nil {
		return payment.Outcome{}, &payment.NotDone{Err: fmt.Errorf("stripe: charge: %w", err)}
	}
	params := &api.PaymentIntentCreateParams{
		Amount:   api.Int64(amount),
		Currency: api.String(strings.ToLower(o.Currency)),
		AutomaticPaymentMethods: &api.PaymentIntentCreateAutomaticPaymentMethodsParams{
			Enabled:        api.Bool(true),
			AllowRedirects: api.String("never"),
		},
		// At once, and not soon after as is Stripe's default, so that Stripe's journal has it when we do.
		CaptureMethod: api.String("automatic"),
		Confirm:       api.Bool(true),
		Metadata:      metadata(o.Reference, paymentField),
		PaymentMethod: api.String(o.Method),
	}
	if o.Description != "" {
		params.Description = api.String(o.Description)
	}
	if p.returnURL != "" {
		params.AutomaticPaymentMethods.AllowRedirects = api.String("always")
		params.ReturnURL = api.String(p.returnURL)
	}
	params.SetIdempotencyKey(o.Key)

	watching, connected := traceConnection(ctx)
	pi, err := p.client.V1PaymentIntents.Create(watching, params)
	switch e := stripeError(err); {
	case err == nil && isReplay(pi.LastResponse):
		return p.FindCharge(ctx, o.Reference, pi.ID)
	case err == nil:
		return p.finalOutcome(ctx, pi)
	case e != nil && e.HTTPStatusCode < http.StatusConflict && e.PaymentIntent != nil && e.PaymentIntent.ID != "":
		return p.cancelIntent(ctx, e.PaymentIntent.ID, e)
	case isDecline(e):
		return declinedOutcome(&api.PaymentIntent{LatestCharge: &api.Charge{}}, e), nil
	}
	return payment.Outcome{}, failure(err, connected())
}

// FindCharge looks a charge up, by Stripe's id if it is known, else in the list of charges made since ref.ID, which
// must be a UUIDv7. It ends a charge that was declined but could be tried again.
func (p *Provider) FindCharge(ctx context.Context, ref payment.Reference, providerID string) (payment.Outcome, error) {
	pi, err := p.findIntent(ctx, ref, providerID)
	switch {
	case err != nil:
		return payment.Outcome{}, err
	case pi == nil:
		return payment.Outcome{Result: payment.Absent}, nil
	}
	return p.finalOutcome(ctx, pi)
}

// CancelCharge cancels a PaymentIntent, which is found as by FindCharge. Stripe cancels none that is processing.
func (p *Provider) CancelCharge(ctx context.Context, ref payment.Reference, providerID string) (payment.Outcome, error) {
	pi, err := p.findIntent(ctx, ref, providerID)
	switch {
	case err != nil:
		return payment.Outcome{}, err
	case pi == nil:
		return payment.Outcome{Result: payment.Absent}, nil
	}
	switch pi.Status {
	case api.PaymentIntentStatusSucceeded, api.PaymentIntentStatusCanceled:
		return chargeOutcome(pi, nil)
	case api.PaymentIntentStatusRequiresPaymentMethod:
		return p.cancelIntent(ctx, pi.ID, pi.LastPaymentError)
	default:
		return p.cancelIntent(ctx, pi.ID, nil)
	}
}

// findIntent returns the intent of a reference, nil if there is none.
func (p *Provider) findIntent(ctx context.Context, ref payment.Reference, providerID string) (*api.PaymentIntent, error) {
	if providerID != "" {
		pi, err := p.client.V1PaymentIntents.Retrieve(ctx, providerID, &api.PaymentIntentRetrieveParams{Expand: expandCharge()})
		if err != nil {
			return nil, fmt.Errorf("look up a charge: %w", safeError(err))
		}
		return pi, nil
	}
	made, err := createdAt(ref.ID)
	if err != nil {
		return nil, err
	}
	list := p.client.V1PaymentIntents.List(ctx, &api.PaymentIntentListParams{
		ListParams: api.ListParams{Limit: api.Int64(pageSize)},
		// Without an end, since the first sending may be late: to find nothing too soon would be worse than to look long.
		CreatedRange: &api.RangeQueryParams{GreaterThanOrEqual: made.Add(-clockSkew).Unix()},
		Expand:       []*string{api.String("data.latest_charge")},
	})
	for pi, err := range list.All(ctx) {
		if err != nil {
			return nil, fmt.Errorf("look for a charge: %w", safeError(err))
		}
		if found, ok := reference(pi.Metadata, paymentField); ok && found == ref {
			return pi, nil
		}
	}
	return nil, nil //nolint:nilnil // that there is none is no error
}

// finalOutcome says what became of an intent, and first ends one that was declined and could be confirmed again.
func (p *Provider) finalOutcome(ctx context.Context, pi *api.PaymentIntent) (payment.Outcome, error) {
	if pi.Status == api.PaymentIntentStatusRequiresPaymentMethod && pi.LastPaymentError != nil {
		return p.cancelIntent(ctx, pi.ID, pi.LastPaymentError)
	}
	return chargeOutcome(pi, nil)
}

// cancelIntent cancels an intent, so that its end is final. When Stripe has already ended it, or the customer was faster, that
// counts; so does that Stripe can't end it now. cause is the error that declined it, or nil.
func (p *Provider) cancelIntent(ctx context.Context, id string, cause *api.Error) (payment.Outcome, error) {
	pi, err := p.client.V1PaymentIntents.Cancel(ctx, id, &api.PaymentIntentCancelParams{
		CancellationReason: api.String(string(api.PaymentIntentCancellationReasonAbandoned)),
		Expand:             expandCharge(),
	})
	if e := stripeError(err); e != nil && e.Code == api.ErrorCodePaymentIntentUnexpectedState {
		pi, err = p.client.V1PaymentIntents.Retrieve(ctx, id, &api.PaymentIntentRetrieveParams{Expand: expandCharge()})
	}
	if err != nil {
		return payment.Outcome{}, fmt.Errorf("cancel a charge: %w", safeError(err))
	}
	return chargeOutcome(pi, cause)
}

// chargeOutcome is what an intent's status means. cause is the error of its last attempt, where it is known better than
// from the intent.
func chargeOutcome(pi *api.PaymentIntent, cause *api.Error) (payment.Outcome, error) {
	o := payment.Outcome{Result: payment.Processing, ProviderID: pi.ID}
	switch pi.Status {
	case api.PaymentIntentStatusSucceeded:
		amount, err := fromStripe(pi.AmountReceived, pi.Currency)
		if err != nil {
			return payment.Outcome{}, err
		}
		o.Result, o.Amount = payment.Succeeded, amount
		return o, nil
	case api.PaymentIntentStatusCanceled:
		return declinedOutcome(pi, cause), nil
	case api.PaymentIntentStatusRequiresAction:
		o.ClientSecret = pi.ClientSecret
		if pi.NextAction != nil && pi.NextAction.RedirectToURL != nil {
			o.ActionURL = pi.NextAction.RedirectToURL.URL
		}
		return o, nil
	case api.PaymentIntentStatusProcessing, api.PaymentIntentStatusRequiresConfirmation,
		api.PaymentIntentStatusRequiresPaymentMethod:
		return o, nil
	default:
		return payment.Outcome{}, fmt.Errorf("stripe: payment intent %q has the unexpected status %q", pi.ID, pi.Status)
	}
}

// expandCharge asks for the intent's last charge, which has the issuer's advice.
func expandCharge() []*string { return []*string{api.String("latest_charge")} }

// isReplay tells an answer that Stripe gave before and kept under the idempotency key.
func isReplay(r *api.APIResponse) bool {
	return r != nil && r.Header.Get("Idempotent-Replayed") == "true"
}

// createdAt is the time in a UUIDv7.
func createdAt(id uuid.UUID) (time.Time, error) {
	if id.Version() != 7 {
		return time.Time{}, errors.New("stripe: a charge without a known id can only be looked for by a UUIDv7")
	}
	return time.Unix(id.Time().UnixTime()), nil
}
