package httpapi_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/problem"
)

// returnsTo is where a customer comes back to from the provider's page.
const returnsTo = "https://shop.example/paid?lang=de"

// checkout asks for the balance on the provider's page.
func checkout() object {
	return object{"kind": "balance", "checkout": object{"return_url": returnsTo}}
}

func TestPayments_OnTheProvidersPage_AWebhookTellsTheEnd(t *testing.T) {
	t.Parallel()
	c, booking := priced(t)
	c.sandbox.SetWebhook(c.url + "/webhooks/sandbox")
	key := uuid.NewString()
	first := c.pay(t, booking, checkout(), "Idempotency-Key", key)
	require.Equal(t, http.StatusAccepted, first.status, first.body)
	require.Equal(t, "processing", first.text(t, "status"))
	require.NotContains(t, first.body, "payment_method")
	page, end := first.text(t, "action_url"), first.text(t, "cancel_at")
	again := c.pay(t, booking, checkout(), "Idempotency-Key", key)
	require.Equal(t, http.StatusAccepted, again.status, again.body)
	for _, a := range []answer{again, c.get(t, first.header.Get("Location"))} {
		require.Equal(t, first.text(t, "id"), a.text(t, "id"))
		require.Equal(t, page, a.text(t, "action_url"))
		require.Equal(t, end, a.text(t, "cancel_at"))
	}
	open := c.pay(t, booking, checkout())
	requireProblem(t, open, conflict, problem.PaymentInProgress)
	require.Equal(t, first.text(t, "id"), open.text(t, "payment_id"), "the customer can be sent to the same page again")

	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	done, err := client.PostForm(page, url.Values{"outcome": {"pay"}})
	require.NoError(t, err)
	require.NoError(t, done.Body.Close())
	require.Equal(t, http.StatusSeeOther, done.StatusCode)
	require.Equal(t, returnsTo+"&payment_id="+first.text(t, "id"), done.Header.Get("Location"))
	require.Eventually(t, func() bool {
		return c.get(t, first.header.Get("Location")).text(t, "status") == "succeeded"
	}, soon, 10*time.Millisecond)
	replayed := c.pay(t, booking, checkout(), "Idempotency-Key", key)
	require.Equal(t, http.StatusCreated, replayed.status, replayed.body)
	require.NotContains(t, replayed.body, "action_url")
	require.Zero(t, c.count(t, "SELECT count(*) FROM payments WHERE return_url IS NOT NULL"), "it is needed no longer")
}

func TestPayments_CheckoutThatIsNotValid_IsRefused(t *testing.T) {
	t.Parallel()
	c, booking := priced(t)
	invalid := func(name string, body object, field, reason string) refusal {
		return refusal{
			name:   name,
			method: http.MethodPost,
			path:   "/v1/bookings/" + booking.String() + "/payments",
			body:   body,
			status: unprocessable,
			code:   problem.ValidationFailed,
			field:  field,
			reason: reason,
		}
	}
	to := func(text any) object { return object{"kind": "balance", "checkout": object{"return_url": text}} }
	const field = "checkout.return_url"
	requireRefused(t, c, []refusal{
		invalid("with a payment method", object{
			"kind": "balance", "payment_method": "pm_ok", "checkout": object{"return_url": returnsTo},
		}, "checkout", "invalid"),
		invalid("a wallet's amount without a wallet", object{
			"kind": "balance", "wallet_amount": 5, "checkout": object{"return_url": returnsTo},
		}, "wallet_amount", "invalid"),
		invalid("no wallet's id", object{
			"kind": "balance", "wallet_id": "gift", "checkout": object{"return_url": returnsTo},
		}, "wallet_id", "invalid_format"),
		invalid("no URL", object{"kind": "balance", "checkout": object{}}, field, "required"),
		invalid("a number", to(7), field, "wrong_type"),
		invalid("an empty one", to(""), field, "too_short"),
		invalid("a path", to("/paid"), field, "pattern"),
		invalid("a blank", to("https://shop.example/a b"), field, "pattern"),
		invalid("a line break", to("https://shop.example/\n"), field, "pattern"),
		invalid("a control character", to("https://shop.example/\x1b"), field, "pattern"),
		invalid("a script", to("javascript:alert(1)"), field, "pattern"),
		invalid("braces", to("https://shop.example/?{CHECKOUT_SESSION_ID}"), field, "invalid_format"),
		invalid("a password", to("https://ada:secret@shop.example/"), field, "invalid_format"),
		invalid("http", to("http://shop.example/"), field, "not_https"),
		invalid("2,001 characters", to("https://shop.example/"+strings.Repeat("x", 1980)), field, "too_long"),
	})
}
