package httpapi_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/problem"
	"holdfast/internal/testtime"
)

// paidBooking takes an amount of a booking of 10,000 with a method, and returns the answer.
func (c client) paidBooking(t *testing.T, method string) answer {
	t.Helper()
	service := c.newService(t, "date", object{"price": 10000}, c.newResource(t, 1))
	date := future(10)
	booking := c.book(t, service, date,
		object{"customer": object{"name": "Ada 🚀 Lovelace", "email": "ada-" + uuid.NewString()[:8] + "@example.com"}})
	return c.post(t, "/v1/bookings/"+booking.id(t).String()+"/payments",
		object{"kind": "amount", "amount": 2345, "payment_method": method})
}

func TestReceipt_OfAPaymentWithRefunds_SaysWhatWasPaidAndReturned(t *testing.T) {
	t.Parallel()
	c := setup(t)
	paid := c.paidBooking(t, "pm_ok")
	require.Equal(t, http.StatusCreated, paid.status, paid.body)
	path := "/v1/payments/" + paid.id(t).String()
	page := c.get(t, path+"/receipt.pdf")
	refund := c.post(t, path+"/refunds", object{"amount": 345})
	require.Equal(t, http.StatusCreated, refund.status, refund.body)

	receipt := c.get(t, path+"/receipt")
	require.Equal(t, http.StatusOK, receipt.status, receipt.body)
	var body object
	receipt.read(t, &body)
	customer, _ := body["customer"].(object)
	issued, err := time.Parse(time.RFC3339, receipt.text(t, "issued_at"))
	require.NoError(t, err)
	require.WithinDuration(t, testtime.Now(), issued, time.Minute)
	require.Equal(t, "Ada 🚀 Lovelace", customer["name"])
	require.Contains(t, customer["email"], "@example.com")
	require.Equal(t, object{
		"number": strings.ToUpper(paid.id(t).String()), "issued_at": body["issued_at"],
		"payment_id": paid.id(t).String(),
		"booking_id": paid.text(t, "booking_id"), "tenant_name": "Harbour Tours", "customer": customer,
		"service_name": "Tour",
		"date":         future(10).String(), "amount": 2345.0, "currency": "EUR", "formatted_amount": "23.45 EUR",
		"refunds": []any{object{
			"id": refund.id(t).String(), "refunded_at": body["refunds"].([]any)[0].(object)["refunded_at"],
			"amount":           345.0,
			"formatted_amount": "3.45 EUR",
		}},
	}, body)

	require.Equal(t, http.StatusOK, page.status)
	require.Equal(t, "application/pdf", page.header.Get("Content-Type"))
	require.True(t, strings.HasPrefix(page.body, "%PDF-"))
	now := c.get(t, path+"/receipt.pdf")
	require.NotEqual(t, page.body, now.body, "the refund is on it")
	require.Equal(t, now.body, c.get(t, path+"/receipt.pdf").body)
}

func TestReceipt_NothingCaptured_IsRefused(t *testing.T) {
	t.Parallel()
	c := setup(t)
	waiting := c.paidBooking(t, "pm_requires_action")
	require.Equal(t, http.StatusAccepted, waiting.status, waiting.body)
	declined := c.paidBooking(t, "pm_declined")
	require.Equal(t, http.StatusPaymentRequired, declined.status, declined.body)
	paid := c.paidBooking(t, "pm_ok")
	refund := c.post(t, "/v1/payments/"+paid.id(t).String()+"/refunds", object{})
	require.Equal(t, http.StatusCreated, refund.status, refund.body)
	for _, id := range []string{waiting.id(t).String(), declined.text(t, "payment_id"), refund.id(t).String()} {
		for _, form := range []string{"/receipt", "/receipt.pdf"} {
			a := c.get(t, "/v1/payments/"+id+form)
			require.Equal(t, http.StatusConflict, a.status, a.body)
			require.Equal(t, string(problem.InvalidState), a.text(t, "code"))
		}
	}
}

func TestReceipt_OfAnotherTenantOrOfNothing_IsNotFound(t *testing.T) {
	t.Parallel()
	c := setup(t)
	paid := c.paidBooking(t, "pm_ok")
	other := c.newTenant(t, "UTC")
	for _, form := range []string{"/receipt", "/receipt.pdf"} {
		theirs := other.get(t, "/v1/payments/"+paid.id(t).String()+form)
		nothing := other.get(t, "/v1/payments/"+uuid.NewString()+form)
		require.Equal(t, http.StatusNotFound, theirs.status, theirs.body)
		require.Equal(t, nothing.body, theirs.body)
		require.Equal(t, http.StatusUnauthorized,
			client{apiServer: c.apiServer, key: "nobody"}.get(t, "/v1/payments/"+paid.id(t).String()+form).status)
	}
}
