package httpapi_test

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/problem"
)

func TestTimes_NotOfRFC3339_AreRefusedWhereverTheAPITakesOne(t *testing.T) {
	t.Parallel()
	c := setup(t)
	endpoint, _ := c.newWebhook(t)
	service := c.newService(t, "slot", nil, c.newResource(t, 1))
	replay := "/v1/webhook-endpoints/" + endpoint.String() + "/replay"
	for _, text := range []string{
		"2027-07-01T10:00:00+24:00", "2027-07-01T10:00:00-24:00", "2027-07-01T10:00:00+23:60", "2027-07-01T10:00:00,5Z", "2027-07-01T9:00:00Z",
	} {
		booking := bookingOf(service, future(0))
		delete(booking, "date")
		booking["starts_at"] = text
		for field, a := range map[string]answer{
			"due_before": c.get(t, scheduledEvents+"?due_before="+url.QueryEscape(text)),
			"from":       c.post(t, replay, object{"from": text}),
			"to":         c.post(t, replay, object{"to": text}),
			"starts_at":  c.post(t, "/v1/bookings", booking),
		} {
			requireProblem(t, a, http.StatusUnprocessableEntity, problem.ValidationFailed)
			require.Contains(t, a.body, `"field":"`+field+`","code":"invalid_format"`, text)
		}
	}
	require.Equal(t, http.StatusOK, c.get(t, scheduledEvents+"?due_before="+url.QueryEscape("2027-07-01T10:00:00+23:59")).status)
	a := c.post(t, replay, object{"from": "2027-07-01T10:00:00.5-23:59"})
	require.Equal(t, http.StatusOK, a.status, a.body)
}
