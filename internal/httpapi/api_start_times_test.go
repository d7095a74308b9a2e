package httpapi_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/problem"
)

func TestStartTimes_Nonsense_IsRefusedBesideItsField(t *testing.T) {
	t.Parallel()
	c := setup(t)
	resource := c.newResource(t, 4)
	path := "/v1/services/" + c.newService(t, "slot", object{"duration_minutes": 60}, resource).String()
	for name, test := range map[string]struct {
		entry       object
		field, code string
	}{
		"a date that doesn't exist": {object{"dates": []string{"2027-02-30"}}, "start_times[0].dates[0]", "invalid_format"},
		"no time of day":            {object{"at": []string{"25:00"}}, "start_times[0].at[0]", "pattern"},
		"a number":                  {object{"at": []int{9}}, "start_times[0].at[0]", "wrong_type"},
		"a day of no year":          {object{"from": "13-01", "to": "13-02"}, "start_times[0].from", "invalid_format"},
		"an unknown field":          {object{"on": "monday"}, "start_times[0].on", "unknown_field"},
		"no weekdays":               {object{"weekdays": []string{}}, "start_times[0].weekdays", "too_short"},
	} {
		d := requireProblem(t, c.patch(t, path, object{"start_times": []object{test.entry}}), unprocessable,
			problem.ValidationFailed)
		require.Equal(t, []string{test.field, test.code}, []string{d.Errors[0].Field, d.Errors[0].Code}, name)
	}
	c.patch(t, path, object{"start_times": []object{{"at": []string{"19:00"}}}}).ok(t)
	c.get(t, path).requireFields(t, `{"start_times":[{"at":["19:00"]}]}`)
	c.patch(t, path, object{"start_times": nil}).ok(t)
	require.NotContains(t, c.get(t, path).body, "start_times")
}
