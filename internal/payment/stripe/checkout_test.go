package stripe_test

import (
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/payment"
	"holdfast/internal/testtime"
)

// checkoutOrder is an order for Stripe's page, which ends some time after the payment was made.
func (b *testBundle) checkoutOrder(open time.Duration) payment.ChargeOrder {
	o := b.order
	o.Method = ""
	o.Checkout = &payment.Checkout{
		ReturnURL: "https://shop.example/?payment_id=1", CancelURL: "https://shop.example/basket",
		ExpiresAt: made(o.Reference).Add(open).UTC(),
	}
	return o
}

func made(ref payment.Reference) time.Time { return time.Unix(ref.ID.Time().UnixTime()) }

// waiting is the outcome of an open session.
var waiting = payment.Outcome{
	Result: payment.Processing, ProviderID: "cs_1", ActionURL: "https://checkout.stripe.com/c/pay/cs_1",
}

// ended is the outcome of a session in which nothing was paid.
var ended = payment.Outcome{Result: payment.Declined, ProviderID: "cs_1", DeclineCode: payment.Cancelled,
	TryAgain: true}

func TestCheckout_Order_IsSentWithKeyAndReference(t *testing.T) {
	t.Parallel()
	b := setup(t, nil)
	b.stripe.responses = map[string][]scriptedResponse{open: {{body: checkoutSession(b.order.Reference, "open", nil)}}}
	outcome, err := b.provider.Charge(t.Context(), b.checkoutOrder(time.Hour))
	require.NoError(t, err)
	require.Equal(t, waiting, outcome)
	require.Equal(t, []string{open}, b.stripe.calls())
	sent := b.stripe.requests[0]
	require.Equal(t, "key-1", sent.header.Get("Idempotency-Key"))
	id, tenant := b.order.Reference.ID.String(), b.order.Reference.TenantID.String()
	for name, want := range map[string]string{
		"mode": "payment", "client_reference_id": id, "metadata[payment_id]": id, "metadata[tenant_id]": tenant,
		"payment_intent_data[metadata][payment_id]": id, "payment_intent_data[metadata][tenant_id]": tenant,
		"payment_intent_data[metadata][checkout]": "true", "payment_intent_data[capture_method]": "automatic",
		"success_url": "https://shop.example/?payment_id=1", "cancel_url": "https://shop.example/basket",
		"line_items[0][quantity]": "1", "line_items[0][price_data][currency]": "eur",
		"line_items[0][price_data][unit_amount]":        "4500",
		"line_items[0][price_data][product_data][name]": "Sauna",
		"expires_at": strconv.FormatInt(made(b.order.Reference).Add(time.Hour).Unix(), 10),
	} {
		require.Equal(t, want, sent.form.Get(name), name)
	}
}

// Stripe's sessions are open from 30 minutes to 24 hours. The end is the same for each sending, because a key is good
// for one order.
func TestCheckout_EndBeyondStripesBounds_IsMovedIntoThem(t *testing.T) {
	t.Parallel()
	for asked, want := range map[time.Duration]time.Duration{
		-time.Minute: 35 * time.Minute, time.Minute: 35 * time.Minute, 40 * time.Minute: 40 * time.Minute,
		23 * time.Hour: 23 * time.Hour, 24 * time.Hour: 24*time.Hour - 5*time.Minute,
		100 * time.Hour: 24*time.Hour - 5*time.Minute,
	} {
		b := setup(t, nil)
		b.stripe.responses = map[string][]scriptedResponse{open: {{body: checkoutSession(b.order.Reference, "open",
			nil)}}}
		_, err := b.provider.Charge(t.Context(), b.checkoutOrder(asked))
		require.NoError(t, err)
		end := strconv.FormatInt(made(b.order.Reference).Add(want).Unix(), 10)
		require.Equal(t, end, b.stripe.requests[0].form.Get("expires_at"), asked)
	}
}

func TestCheckout_Replayed_IsLookedUp(t *testing.T) {
	t.Parallel()
	b := setup(t, nil)
	ref := b.order.Reference
	b.stripe.responses = map[string][]scriptedResponse{
		open:    {{body: checkoutSession(ref, "open", nil), replayed: true}},
		session: {{body: checkoutSession(ref, "expired", nil)}},
	}
	outcome, err := b.provider.Charge(t.Context(), b.checkoutOrder(time.Hour))
	require.NoError(t, err)
	require.Equal(t, ended, outcome)
}

func TestCheckout_StripesErrors_AreMapped(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		response scriptedResponse
		notDone  bool
		tryAgain bool
	}{
		"invalid": {scriptedResponse{status: 400, body: apiError("invalid_request_error", "", object{
			"message": "No PaymentMethod types for this session.",
		})}, true, false},
		"no permission": {scriptedResponse{status: 403, body: apiError("invalid_request_error", "", nil)}, true, false},
		"rate limit": {scriptedResponse{status: 429, body: apiError("invalid_request_error", "rate_limit", nil)},
			true, true},
		"in use": {scriptedResponse{status: 409,
			body: apiError("idempotency_error", "idempotency_key_in_use", nil)}, false, false},
		"failed": {scriptedResponse{status: 500, body: apiError("api_error", "", nil)}, false, false},
		"lost":   {scriptedResponse{disconnect: true}, false, false},
	} {
		b := setup(t, map[string][]scriptedResponse{open: {test.response}})
		_, err := b.provider.Charge(t.Context(), b.checkoutOrder(time.Hour))
		if !test.notDone {
			requireUnknown(t, err)
			continue
		}
		requireNotDone(t, err, test.tryAgain)
		var notDone *payment.NotDone
		require.ErrorAs(t, err, &notDone)
		require.Empty(t, notDone.Method, "%s: the order has no payment method", name)
	}
}

func TestFindCharge_Session_HasTheOutcomeOfItsIntent(t *testing.T) {
	t.Parallel()
	b := setup(t, nil)
	ref := b.order.Reference
	declined := object{"last_payment_error": object{"type": "card_error", "code": "card_declined",
		"decline_code": "insufficient_funds"}}
	with := func(status string, changes object) object {
		return object{"payment_intent": intent(ref, status, changes)}
	}
	paid := payment.Outcome{Result: payment.Succeeded, ProviderID: "pi_1", Amount: 4500, Currency: "EUR"}
	underWay := payment.Outcome{Result: payment.Processing, ProviderID: "cs_1"}
	for name, test := range map[string]struct {
		session object
		want    payment.Outcome
	}{
		"open": {checkoutSession(ref, "open", nil), waiting},
		"open, after a declined card": {checkoutSession(ref, "open", with("requires_payment_method", declined)),
			waiting},
		"open, at the bank":                 {checkoutSession(ref, "open", with("requires_action", nil)), waiting},
		"complete":                          {checkoutSession(ref, "complete", with("succeeded", nil)), paid},
		"complete, a debit is under way":    {checkoutSession(ref, "complete", with("processing", nil)), underWay},
		"complete, waits for a transfer":    {checkoutSession(ref, "complete", with("requires_action", nil)), underWay},
		"expired":                           {checkoutSession(ref, "expired", nil), ended},
		"expired, after a declined card":    {checkoutSession(ref, "expired", with("canceled", declined)), ended},
		"expired, but a debit is under way": {checkoutSession(ref, "expired", with("processing", nil)), underWay},
		"expired, but paid":                 {checkoutSession(ref, "expired", with("succeeded", nil)), paid},
		"complete, the debit failed": {checkoutSession(ref, "complete", with("requires_payment_method", declined)),
			payment.Outcome{
				Result: payment.Declined, ProviderID: "cs_1", DeclineCode: "insufficient_funds", TryAgain: true,
			}},
	} {
		b.stripe.reset(map[string][]scriptedResponse{session: {{body: test.session}}})
		outcome, err := b.provider.FindCharge(t.Context(), ref, "cs_1")
		require.NoError(t, err, name)
		require.Equal(t, test.want, outcome, name)
	}
	require.Equal(t, []string{session}, b.stripe.calls())
	require.Equal(t, "payment_intent.latest_charge", b.stripe.requests[0].form.Get("expand[0]"))
	b.stripe.reset(map[string][]scriptedResponse{session: {{body: checkoutSession(ref, "new_in_2031", nil)}}})
	_, err := b.provider.FindCharge(t.Context(), ref, "cs_1")
	require.Error(t, err)
}

// Before the customer acts, only the list of sessions has the reference. Afterwards the intent has it too.
func TestFindCharge_SessionByReference_IsFoundWithAndWithoutItsIntent(t *testing.T) {
	t.Parallel()
	b := setup(t, nil)
	ref := b.order.Reference
	foreign := checkoutSession(payment.Reference{TenantID: uuid.New(), ID: ref.ID}, "open", object{"id": "cs_9"})
	b.stripe.responses = map[string][]scriptedResponse{
		list:     {{body: page(false)}},
		sessions: {{body: page(true, foreign)}, {body: page(false, checkoutSession(ref, "open", nil))}},
	}
	outcome, err := b.provider.FindCharge(t.Context(), ref, "")
	require.NoError(t, err)
	require.Equal(t, waiting, outcome)
	require.Equal(t, []string{list, sessions, sessions}, b.stripe.calls())
	since := strconv.FormatInt(made(ref).Add(-5*time.Minute).Unix(), 10)
	require.Equal(t, since, b.stripe.requests[1].form.Get("created[gte]"))

	marked := intent(ref, "requires_payment_method", object{
		"metadata":           object{"tenant_id": ref.TenantID, "payment_id": ref.ID, "checkout": "true"},
		"last_payment_error": object{"type": "card_error", "code": "card_declined"},
	})
	b.stripe.reset(map[string][]scriptedResponse{
		list:     {{body: page(false, marked)}},
		sessions: {{body: page(false, checkoutSession(ref, "open", object{"payment_intent": marked}))}},
	})
	outcome, err = b.provider.FindCharge(t.Context(), ref, "")
	require.NoError(t, err)
	require.Equal(t, waiting, outcome, "the intent isn't cancelled: the customer may try another card")
	require.Equal(t, []string{list, sessions}, b.stripe.calls())
	require.Equal(t, "pi_1", b.stripe.requests[1].form.Get("payment_intent"))

	b.stripe.reset(map[string][]scriptedResponse{list: {{body: page(false, marked)}}, sessions: {{body: page(false)}}})
	_, err = b.provider.FindCharge(t.Context(), ref, "")
	require.Error(t, err, "an intent of a session isn't absent")
	b.stripe.reset(map[string][]scriptedResponse{list: {{body: page(false)}}, sessions: {{status: 500}}})
	_, err = b.provider.FindCharge(t.Context(), ref, "")
	require.Error(t, err, "a list that fails isn't absent")
}

func TestCancelCharge_Session_IsExpiredUnlessItEndedBefore(t *testing.T) {
	t.Parallel()
	b := setup(t, nil)
	ref := b.order.Reference
	isOpen := scriptedResponse{body: checkoutSession(ref, "open", nil)}
	refused := scriptedResponse{status: http.StatusBadRequest, body: apiError("invalid_request_error", "", nil)}
	paid := scriptedResponse{body: checkoutSession(ref, "complete",
		object{"payment_intent": intent(ref, "succeeded", nil)})}
	for name, test := range map[string]struct {
		responses map[string][]scriptedResponse
		want      payment.Outcome
		calls     []string
	}{
		"open": {map[string][]scriptedResponse{session: {isOpen},
			expire: {{body: checkoutSession(ref, "expired", nil)}}}, ended,
			[]string{session, expire}},
		"expired": {map[string][]scriptedResponse{session: {{body: checkoutSession(ref, "expired", nil)}}}, ended,
			[]string{session}},
		"paid": {map[string][]scriptedResponse{session: {paid}}, payment.Outcome{
			Result: payment.Succeeded, ProviderID: "pi_1", Amount: 4500, Currency: "EUR",
		}, []string{session}},
		"paid meanwhile": {map[string][]scriptedResponse{session: {isOpen, paid}, expire: {refused}}, payment.Outcome{
			Result: payment.Succeeded, ProviderID: "pi_1", Amount: 4500, Currency: "EUR",
		}, []string{session, expire, session}},
	} {
		b.stripe.reset(test.responses)
		outcome, err := b.provider.CancelCharge(t.Context(), ref, "cs_1")
		require.NoError(t, err, name)
		require.Equal(t, test.want, outcome, name)
		require.Equal(t, test.calls, b.stripe.calls(), name)
	}
	for name, responses := range map[string]map[string][]scriptedResponse{
		"refused, and still open": {session: {isOpen}, expire: {refused}},
		"not reached":             {session: {isOpen}, expire: {{status: 500, body: apiError("api_error", "", nil)}}},
		"lost":                    {session: {isOpen}, expire: {{disconnect: true}}},
	} {
		b.stripe.reset(responses)
		_, err := b.provider.CancelCharge(t.Context(), ref, "cs_1")
		require.Error(t, err, name)
	}
}

func TestEvent_Sessions_HaveTheirOutcomeOrCauseALookUp(t *testing.T) {
	t.Parallel()
	b := setup(t, nil)
	ref := b.order.Reference
	named := object{"payment_intent": "pi_1"}
	paid := object{"payment_intent": "pi_1", "payment_status": "paid"}
	done := payment.Outcome{Result: payment.Succeeded, ProviderID: "pi_1", Amount: 4500, Currency: "EUR"}
	lookUp := payment.Outcome{Result: payment.Processing, ProviderID: "cs_1"}
	marked := object{"metadata": object{"tenant_id": ref.TenantID, "payment_id": ref.ID, "checkout": "true"}}
	for _, test := range []struct {
		event object
		want  payment.Outcome
	}{
		{newEvent("checkout.session.completed", checkoutSession(ref, "complete", paid)), done},
		{newEvent("checkout.session.completed", checkoutSession(ref, "complete", named)), lookUp},
		{newEvent("checkout.session.async_payment_succeeded", checkoutSession(ref, "complete", paid)), done},
		{newEvent("checkout.session.async_payment_failed", checkoutSession(ref, "complete", named)), lookUp},
		{newEvent("checkout.session.expired", checkoutSession(ref, "expired", nil)), ended},
		{newEvent("checkout.session.expired", checkoutSession(ref, "expired", named)), lookUp},
		{newEvent("payment_intent.succeeded", intent(ref, "succeeded", marked)), done},
	} {
		header, body := signed(t, webhookSecret, testtime.Now(), test.event)
		event, err := b.provider.Event(header, body, testtime.Now())
		require.NoError(t, err, "%s", body)
		require.Equal(t, payment.Event{ID: "evt_1", Reference: ref, Outcome: test.want}, event, "%s", body)
	}
	for _, event := range []object{
		newEvent("payment_intent.payment_failed", intent(ref, "requires_payment_method", marked)),
		newEvent("payment_intent.canceled", intent(ref, "canceled", marked)),
		newEvent("checkout.session.completed", checkoutSession(ref, "complete", object{"metadata": object{}})),
		newEvent("checkout.session.completed", nil),
	} {
		header, body := signed(t, webhookSecret, testtime.Now(), event)
		_, err := b.provider.Event(header, body, testtime.Now())
		require.ErrorIs(t, err, payment.ErrIgnored, "%s", body)
	}
}
