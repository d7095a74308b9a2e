package stripe_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/payment"
	"holdfast/internal/payment/paymenttest"
	"holdfast/internal/payment/stripe"
	"holdfast/internal/testtime"
)

func TestCharge_Order_IsSentWithKeyAndReference(t *testing.T) {
	t.Parallel()
	b := setup(t, nil)
	b.stripe.responses = map[string][]scriptedResponse{create: {{body: intent(b.order.Reference, "succeeded", nil)}}}

	outcome, err := b.provider.Charge(t.Context(), b.order)
	require.NoError(t, err)
	require.Equal(t, payment.Outcome{Result: payment.Succeeded, ProviderID: "pi_1", Amount: 4500, Currency: "EUR"},
		outcome)

	require.Equal(t, []string{create}, b.stripe.calls())
	sent := b.stripe.requests[0]
	require.Equal(t, "key-1", sent.header.Get("Idempotency-Key"))
	require.Equal(t, "Bearer "+apiKey, sent.header.Get("Authorization"))
	require.Equal(t, "4500", sent.form.Get("amount"))
	require.Equal(t, "eur", sent.form.Get("currency"))
	require.Equal(t, "true", sent.form.Get("confirm"))
	require.Equal(t, "automatic", sent.form.Get("capture_method"))
	require.Equal(t, "pm_1", sent.form.Get("payment_method"))
	require.Equal(t, "never", sent.form.Get("automatic_payment_methods[allow_redirects]"))
	require.Equal(t, b.order.Reference.TenantID.String(), sent.form.Get("metadata[tenant_id]"))
	require.Equal(t, b.order.Reference.ID.String(), sent.form.Get("metadata[payment_id]"))
}

func TestCharge_WithReturnURL_AllowsRedirects(t *testing.T) {
	t.Parallel()
	b := setup(t, nil)
	script := &scriptedServer{
		responses: map[string][]scriptedResponse{create: {{body: intent(b.order.Reference, "requires_action", object{
			"next_action": object{"type": "redirect_to_url",
				"redirect_to_url": object{"url": "https://bank.example/3ds"}},
		})}}},
	}
	server := httptest.NewServer(script)
	t.Cleanup(server.Close)
	provider := newProvider(t, stripe.Config{URL: server.URL, ReturnURL: "https://example.com/paid"})

	outcome, err := provider.Charge(t.Context(), b.order)
	require.NoError(t, err)
	require.Equal(t, payment.Outcome{
		Result: payment.Processing, ProviderID: "pi_1", ActionURL: "https://bank.example/3ds",
		ClientSecret: "pi_1_secret_x",
	}, outcome)
	require.Equal(t, "always", script.requests[0].form.Get("automatic_payment_methods[allow_redirects]"))
	require.Equal(t, "https://example.com/paid", script.requests[0].form.Get("return_url"))
}

func TestCharge_StripesResponse_IsMapped(t *testing.T) {
	t.Parallel()
	ref := payment.Reference{TenantID: uuid.New(), ID: uuid.Must(uuid.NewV7())}
	for name, test := range map[string]struct {
		status string
		want   payment.Outcome
	}{
		"succeeded": {"succeeded",
			payment.Outcome{Result: payment.Succeeded, ProviderID: "pi_1", Amount: 4500, Currency: "EUR"}},
		"processing": {"processing", payment.Outcome{Result: payment.Processing, ProviderID: "pi_1"}},
		"action": {"requires_action", payment.Outcome{
			Result: payment.Processing, ProviderID: "pi_1", ClientSecret: "pi_1_secret_x",
		}},
		"cancelled": {"canceled", payment.Outcome{
			Result: payment.Declined, ProviderID: "pi_1", DeclineCode: "cancelled", TryAgain: true,
		}},
	} {
		b := setup(t, map[string][]scriptedResponse{create: {{body: intent(ref, test.status, nil)}}})
		outcome, err := b.provider.Charge(t.Context(), b.order)
		require.NoError(t, err, name)
		require.Equal(t, test.want, outcome, name)
	}
}

func TestCharge_Declined_CancelsTheIntent(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		code     string
		advice   any
		tryAgain bool
	}{
		"insufficient funds":            {"insufficient_funds", nil, true},
		"issuer unavailable":            {"issuer_not_available", nil, true},
		"stolen":                        {"stolen_card", nil, false},
		"no reason":                     {"generic_decline", nil, false},
		"advice: try again later":       {"generic_decline", "try_again_later", true},
		"advice: do not try again":      {"insufficient_funds", "do_not_try_again", false},
		"advice: confirm the card data": {"try_again_later", "confirm_card_data", false},
	} {
		b := setup(t, nil)
		ref := b.order.Reference
		b.stripe.responses = map[string][]scriptedResponse{
			create: {{status: http.StatusPaymentRequired, body: apiError("card_error", "card_declined", object{
				"decline_code": test.code, "payment_intent": intent(ref, "requires_payment_method", nil),
			})}},
			// The cancelled intent no longer has the error.
			cancel: {{body: intent(ref, "canceled",
				object{"latest_charge": chargeWithAdvice(test.advice), "cancellation_reason": "abandoned"})}},
		}
		outcome, err := b.provider.Charge(t.Context(), b.order)
		require.NoError(t, err, name)
		require.Equal(t, payment.Outcome{
			Result: payment.Declined, ProviderID: "pi_1", DeclineCode: test.code, TryAgain: test.tryAgain,
		}, outcome, name)
		require.Equal(t, []string{create, cancel}, b.stripe.calls(), name)
		require.Equal(t, "latest_charge", b.stripe.requests[1].form.Get("expand[0]"),
			"the issuer's advice must be requested")
	}
}

func TestCharge_DeclinedAndCancellationFails_IsUnknown(t *testing.T) {
	t.Parallel()
	b := setup(t, nil)
	ref := b.order.Reference
	b.stripe.responses = map[string][]scriptedResponse{
		create: {{status: http.StatusPaymentRequired, body: apiError("card_error", "card_declined", object{
			"decline_code": "do_not_honor", "payment_intent": intent(ref, "requires_payment_method", nil),
		})}},
		cancel: {{disconnect: true}},
	}
	_, err := b.provider.Charge(t.Context(), b.order)
	requireUnknown(t, err)
}

func TestCharge_PaidBeforeTheCancellation_Succeeds(t *testing.T) {
	t.Parallel()
	b := setup(t, nil)
	ref := b.order.Reference
	b.stripe.responses = map[string][]scriptedResponse{
		create: {{status: http.StatusPaymentRequired, body: apiError("card_error", "card_declined", object{
			"payment_intent": intent(ref, "requires_payment_method", nil),
		})}},
		cancel: {{status: http.StatusBadRequest,
			body: apiError("invalid_request_error", "payment_intent_unexpected_state", nil)}},
		retrieve: {{body: intent(ref, "succeeded", nil)}},
	}
	outcome, err := b.provider.Charge(t.Context(), b.order)
	require.NoError(t, err)
	require.Equal(t, payment.Succeeded, outcome.Result)
}

func TestCharge_InvalidRequestLeavesAnIntent_CancelsIt(t *testing.T) {
	t.Parallel()
	b := setup(t, nil)
	ref := b.order.Reference
	b.stripe.responses = map[string][]scriptedResponse{
		create: {{status: http.StatusBadRequest,
			body: apiError("invalid_request_error", "payment_method_currency_mismatch", object{
				"payment_intent": intent(ref, "requires_payment_method", nil),
			})}},
		cancel: {{body: intent(ref, "canceled", nil)}},
	}
	outcome, err := b.provider.Charge(t.Context(), b.order)
	require.NoError(t, err)
	require.Equal(t, payment.Outcome{
		Result: payment.Declined, ProviderID: "pi_1", DeclineCode: "unusable_payment_method",
	}, outcome)
	require.Equal(t, []string{create, cancel}, b.stripe.calls())
}

func TestCharge_CardErrorWithoutIntent_IsDeclined(t *testing.T) {
	t.Parallel()
	b := setup(t, map[string][]scriptedResponse{create: {{status: http.StatusPaymentRequired,
		body: apiError("card_error", "incorrect_number", nil)}}})
	outcome, err := b.provider.Charge(t.Context(), b.order)
	require.NoError(t, err)
	require.Equal(t, payment.Outcome{Result: payment.Declined, DeclineCode: "incorrect_number"}, outcome)
}

func TestCharge_ReplayedResponse_IsLookedUpAgain(t *testing.T) {
	t.Parallel()
	b := setup(t, nil)
	ref := b.order.Reference
	b.stripe.responses = map[string][]scriptedResponse{
		create:   {{replayed: true, body: intent(ref, "requires_action", nil)}},
		retrieve: {{body: intent(ref, "succeeded", nil)}},
	}
	outcome, err := b.provider.Charge(t.Context(), b.order)
	require.NoError(t, err)
	require.Equal(t, payment.Succeeded, outcome.Result)
}

// Errors mean the same for charges and refunds.
func TestOrders_Errors_AreNotDoneOnlyIfCertain(t *testing.T) {
	t.Parallel()
	const certain, open = true, false
	for name, test := range map[string]struct {
		answer   scriptedResponse
		notDone  bool
		tryAgain bool
	}{
		"wrong parameter": {scriptedResponse{status: 400,
			body: apiError("invalid_request_error", "parameter_missing", nil)}, certain,
			false},
		"same key, other order": {scriptedResponse{status: 400, body: apiError("idempotency_error", "", nil)}, certain,
			false},
		"not found": {scriptedResponse{status: 404, body: apiError("invalid_request_error", "resource_missing", nil)},
			certain,
			false},
		"wrong API key": {scriptedResponse{status: 401, body: apiError("invalid_request_error", "", nil)}, certain,
			false},
		"no permission": {scriptedResponse{status: 403, body: apiError("invalid_request_error", "", nil)}, certain,
			false},
		"too many requests": {scriptedResponse{status: 429, body: apiError("invalid_request_error", "rate_limit", nil)},
			certain, true},
		"locked at Stripe": {scriptedResponse{status: 429,
			body: apiError("invalid_request_error", "lock_timeout", nil)}, certain, true},
		"key in use": {scriptedResponse{status: 409,
			body: apiError("idempotency_error", "idempotency_key_in_use", nil)}, open,
			false},
		"500": {scriptedResponse{status: 500, body: apiError("api_error", "", nil)}, open, false},
		"500 after making the intent": {
			scriptedResponse{status: 500,
				body: apiError("api_error", "", object{"payment_intent": object{"id": "pi_1"}})}, open, false,
		},
		"400 with type api_error": {
			scriptedResponse{status: 400, body: apiError("api_error", "", nil)}, open, false,
		},
		"502 from a gateway":  {scriptedResponse{status: 502, body: "<html>Bad gateway</html>"}, open, false},
		"400 from a gateway":  {scriptedResponse{status: 400, body: "<html>Bad request</html>"}, open, false},
		"empty response":      {scriptedResponse{body: object{}}, open, false},
		"truncated response":  {scriptedResponse{body: `{"id": "pi_1", "status": "succ`}, open, false},
		"an unknown status":   {scriptedResponse{body: object{"id": "pi_1", "status": "new_in_2031"}}, open, false},
		"a broken connection": {scriptedResponse{disconnect: true}, open, false},
	} {
		b := setup(t, map[string][]scriptedResponse{create: {test.answer}, giveBack: {test.answer}})
		_, charging := b.provider.Charge(t.Context(), b.order)
		_, refunding := b.provider.Refund(t.Context(), b.refund)
		for _, err := range []error{charging, refunding} {
			if test.notDone {
				requireNotDone(t, err, test.tryAgain)
			} else {
				requireUnknown(t, err)
			}
		}
		require.Len(t, b.stripe.calls(), 2, "%s: the adapter must not retry", name)
	}
}

func TestCharge_PaymentMethodRejected_ReturnsItsError(t *testing.T) {
	t.Parallel()
	const invalid = "invalid_request_error"
	detached := object{"message": "The provided PaymentMethod was previously used with a PaymentIntent without Customer attachment, " +
		"shared with a connected account without Customer attachment, or was detached from a Customer. It may not be used again."}
	for name, test := range map[string]struct {
		status int
		fault  object
		want   payment.MethodError
	}{
		"unknown": {400, apiError(invalid, "resource_missing", object{"param": "payment_method"}),
			payment.UnknownMethod},
		"unknown, 404": {404, apiError(invalid, "resource_missing", object{"param": "payment_method"}),
			payment.UnknownMethod},
		"not a payment method": {400, apiError(invalid, "", object{"param": "payment_method"}),
			payment.UnusableMethod},
		"detached": {400, apiError(invalid, "", detached), payment.UnusableMethod},
		"unexpected state": {400, apiError(invalid, "payment_method_unexpected_state", nil),
			payment.UnusableMethod},
		"currency mismatch": {400, apiError(invalid, "payment_method_currency_mismatch", nil),
			payment.UnusableMethod},
		"another resource is missing": {404, apiError(invalid, "resource_missing", object{"param": "on_behalf_of"}),
			""},
		"amount too small": {400, apiError(invalid, "amount_too_small", object{"param": "amount"}), ""},
		"payment method types disabled": {400,
			apiError(invalid, "", object{"message": "No valid payment method types for this Payment Intent."}), ""},
		"no permission for the method": {403, apiError(invalid, "", object{"param": "payment_method"}), ""},
	} {
		b := setup(t, map[string][]scriptedResponse{create: {{status: test.status, body: test.fault}}})
		_, err := b.provider.Charge(t.Context(), b.order)
		requireNotDone(t, err, false)
		var notDone *payment.NotDone
		require.ErrorAs(t, err, &notDone)
		require.Equal(t, test.want, notDone.Method, name)
	}
}

func TestOrders_ConnectionRefused_MayBeSentAgain(t *testing.T) {
	t.Parallel()
	b := setup(t, nil)
	provider := newProvider(t, stripe.Config{URL: paymenttest.ClosedPort(t)})

	_, err := provider.Charge(t.Context(), b.order)
	requireNotDone(t, err, true)
	_, err = provider.Refund(t.Context(), b.refund)
	requireNotDone(t, err, true)
}

func TestOrders_Redirect_IsNotFollowed(t *testing.T) {
	t.Parallel()
	b := setup(t, nil)
	other := &scriptedServer{}
	redirectTarget := httptest.NewServer(other)
	t.Cleanup(redirectTarget.Close)
	server := httptest.NewServer(http.RedirectHandler(redirectTarget.URL, http.StatusTemporaryRedirect))
	t.Cleanup(server.Close)

	_, err := newProvider(t, stripe.Config{URL: server.URL}).Charge(t.Context(), b.order)
	requireUnknown(t, err)
	require.Empty(t, other.calls())
}

func TestOrders_ContextEnds_AreUnknown(t *testing.T) {
	t.Parallel()
	b := setup(t, nil)
	arrived, end := make(chan struct{}, 1), make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, _ *http.Request) {
		arrived <- struct{}{}
		<-end
	}))
	t.Cleanup(server.Close)
	t.Cleanup(func() { close(end) })
	provider := newProvider(t, stripe.Config{URL: server.URL})

	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-arrived
		cancel()
	}()
	_, err := provider.Charge(ctx, b.order)
	requireUnknown(t, err)
	require.ErrorIs(t, err, context.Canceled)
}

func TestOrders_Error_ContainsNoClientSecret(t *testing.T) {
	t.Parallel()
	for _, a := range []scriptedResponse{
		{status: 500, body: apiError("api_error", "",
			object{"payment_intent": object{"id": "pi_1", "client_secret": "hidden"}})},
		{body: `{"id": "pi_1", "client_secret": "hidden", `},
		{status: 500, body: object{"client_secret": "hidden"}},
	} {
		b := setup(t, map[string][]scriptedResponse{create: {a}})
		_, err := b.provider.Charge(t.Context(), b.order)
		require.Error(t, err)
		require.NotContains(t, err.Error(), "hidden")
	}
}

func TestOrders_WithoutKey_AreNotSent(t *testing.T) {
	t.Parallel()
	b := setup(t, nil)
	b.order.Key, b.refund.Key = "", ""
	_, err := b.provider.Charge(t.Context(), b.order)
	requireNotDone(t, err, false)
	_, err = b.provider.Refund(t.Context(), b.refund)
	requireNotDone(t, err, false)
	require.Empty(t, b.stripe.calls())
}

func TestCharge_AmountNotRepresentable_IsNotSent(t *testing.T) {
	t.Parallel()
	b := setup(t, nil)
	b.order.Amount, b.order.Currency = 1235, "KWD"
	_, err := b.provider.Charge(t.Context(), b.order)
	requireNotDone(t, err, false)
	require.Empty(t, b.stripe.calls())
}

func TestFindCharge_OnALaterPage_IsFoundByReference(t *testing.T) {
	t.Parallel()
	b := setup(t, nil)
	ref := b.order.Reference
	other := intent(payment.Reference{TenantID: ref.TenantID, ID: uuid.New()}, "succeeded", object{"id": "pi_9"})
	foreign := intent(ref, "succeeded",
		object{"id": "pi_8", "metadata": object{"tenant_id": ref.TenantID, "payment_id": "42"}})
	b.stripe.responses = map[string][]scriptedResponse{list: {
		{body: page(true, other, foreign)},
		{body: page(false, intent(ref, "succeeded", nil))},
	}}

	outcome, err := b.provider.FindCharge(t.Context(), ref, "")
	require.NoError(t, err)
	require.Equal(t, payment.Outcome{Result: payment.Succeeded, ProviderID: "pi_1", Amount: 4500, Currency: "EUR"},
		outcome)
	require.Equal(t, []string{list, list}, b.stripe.calls())
	require.Equal(t, "data.latest_charge", b.stripe.requests[0].form.Get("expand[0]"))
	require.Equal(t, "pi_8", b.stripe.requests[1].form.Get("starting_after"))
	sec, nsec := ref.ID.Time().UnixTime()
	since := time.Unix(sec, nsec).Add(-5 * time.Minute).Unix()
	require.Equal(t, strconv.FormatInt(since, 10), b.stripe.requests[0].form.Get("created[gte]"))
}

func TestFindCharge_UnknownReference_IsAbsent(t *testing.T) {
	t.Parallel()
	b := setup(t, map[string][]scriptedResponse{list: {{body: page(false)}}, sessions: {{body: page(false)}}})
	outcome, err := b.provider.FindCharge(t.Context(), b.order.Reference, "")
	require.NoError(t, err)
	require.Equal(t, payment.Outcome{Result: payment.Absent}, outcome)
}

func TestFindCharge_StripeUnavailable_IsNotAbsent(t *testing.T) {
	t.Parallel()
	b := setup(t, map[string][]scriptedResponse{
		list: {
			{body: page(true, intent(payment.Reference{}, "succeeded", nil))},
			{status: 500, body: apiError("api_error", "", nil)},
			{body: page(false)},
		},
		retrieve: {{status: 404, body: apiError("invalid_request_error", "resource_missing", nil)}},
	})
	_, err := b.provider.FindCharge(t.Context(), b.order.Reference, "")
	require.Error(t, err, "the second page is missing")
	_, err = b.provider.FindCharge(t.Context(), b.order.Reference, "pi_1")
	require.Error(t, err, "a charge that Stripe gave an id exists")
	_, err = b.provider.FindCharge(t.Context(), payment.Reference{ID: uuid.New()}, "")
	require.Error(t, err, "an id without a time")
}

func TestFindCharge_DeclinedButOpen_IsCancelled(t *testing.T) {
	t.Parallel()
	long := testtime.Now().Add(-2 * time.Hour).Unix()
	failed := object{"last_payment_error": object{"type": "card_error", "code": "card_declined",
		"decline_code": "lost_card"}}
	for name, test := range map[string]struct {
		status  string
		changes object
		ended   bool
		want    payment.Outcome
	}{
		"declined": {
			"requires_payment_method", failed, true,
			payment.Outcome{Result: payment.Declined, ProviderID: "pi_1", DeclineCode: "lost_card"},
		},
		"waiting for the customer": {
			"requires_action", object{"created": long}, false,
			payment.Outcome{Result: payment.Processing, ProviderID: "pi_1", ClientSecret: "pi_1_secret_x"},
		},
		"another request is running": {
			"requires_confirmation", nil, false,
			payment.Outcome{Result: payment.Processing, ProviderID: "pi_1"},
		},
		"processing at the bank": {
			"processing", object{"created": long}, false,
			payment.Outcome{Result: payment.Processing, ProviderID: "pi_1"},
		},
	} {
		b := setup(t, nil)
		ref := b.order.Reference
		b.stripe.responses = map[string][]scriptedResponse{
			retrieve: {{body: intent(ref, test.status, test.changes)}},
			cancel:   {{body: intent(ref, "canceled", object{"cancellation_reason": "abandoned"})}},
		}
		outcome, err := b.provider.FindCharge(t.Context(), ref, "pi_1")
		require.NoError(t, err, name)
		require.Equal(t, test.want, outcome, name)
		require.Equal(t, test.ended, len(b.stripe.calls()) == 2, name)
		require.Equal(t, "latest_charge", b.stripe.requests[0].form.Get("expand[0]"))
	}
}

func TestCancelCharge_EachStatus_IsCancelledIfPossible(t *testing.T) {
	t.Parallel()
	failed := object{"last_payment_error": object{"type": "card_error",
		"code": "payment_intent_authentication_failure"}}
	for name, test := range map[string]struct {
		status  string
		changes object
		calls   []string
		want    payment.Outcome
	}{
		"waiting for its customer": {
			"requires_action", nil, []string{retrieve, cancel},
			payment.Outcome{Result: payment.Declined, ProviderID: "pi_1", DeclineCode: "cancelled", TryAgain: true},
		},
		"the customer failed": {
			"requires_payment_method", failed, []string{retrieve, cancel},
			payment.Outcome{Result: payment.Declined, ProviderID: "pi_1",
				DeclineCode: "payment_intent_authentication_failure"},
		},
		"cancelled before": {
			"canceled", object{"cancellation_reason": "abandoned"}, []string{retrieve},
			payment.Outcome{Result: payment.Declined, ProviderID: "pi_1", DeclineCode: "cancelled", TryAgain: true},
		},
		"cancelled by another application": {
			"canceled", object{"cancellation_reason": "fraudulent"}, []string{retrieve},
			payment.Outcome{Result: payment.Declined, ProviderID: "pi_1", DeclineCode: "fraudulent", TryAgain: true},
		},
		"succeeded": {
			"succeeded", nil, []string{retrieve},
			payment.Outcome{Result: payment.Succeeded, ProviderID: "pi_1", Amount: 4500, Currency: "EUR"},
		},
	} {
		b := setup(t, nil)
		ref := b.order.Reference
		b.stripe.responses = map[string][]scriptedResponse{
			retrieve: {{body: intent(ref, test.status, test.changes)}},
			cancel:   {{body: intent(ref, "canceled", object{"cancellation_reason": "abandoned"})}},
		}
		outcome, err := b.provider.CancelCharge(t.Context(), ref, "pi_1")
		require.NoError(t, err, name)
		require.Equal(t, test.want, outcome, name)
		require.Equal(t, test.calls, b.stripe.calls(), name)
	}
}

func TestCancelCharge_NotPossibleNow_ReturnsThePresentState(t *testing.T) {
	t.Parallel()
	for became, want := range map[string]payment.Result{"processing": payment.Processing,
		"succeeded": payment.Succeeded} {
		b := setup(t, nil)
		ref := b.order.Reference
		b.stripe.responses = map[string][]scriptedResponse{
			retrieve: {{body: intent(ref, "requires_action", nil)}, {body: intent(ref, became, nil)}},
			cancel: {{status: http.StatusBadRequest,
				body: apiError("invalid_request_error", "payment_intent_unexpected_state", nil)}},
		}
		outcome, err := b.provider.CancelCharge(t.Context(), ref, "pi_1")
		require.NoError(t, err)
		require.Equal(t, want, outcome.Result)
	}
}

func TestCancelCharge_StripeUnavailable_ReturnsAnError(t *testing.T) {
	t.Parallel()
	b := setup(t, nil)
	ref := b.order.Reference
	b.stripe.responses = map[string][]scriptedResponse{
		list: {{status: 500, body: apiError("api_error", "", nil)}},
		retrieve: {{status: 404, body: apiError("invalid_request_error", "resource_missing", nil)},
			{body: intent(ref, "requires_action", nil)}},
		cancel: {{disconnect: true}},
	}
	for _, id := range []string{"", "pi_1", "pi_1"} {
		_, err := b.provider.CancelCharge(t.Context(), ref, id)
		requireUnknown(t, err)
	}
}
