package console_test

import (
	"net/http"
	"testing"

	"github.com/google/uuid"

	"holdfast/internal/testtime"
)

// equipped is a business that has something of each page of the catalog, the settings and the developers.
type equipped struct {
	*business

	service, stay, resource, closure, block, endpoint, delivery, event, apiKey string
}

// equip returns a business with a bit of everything. text stands wherever people write a text.
func equip(t testing.TB, text string) equipped {
	t.Helper()
	e := equipped{business: newBusiness(t)}
	made := func(path string, body object) string {
		return e.call(t, http.MethodPost, path, e.business.key, body)["id"].(string)
	}
	e.resource = e.business.resource(t, text, 4)
	e.service = e.tour(t, object{
		"name": text, "description": text, "deposit": 1000, "reminders": []object{{"days_before": 1, "at": "18:00"}},
		"cancellation_policy": object{"steps": []object{{"from_minutes": 2880, "percent": 50},
			{"from_minutes": 60, "amount": 2000}}},
		"rates": []object{{"weekdays": []string{"saturday"}, "price": 6000}},
	})
	e.stay = made("/v1/services", object{
		"name": "Cabin", "kind": "stay", "resource_ids": []string{e.resource}, "price": 9000, "check_in": "15:00",
		"check_out":  "10:00",
		"min_nights": 2, "booking_window_days": 365,
		"unit_types": []object{{"key": "adult", "name": text, "price": 2500, "counts": true}},
	})
	day := testtime.Date(3).String()
	e.closure = made("/v1/closures",
		object{"from": day, "to": day, "starts": "12:00", "ends": "13:00", "reason": text, "yearly": true})
	e.block = made("/v1/blocks", object{
		"resource_id": e.resource, "from": day, "to": day, "reason": text, "rrule": "FREQ=DAILY;COUNT=3",
	})
	e.call(t, http.MethodPatch, "/v1/tenant", e.business.key, object{
		"name": text, "reminders": []object{{"before_minutes": 120}},
		"booking_page": object{"enabled": true, "introduction": text, "contact": text, "terms": text,
			"service_ids": []string{e.service}},
	})
	e.apiKey = made("/v1/api-keys", object{"name": text, "scopes": []string{"read"}})
	e.endpoint = made("/v1/webhook-endpoints",
		object{"url": "https://example.com/hooks", "types": []string{"*"}, "description": text})
	e.delivery = made("/v1/webhook-endpoints/"+e.endpoint+"/ping", object{})
	e.exec(t, "UPDATE scheduled_events SET last_error = $2, status = 'dead' WHERE event_id = $1",
		uuid.MustParse(e.delivery), text)
	e.event = e.delivery
	return e
}

// pages are all paths of the catalog, the settings and the developers that can be opened.
func (e equipped) pages() []string {
	paths := []string{
		"/services", "/services?archived=1", "/services/new", "/services/new?kind=slot", "/services/new?kind=date",
		"/services/new?kind=stay",
		"/resources", "/resources?archived=1", "/resources/new", "/hours", "/closures", "/closures/new", "/blocks",
		"/blocks/new",
		"/settings", "/email-preview", "/api-keys", "/api-keys/new", "/webhooks", "/webhooks/new", "/scheduled-events",
		"/scheduled-events?kind=webhook.delivery&status=dead",
	}
	return append(paths, e.things()...)
}

// things are the paths of the business's things.
func (e equipped) things() []string {
	var paths []string
	for path, below := range map[string][]string{
		"/services/" + e.service: {"", "/change", "/archive"}, "/services/" + e.stay: {"", "/change", "/archive"},
		"/resources/" + e.resource: {"", "/change", "/hours", "/archive"}, "/closures/" + e.closure: {""},
		"/blocks/" + e.block:        {""},
		"/api-keys/" + e.apiKey:     {"", "/revoke"},
		"/webhooks/" + e.endpoint:   {"", "/change", "/rotate", "/delete", "/replay"},
		"/deliveries/" + e.delivery: {""}, "/scheduled-events/" + e.event: {""},
	} {
		for _, b := range below {
			paths = append(paths, path+b)
		}
	}
	return paths
}
