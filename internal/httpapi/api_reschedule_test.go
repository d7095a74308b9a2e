package httpapi_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/internal/problem"
)

func TestReschedule_IfMatchAndETag_AreThoseOfTheVersion(t *testing.T) {
	t.Parallel()
	f := newFixture(t, setup(t))
	path := "/v1/bookings/" + f.booking.String()
	to := object{"starts_at": at(future(2), 10, 0).Format(time.RFC3339)}
	requireProblem(t, f.post(t, path+"/reschedule", to, "If-Match", `"2"`), http.StatusPreconditionFailed,
		problem.VersionMismatch)
	moved := f.post(t, path+"/reschedule", to, "If-Match", `"1"`)
	require.Equal(t, http.StatusOK, moved.status, moved.body)
	require.Equal(t, `"2"`, moved.header.Get("ETag"))
	require.Equal(t, moved.body, f.get(t, path).body)
	same := f.post(t, path+"/reschedule", to, "If-Match", `"2"`)
	require.Equal(t, moved.body, same.body, "what is already so keeps the version")
	requireProblem(t, f.post(t, path+"/reschedule", to, "If-Match", `"1"`), http.StatusPreconditionFailed,
		problem.VersionMismatch)

	history := f.get(t, path+"/history").field(t, "data").([]any)
	require.Len(t, history, 2)
	entry := history[1].(object)
	require.Equal(t, "booking.rescheduled", entry["action"])
	require.Equal(t, future(0).String(), entry["before"].(object)["date"])
	require.Equal(t, future(2).String(), entry["after"].(object)["date"])
}

// A payment that was begun for the old price would be too much for a lower one, and be refunded as a whole.
func TestReschedule_LowerPriceWhileAPaymentIsOpen_IsRefused(t *testing.T) {
	t.Parallel()
	c := setup(t)
	cheap, dear := future(1), future(2)
	service := c.newService(t, "date", object{"price": 4500, "rates": []object{
		{"from": cheap.String(), "to": cheap.String(), "price": 3000},
		{"from": dear.String(), "to": dear.String(), "price": 6000},
	}}, c.newResource(t, 1))
	booking := c.book(t, service, future(0)).id(t)
	path := "/v1/bookings/" + booking.String()
	payment := c.processing(t, booking).id(t)

	requireProblem(t, c.post(t, path+"/reschedule", object{"date": cheap.String(), "price": "quote"}),
		http.StatusConflict,
		problem.PaymentInProgress)
	c.get(t, path).requireFields(t, `{"price":4500,"version":1}`)
	c.post(t, path+"/reschedule", object{"date": dear.String(), "price": "quote"}).requireFields(t,
		`{"price":6000,"version":2}`)
	c.post(t, path+"/reschedule", object{"date": cheap.String()}).requireFields(t, `{"price":6000,"version":3}`)
	require.Equal(t, http.StatusOK, c.post(t, "/v1/payments/"+payment.String()+"/cancel", nil).status)
	a := c.post(t, path+"/reschedule", object{"price": "quote"})
	require.Equal(t, http.StatusOK, a.status, a.body)
	a.requireFields(t, `{"price":3000}`)
}

// The payment begins while a change of the booking, such as a lower price, isn't committed yet.
func TestPay_WhileThePriceChanges_IsJudgedByTheNewPrice(t *testing.T) {
	t.Parallel()
	c := setup(t)
	booking := c.book(t, c.newService(t, "date", object{"price": 4500}, c.newResource(t, 1)), future(0)).id(t)
	ahead, err := c.sql.Begin(t.Context())
	require.NoError(t, err)
	_, err = ahead.Exec(t.Context(), "UPDATE bookings SET price = 3000, version = version + 1 WHERE booking_id = $1",
		booking)
	require.NoError(t, err)
	sent := c.later(t, http.MethodPost, "/v1/bookings/"+booking.String()+"/payments",
		object{"kind": "amount", "amount": 4500, "payment_method": "pm_ok"})
	c.blocked(t, 1)
	require.NoError(t, ahead.Commit(t.Context()))
	requireProblem(t, <-sent, unprocessable, problem.Overpayment)
	require.Zero(t, c.count(t, "SELECT count(*) FROM payments"))
}

func TestReschedule_PriceQuotedAnew_DueFollowsAndTheSurplusIsRefundedOnRequest(t *testing.T) {
	t.Parallel()
	c := setup(t)
	cheap, dear := future(1), future(2)
	service := c.newService(t, "date", object{"price": 4500, "rates": []object{
		{"from": cheap.String(), "to": cheap.String(), "price": 3000},
		{"from": dear.String(), "to": dear.String(), "price": 6000},
	}}, c.newResource(t, 1))
	path := "/v1/bookings/" + c.book(t, service, future(0)).id(t).String()
	pay := func(amount int) answer {
		return c.post(t, path+"/payments", object{"kind": "amount", "amount": amount, "payment_method": "pm_ok"})
	}
	move := func(body object) answer {
		a := c.post(t, path+"/reschedule", body)
		require.Equal(t, http.StatusOK, a.status, a.body)
		return a
	}
	payment := c.created(t, pay(4500))
	move(object{"date": cheap.String(), "price": "quote"}).requireFields(t,
		`{"price":3000,"paid":4500,"due":0,"overpaid":1500,"version":4}`)
	c.get(t, path+"/balance").requireFields(t, `{"total":3000,"paid":4500,"refunded":0,"due":0}`)
	requireProblem(t, pay(1), unprocessable, problem.Overpayment)
	refund := c.post(t, "/v1/payments/"+payment.String()+"/refunds", object{"amount": 1500})
	require.Equal(t, http.StatusCreated, refund.status, refund.body)
	c.get(t, path).requireFields(t, `{"price":3000,"paid":4500,"due":0,"overpaid":0,"version":6}`)

	move(object{"date": future(3).String()}).requireFields(t, `{"price":3000,"due":0,"version":7}`)
	move(object{"date": dear.String(), "price": "quote"}).requireFields(t,
		`{"price":6000,"paid":4500,"due":3000,"version":8}`)
	c.get(t, path+"/balance").requireFields(t, `{"total":6000,"paid":4500,"refunded":1500,"due":3000}`)
	require.Equal(t, http.StatusCreated, pay(3000).status)
	c.get(t, path).requireFields(t, `{"due":0}`)
}

func TestReschedule_Availability_ShowsTheOldTimeFreeAndTheNewTaken(t *testing.T) {
	t.Parallel()
	c := setup(t)
	service := c.newService(t, "date", nil, c.newResource(t, 1))
	id := c.book(t, service, future(0)).id(t)
	days := "/v1/services/" + service.String() + "/availability?from=" + future(0).String() + "&to=" +
		future(1).String()
	before := c.get(t, days)
	require.Equal(t, http.StatusOK,
		c.post(t, "/v1/bookings/"+id.String()+"/reschedule", object{"date": future(1).String()}).status)
	require.True(t, c.on(t, service, future(0)).Available)
	require.False(t, c.on(t, service, future(1)).Available)
	after := c.get(t, days, "If-None-Match", before.header.Get("ETag"))
	require.Equal(t, http.StatusOK, after.status, "what a client has cached is stale")
}

func TestReschedule_OfAnotherTenantsBooking_ReadsAsOneThatDoesNotExist(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	mine, other := newFixture(t, s.newTenant(t, "Europe/Berlin")), s.newTenant(t, "Europe/Berlin")
	body := object{"starts_at": at(future(2), 10, 0).Format(time.RFC3339)}
	foreign := other.post(t, "/v1/bookings/"+mine.booking.String()+"/reschedule", body)
	requireProblem(t, foreign, http.StatusNotFound, problem.NotFound)
	missing := other.post(t, "/v1/bookings/"+strings.Repeat("0", 8)+mine.booking.String()[8:]+"/reschedule", body)
	require.Equal(t, missing.body, foreign.body)
	service := other.newService(t, "slot", nil, other.newResource(t, 1))
	for _, body := range []object{{"service_id": service.String()}, {"resource_id": service.String()}} {
		requireProblem(t, mine.post(t, "/v1/bookings/"+mine.booking.String()+"/reschedule", body), http.StatusNotFound,
			problem.NotFound)
	}
}
