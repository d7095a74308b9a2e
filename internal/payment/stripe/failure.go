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

// traceConnection returns a context that records whether a request got a connection to Stripe. A request without one
// was not sent; any other has an unknown outcome. The error's text isn't enough: net/http repeats a request with an
// idempotency key when a kept connection breaks, so a refused connection may be the second try.
func traceConnection(ctx context.Context) (_ context.Context, connected func() bool) {
	var got atomic.Bool
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(httptrace.GotConnInfo) { got.Store(true) },
	}), got.Load
}

// failure converts an order's error: *payment.NotDone if Stripe was not reached or rejected the request, else an error
// that leaves the outcome unknown.
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
	// 409: the first request with this key is still running. 5xx: it may have been carried out.
	return safeError(err)
}

// unusableMethodCodes are the errors for a payment method that exists but can't be used for the charge.
var unusableMethodCodes = []api.ErrorCode{
	api.ErrorCodePaymentIntentIncompatiblePaymentMethod,
	api.ErrorCodePaymentMethodBillingDetailsAddressMissing,
	api.ErrorCodePaymentMethodCurrencyMismatch,
	api.ErrorCodePaymentMethodInvalidParameter,
	api.ErrorCodePaymentMethodInvalidParameterTestmode,
	api.ErrorCodePaymentMethodUnexpectedState,
	api.ErrorCodePaymentMethodUnsupportedType,
}

// methodError returns the payment method's error of a rejected request, or empty if the cause is another one.
func methodError(e *api.Error) payment.MethodError {
	const param = "payment_method"
	switch {
	case e == nil || e.Type != api.ErrorTypeInvalidRequest:
		return ""
	case e.Param == param && e.Code == api.ErrorCodeResourceMissing:
		return payment.UnknownMethod
	case e.Param == param, slices.Contains(unusableMethodCodes, e.Code),
		// Stripe returns neither code nor parameter for a method that was used up, detached, or belongs to a customer.
		e.Code == "" && e.Param == "" && strings.Contains(e.Msg, "PaymentMethod"):
		return payment.UnusableMethod
	}
	return ""
}

// isDecline reports whether Stripe processed an order and declined it.
func isDecline(e *api.Error) bool {
	return e != nil && (e.Type == api.ErrorTypeCard || e.HTTPStatusCode == http.StatusPaymentRequired)
}

func stripeError(err error) *api.Error {
	e, _ := errors.AsType[*api.Error](err)
	return e
}

// safeError returns an error that may be logged. stripe-go's error texts repeat Stripe's response, which has client
// secrets.
func safeError(err error) error {
	if e := stripeError(err); e != nil && e.Code == api.ErrorCodeAccountInvalid {
		return fmt.Errorf("%w: stripe: status %d, request %q", payment.ErrNoAccount, e.HTTPStatusCode, e.RequestID)
	} else if e != nil {
		return fmt.Errorf("stripe: status %d, %s %s: %s (param %q, request %q)",
			e.HTTPStatusCode, e.Type, e.Code, e.Msg, e.Param, e.RequestID)
	}
	if transport, ok := errors.AsType[*url.Error](err); ok {
		return fmt.Errorf("stripe: %w", transport)
	}
	return errors.New("stripe: the answer could not be read")
}
