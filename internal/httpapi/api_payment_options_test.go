package httpapi_test

import (
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/problem"
)

func TestPaymentOptions_PublishableKey_ReadsTheAccountBeforeAnythingIsSold(t *testing.T) {
	t.Parallel()
	c := setup(t)
	website := c.visitor(t)
	website.get(t, "/v1/payment-options").requireFields(t, `{"provider":"sandbox","ready":true}`)
	account := c.post(t, "/v1/payment-account", object{})
	require.Equal(t, http.StatusCreated, account.status, account.body)
	options := website.get(t, "/v1/payment-options")
	options.requireFields(t, `{"provider":"sandbox","ready":false}`)
	require.Equal(t, account.text(t, "account_id"), options.text(t, "account"))
}

func TestHolds_VisitorPaysOnTheProvidersPage(t *testing.T) {
	t.Parallel()
	c := setup(t)
	c.opensTo(t, "https://www.harbour.example")
	service := c.newService(t, "date", object{"price": 4500, "deposit": 1000}, c.newResource(t, 1))
	website := c.visitor(t)
	path := holdPath(website.visitsAt(t, service, 0).id(t)) + "/payments"
	pay := func(with object) answer {
		with["kind"] = "deposit"
		return website.post(t, path, with)
	}
	returning := func(url string) object { return object{"checkout": object{"return_url": url}} }
	for _, elsewhere := range []string{"https://evil.example/paid", "https://www.harbour.example.evil.example/",
		"http://www.harbour.example/",
		"https://www.harbour.example:8443/"} {
		d := requireProblem(t, pay(returning(elsewhere)), http.StatusUnprocessableEntity, problem.ValidationFailed)
		require.Equal(t, "checkout.return_url", d.Errors[0].Field, elsewhere)
	}
	d := requireProblem(t, pay(object{}), http.StatusUnprocessableEntity, problem.ValidationFailed)
	require.Equal(t, "payment_method", d.Errors[0].Field)
	both := returning("https://www.harbour.example/paid")
	both["payment_method"] = "pm_ok"
	requireProblem(t, pay(both), http.StatusUnprocessableEntity, problem.ValidationFailed)

	begun := pay(returning("https://WWW.harbour.example:443/paid?x=1"))
	require.Equal(t, http.StatusAccepted, begun.status, begun.body)
	require.NotEmpty(t, begun.text(t, "action_url"))
	require.Equal(t, begun.text(t, "action_url"), website.get(t, path+"/"+begun.text(t, "id")).text(t, "action_url"))
}

func TestExport_PaymentMetadataReturnPagesAndMethods_AreWhereTheyAreSaidToBe(t *testing.T) {
	t.Parallel()
	c, booking := priced(t)
	const back = "https://example.com/Zenobia/paid"
	paid := c.created(t, c.pay(t, booking, object{
		"kind": "amount", "amount": 1000, "payment_method": "pm_ok", "metadata": object{"order": "4711-paymeta"},
	}))
	c.created(t, c.refund(t, paid, object{"amount": 300}))
	cash := c.created(t,
		c.pay(t, booking, object{"kind": "amount", "amount": 500, "offline": object{"method": "cash", "note": "till"}}))
	open := c.pay(t, booking, object{"kind": "balance", "checkout": object{"return_url": back}})
	require.Equal(t, http.StatusAccepted, open.status, open.body)

	shown := c.get(t, "/v1/bookings/"+booking.String())
	customer := uuid.MustParse(shown.field(t, "customer").(object)["id"].(string))
	require.Contains(t, c.get(t, customerPath(customer)+"/export").body, `"metadata":{"order":"4711-paymeta"}`)

	body, rows, _ := c.exported(t)
	require.EqualValues(t, 4, rows["payments"])
	require.NotContains(t, body, back)
	require.NotContains(t, body, "pm_ok")
	require.Contains(t, body, cash.String())
	require.Contains(t, body, `"method":"cash"`, "how offline money moved is no secret")
	require.Contains(t, body, `"version":`+shown.header.Get("ETag")[1:2]+`,`)
}
