package httpapi_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/internal/problem"
)

func TestDurations_ServicesThatContradictThemselves_AreRefused(t *testing.T) {
	t.Parallel()
	c := setup(t)
	service := c.newService(t, "slot",
		object{"duration_minutes": 0, "durations": []object{{"minutes": 60, "price": 4500}, {"days": 1}},
			"rates": []object{{"price": 0, "durations": []object{{"minutes": 60, "price": 5000}}}}},
		c.newResource(t, 1))
	path := servicePath(service)
	c.get(t, path).requireFields(t, `{"durations":[{"minutes":60,"price":4500},{"days":1}],"duration_minutes":0,
		"slot_interval_minutes":60}`)
	steps := object{"durations": nil, "rates": nil, "min_duration_minutes": 60, "max_duration_minutes": 120,
		"duration_step_minutes": 30}
	for name, test := range map[string]struct {
		change      object
		field, code string
	}{
		"no duration":           {object{"durations": nil, "rates": nil}, "duration_minutes", "required"},
		"one duration besides":  {object{"duration_minutes": 60}, "duration_minutes", "excluded"},
		"days besides":          {object{"duration_days": 1}, "duration_days", "excluded"},
		"until closing besides": {object{"until_closing": true}, "until_closing", "excluded"},
		"steps besides":         {object{"duration_step_minutes": 30}, "durations", "excluded"},
		"both": {object{"rates": nil, "durations": []object{{"minutes": 60, "days": 1}}},
			"durations[0]", "required"},
		"neither": {object{"rates": nil, "durations": []object{{"price": 60}}}, "durations[0]",
			"required"},
		"twice": {object{"rates": nil, "durations": []object{{"minutes": 60}, {"minutes": 60}}}, "durations[1]",
			"duplicate"},
		"too long": {object{"rates": nil, "durations": []object{{"days": 8}}}, "durations[0].days",
			"too_large"},
		"a rate's other duration": {object{"durations": []object{{"minutes": 90}}}, "rates[0].durations[0]",
			"not_one_of"},
		"a rate without its price": {object{"rates": []object{{"price": 0, "durations": []object{{"days": 1}}}}},
			"rates[0].durations[0].price", "required"},
		"a session":        {object{"occupies": "session"}, "occupies", "excluded"},
		"no step":          {with(steps, []any{"duration_step_minutes"}, nil), "duration_step_minutes", "too_small"},
		"no most":          {with(steps, []any{"max_duration_minutes"}, nil), "max_duration_minutes", "too_small"},
		"least above most": {with(steps, []any{"min_duration_minutes"}, 150), "max_duration_minutes", "too_small"},
	} {
		d := requireProblem(t, c.patch(t, path, test.change), unprocessable, problem.ValidationFailed)
		require.Equal(t, []string{test.field, test.code}, []string{d.Errors[0].Field, d.Errors[0].Code}, name)
	}
	for _, accepted := range []object{
		steps, {"min_duration_minutes": nil, "price_per_minutes": 60},
		{"max_duration_minutes": nil, "duration_step_minutes": nil, "price_per_minutes": nil, "duration_minutes": 60},
	} {
		a := c.patch(t, path, accepted)
		require.Equal(t, http.StatusOK, a.status, a.body)
	}
	d := requireProblem(t, c.patch(t, path, object{"price_per_minutes": 60}), unprocessable, problem.ValidationFailed)
	require.Equal(t, []string{"price_per_minutes", "not_for_kind"}, []string{d.Errors[0].Field, d.Errors[0].Code})
	a := c.patch(t, servicePath(c.newService(t, "date", nil, c.newResource(t, 1))),
		object{"durations": []object{{"minutes": 60}}})
	d = requireProblem(t, a, unprocessable, problem.ValidationFailed)
	require.Equal(t, []string{"durations", "not_for_kind"}, []string{d.Errors[0].Field, d.Errors[0].Code})
}

func TestDurations_BookingsQuotesAndAvailability_KnowThem(t *testing.T) {
	t.Parallel()
	c := setup(t)
	service := c.newService(t, "slot",
		object{"duration_minutes": 0, "min_duration_minutes": 60, "max_duration_minutes": 180,
			"duration_step_minutes": 60, "price": 3000, "price_per_minutes": 60}, c.newResource(t, 1))
	ten := at(future(1), 10, 0)
	wanted := object{"service_id": service.String(), "starts_at": ten.Format(time.RFC3339), "duration_minutes": 120}
	items := `"price":6000,"items":[{"name":"Tour, 120 minutes","periods":2,"quantity":2,"unit_price":3000,"amount":6000}]`
	c.quote(t, wanted).requireFields(t, `{"available":true,`+items+`}`)
	made := c.post(t, "/v1/bookings", bookingOf(service, nil, wanted))
	require.Equal(t, http.StatusCreated, made.status, made.body)
	made.requireFields(t, `{`+items+`}`)
	ends := func(a answer) string {
		at, err := time.Parse(time.RFC3339, a.text(t, "ends_at"))
		require.NoError(t, err)
		return at.Format("15:04")
	}
	require.Equal(t, "12:00", ends(made))
	moved := c.patch(t, "/v1/bookings/"+made.text(t, "id"), object{"duration_minutes": 180, "price": "quote"})
	moved.requireFields(t, `{"price":9000,"version":2}`)
	require.Equal(t, "13:00", ends(moved))
	moved = c.post(t, "/v1/bookings/"+made.text(t, "id")+"/reschedule",
		object{"starts_at": at(future(1), 14, 0).Format(time.RFC3339)})
	require.Equal(t, "17:00", ends(moved))

	path := fmt.Sprintf("/v1/services/%s/availability?from=%s&to=%s", service, future(1), future(1))
	for query, free := range map[string]string{"": "13:00", "&duration_minutes=60": "13:00",
		"&duration_minutes=180": "11:00"} {
		var page struct{ Data []day }
		c.get(t, path+query).read(t, &page)
		last := ""
		for _, s := range page.Data[0].Slots {
			if clock := s.StartsAt.Format("15:04"); len(s.ResourceIDs) > 0 && clock < "14:00" {
				last = clock
			}
		}
		require.Equal(t, free, last, "the last start before the booking: %s", query)
	}
	for query, want := range map[string][]string{
		"&duration_minutes=90":                 {"duration_minutes", "not_one_of"},
		"&duration_days=1":                     {"duration_days", "not_one_of"},
		"&duration_days=1&duration_minutes=60": {"duration_days", "excluded"},
		"&nights=1":                            {"nights", "not_for_kind"},
	} {
		d := requireProblem(t, c.get(t, path+query), unprocessable, problem.ValidationFailed)
		require.Equal(t, want, []string{d.Errors[0].Field, d.Errors[0].Code}, query)
	}
	fixed := c.newService(t, "slot", nil, c.newResource(t, 1))
	path = fmt.Sprintf("/v1/services/%s/availability?from=%s&to=%s", fixed, future(1), future(1))
	d := requireProblem(t, c.get(t, path+"&duration_minutes=60"), unprocessable, problem.ValidationFailed)
	require.Equal(t, "not_for_kind", d.Errors[0].Code)
	d = c.refused(t, unprocessable, problem.ValidationFailed, service, ten)
	require.Equal(t, []string{"duration_minutes", "required"}, []string{d.Errors[0].Field, d.Errors[0].Code})
}
