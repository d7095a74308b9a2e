package stripe_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/internal/payment"
	"holdfast/internal/payment/paymenttest"
	"holdfast/internal/payment/stripe"
)

// The fake Stripe remembers orders, so the whole suite runs.
func TestProvider_ConformanceSuite_Passes(t *testing.T) {
	t.Parallel()
	paymenttest.Run(t, paymenttest.Harness{
		Currency:        "EUR",
		OtherCurrencies: []string{"JPY", "KWD", "ISK", "UGX"},
		Methods: paymenttest.Methods{
			OK:                "pm_ok",
			Declined:          "pm_declined",
			InsufficientFunds: "pm_poor",
			RefundFails:       "pm_no_refund",
			RequiresAction:    "pm_action",
			Slow:              "pm_ok",
			TimeoutCharged:    "pm_lost",
			TimeoutNotCharged: "pm_silent",
			Unusable:          "pm_detached",
			Uncancellable:     "pm_debit",
		},
		New: newInstance,
	})
}

func newInstance(t *testing.T) paymenttest.Instance {
	t.Helper()
	f := startFake(t)
	wrongKey, err := stripe.New(stripe.Config{URL: f.url, Key: "sk_test_other", WebhookSecret: webhookSecret})
	require.NoError(t, err)
	next := func(status int, unsent bool) {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.failStatus, f.skipOrder = status, unsent
	}
	return paymenttest.Instance{
		Provider:    newProvider(t, connected(f.url)),
		Unreachable: newProvider(t, stripe.Config{URL: paymenttest.ClosedPort(t)}),
		WrongKey:    wrongKey,
		AdvanceClock: func(d time.Duration) {
			f.mu.Lock()
			defer f.mu.Unlock()
			f.clockAhead += d
		},
		FailNext: func(t *testing.T, executed bool) {
			t.Helper()
			next(http.StatusInternalServerError, !executed)
		},
		LimitNext: func(t *testing.T) {
			t.Helper()
			next(http.StatusTooManyRequests, true)
		},
		FinishAction: f.finishAction,
		PayOnPage:    f.payOnPage,
		Onboard:      func(t *testing.T, id string, _ payment.OnboardingLink) { t.Helper(); f.onboard(t, id) },
		Webhook:      webhookOf,
		UnrelatedWebhook: func(t *testing.T, at time.Time) (http.Header, []byte) {
			t.Helper()
			return signed(t, webhookSecret, at, newEvent("payout.paid", object{"id": "po_1", "object": "payout"}))
		},
	}
}

// webhookOf returns Stripe's webhook for an event.
func webhookOf(t *testing.T, e payment.Event, at time.Time) (http.Header, []byte) {
	t.Helper()
	if e.AccountChanged {
		event := newEvent("account.updated",
			object{"id": e.Account, "metadata": object{"tenant_id": e.Reference.TenantID}})
		event["id"], event["account"] = e.ID, e.Account
		return signed(t, connectSecret, at, event)
	}
	o := e.Outcome
	require.Contains(t, []payment.Result{payment.Succeeded, payment.Declined}, o.Result)
	changes := object{"id": o.ProviderID, "amount": o.Amount, "amount_received": o.Amount}
	kind, thing := "payment_intent.succeeded", intent(e.Reference, "succeeded", changes)
	switch {
	case e.Refund && o.Result == payment.Succeeded:
		kind, thing = "refund.updated", refunded(e.Reference, "succeeded", changes)
	case e.Refund:
		changes["failure_reason"] = o.DeclineCode
		kind, thing = "refund.failed", refunded(e.Reference, "failed", changes)
	case o.Result == payment.Declined:
		changes["last_payment_error"] = object{"type": "card_error", "decline_code": o.DeclineCode}
		kind, thing = "payment_intent.canceled", intent(e.Reference, "canceled", changes)
	}
	event := newEvent(kind, thing)
	event["id"] = e.ID
	if e.Account != "" {
		event["account"] = e.Account
		return signed(t, connectSecret, at, event)
	}
	return signed(t, webhookSecret, at, event)
}
