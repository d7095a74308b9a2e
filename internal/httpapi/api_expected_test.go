package httpapi_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/internal/problem"
)

// Each change says what it costs now if that isn't what was expected, and then takes it.
func TestExpectedPrice_OfEachChange_IsRefusedWithTheOneOfNow(t *testing.T) {
	t.Parallel()
	c := setup(t)
	service := c.newService(t, "slot", object{
		"price":               4500,
		"cancellation_policy": object{"steps": []object{{"from_minutes": 525600, "percent": 50}}},
	}, c.newResource(t, 5))
	held := "/v1/bookings/" + c.holdWithoutCustomer(t, service, at(future(0), 10, 0)).String()
	moved := object{"starts_at": at(future(1), 12, 0).Format(time.RFC3339), "price": "quote", "party_size": 2}
	customer := object{"name": "Grace", "email": "grace@example.com"}
	for _, change := range []struct {
		method, path string
		body         object
		field, tells string
		now          int
	}{
		{http.MethodPost, held + "/confirm", object{"customer": customer}, "expect_price", "price", 4500},
		{http.MethodPost, held + "/reschedule", moved, "expect_price", "price", 4500},
		{http.MethodPatch, held, object{"reference": "Wedding"}, "expect_price", "price", 4500},
		{http.MethodPost, held + "/cancel", object{}, "expect_fee", "fee", 2250},
	} {
		before := c.get(t, held).body
		send := func(amount int) answer {
			change.body[change.field] = amount
			if change.method == http.MethodPatch {
				return c.patch(t, change.path, change.body)
			}
			return c.post(t, change.path, change.body)
		}
		refused := send(change.now - 1)
		requireProblem(t, refused, conflict, problem.PriceChanged)
		require.InDelta(t, change.now, refused.field(t, change.tells), 0, change.path)
		require.Equal(t, before, c.get(t, held).body, change.path)
		requireProblem(t, send(-1), http.StatusUnprocessableEntity, problem.ValidationFailed)
		got := send(change.now)
		require.Equal(t, http.StatusOK, got.status, got.body)
		require.NotEqual(t, before, c.get(t, held).body, change.path)
	}
}
