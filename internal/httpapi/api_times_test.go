package httpapi_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"strings"
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
		"2027-07-01T10:00:00+24:00", "2027-07-01T10:00:00-24:00", "2027-07-01T10:00:00+23:60", "2027-07-01T10:00:00,5Z",
		"2027-07-01T9:00:00Z",
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
	require.Equal(t, http.StatusOK,
		c.get(t, scheduledEvents+"?due_before="+url.QueryEscape("2027-07-01T10:00:00+23:59")).status)
	a := c.post(t, replay, object{"from": "2027-07-01T10:00:00.5-23:59"})
	require.Equal(t, http.StatusOK, a.status, a.body)
}

var timeOfDay = regexp.MustCompile(`"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(Z|[+-]\d\d:\d\d)"`)

// offsets returns the offsets of the times in a text, each once.
func offsets(text string) map[string]bool {
	found := map[string]bool{}
	for _, m := range timeOfDay.FindAllStringSubmatch(text, -1) {
		found[m[1]] = true
	}
	return found
}

// The tenant is in Kathmandu, whose offset is the same all year.
func TestTimes_OfOneThing_HaveOneForm(t *testing.T) {
	t.Parallel()
	c := newServer(t).newTenant(t, "Asia/Kathmandu")
	const zone, utc = "+05:45", "Z"
	service := c.newService(t, "date", object{"price": 4500}, c.newResource(t, 9))
	hold := c.book(t, service, future(1), object{"hold_minutes": 60})
	path := "/v1/bookings/" + hold.id(t).String()
	payment := c.created(t, c.payWith(t, hold.id(t), "pm_ok", 4500))
	require.Equal(t, http.StatusOK, c.post(t, path+"/confirm", nil).status)
	customer := c.post(t, "/v1/customers", object{"name": "Grace", "email": "grace@example.com"})
	c.book(t, service, future(2),
		object{"customer": object{"name": "Grace", "email": "grace@example.com", "phone": "+49 30 1"}})

	for text, want := range map[string]string{
		hold.body:           zone,
		c.get(t, path).body: zone,
		c.get(t, "/v1/payments/"+payment.String()).body:            utc,
		c.get(t, "/v1/payments/"+payment.String()+"/receipt").body: zone,
		c.get(t, "/v1/services/"+service.String()).body:            utc,
		customer.body: utc,
	} {
		require.Equal(t, map[string]bool{want: true}, offsets(text), text)
	}
	for _, e := range c.list(t, "/v1/scheduled-events").Data {
		text, err := json.Marshal(e)
		require.NoError(t, err)
		require.Len(t, offsets(string(text)), 1, "%s", text)
	}
	for _, e := range c.allEvents(t,
		c.count(t, "SELECT count(*) FROM changes WHERE subject_type NOT IN ('resource', 'service')"), "") {
		var data map[string]json.RawMessage
		require.NoError(t, json.Unmarshal(e.Data, &data))
		if payment, ok := data["payment"]; ok { // a thing of its own, as GET shows it
			require.Equal(t, map[string]bool{utc: true}, offsets(string(payment)), "%s", payment)
			delete(data, "payment")
		}
		rest, err := json.Marshal(data)
		require.NoError(t, err)
		want := zone
		if strings.HasPrefix(e.Type, "customer.") {
			want = utc
		}
		require.Equal(t, map[string]bool{want: true}, offsets(string(rest)), "%s %s", e.Type, rest)
	}
	require.NotContains(t, c.get(t, "/v1/events").body, "+00:00")
}
