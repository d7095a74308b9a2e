package stripe

import (
	"cmp"
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

// clockSkew is the largest expected difference between Stripe's clock and ours.
const clockSkew = 5 * time.Minute

// pageSize is the largest page that Stripe returns.
const pageSize = 100

// Charge creates and confirms a PaymentIntent. Outcome.ProviderID is its id, "pi_…". With a Checkout it creates a
// Checkout Session.
func (p *Provider) Charge(ctx context.Context, order payment.ChargeOrder) (payment.Outcome, error) {
	amount, err := toStripe(order.Amount, order.Currency)
	fee, feeErr := feeToStripe(order.ApplicationFee, order.Currency)
	if err == nil && order.Key == "" {
		err = errors.New("without an idempotency key")
	}
	if err = cmp.Or(err, feeErr); err != nil {
		return payment.Outcome{}, &payment.NotDone{Err: fmt.Errorf("stripe: charge: %w", err)}
	}
	if order.Checkout != nil {
		return p.openSession(ctx, order, amount, fee)
	}
	params := &api.PaymentIntentCreateParams{
		Amount:   api.Int64(amount),
		Currency: api.String(strings.ToLower(order.Currency)),
		AutomaticPaymentMethods: &api.PaymentIntentCreateAutomaticPaymentMethodsParams{
			Enabled:        api.Bool(true),
			AllowRedirects: api.String("never"),
		},
		// Capture synchronously, unlike Stripe's default, so that Stripe's journal has the charge when Charge returns.
		CaptureMethod: api.String("automatic"),
		Confirm:       api.Bool(true),
		Metadata:      metadata(order.Reference, paymentField, order.Metadata),
		PaymentMethod: api.String(order.Method),
	}
	if order.Description != "" {
		params.Description = api.String(order.Description)
	}
	if p.cfg.ReturnURL != "" {
		params.AutomaticPaymentMethods.AllowRedirects = api.String("always")
		params.ReturnURL = api.String(p.cfg.ReturnURL)
	}
	if fee > 0 {
		params.ApplicationFeeAmount = api.Int64(fee)
	}
	params.SetIdempotencyKey(order.Key)

	watching, connected := traceConnection(ctx)
	pi, err := p.client.V1PaymentIntents.Create(watching, params)
	switch e := stripeError(err); {
	case err == nil && isReplay(pi.LastResponse):
		return p.FindCharge(ctx, order.Reference, pi.ID)
	case err == nil:
		return p.finalOutcome(ctx, pi)
	case e != nil && e.HTTPStatusCode < http.StatusConflict && e.PaymentIntent != nil && e.PaymentIntent.ID != "":
		return p.cancelIntent(ctx, e.PaymentIntent.ID, e)
	case isDecline(e):
		return declinedOutcome(&api.PaymentIntent{LatestCharge: &api.Charge{}}, e), nil
	}
	return payment.Outcome{}, failure(err, connected())
}

// FindCharge looks up a charge by Stripe's id, or if that is unknown in the lists of charges and of Checkout Sessions
// created since ref.ID, which must be a UUIDv7. It cancels a charge that was declined but could be tried again, except
// one of an open session.
func (p *Provider) FindCharge(ctx context.Context, ref payment.Reference, providerID string) (payment.Outcome, error) {
	pi, session, err := p.find(ctx, ref, providerID)
	switch {
	case err != nil:
		return payment.Outcome{}, err
	case session != nil:
		return sessionOutcome(session)
	case pi == nil:
		return payment.Outcome{Result: payment.Absent}, nil
	}
	return p.finalOutcome(ctx, pi)
}

// CancelCharge cancels a PaymentIntent, or expires a Checkout Session, which it finds as FindCharge does. Stripe can't
// cancel an intent that is processing.
func (p *Provider) CancelCharge(ctx context.Context, ref payment.Reference, providerID string,
) (payment.Outcome, error) {
	pi, session, err := p.find(ctx, ref, providerID)
	switch {
	case err != nil:
		return payment.Outcome{}, err
	case session != nil:
		return p.expireSession(ctx, session)
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

// find returns the intent of a reference, or the session if the customer pays on Stripe's page; both are nil if there
// is neither. An intent that succeeded needs no session.
func (p *Provider) find(ctx context.Context, ref payment.Reference, providerID string,
) (pi *api.PaymentIntent, session *api.CheckoutSession, err error) {
	if strings.HasPrefix(providerID, sessionPrefix) {
		session, err = p.retrieveSession(ctx, providerID)
		return nil, session, err
	}
	pi, err = p.findIntent(ctx, ref, providerID)
	switch {
	case err != nil:
	case pi == nil:
		session, err = p.findSession(ctx, ref)
	case ofCheckout(pi) && pi.Status != api.PaymentIntentStatusSucceeded:
		session, err = p.sessionOf(ctx, ref, pi)
	}
	return pi, session, err
}

// findIntent returns the intent of a reference, or nil.
func (p *Provider) findIntent(ctx context.Context, ref payment.Reference, providerID string,
) (*api.PaymentIntent, error) {
	if providerID != "" {
		pi, err := p.client.V1PaymentIntents.Retrieve(ctx, providerID,
			&api.PaymentIntentRetrieveParams{Expand: expandCharge()})
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
		// There is no upper bound: the first sending can be late, and a wrong Absent is worse than a long search.
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
	return nil, nil //nolint:nilnil // nil is a valid result
}

// finalOutcome returns an intent's outcome. It first cancels an intent that was declined but could be confirmed again.
func (p *Provider) finalOutcome(ctx context.Context, pi *api.PaymentIntent) (payment.Outcome, error) {
	if pi.Status == api.PaymentIntentStatusRequiresPaymentMethod && pi.LastPaymentError != nil {
		return p.cancelIntent(ctx, pi.ID, pi.LastPaymentError)
	}
	return chargeOutcome(pi, nil)
}

// cancelIntent cancels an intent, so that its state is final. If Stripe rejects the cancellation, the intent's present
// state is returned: it ended before, the customer was faster, or Stripe can't cancel it now. cause is the error that
// declined it, or nil.
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

// chargeOutcome converts an intent's status. cause is the error of its last attempt, if the caller has it.
func chargeOutcome(pi *api.PaymentIntent, cause *api.Error) (payment.Outcome, error) {
	outcome := payment.Outcome{Result: payment.Processing, ProviderID: pi.ID}
	switch pi.Status {
	case api.PaymentIntentStatusSucceeded:
		amount, err := fromStripe(pi.AmountReceived, pi.Currency)
		if err != nil {
			return payment.Outcome{}, err
		}
		outcome.Result, outcome.Amount, outcome.Currency = payment.Succeeded, amount, isoCode(pi.Currency)
		return outcome, nil
	case api.PaymentIntentStatusCanceled:
		return declinedOutcome(pi, cause), nil
	case api.PaymentIntentStatusRequiresAction:
		outcome.ClientSecret = pi.ClientSecret
		if pi.NextAction != nil && pi.NextAction.RedirectToURL != nil {
			outcome.ActionURL = pi.NextAction.RedirectToURL.URL
		}
		return outcome, nil
	case api.PaymentIntentStatusProcessing, api.PaymentIntentStatusRequiresConfirmation,
		api.PaymentIntentStatusRequiresPaymentMethod:
		return outcome, nil
	default:
		return payment.Outcome{}, fmt.Errorf("stripe: payment intent %q has the unexpected status %q", pi.ID, pi.Status)
	}
}

// expandCharge requests the intent's last charge, which has the issuer's advice.
func expandCharge() []*string { return []*string{api.String("latest_charge")} }

// isReplay reports whether Stripe returned the response that it stored under the idempotency key.
func isReplay(r *api.APIResponse) bool {
	return r != nil && r.Header.Get("Idempotent-Replayed") == "true"
}

// createdAt returns the time in a UUIDv7.
func createdAt(id uuid.UUID) (time.Time, error) {
	if id.Version() != 7 {
		return time.Time{}, errors.New("stripe: a charge without a known id can only be looked for by a UUIDv7")
	}
	return time.Unix(id.Time().UnixTime()), nil
}
