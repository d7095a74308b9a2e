package httpapi_test

import (
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/problem"
	"holdfast/internal/testtime"
)

// cancelPayment asks for the cancellation of a payment.
func (c client) cancelPayment(t testingT, payment uuid.UUID, headers ...string) answer {
	t.Helper()
	return c.post(t, "/v1/payments/"+payment.String()+"/cancel", nil, headers...)
}

// processing returns the answer to a payment that waits for its customer.
func (c client) processing(t testingT, booking uuid.UUID, headers ...string) answer {
	t.Helper()
	a := c.payWith(t, booking, "pm_requires_action", 100, headers...)
	require.Equal(t, http.StatusAccepted, a.status, a.body)
	return a
}

// act does what the customer of a payment does, and returns the sandbox's status.
func (c client) act(t testingT, actionURL, outcome string) int {
	t.Helper()
	done, err := c.http.PostForm(actionURL, url.Values{"outcome": {outcome}})
	require.NoError(t, err)
	require.NoError(t, done.Body.Close())
	return done.StatusCode
}

func TestCancelPayment_CustomerNeverActs_EndsItAndFreesTheBooking(t *testing.T) {
	t.Parallel()
	c, booking := priced(t)
	payKey, cancelKey := uuid.NewString(), uuid.NewString()
	open := c.processing(t, booking, "Idempotency-Key", payKey)
	id := open.id(t)
	until, err := time.Parse(time.RFC3339, open.text(t, "cancel_at"))
	require.NoError(t, err)
	require.WithinDuration(t, testtime.Now().Add(time.Hour), until, 10*time.Minute)
	requireProblem(t, c.payWith(t, booking, "pm_ok", 100), conflict, problem.PaymentInProgress)

	first := c.cancelPayment(t, id, "Idempotency-Key", cancelKey)
	require.Equal(t, http.StatusOK, first.status, first.body)
	require.Equal(t, "declined", first.text(t, "status"))
	require.Equal(t, "cancelled", first.text(t, "decline_code"))
	require.Equal(t, true, first.field(t, "try_again"))
	require.Equal(t, first.body, c.get(t, "/v1/payments/"+id.String()).body)
	require.Equal(t, http.StatusConflict, c.act(t, open.text(t, "action_url"), "complete"), "it can't be paid any more")

	before := c.tables(t)
	again := c.cancelPayment(t, id, "Idempotency-Key", cancelKey)
	require.Equal(t, first.body, again.body)
	require.Equal(t, "true", again.header.Get("Idempotent-Replayed"))
	paid := c.payWith(t, booking, "pm_requires_action", 100, "Idempotency-Key", payKey)
	requireProblem(t, paid, http.StatusPaymentRequired, problem.PaymentDeclined)
	require.Equal(t, "cancelled", paid.text(t, "decline_code"))
	require.Equal(t, "true", paid.header.Get("Idempotent-Replayed"))
	require.Equal(t, before, c.tables(t))

	other := c.cancelPayment(t, id)
	require.Equal(t, http.StatusOK, other.status, "cancelled before: %s", other.body)
	require.Equal(t, first.body, other.body)
	c.created(t, c.payWith(t, booking, "pm_ok", 100))
}

func TestCancelPayment_HasAnotherEnd_IsRefused(t *testing.T) {
	t.Parallel()
	c, booking := priced(t)
	paid := c.created(t, c.payWith(t, booking, "pm_ok", 100))
	refund := c.created(t, c.refund(t, paid, object{"amount": 10}))
	declined := uuid.MustParse(c.payWith(t, booking, "pm_declined", 100).text(t, "payment_id"))
	open := c.processing(t, booking)
	require.Equal(t, http.StatusOK, c.act(t, open.text(t, "action_url"), "complete"))

	before := c.tables(t)
	for name, id := range map[string]uuid.UUID{"succeeded": paid, "a refund": refund, "declined": declined} {
		a := c.cancelPayment(t, id)
		requireProblem(t, a, conflict, problem.InvalidState)
		require.NotEmpty(t, a.text(t, "detail"), name)
	}
	requireProblem(t, c.cancelPayment(t, uuid.New()), http.StatusNotFound, problem.NotFound)
	require.Equal(t, before, c.tables(t), "nothing was written")
	requireProblem(t, c.cancelPayment(t, open.id(t)), conflict, problem.InvalidState)
	require.Equal(t, "succeeded", c.get(t, "/v1/payments/"+open.id(t).String()).text(t, "status"),
		"the customer was first")
}
