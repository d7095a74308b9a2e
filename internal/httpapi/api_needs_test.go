package httpapi_test

import (
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/problem"
)

func TestNeeds_OverHTTP_AreShownQuotedListedAndBooked(t *testing.T) {
	t.Parallel()
	c := setup(t)
	boats, skippers := []uuid.UUID{c.newResource(t, 6), c.newResource(t, 6)}, []uuid.UUID{c.newResource(t, 1)}
	service := c.newService(t, "date", object{"resource_ids": nil, "occupies": "whole", "needs": []any{
		object{"resource_ids": boats}, object{"resource_ids": skippers},
	}})
	var shown object
	c.get(t, servicePath(service)).ok(t).read(t, &shown)
	require.NotContains(t, shown, "resource_ids")
	require.Equal(t, []any{
		object{"resource_ids": []any{boats[0].String(), boats[1].String()}, "choose": "in_order"},
		object{"resource_ids": []any{skippers[0].String()}, "units": 1.0, "choose": "in_order"},
	}, shown["needs"])

	want := []any{boats[1].String(), skippers[0].String()}
	body := bookingOf(service, future(0), object{"party_size": 4, "resource_ids": []any{boats[1].String()}})
	quote := c.post(t, "/v1/quotes", without(body, []any{"customer"})).ok(t)
	require.Equal(t, want, quote.field(t, "resource_ids"))
	made := c.post(t, "/v1/bookings", body)
	require.Equal(t, http.StatusCreated, made.status, made.body)
	require.Equal(t, want, made.field(t, "resource_ids"))
	require.Equal(t, want[0], made.field(t, "resource_id"))

	requireProblem(t, c.post(t, "/v1/bookings", bookingOf(service, future(0))), http.StatusConflict,
		problem.SlotUnavailable)
	path := "/v1/bookings/" + made.text(t, "id")
	moved := c.post(t, path+"/reschedule", object{"date": future(1).String(), "any_resource": true}).ok(t)
	require.Equal(t, []any{boats[0].String(), skippers[0].String()}, moved.field(t, "resource_ids"))
	amended := c.patch(t, path, object{"resource_ids": []any{boats[1].String(), skippers[0].String()}}).ok(t)
	require.Equal(t, want, amended.field(t, "resource_ids"))

	for i, days := range []bool{true, false} {
		path := servicePath(service) + "/availability?from=" + future(i).String() + "&to=" + future(i).String()
		listed := c.get(t, path).ok(t).field(t, "data").([]any)
		require.Equal(t, days, listed[0].(object)["available"], "the skipper is free on the first day only")
	}
	list := c.get(t, "/v1/bookings?resource_id="+skippers[0].String()).ok(t).field(t, "data")
	require.Len(t, list, 1)

	plain := c.patch(t, servicePath(service), object{"needs": nil, "resource_ids": []any{boats[0].String()}}).ok(t)
	require.Equal(t, []any{boats[0].String()}, plain.field(t, "resource_ids"))
	c.book(t, service, future(0))
	require.Equal(t, want, c.get(t, path).ok(t).field(t, "resource_ids"), "the booking keeps what it has")
	require.Equal(t, "excluded", requireProblem(t, c.patch(t, servicePath(service), object{"needs": []any{
		object{"resource_ids": boats},
	}}), 422, problem.ValidationFailed).field("resource_ids"))
}
