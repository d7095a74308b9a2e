package httpapi_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/problem"
)

// patched are things that PATCH changes: each with what null removes, and what must stay.
func patched(t *testing.T, c client) map[string]struct{ all, removable, required, without object } {
	t.Helper()
	resource := c.newResource(t, 5)
	service := c.newService(t, "slot", object{"price": 4500}, resource)
	booking := c.book(t, service, at(future(3), 10, 0))
	c.post(t, "/v1/webhook-endpoints", object{"url": "https://example.com/", "types": []string{"*"}})
	return map[string]struct{ all, removable, required, without object }{
		servicePath(service): {
			all: object{
				"duration_minutes": 60, "buffer_before_minutes": 10, "max_per_day": 3,
				"metadata":  object{"a": 1, "b": object{"c": 2}},
				"reminders": []any{object{"before_minutes": 60}}, "deposit": 100, "confirm_on_deposit": true,
				"booking_window_days": 30,
				"cancellation_policy": object{"steps": []any{object{"from_minutes": 60, "percent": 50}},
					"no_show": object{"percent": 80}},
			},
			removable: object{
				"buffer_before_minutes": nil, "max_per_day": nil, "metadata": object{"b": object{"c": nil}},
				"reminders":          nil,
				"deposit":            nil,
				"confirm_on_deposit": nil, "booking_window_days": nil, "cancellation_policy": object{"no_show": nil},
			},
			required: object{"name": nil, "kind": nil, "resource_ids": nil, "price": nil},
			without: object{
				"duration_minutes": 60.0, "buffer_before_minutes": 0.0, "metadata": object{"a": 1.0, "b": object{}},
				"deposit":            0.0,
				"confirm_on_deposit": false, "booking_window_days": 365.0,
				"cancellation_policy": object{"steps": []any{object{"from_minutes": 60.0, "percent": 50.0}}},
				"max_per_day":         nil,
				"reminders":           nil,
			},
		},
		resourcePath(resource): {
			all: object{"position": 7}, removable: object{"position": nil},
			required: object{"name": nil, "capacity": nil},
			without:  object{"position": 0.0},
		},
		"/v1/blocks/" + c.newBlock(t, resource, future(30), future(31)).String(): {
			all:       object{"reason": "Paint", "rrule": "FREQ=WEEKLY;COUNT=2"},
			removable: object{"reason": nil, "rrule": nil},
			required:  object{"resource_id": nil}, without: object{"reason": "", "rrule": nil},
		},
		"/v1/closures/" + c.newClosure(t, &resource, future(20), future(21)).String(): {
			all:       object{"reason": "Paint", "starts": "12:00", "ends": "14:30", "yearly": true},
			removable: object{"reason": nil, "resource_id": nil, "starts": nil, "ends": nil, "yearly": nil},
			required:  object{"from": nil, "to": nil},
			without:   object{"reason": "", "resource_id": nil},
		},
		customerPath(uuid.MustParse(booking.field(t, "customer").(object)["id"].(string))): {
			all:       object{"phone": "+49 30 1", "time_zone": "Europe/London", "birthday": "1990-12-10"},
			removable: object{"phone": nil, "time_zone": nil, "birthday": nil},
			required:  object{"name": nil, "email": nil},
			without:   object{"phone": nil, "time_zone": nil, "birthday": nil},
		},
		"/v1/bookings/" + booking.id(t).String(): {
			all:       object{"metadata": object{"a": 1, "b": 2}, "reference": "Table 7", "external_reference": "x"},
			removable: object{"metadata": object{"a": nil}, "reference": nil, "external_reference": nil},
			required: object{"customer": nil,
				"customer_id": nil},
			without: object{"metadata": object{"b": 2.0}, "reference": nil, "external_reference": nil},
		},
		"/v1/tenant": {
			all: object{
				"reminders": []any{object{"before_minutes": 5}}, "balance_due": object{"before_minutes": 60},
				"follow_up_minutes": 60,
				"greetings":         object{"birthday": true, "anniversary": true}, "unique_references": true,
				"email": object{"from": object{"name": "Harbour", "email": "booking@harbour.example"}},
			},
			removable: object{
				"reminders": nil, "balance_due": nil, "follow_up_minutes": nil, "greetings": object{"birthday": nil},
				"unique_references": nil,
				"email":             object{"from": object{"name": nil}},
			},
			required: object{"name": nil, "email": object{"from": object{"email": nil}}},
			without: object{
				"reminders": []any{}, "balance_due": nil, "follow_up_minutes": nil,
				"greetings": object{"birthday": false,
					"anniversary": true},
				"unique_references": false,
				"email":             object{"from": object{"email": "booking@harbour.example"}, "templates": []any{}},
			},
		},
	}
}

func TestPatch_IntegersWrittenAsFractionsOrPowers_AreRefusedAsThoseOfAPost(t *testing.T) {
	t.Parallel()
	c := setup(t)
	tried := 0
	for path, thing := range patched(t, c) {
		for name, value := range thing.all {
			if _, integer := value.(int); !integer {
				continue
			}
			for _, number := range []string{"1.0", "1e1", "10e-1", "1e-400000"} {
				a := c.patch(t, path, object{name: json.RawMessage(number)})
				refused := requireProblem(t, a, http.StatusUnprocessableEntity, problem.ValidationFailed)
				require.NotEmpty(t, refused.field(name), "%s %s", path, name)
				tried++
			}
		}
	}
	require.Greater(t, tried, 20)
	service := c.newService(t, "date", nil, c.newResource(t, 5))
	body := bookingOf(service, future(1))
	body["party_size"] = json.RawMessage("1.0")
	made := requireProblem(t, c.post(t, "/v1/bookings", body), http.StatusUnprocessableEntity, problem.ValidationFailed)
	require.Equal(t, "wrong_type", made.field("party_size"))
}

func TestPatch_Null_RemovesWhatIsOptionalAndIsRefusedElsewhere(t *testing.T) {
	t.Parallel()
	c := setup(t)
	for path, p := range patched(t, c) {
		c.patch(t, path, p.all).ok(t)
		before := c.get(t, path)
		for name, value := range p.required {
			requireProblem(t, c.patch(t, path, object{name: value}), http.StatusUnprocessableEntity,
				problem.ValidationFailed)
		}
		require.Equal(t, before.body, c.get(t, path).body, "a refusal changes nothing")
		changed := c.patch(t, path, p.removable).ok(t)
		for name, want := range p.without {
			require.Equal(t, want, changed.field(t, name), "%s of %s", name, path)
		}
		again := c.patch(t, path, p.removable).ok(t)
		require.Equal(t, changed.body, again.body, "what is so already keeps the version")
		require.Equal(t, changed.body, c.patch(t, path, object{}).ok(t).body)
	}
}
