package console_test

import (
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/internal/testtime"
	"holdfast/internal/user"
)

// A booking has a boat and a skipper, each in a column of the calendar. One of them is dragged to another column.
func TestBooking_OneOfItsResourcesIsDragged_TheOthersStay(t *testing.T) {
	t.Parallel()
	s := newBusiness(t)
	boats := []string{s.resource(t, "Boat 1", 1), s.resource(t, "Boat 2", 1)}
	skippers := []string{s.resource(t, "Ada", 1), s.resource(t, "Ben", 1)}
	charter := s.call(t, http.MethodPost, "/v1/services", s.key, object{
		"name": "Charter", "kind": "slot", "duration_minutes": 60, "price": 9000, "booking_window_days": 365,
		"needs": []object{{"resource_ids": boats}, {"resource_ids": skippers}},
	})["id"].(string)
	made := s.call(t, http.MethodPost, "/v1/bookings", s.key, object{
		"service_id": charter, "starts_at": tourAt(t, 0, 10).Format(time.RFC3339),
		"resource_ids": []string{boats[0], skippers[1]},
		"customer":     object{"name": "Grace Hopper", "email": "grace@example.com"},
	})
	own := s.at(t, s.signedIn(t, "ada", user.RoleStaff), "/bookings/"+made["id"].(string))
	drag := func(from, to string) url.Values {
		return url.Values{"date": {testtime.Date(0).String()}, "time": {"10:00"}, "resource": {to},
			"instead_of": {from}}
	}

	offer := own.By.Open(t, own.URL.String()+"/move?"+drag(boats[0], boats[1]).Encode())
	require.Contains(t, offer.Text(), "Resource Boat 2, Ben")
	offer.Press(t, "Move it")
	require.Equal(t, []any{boats[1], skippers[1]}, s.booking(t, made["id"])["resource_ids"])

	moved := own.By.Open(t, own.URL.String()+"/move?"+drag(skippers[1], skippers[0]).Encode()).Press(t, "Move it")
	require.Equal(t, []any{boats[1], skippers[0]}, s.booking(t, made["id"])["resource_ids"])
	moved.Follow(t, "Undo").Press(t, "Move it")
	require.Equal(t, []any{boats[1], skippers[1]}, s.booking(t, made["id"])["resource_ids"])
}

// Two tables are joined for a large party. One of them is dragged to a third table.
func TestBooking_OneOfItsJoinedTablesIsDragged_TheOtherStays(t *testing.T) {
	t.Parallel()
	s := newBusiness(t)
	tables := []string{s.resource(t, "Table 1", 4), s.resource(t, "Table 2", 4), s.resource(t, "Table 3", 4)}
	dinner := s.call(t, http.MethodPost, "/v1/services", s.key, object{
		"name": "Dinner", "kind": "slot", "duration_minutes": 60, "price": 9000, "booking_window_days": 365,
		"occupies": "whole",
		"needs":    []object{{"resource_ids": tables, "join": true}},
	})["id"].(string)
	made := s.call(t, http.MethodPost, "/v1/bookings", s.key, object{
		"service_id": dinner, "starts_at": tourAt(t, 0, 10).Format(time.RFC3339), "party_size": 6,
		"resource_ids": tables[:2],
		"customer":     object{"name": "Grace Hopper", "email": "grace@example.com"},
	})
	own := s.at(t, s.signedIn(t, "ada", user.RoleStaff), "/bookings/"+made["id"].(string))
	query := url.Values{"date": {testtime.Date(0).String()}, "time": {"10:00"}, "resource": {tables[2]},
		"instead_of": {tables[0]}}
	own.By.Open(t, own.URL.String()+"/move?"+query.Encode()).Press(t, "Move it")
	require.Equal(t, []any{tables[1], tables[2]}, s.booking(t, made["id"])["resource_ids"])
}
