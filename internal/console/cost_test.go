package console_test

import (
	"fmt"
	"math"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/internal/testtime"
	"holdfast/internal/user"
)

// mostTrips is how many round trips to the database a page of the console may cost, with that for its sign-in.
const mostTrips = 10

// TestCost_EachPage_AsksTheDatabaseFewTimes_HoweverMuchThereIs counts each page twice: with one of each thing, and with
// twenty.
func TestCost_EachPage_AsksTheDatabaseFewTimes_HoweverMuchThereIs(t *testing.T) {
	t.Parallel()
	s := serveBusiness(t, noOIDC, true)
	service := s.tour(t, object{"deposit": 1000})
	fill := func(n int) (made object) {
		for i := range n {
			at := tourAt(t, i/8, 9+i%8)
			made = s.book(t, service, at)
			s.call(t, http.MethodPost, "/v1/bookings/"+made["id"].(string)+"/payments", s.key,
				object{"kind": "deposit", "payment_method": "pm_ok"})
			s.call(t, http.MethodPost, "/v1/bookings", s.key, object{
				"service_id": service, "starts_at": at.Format(time.RFC3339),
				"customer": object{"name": "Ada", "email": fmt.Sprintf("ada-%d-%d@example.com", n, i)},
			})
			s.call(t, http.MethodPost, "/v1/wallets", s.key, object{"currency": "EUR"})
			s.call(t, http.MethodPost, "/v1/closures", s.key, object{
				"from": testtime.Date(200 + i).String(), "to": testtime.Date(200 + i).String(), "reason": "Storm",
			})
			s.call(t, http.MethodPost, "/v1/webhook-endpoints", s.key,
				object{"url": "https://example.com/", "types": []string{"*"}})
			s.call(t, http.MethodPost, "/v1/api-keys", s.key, object{"name": "Till", "scopes": []string{"read"}})
			s.call(t, http.MethodPost, user.Path, s.key, object{
				"email": fmt.Sprintf("u-%d-%d@harbour.example", n, i), "name": "Grace", "role": user.RoleStaff,
			})
		}
		return made
	}
	made := fill(1)
	p := s.signedIn(t, "owner", user.RoleOwner)
	id := "/bookings/" + made["id"].(string)
	date := testtime.Date(0).String()
	pages := []string{
		"?date=" + date, "/bookings", "/bookings?q=ada", id, id + "/move", id + "/end/cancel", "/book",
		"/book?service=" + service + "&quote=1&party=2&time=11:00&date=" + date, "/calendar",
		"/calendar/events?start=" + date + "T00:00:00&end=" + testtime.Date(7).String() + "T00:00:00", "/customers",
		"/customers/" + made["customer"].(object)["id"].(string), "/payments", "/payments/wallets", "/services",
		"/services/" + service,
		"/resources", "/hours", "/closures", "/blocks", "/settings", "/users", "/api-keys", "/webhooks",
		"/scheduled-events",
	}
	trips := func(path string) int {
		least := math.MaxInt
		for range 3 { // the first one prepares statements, and a busy machine may let a cache run out
			s.store.WaitForBackground()
			before := s.proxy.Trips()
			shown := s.at(t, p, path)
			require.Equal(t, http.StatusOK, shown.Status, "%s: %s", path, shown.Text())
			s.store.WaitForBackground()
			least = min(least, s.proxy.Trips()-before)
		}
		return least
	}
	few := map[string]int{}
	for _, path := range pages {
		few[path] = trips(path)
	}
	fill(19)
	var table strings.Builder
	for _, path := range pages {
		fmt.Fprintf(&table, "%2d %s\n", few[path], path)
		require.Equal(t, few[path], trips(path), path)
		require.LessOrEqual(t, few[path], mostTrips, path)
	}
	t.Log("round trips of each page\n" + table.String())
}
