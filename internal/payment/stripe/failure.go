package stripe

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"

	api "github.com/stripe/stripe-go/v85"

	"holdfast/internal/payment"
)

// traceConnection returns a context that notes whether a request got a connection to Stripe. One that got none was not sent;
// of any other, what became of it is open. The text of the error can't tell: net/http sends a request with
// an idempotency key once more when a kept connection breaks, so that a refused connection may be the second try.
func traceConnection(ctx context.Context) (_ context.Context, connected func() bool) {
	var got atomic.Bool
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(httptrace.GotConnInfo) { got.Store(true) },
	}), got.Load
}

// failure is what an order's error means: *payment.NotDone when Stripe wasn't reached or refused to look at the order,
// else any other error, for unknown.
func failure(err error, connected bool) error {
	e := stripeError(err)
	switch {
	case e == nil && !connected:
		return &payment.NotDone{TryAgain: true, Err: safeError(err)}
	case e == nil:
		return safeError(err)
	}
	switch e.HTTPStatusCode {
	case http.StatusTooManyRequests:
		return &payment.NotDone{TryAgain: true, Err: safeError(err)}
	case http.StatusUnauthorized, http.StatusForbidden:
		return &payment.NotDone{Err: safeError(err)}
	case http.StatusBadRequest, http.StatusNotFound:
		if e.Type == api.ErrorTypeInvalidRequest || e.Type == api.ErrorTypeIdempotency {
			return &payment.NotDone{Method: methodError(e), Err: safeError(err)}
		}
	}
	// 409: the first sending of the same key is still at work. 5xx: it may have been carried out.
	return safeError(err)
}

// unusableMethodCodes has the codes with which Stripe says that a payment method exists and can't be used for the charge.
var unusableMethodCodes = []api.ErrorCode{
	api.ErrorCodePaymentIntentIncompatiblePaymentMethod,
	api.ErrorCodePaymentMethodBillingDetailsAddressMissing,
	api.ErrorCodePaymentMethodCurrencyMismatch,
	api.ErrorCodePaymentMethodInvalidParameter,
	api.ErrorCodePaymentMethodInvalidParameterTestmode,
	api.ErrorCodePaymentMethodUnexpectedState,
	api.ErrorCodePaymentMethodUnsupportedType,
}

// methodError returns what is wrong with the payment method of a refused request, empty when something else is.
func methodError(e *api.Error) payment.MethodError {
	const param = "payment_method"
	switch {
	case e == nil || e.Type != api.ErrorTypeInvalidRequest:
		return ""
	case e.Param == param && e.Code == api.ErrorCodeResourceMissing:
		return payment.UnknownMethod
	case e.Param == param, slices.Contains(unusableMethodCodes, e.Code),
		// Of a method that was used up, detached, or belongs to a customer, Stripe names neither code nor parameter.
		e.Code == "" && e.Param == "" && strings.Contains(e.Msg, "PaymentMethod"):
		return payment.UnusableMethod
	}
	return ""
}

// isDecline tells whether Stripe looked at an order and said no.
func isDecline(e *api.Error) bool {
	return e != nil && (e.Type == api.ErrorTypeCard || e.HTTPStatusCode == http.StatusPaymentRequired)
}

func stripeError(err error) *api.Error {
	var e *api.Error
	if errors.As(err, &e) {
		return e
	}
	return nil
}

// safeError is an error fit for logs. stripe-go's own texts repeat Stripe's answer, and with it client secrets.
func safeError(err error) error {
	if e := stripeError(err); e != nil {
		return fmt.Errorf("stripe: status %d, %s %s: %s (param %q, request %q)",
			e.HTTPStatusCode, e.Type, e.Code, e.Msg, e.Param, e.RequestID)
	}
	var transport *url.Error
	if errors.As(err, &transport) {
		return fmt.Errorf("stripe: %w", transport)
	}
	return errors.New("stripe: the answer could not be read")
}
