package stripe

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	api "github.com/stripe/stripe-go/v85"

	"holdfast/internal/payment"
)

// The bounds of a Checkout Session's end, counted from its creation at Stripe.
const (
	shortestSession = 30 * time.Minute
	longestSession  = 24 * time.Hour
)

// sessionPrefix begins the ids of Checkout Sessions. Those of PaymentIntents begin with "pi_".
const sessionPrefix = "cs_"

// openSession creates a Checkout Session. Outcome.ProviderID is its id, "cs_…", until the charge has succeeded; then it
// is that of the PaymentIntent, which Stripe creates when the customer pays.
func (p *Provider) openSession(ctx context.Context, order payment.ChargeOrder, amount, fee int64,
) (payment.Outcome, error) {
	end, err := sessionEnd(order)
	if err != nil {
		return payment.Outcome{}, &payment.NotDone{Err: err}
	}
	description := cmp.Or(order.Description, "Payment") // Stripe's page needs one
	intent := metadata(order.Reference, paymentField, order.Metadata)
	intent[checkoutField] = "true"
	params := &api.CheckoutSessionCreateParams{
		Mode:              api.String(string(api.CheckoutSessionModePayment)),
		ClientReferenceID: api.String(order.Reference.ID.String()),
		Metadata:          metadata(order.Reference, paymentField, order.Metadata),
		SuccessURL:        api.String(order.Checkout.ReturnURL),
		CancelURL:         api.String(cmp.Or(order.Checkout.CancelURL, order.Checkout.ReturnURL)),
		ExpiresAt:         api.Int64(end.Unix()),
		LineItems: []*api.CheckoutSessionCreateLineItemParams{{
			Quantity: api.Int64(1),
			PriceData: &api.CheckoutSessionCreateLineItemPriceDataParams{
				Currency: api.String(strings.ToLower(order.Currency)), UnitAmount: api.Int64(amount),
				ProductData: &api.CheckoutSessionCreateLineItemPriceDataProductDataParams{Name: api.String(description)},
			},
		}},
		PaymentIntentData: &api.CheckoutSessionCreatePaymentIntentDataParams{
			CaptureMethod: api.String("automatic"), Description: api.String(description), Metadata: intent,
		},
	}
	if fee > 0 {
		params.PaymentIntentData.ApplicationFeeAmount = api.Int64(fee)
	}
	params.SetIdempotencyKey(order.Key)

	watching, connected := traceConnection(ctx)
	session, err := p.client.V1CheckoutSessions.Create(watching, params)
	switch {
	case err == nil && isReplay(session.LastResponse):
		return p.FindCharge(ctx, order.Reference, session.ID)
	case err == nil:
		return sessionOutcome(session)
	}
	err = failure(err, connected())
	if notDone, ok := errors.AsType[*payment.NotDone](err); ok {
		notDone.Method = "" // the order has no payment method
	}
	return payment.Outcome{}, err
}

// sessionEnd returns the end of a session that Stripe accepts and that is nearest to the order's. It is the same for
// each sending of the order. The margin is for clocks that differ and for a sending that is late.
func sessionEnd(order payment.ChargeOrder) (time.Time, error) {
	made, err := createdAt(order.Reference.ID)
	end, shortest, longest := order.Checkout.ExpiresAt, made.Add(shortestSession+clockSkew),
		made.Add(longestSession-clockSkew)
	switch {
	case end.Before(shortest):
		end = shortest
	case end.After(longest):
		end = longest
	}
	return end, err
}

// findSession returns the session of a reference, or nil.
func (p *Provider) findSession(ctx context.Context, ref payment.Reference) (*api.CheckoutSession, error) {
	made, err := createdAt(ref.ID)
	if err != nil {
		return nil, err
	}
	return p.firstSession(ctx, ref, &api.CheckoutSessionListParams{
		CreatedRange: &api.RangeQueryParams{GreaterThanOrEqual: made.Add(-clockSkew).Unix()},
	})
}

// sessionOf returns the session that a PaymentIntent of a reference belongs to.
func (p *Provider) sessionOf(ctx context.Context, ref payment.Reference, pi *api.PaymentIntent,
) (*api.CheckoutSession, error) {
	session, err := p.firstSession(ctx, ref, &api.CheckoutSessionListParams{PaymentIntent: api.String(pi.ID)})
	if err == nil && session == nil {
		err = fmt.Errorf("stripe: the payment intent %q has no checkout session", pi.ID)
	}
	return session, err
}

func (p *Provider) firstSession(ctx context.Context, ref payment.Reference, query *api.CheckoutSessionListParams,
) (*api.CheckoutSession, error) {
	query.Limit = api.Int64(pageSize)
	query.Expand = []*string{api.String("data.payment_intent.latest_charge")}
	for session, err := range p.client.V1CheckoutSessions.List(ctx, query).All(ctx) {
		if err != nil {
			return nil, fmt.Errorf("look for a checkout session: %w", safeError(err))
		}
		if found, ok := reference(session.Metadata, paymentField); ok && found == ref {
			return session, nil
		}
	}
	return nil, nil //nolint:nilnil // nil is a valid result
}

func (p *Provider) retrieveSession(ctx context.Context, id string) (*api.CheckoutSession, error) {
	session, err := p.client.V1CheckoutSessions.Retrieve(ctx, id,
		&api.CheckoutSessionRetrieveParams{Expand: expandIntent()})
	if err != nil {
		return nil, fmt.Errorf("look up a checkout session: %w", safeError(err))
	}
	return session, nil
}

// expireSession ends a session's page, so that the customer can't pay any more. A session that isn't open stays as it
// is: the customer was faster, or it ended before.
func (p *Provider) expireSession(ctx context.Context, session *api.CheckoutSession) (payment.Outcome, error) {
	if session.Status == api.CheckoutSessionStatusOpen {
		expired, err := p.client.V1CheckoutSessions.Expire(ctx, session.ID,
			&api.CheckoutSessionExpireParams{Expand: expandIntent()})
		e := stripeError(err)
		switch {
		case err == nil:
			session = expired
		case e == nil || e.HTTPStatusCode != http.StatusBadRequest:
			return payment.Outcome{}, fmt.Errorf("expire a checkout session: %w", safeError(err))
		default:
			refusal := err
			if session, err = p.retrieveSession(ctx, session.ID); err != nil {
				return payment.Outcome{}, err
			}
			if session.Status == api.CheckoutSessionStatusOpen {
				return payment.Outcome{}, fmt.Errorf("expire a checkout session: %w", safeError(refusal))
			}
		}
	}
	return sessionOutcome(session)
}

// sessionOutcome converts a session's status. The session has its whole PaymentIntent, if there is one.
//
// An open session takes further tries after a decline, so only one that isn't open is declined. Stripe doesn't let its
// PaymentIntent be cancelled: nothing can be paid by the intent any more once the session isn't open, except what is
// processing.
func sessionOutcome(session *api.CheckoutSession) (payment.Outcome, error) {
	outcome := payment.Outcome{Result: payment.Processing, ProviderID: session.ID}
	pi := session.PaymentIntent
	if pi != nil && pi.Status == api.PaymentIntentStatusSucceeded {
		return chargeOutcome(pi, nil)
	}
	switch session.Status {
	case api.CheckoutSessionStatusOpen:
		outcome.ActionURL = session.URL
		return outcome, nil
	case api.CheckoutSessionStatusExpired:
		if pi == nil || pi.Status != api.PaymentIntentStatusProcessing {
			outcome.Result, outcome.DeclineCode, outcome.TryAgain = payment.Declined, payment.Cancelled, true
		}
		return outcome, nil
	case api.CheckoutSessionStatusComplete:
		if pi != nil && (pi.Status == api.PaymentIntentStatusRequiresPaymentMethod ||
			pi.Status == api.PaymentIntentStatusCanceled) {
			outcome = declinedOutcome(pi, nil)
			outcome.ProviderID = session.ID
		}
		return outcome, nil // else a payment that takes days
	default:
		return payment.Outcome{},
			fmt.Errorf("stripe: checkout session %q has the unexpected status %q", session.ID, session.Status)
	}
}

// sessionEvent returns what a webhook says of a session, whose PaymentIntent it only names. What it doesn't say is
// Processing, so that it is looked up.
func sessionEvent(session *api.CheckoutSession) (payment.Outcome, error) {
	outcome := payment.Outcome{Result: payment.Processing, ProviderID: session.ID}
	switch {
	case session.Status == api.CheckoutSessionStatusComplete &&
		session.PaymentStatus == api.CheckoutSessionPaymentStatusPaid &&
		session.PaymentIntent != nil:
		amount, err := fromStripe(session.AmountTotal, session.Currency)
		outcome.Result, outcome.ProviderID = payment.Succeeded, session.PaymentIntent.ID
		outcome.Amount, outcome.Currency = amount, isoCode(session.Currency)
		return outcome, err
	case session.Status == api.CheckoutSessionStatusExpired && session.PaymentIntent == nil:
		return sessionOutcome(session)
	}
	return outcome, nil
}

// expandIntent requests a session's PaymentIntent and its last charge.
func expandIntent() []*string { return []*string{api.String("payment_intent.latest_charge")} }

// ofCheckout reports whether a PaymentIntent belongs to a Checkout Session.
func ofCheckout(pi *api.PaymentIntent) bool { return pi.Metadata[checkoutField] != "" }
