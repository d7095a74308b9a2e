package httpapi_test

import (
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/problem"
)

// holdWithoutCustomer makes a hold of half an hour whose customer is not known.
func (c client) holdWithoutCustomer(t testingT, service uuid.UUID, when any) uuid.UUID {
	t.Helper()
	body := bookingOf(service, when, object{"hold_minutes": 30})
	delete(body, "customer")
	return c.created(t, c.post(t, "/v1/bookings", body))
}

func TestHoldWithoutCustomer_EverythingThatReadsIt_ShowsNoCustomer(t *testing.T) {
	t.Parallel()
	c := setup(t)
	service := c.newService(t, "date", object{"price": 4500, "deposit": 1000}, c.newResource(t, 1))
	confirmed := bookingOf(service, future(0))
	delete(confirmed, "customer")
	requireProblem(t, c.post(t, "/v1/bookings", confirmed), http.StatusUnprocessableEntity, problem.ValidationFailed)

	id := c.holdWithoutCustomer(t, service, future(0))
	path := "/v1/bookings/" + id.String()
	for _, p := range []string{path, "/v1/bookings", path + "/history", "/v1/events?subject=" + id.String()} {
		a := c.get(t, p)
		require.Equal(t, http.StatusOK, a.status, a.body)
		require.Contains(t, a.body, id.String(), p)
		require.NotContains(t, a.body, `"customer`, p)
	}
	paid := c.pay(t, id, object{"kind": "deposit", "payment_method": "pm_ok"})
	require.Equal(t, http.StatusCreated, paid.status, paid.body)
	receipt := c.get(t, "/v1/payments/"+paid.id(t).String()+"/receipt")
	require.Equal(t, http.StatusOK, receipt.status, receipt.body)
	require.NotContains(t, receipt.body, `"customer"`)
	require.Equal(t, http.StatusOK, c.get(t, "/v1/payments/"+paid.id(t).String()+"/receipt.pdf").status)
	require.Equal(t, http.StatusOK, c.get(t, path+"/balance").status)
	require.Equal(t, http.StatusOK, c.get(t, path+"/cancellation-quote").status)
	preview := c.post(t, "/v1/tenant/email-preview", object{"template": "booking.held", "booking_id": id.String()})
	require.Equal(t, http.StatusOK, preview.status, preview.body)
	require.Equal(t, http.StatusOK, c.post(t, path+"/cancel", nil).status)
}
