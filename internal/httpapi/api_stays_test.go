package httpapi_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/problem"
)

// stay asks for a stay from one date to come to another one.
func stay(from, to int) object {
	return object{"check_in": future(from).String(), "check_out": future(to).String()}
}

func (c client) newStayService(t testingT, with object, resources ...uuid.UUID) uuid.UUID {
	t.Helper()
	body := object{"check_in": "15:00", "check_out": "10:00"}
	for name, value := range with {
		body[name] = value
	}
	return c.newService(t, "stay", body, resources...)
}

func TestStays_QuoteAndBooking_ShowTheSameNightsAndPrices(t *testing.T) {
	t.Parallel()
	c := setup(t)
	service := c.newStayService(t, object{"price": 9000, "deposit_percent": 10, "rates": []object{
		{"from": future(12).String(), "to": future(12).String(), "price": 15000},
	}}, c.newResource(t, 2))
	wanted := bookingOf(service, nil, stay(10, 13))
	quoted := c.quote(t,
		object{"service_id": service.String(), "check_in": wanted["check_in"], "check_out": wanted["check_out"]})
	made := c.post(t, "/v1/bookings", wanted)
	require.Equal(t, http.StatusCreated, made.status, made.body)
	nights := fmt.Sprintf(`"date":%q,"check_out":%q,"nights":3`, future(10), future(13))
	for _, a := range []answer{quoted, made, c.get(t, "/v1/bookings/"+made.text(t, "id"))} {
		a.requireFields(t, fmt.Sprintf(`{%s,"price":33000,"deposit":3300,"items":[
			{"name":"Tour, %[2]s to %[3]s, 2 nights","nights":2,"from":%[2]q,"to":%[3]q,"quantity":2,"unit_price":9000,"amount":18000},
			{"name":"Tour, %[4]s, 1 night","nights":1,"from":%[4]q,"to":%[4]q,"quantity":1,"unit_price":15000,"amount":15000}]}`,
			nights, future(10).String(), future(11).String(), future(12).String()))
	}
	require.Equal(t, made.text(t, "starts_at"), quoted.text(t, "starts_at"))
	require.Contains(t, made.text(t, "starts_at"), future(10).String()+"T15:00:00")
	require.Contains(t, made.text(t, "ends_at"), future(13).String()+"T10:00:00")
	listed := c.list(t, fmt.Sprintf("/v1/bookings?from=%s&to=%s", future(13), future(13)))
	require.Len(t, listed.Data, 1, "a stay is on until its check-out")

	moved := c.patch(t, "/v1/bookings/"+made.text(t, "id"), object{"check_out": future(14).String(), "price": "quote"})
	require.Equal(t, http.StatusOK, moved.status, moved.body)
	moved.requireFields(t, fmt.Sprintf(`{"nights":4,"check_out":%q,"price":42000,"version":2}`, future(14)))
	moved = c.post(t, "/v1/bookings/"+made.text(t, "id")+"/reschedule", object{"check_in": future(20).String()})
	moved.requireFields(t, fmt.Sprintf(`{"nights":4,"date":%q,"check_out":%q,"price":42000}`, future(20), future(24)))
}

func TestStays_OtherKindsOfBookings_ShowNoNights(t *testing.T) {
	t.Parallel()
	c := setup(t)
	made := c.book(t, c.newService(t, "date", nil, c.newResource(t, 1)), future(0))
	require.NotContains(t, made.body, "nights")
	require.NotContains(t, made.body, "check_out")
}

func TestStays_Availability_TellsHowLongOneCanStay(t *testing.T) {
	t.Parallel()
	c := setup(t)
	service := c.newStayService(t, object{"min_nights": 2, "max_nights": 5, "buffer_after_days": 1},
		c.newResource(t, 1))
	booked := c.post(t, "/v1/bookings", bookingOf(service, nil, stay(10, 12))).text(t, "id")
	most := func(days []day) (list []int) {
		for _, d := range days {
			list = append(list, *d.MaxNights)
		}
		return list
	}
	free := func(days []day) (list []bool) {
		for _, d := range days {
			list = append(list, d.Available)
			require.Equal(t, d.Available, d.Remaining > 0)
		}
		return list
	}
	days := c.availability(t, service, future(5), future(13), 1)
	require.Equal(t, []int{4, 3, 2, 0, 0, 0, 0, 0, 5}, most(days),
		"the room is cleaned on the day of the next check-in but one")
	require.Equal(t, []bool{true, true, true, false, false, false, false, false, true}, free(days),
		"two nights, without nights=")
	require.Equal(t, []bool{true, true, false, false, false, false, false, false, true},
		free(c.nights(t, service, future(5), future(13), 3, 1)))
	for _, nights := range []int{1, 6} {
		require.NotContains(t, free(c.nights(t, service, future(5), future(13), nights, 1)), true, "not sold")
	}
	a := c.get(t, fmt.Sprintf("/v1/services/%s/availability?from=%s&to=%s&except_booking=%s", service, future(10),
		future(10), booked))
	require.Contains(t, a.body,
		`"available":true,"capacity":1,"largest_party":1,"remaining":1,"max_nights":5,"nights":[2,3,4,5],"slots":[]`)

	dates := c.newService(t, "date", nil, c.newResource(t, 1))
	d := requireProblem(t,
		c.get(t, fmt.Sprintf("/v1/services/%s/availability?from=%s&to=%s&nights=2", dates, future(0), future(0))),
		unprocessable, problem.ValidationFailed)
	require.Equal(t, "nights", d.Errors[0].Field)
	a = c.get(t, fmt.Sprintf("/v1/services/%s/availability?from=%s&to=%s", dates, future(0), future(0)))
	require.NotContains(t, a.body, "max_nights")
}

func TestStays_WhatTheServiceDoesNotSell_IsRefusedByItsField(t *testing.T) {
	t.Parallel()
	c := setup(t)
	weekday := func(day int) string { return strings.ToLower(future(day).Weekday().String()) }
	service := c.newStayService(t,
		object{"min_nights": 2, "max_nights": 14, "arrival_weekdays": []string{weekday(10), weekday(11)}},
		c.newResource(t, 1))
	dates := c.newService(t, "date", nil, c.newResource(t, 1))
	for name, test := range map[string]struct {
		service     uuid.UUID
		when        object
		field, code string
	}{
		"too few nights":           {service, stay(10, 11), "check_out", "too_small"},
		"too many nights":          {service, stay(10, 25), "check_out", "too_large"},
		"more than can be locked":  {service, stay(10, 73), "check_out", "too_large"},
		"not a day of arrival":     {service, stay(12, 15), "check_in", "not_an_arrival_day"},
		"it ends before it begins": {service, stay(12, 10), "check_out", "not_after_check_in"},
		"no check-out":             {service, object{"check_in": future(10).String()}, "check_out", "required"},
		"no arrival":               {service, object{"check_out": future(10).String()}, "check_in", "required"},
		"a date of a stay":         {service, object{"date": future(10).String()}, "date", "not_for_kind"},
		"no date": {service, object{"check_in": "2027-02-30", "check_out": "2027-03-05"}, "check_in",
			"invalid_format"},
		"a stay of a date": {dates, stay(10, 11), "check_in", "not_for_kind"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := c.refused(t, unprocessable, problem.ValidationFailed, test.service, nil, test.when)
			require.Equal(t, []string{test.field, test.code}, []string{d.Errors[0].Field, d.Errors[0].Code})
		})
	}
	far := c.quote(t, object{"service_id": service.String(), "check_in": future(10).String(),
		"check_out": future(11).String()})
	far.requireFields(t, `{"available":false,"nights":1}`)
	require.Contains(t, far.body, `"field":"check_out","code":"too_small"`)
}

func TestStays_ServicesThatContradictThemselves_AreRefused(t *testing.T) {
	t.Parallel()
	c := setup(t)
	resource := c.newResource(t, 1)
	service := c.newStayService(t, nil, resource)
	path := "/v1/services/" + service.String()
	shown := c.get(t, path)
	shown.requireFields(t, `{"kind":"stay","check_in":"15:00","check_out":"10:00","min_nights":1,"max_nights":28}`)
	require.NotContains(t, shown.body, "arrival_weekdays")
	for name, test := range map[string]struct {
		change      object
		field, code string
	}{
		"no check-in":                   {object{"check_in": nil}, "check_in", "required"},
		"no check-out":                  {object{"check_out": nil}, "check_out", "required"},
		"a check-in before a check-out": {object{"check_in": "09:00"}, "check_in", "before_check_out"},
		"a check-out at midnight":       {object{"check_out": "00:00"}, "check_out", "too_small"},
		"no clock":                      {object{"check_in": "24:00"}, "check_in", "pattern"},
		"least above most":              {object{"min_nights": 29}, "max_nights", "too_small"},
		"too many nights":               {object{"max_nights": 62}, "max_nights", "too_large"},
		"too many with cleaning days":   {object{"max_nights": 61, "buffer_after_days": 2}, "max_nights", "too_large"},
		"too many with buffers": {object{"max_nights": 60, "buffer_before_minutes": 30}, "max_nights",
			"too_large"},
		"a weekday twice": {object{"arrival_weekdays": []string{"monday", "monday"}},
			"arrival_weekdays[1]", "duplicate"},
		"no weekday": {object{"arrival_weekdays": []string{"noday"}}, "arrival_weekdays[0]",
			"not_one_of"},
		"a multiple that no stay has": {object{"nights_multiple": 29}, "nights_multiple", "too_large"},
		"a rule beyond the service": {object{"arrival_rules": []object{{"max_nights": 29}}},
			"arrival_rules[0].max_nights", "too_large"},
		"a rule of a day that doesn't exist": {object{"arrival_rules": []object{{"from": "02-31", "to": "03-01"}}},
			"arrival_rules[0].from", "invalid_format"},
		"start times":  {object{"start_times": []object{{"at": []string{"09:00"}}}}, "start_times", "not_for_kind"},
		"a session":    {object{"occupies": "session"}, "occupies", "not_for_kind"},
		"a duration":   {object{"duration_minutes": 60}, "duration_minutes", "not_for_kind"},
		"another kind": {object{"kind": "date"}, "kind", "immutable"},
	} {
		d := requireProblem(t, c.patch(t, path, test.change), unprocessable, problem.ValidationFailed)
		require.Equal(t, []string{test.field, test.code}, []string{d.Errors[0].Field, d.Errors[0].Code}, name)
	}
	for _, accepted := range []object{
		{"max_nights": 61}, {"max_nights": 61, "buffer_after_days": 1}, {"max_nights": 60, "buffer_after_days": 2},
		{"buffer_after_days": nil, "min_nights": 61, "max_nights": 61}, {"min_nights": nil, "max_nights": nil},
		{"occupies": "whole", "arrival_weekdays": []string{"saturday"}}, {"arrival_weekdays": nil, "check_in": "10:00"},
		{"price": 100, "deposit": 300},
	} {
		a := c.patch(t, path, accepted)
		require.Equal(t, http.StatusOK, a.status, a.body)
	}
	c.get(t, path).requireFields(t, `{"check_in":"10:00","min_nights":1,"max_nights":28,"occupies":"whole"}`)
	for _, kind := range []string{"date", "slot"} {
		for field, value := range map[string]any{
			"check_in": "15:00", "check_out": "10:00", "min_nights": 1, "max_nights": 2,
			"arrival_weekdays": []string{"monday"},
		} {
			body := object{"name": "Tour", "kind": kind, "resource_ids": []any{resource}, "price": 0, field: value}
			if kind == "slot" {
				body["duration_minutes"] = 60
			}
			d := requireProblem(t, c.post(t, "/v1/services", body), unprocessable, problem.ValidationFailed)
			require.Equal(t, []string{field, "not_for_kind"}, []string{d.Errors[0].Field, d.Errors[0].Code})
		}
	}
}

func TestStays_ClosuresAndConflicts_AreAboutNights(t *testing.T) {
	t.Parallel()
	c := setup(t)
	resource := c.newResource(t, 1)
	service := c.newStayService(t, nil, resource)
	made := c.post(t, "/v1/bookings", bookingOf(service, nil, stay(10, 12))).id(t)
	checkOut := c.newClosure(t, &resource, future(12), future(12))
	require.Empty(t, c.conflicts(t, servicePath(service), 50), "a check-out date may be closed")
	c.newClosure(t, &resource, future(11), future(11))
	require.Equal(t, map[string][]any{made.String(): {"closed"}}, c.conflicts(t, servicePath(service), 50))
	c.refused(t, unprocessable, problem.OutsideOpeningHours, service, nil, stay(12, 13))
	require.NotEqual(t, uuid.Nil, checkOut)
}

func TestDateServices_TimesThatContradictThemselves_AreRefused(t *testing.T) {
	t.Parallel()
	c := setup(t)
	resource := c.newResource(t, 1)
	path := servicePath(c.newService(t, "date", object{"starts": "09:00", "ends": "18:00"}, resource))
	c.get(t, path).requireFields(t, `{"starts":"09:00","ends":"18:00"}`)
	for _, test := range []struct {
		change      object
		field, code string
	}{
		{object{"starts": nil}, "starts", "required"}, {object{"ends": nil}, "ends", "required"},
		{object{"ends": "24:00"}, "ends", "pattern"},
	} {
		d := requireProblem(t, c.patch(t, path, test.change), unprocessable, problem.ValidationFailed)
		require.Equal(t, []string{test.field, test.code}, []string{d.Errors[0].Field, d.Errors[0].Code})
	}
	for _, kind := range []string{"slot", "stay"} {
		body := object{"name": "Tour", "kind": kind, "resource_ids": []any{resource}, "price": 0, "starts": "09:00",
			"ends": "18:00"}
		if kind == "slot" {
			body["duration_minutes"] = 60
		} else {
			body["check_in"], body["check_out"] = "15:00", "10:00"
		}
		d := requireProblem(t, c.post(t, "/v1/services", body), unprocessable, problem.ValidationFailed)
		require.Equal(t, []string{"starts", "not_for_kind"}, []string{d.Errors[0].Field, d.Errors[0].Code})
	}
	a := c.patch(t, path, object{"starts": nil, "ends": nil})
	require.Equal(t, http.StatusOK, a.status, a.body)
	require.NotContains(t, a.body, "starts")
}
