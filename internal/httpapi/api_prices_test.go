package httpapi_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/problem"
)

// requireFields requires that a response has some members as JSON.
func (a answer) requireFields(t testingT, want string) {
	t.Helper()
	var all, some map[string]any
	a.read(t, &all)
	answer{body: want}.read(t, &some)
	for name, value := range some {
		require.Equal(t, value, all[name], name)
	}
}

func TestPrices_ServiceWithUnitTypesAndRates_BookingHasItsItems(t *testing.T) {
	t.Parallel()
	c := setup(t)
	day := future(3)
	service := c.newService(t, "date", object{
		"price": 500, "deposit_percent": 50,
		"unit_types": []object{
			{"key": "adult", "name": "Adult", "price": 2500, "counts": true},
			{"key": "infant", "name": "Infant", "price": 0, "counts": false},
		},
		"rates": []object{{"from": day.String(), "to": day.String(), "price": 700,
			"unit_prices": object{"adult": 3001}}},
	}, c.newResource(t, 3))
	c.get(t, "/v1/services/"+service.String()).requireFields(t, `{"price":500,"price_per":"booking","deposit":0,"deposit_percent":50,
		"unit_types":[{"key":"adult","name":"Adult","price":2500,"counts":true},{"key":"infant","name":"Infant","price":0,"counts":false}],
		"rates":[{"from":"`+day.String()+`","to":"`+day.String()+`","price":700,"unit_prices":{"adult":3001}}],"cancellation_policy":{}}`)

	booked := c.book(t, service, day, object{"party": object{"adult": 2, "infant": 3}})
	const want = `{"price":6702,"deposit":3351,"due":6702,"party_size":2,"party":{"adult":2,"infant":3},"cancellation_policy":{},"items":[
		{"name":"Tour","quantity":1,"unit_price":700,"amount":700},
		{"name":"Adult","unit_type":"adult","quantity":2,"unit_price":3001,"amount":6002},
		{"name":"Infant","unit_type":"infant","quantity":3,"unit_price":0,"amount":0}]}`
	booked.requireFields(t, want)
	read := c.get(t, "/v1/bookings/"+booked.id(t).String())
	read.requireFields(t, want)
	require.Equal(t, booked.body, read.body, "what is read later looks like what was answered")
	require.Equal(t, 1, c.on(t, service, day).Remaining, "infants take no unit")
	c.book(t, service, future(4), object{"party": object{"adult": 1}}).requireFields(t, `{"price":3000,"deposit":1500}`)

	for field, with := range map[string]object{
		"party":       {"party": object{"senior": 1}},
		"party_size":  {"party": object{"adult": 1}, "party_size": 1},
		"party.adult": {"party": object{"adult": 1001}},
	} {
		d := c.refused(t, unprocessable, problem.ValidationFailed, service, future(5), with)
		require.NotEmpty(t, d.field(field), "%v", d)
	}
	require.Equal(t, "required",
		c.refused(t, unprocessable, problem.ValidationFailed, service, future(5)).field("party"))
}

func TestPrices_ServiceOfBefore_PricesItsBookingsAsBefore(t *testing.T) {
	t.Parallel()
	c, id := priced(t)
	c.get(t, "/v1/bookings/"+id.String()).requireFields(t,
		`{"price":4500,"deposit":1000,"items":[{"name":"Tour","quantity":1,"unit_price":4500,"amount":4500}],"cancellation_policy":{}}`)
	_, err := c.sql.Exec(t.Context(), `UPDATE bookings SET items = '[]'`)
	require.NoError(t, err)
	c.get(t, "/v1/bookings/"+id.String()).requireFields(t, `{"price":4500,"deposit":1000,"items":[]}`)
	require.Equal(t, http.StatusOK, c.post(t, "/v1/bookings/"+id.String()+"/cancel", nil).status)
}

func TestServices_PricesThatContradictThemselves_AreRefused(t *testing.T) {
	t.Parallel()
	c := setup(t)
	resource := c.newResource(t, 1)
	for field, with := range map[string]object{
		"deposit_percent": {"deposit": 1, "deposit_percent": 1},
		"price_per":       {"price_per": "person"},
		"rates[0].from":   {"rates": []object{{"price": 1, "from": "2027-02-30"}}},
		"rates[0].to": {"rates": []object{{"price": 1, "from": "2027-02-02",
			"to": "2027-02-01"}}},
		"rates[0].weekdays[0]": {"rates": []object{{"price": 1, "weekdays": []string{"noday"}}}},
		"rates[0].price":       {"rates": []object{{}}},
		"unit_types[0].key": {"unit_types": []object{{"key": "A", "name": "A", "price": 1,
			"counts": true}}},
		"unit_types[0].counts":                {"unit_types": []object{{"key": "a", "name": "A", "price": 1}}},
		"cancellation_policy.steps[0]":        {"cancellation_policy": object{"steps": []object{{"from_minutes": 0}}}},
		"cancellation_policy.no_show.percent": {"cancellation_policy": object{"no_show": object{"percent": 101}}},
		"cancellation_policy.free":            {"cancellation_policy": object{"free": true}},
		"cancellation_policy.steps[0].percent": {"cancellation_policy": object{"steps": []object{{"from_minutes": 0,
			"percent": 1.5}}}},
	} {
		body := object{"name": "Tour", "kind": "date", "resource_ids": []uuid.UUID{resource}, "price": 100}
		for name, value := range with {
			body[name] = value
		}
		d := requireProblem(t, c.post(t, "/v1/services", body), unprocessable, problem.ValidationFailed)
		require.NotEmpty(t, d.field(field), "%s: %v", field, d)
	}
}

func TestCancellation_ConfirmedBookingWithPolicy_CostsWhatTheQuoteSays(t *testing.T) {
	t.Parallel()
	c := setup(t)
	service := c.newService(t, "date", object{"price": 4501, "cancellation_policy": object{
		"steps": []object{{"from_minutes": 5270400, "percent": 50}}, "no_show": object{"amount": 9000},
	}}, c.newResource(t, 3))
	path := "/v1/bookings/" + c.book(t, service, future(20)).id(t).String()
	c.get(t, path).requireFields(t,
		`{"cancellation_policy":{"steps":[{"from_minutes":5270400,"percent":50}],"no_show":{"amount":9000}}}`)
	c.get(t, path+"/cancellation-quote").requireFields(t, `{"fee":2251,"refund":0,"due":2251,"currency":"EUR"}`)
	require.Equal(t, http.StatusCreated,
		c.post(t, path+"/payments", object{"kind": "amount", "amount": 2000, "payment_method": "pm_ok"}).status)
	c.get(t, path+"/cancellation-quote").requireFields(t, `{"fee":2251,"refund":0,"due":251}`)

	cancelled := c.post(t, path+"/cancel", object{"reason": "The customer is ill."})
	require.Equal(t, http.StatusOK, cancelled.status, cancelled.body)
	cancelled.requireFields(t,
		`{"status":"cancelled","cancellation_fee":2251,"cancellation_reason":"The customer is ill.","price":4501,"paid":2000,"due":251}`)
	require.Equal(t, cancelled.body, c.get(t, path).body)
	requireProblem(t, c.get(t, path+"/cancellation-quote"), conflict, problem.InvalidState)
	c.get(t, path+"/balance").requireFields(t, `{"total":4501,"paid":2000,"due":251}`)
	entries := c.history(t, path)
	require.Equal(t, "The customer is ill.", entries[len(entries)-1].After["cancellation_reason"])

	requireProblem(t, c.post(t, path+"/payments", object{"kind": "amount", "amount": 252, "payment_method": "pm_ok"}),
		unprocessable,
		problem.Overpayment)
	require.Equal(t, http.StatusCreated,
		c.post(t, path+"/payments", object{"kind": "balance", "payment_method": "pm_ok"}).status)
	c.get(t, path).requireFields(t, `{"paid":2251,"due":0}`)
	requireProblem(t, c.post(t, path+"/payments", object{"kind": "balance", "payment_method": "pm_ok"}), unprocessable,
		problem.Overpayment)
}

func TestCancellation_QuoteBeforeAStep_SaysWhenItChanges(t *testing.T) {
	t.Parallel()
	c := setup(t)
	service := c.newService(t, "slot",
		object{"price": 4500, "cancellation_policy": object{"steps": []object{{"from_minutes": 60, "amount": 9000}}}},
		c.newResource(t, 3))
	start := at(future(20), 10, 0)
	path := "/v1/bookings/" + c.book(t, service, start).id(t).String()
	quote := c.get(t, path+"/cancellation-quote")
	quote.requireFields(t,
		`{"fee":0,"refund":0,"due":0,"changes_at":"`+start.Add(-time.Hour).UTC().Format(time.RFC3339)+`"}`)
	requireProblem(t, c.get(t, "/v1/bookings/"+uuid.NewString()+"/cancellation-quote"), http.StatusNotFound,
		problem.NotFound)
}

func TestCancellation_Reason_IsOptionalAndChecked(t *testing.T) {
	t.Parallel()
	c := setup(t)
	service := c.newService(t, "date", nil, c.newResource(t, 9))
	cancel := func(body any) answer {
		return c.post(t, "/v1/bookings/"+c.book(t, service, future(20)).id(t).String()+"/cancel", body)
	}
	for _, body := range []any{nil, object{}} {
		a := cancel(body)
		require.Equal(t, http.StatusOK, a.status, a.body)
		require.NotContains(t, a.body, "cancellation_reason")
		require.NotContains(t, a.body, "cancellation_fee")
	}
	for _, reason := range []any{"", " ", "a\nb", strings.Repeat("a", 201), 1, nil} {
		requireProblem(t, cancel(object{"reason": reason}), unprocessable, problem.ValidationFailed)
	}
	requireProblem(t, cancel(object{"because": "x"}), unprocessable, problem.ValidationFailed)
}

func TestServices_ChangedPricesAndPolicy_CountForNewBookingsOnly(t *testing.T) {
	t.Parallel()
	c := setup(t)
	service := c.newService(t, "date",
		object{"price": 1000, "deposit_percent": 50, "cancellation_policy": object{"steps": []object{}}},
		c.newResource(t, 9))
	before := c.book(t, service, future(3))
	path := "/v1/services/" + service.String()
	change := func(body object) answer { return c.send(t, http.MethodPatch, path, body) }
	changed := change(object{
		"price_per": "unit", "deposit_percent": 10, "rates": []object{{"weekdays": []string{"monday"}, "price": 2000}},
		"cancellation_policy": object{"steps": []object{{"from_minutes": 5270400, "percent": 100}}},
	})
	require.Equal(t, http.StatusOK, changed.status, changed.body)
	const want = `{"price":1000,"price_per":"unit","deposit_percent":10,"rates":[{"weekdays":["monday"],"price":2000}],
		"cancellation_policy":{"steps":[{"from_minutes":5270400,"percent":100}]},"version":2}`
	changed.requireFields(t, want)
	c.get(t, path).requireFields(t, want)
	require.Equal(t, before.body, c.get(t, "/v1/bookings/"+before.id(t).String()).body,
		"a booking keeps its price and policy")
	c.get(t, "/v1/bookings/"+before.id(t).String()+"/cancellation-quote").requireFields(t, `{"fee":0}`)
	monday := future(3)
	for monday.Weekday() != time.Monday {
		monday = monday.AddDays(1)
	}
	after := c.book(t, service, monday, object{"party_size": 2})
	after.requireFields(t, `{"price":4000,"deposit":400}`)
	c.get(t, "/v1/bookings/"+after.id(t).String()+"/cancellation-quote").requireFields(t, `{"fee":4000,"due":4000}`)

	change(object{"rates": []object{}, "cancellation_policy": nil, "deposit_percent": 0,
		"price_per": "booking"}).requireFields(t,
		`{"cancellation_policy":{},"price_per":"booking","version":3}`)
	require.NotContains(t, c.get(t, path).body, "rates")
	change(object{"rates": []object{}, "unit_types": []object{}}).requireFields(t, `{"version":3}`)
	requireProblem(t, change(object{"price_per": "unit",
		"unit_types": []object{{"key": "a", "name": "A", "price": 1, "counts": true}}}),
		unprocessable, problem.ValidationFailed)
}

// A server keeps a service's rules in memory. What another server has changed since must count for a party too, before
// anything refuses it.
func TestServices_UnitTypesGivenByAnotherServer_CountForTheNextBooking(t *testing.T) {
	t.Parallel()
	first := setup(t)
	second := client{apiServer: first.another(t), key: first.key, tenant: first.tenant}
	service := first.newService(t, "date", object{"price": 1000}, first.newResource(t, 5))
	first.book(t, service, future(1)) // the first server knows the rules now
	changed := second.send(t, http.MethodPatch, "/v1/services/"+service.String(), object{
		"price": 0, "unit_types": []object{{"key": "adult", "name": "Adult", "price": 700, "counts": true}},
	})
	require.Equal(t, http.StatusOK, changed.status, changed.body)
	first.book(t, service, future(2), object{"party": object{"adult": 2}}).requireFields(t,
		`{"price":1400,"party_size":2}`)
}
