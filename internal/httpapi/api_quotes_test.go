package httpapi_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/problem"
)

func (c client) quote(t testingT, body object) answer {
	t.Helper()
	a := c.post(t, "/v1/quotes", body)
	require.Equal(t, http.StatusOK, a.status, a.body)
	return a
}

func TestQuotes_OfANewBooking_ShowWhatItWouldHave(t *testing.T) {
	t.Parallel()
	c := setup(t)
	resource := c.newResource(t, 3)
	service := c.newService(t, "slot", object{
		"price": 0, "deposit_percent": 20, "confirm_on_deposit": true,
		"unit_types": []any{
			object{"key": "adult", "name": "Adult", "price": 2500, "counts": true},
			object{"key": "infant", "name": "Infant", "price": 0, "counts": false},
		},
		"cancellation_policy": object{"steps": []any{object{"from_minutes": 1440, "percent": 50}}},
	}, resource)
	wanted := object{
		"service_id": service.String(), "starts_at": at(future(1), 10, 0).Format(time.RFC3339),
		"party": object{"adult": 2, "infant": 1},
	}
	before := c.tables(t)
	quoted := c.quote(t, wanted)
	quoted.requireFields(t, `{"available":true,"service_id":"`+service.String()+`","resource_id":"`+resource.String()+`",
		"date":"`+future(1).String()+`","time_zone":"Europe/Berlin","party_size":2,"party":{"adult":2,"infant":1},
		"price":5000,"deposit":1000,"due":5000,"overpaid":0,"currency":"EUR","confirm_on_deposit":true,
		"cancellation_policy":{"steps":[{"from_minutes":1440,"percent":50}]},
		"items":[{"name":"Adult","unit_type":"adult","quantity":2,"unit_price":2500,"amount":5000},
			{"name":"Infant","unit_type":"infant","quantity":1,"unit_price":0,"amount":0}]}`)
	require.Equal(t, wanted["starts_at"], quoted.text(t, "starts_at"))
	for _, absent := range []string{"reason", "before", "hold_expires_at"} {
		require.NotContains(t, quoted.body, `"`+absent+`"`)
	}
	require.Equal(t, before, c.tables(t), "a quote writes nothing")

	made := c.post(t, "/v1/bookings",
		with(wanted, []any{"customer"}, object{"name": "Ada", "email": "ada@example.com"}))
	require.Equal(t, http.StatusCreated, made.status, made.body)
	refused := c.post(t, "/v1/bookings",
		with(wanted, []any{"customer"}, object{"name": "Ada", "email": "ada@example.com"}))
	d := requireProblem(t, refused, http.StatusConflict, problem.SlotUnavailable)
	taken := c.quote(t, wanted)
	taken.requireFields(t,
		`{"available":false,"price":5000,"reason":{"code":"slot_unavailable","detail":"`+d.Detail+`"}}`)
	require.NotContains(t, taken.body, `"resource_id"`)
}

func TestQuotes_OfAMove_TellWhatChangesOfTheMoney(t *testing.T) {
	t.Parallel()
	c := setup(t)
	cheap, dear := future(1), future(2)
	service := c.newService(t, "date", object{"price": 4500, "deposit": 1000, "rates": []object{
		{"from": cheap.String(), "to": cheap.String(), "price": 3000, "deposit": 500},
		{"from": dear.String(), "to": dear.String(), "price": 6000},
	}}, c.newResource(t, 1))
	booking := c.book(t, service, future(0)).id(t)
	path := "/v1/bookings/" + booking.String()
	c.created(t, c.pay(t, booking, object{"kind": "amount", "amount": 4000, "payment_method": "pm_ok"}))
	move := func(with object) object {
		with["booking_id"] = booking.String()
		return with
	}
	before := c.tables(t)
	now := `"before":{"price":4500,"deposit":1000,"due":500,"overpaid":0}`
	c.quote(t, move(object{"date": dear.String(), "price": "quote"})).
		requireFields(t, `{"available":true,"price":6000,"deposit":1000,"due":2000,"overpaid":0,`+now+`}`)
	c.quote(t, move(object{"date": dear.String()})).
		requireFields(t, `{"available":true,"price":4500,"deposit":1000,"due":500,"overpaid":0,`+now+`}`)
	c.quote(t, move(object{})).requireFields(t,
		`{"available":true,"price":4500,"due":500,"date":"`+future(0).String()+`",`+now+`}`)
	cheaper := c.quote(t, move(object{"date": cheap.String(), "price": "quote"}))
	cheaper.requireFields(t, `{"available":true,"price":3000,"deposit":500,"due":0,"overpaid":1000,`+now+`}`)
	require.Equal(t, before, c.tables(t), "a quote writes nothing")

	payment := c.processing(t, booking).id(t)
	refused := requireProblem(t, c.post(t, path+"/reschedule", object{"date": cheap.String(), "price": "quote"}),
		http.StatusConflict,
		problem.PaymentInProgress)
	c.quote(t, move(object{"date": cheap.String(), "price": "quote"})).
		requireFields(t, `{"available":false,"price":3000,"reason":{"code":"payment_in_progress","detail":"`+
			refused.Detail+`"}}`)
	c.quote(t, move(object{"date": cheap.String()})).requireFields(t, `{"available":true}`)
	require.Equal(t, http.StatusOK, c.post(t, "/v1/payments/"+payment.String()+"/cancel", nil).status)

	moved := c.post(t, path+"/reschedule", object{"date": cheap.String(), "price": "quote"})
	for _, field := range []string{"price", "deposit", "due", "overpaid", "items", "starts_at", "ends_at",
		"resource_id"} {
		require.Equal(t, cheaper.field(t, field), moved.field(t, field), field)
	}
}

func TestQuotes_OfWhatHasNoPrice_AreRefusedAsTheBookingWouldBe(t *testing.T) {
	t.Parallel()
	f := newFixture(t, setup(t))
	ten := at(future(1), 10, 0).Format(time.RFC3339)
	customer := object{"name": "Ada", "email": "ada@example.com"}
	for name, body := range map[string]object{
		"an unknown service":       {"service_id": uuid.NewString(), "starts_at": ten},
		"an unknown resource":      {"service_id": f.slots.String(), "resource_id": uuid.NewString(), "starts_at": ten},
		"a date of a slot service": {"service_id": f.slots.String(), "date": future(1).String()},
		"no time":                  {"service_id": f.slots.String()},
		"a time that clocks skip":  {"service_id": f.slots.String(), "starts_at": "2027-03-28T02:30:00+01:00"},
		"a party without types":    {"service_id": f.slots.String(), "starts_at": ten, "party": object{"adult": 1}},
		"both parties": {"service_id": f.slots.String(), "starts_at": ten, "party": object{"adult": 1},
			"party_size": 1},
		"a year out of all bounds": {"service_id": f.slots.String(), "starts_at": "0001-01-01T00:00:00Z"},
	} {
		quoted := f.post(t, "/v1/quotes", body)
		refused := f.post(t, "/v1/bookings", with(body, []any{"customer"}, customer))
		require.GreaterOrEqual(t, refused.status, http.StatusBadRequest, name)
		requireSame(t, refused, quoted)
	}
	for field, body := range map[string]object{
		"service_id":   {"starts_at": ten},
		"any_resource": {"service_id": f.slots.String(), "starts_at": ten, "any_resource": true},
		"price":        {"service_id": f.slots.String(), "starts_at": ten, "price": "quote"},
		"hold_minutes": {"booking_id": f.booking.String(), "hold_minutes": 10},
		"customer":     {"service_id": f.slots.String(), "starts_at": ten, "customer": customer},
	} {
		d := requireProblem(t, f.post(t, "/v1/quotes", body), http.StatusUnprocessableEntity, problem.ValidationFailed)
		require.NotEmpty(t, d.field(field), "%s: %+v", field, d)
	}
}

func TestQuotes_WithAKeyOfTheCatalog_AreAnsweredForNewBookingsAlone(t *testing.T) {
	t.Parallel()
	c := setup(t)
	service := c.newService(t, "date", nil, c.newResource(t, 1))
	made := c.created(t, c.post(t, "/v1/bookings", bookingOf(service, future(1))))
	website, _ := c.withScopes(t, "catalog")
	website.quote(t, object{"service_id": service.String(), "date": future(0).String()}).requireFields(t,
		`{"available":true}`)
	requireProblem(t, website.post(t, "/v1/bookings", bookingOf(service, future(0))), http.StatusForbidden,
		problem.Forbidden)
	move := object{"booking_id": made.String(), "date": future(0).String()}
	d := requireProblem(t, website.post(t, "/v1/quotes", move), http.StatusForbidden, problem.Forbidden)
	require.Equal(t, "This API key lacks the scope read, which booking_id needs.", d.Detail)
	reader, _ := c.withScopes(t, "catalog", "read")
	reader.quote(t, move).requireFields(t, `{"available":true}`)
}

func TestAvailability_ExceptABookingWithAKeyOfTheCatalog_IsForbidden(t *testing.T) {
	t.Parallel()
	c := setup(t)
	service := c.newService(t, "date", nil, c.newResource(t, 1))
	made := c.created(t, c.post(t, "/v1/bookings", bookingOf(service, future(0))))
	website, _ := c.withScopes(t, "catalog")
	reader, _ := c.withScopes(t, "catalog", "read")
	days := fmt.Sprintf("from=%s&to=%s", future(0), future(0))
	for _, path := range []string{
		"/v1/services/" + service.String() + "/availability?" + days,
		"/v1/availability?service_ids=" + service.String() + "&" + days,
	} {
		require.Contains(t, website.get(t, path).ok(t).body, `"available":false`, path)
		except := path + "&except_booking=" + made.String()
		d := requireProblem(t, website.get(t, except), http.StatusForbidden, problem.Forbidden)
		require.Equal(t, "This API key lacks the scope read, which except_booking needs.", d.Detail, path)
		require.Contains(t, reader.get(t, except).ok(t).body, `"available":true`, path)
	}
}
