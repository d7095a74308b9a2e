package httpapi_test

import (
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/internal/problem"
)

func TestBlocks_ListAndHistory_ShowWhatWasMade(t *testing.T) {
	t.Parallel()
	c := setup(t)
	boat, room := c.newResource(t, 2), c.newResource(t, 1)
	weekly := c.post(t, "/v1/blocks", object{
		"resource_id": boat.String(), "starts_at": at(future(0), 9, 0).Format(time.RFC3339),
		"ends_at": at(future(0), 12, 0).Format(time.RFC3339), "rrule": "FREQ=WEEKLY;COUNT=3",
		"reason": "Engine service",
	})
	id := c.created(t, weekly).String()
	path := "/v1/blocks/" + id
	require.Equal(t, path, weekly.header.Get("Location"))
	require.Equal(t, `"1"`, weekly.header.Get("ETag"))
	require.Equal(t, weekly.body, c.get(t, path).body)
	require.Len(t, weekly.field(t, "times"), 3)
	require.NotContains(t, weekly.body, "conflict")
	early, other := c.newBlock(t, boat, future(-5), future(-4)).String(),
		c.newBlock(t, room, future(5), future(8)).String()

	listed := func(query string) []string {
		q, err := url.ParseQuery(query)
		require.NoError(t, err)
		return c.listAll(t, "/v1/blocks", q)
	}
	for query, want := range map[string][]string{
		"":                              {early, other, id}, // by their end
		"limit=1":                       {early, other, id},
		"resource_id=" + boat.String():  {early, id},
		"from=" + future(-4).String():   {early, other, id},
		"from=" + future(-3).String():   {other, id},
		"from=" + future(9).String():    {id},
		"from=" + future(15).String():   nil,
		"to=" + future(-1).String():     {early},
		"to=" + future(0).String():      {early, id},
		"archived=true":                 nil,
		"from=2100-01-01&to=2000-01-01": nil,
		"resource_id=" + room.String() + "&from=" + future(8).String() + "&to=" + future(8).String(): {other},
		// between two of its times
		"from=" + future(1).String() + "&to=" + future(4).String(): nil,
		"from=" + future(7).String() + "&to=" + future(7).String(): {other, id},
	} {
		require.Equal(t, want, append([]string(nil), listed(query)...), query)
	}
	requireProblem(t, c.get(t, "/v1/blocks?from=0000-01-01"), http.StatusUnprocessableEntity, problem.ValidationFailed)

	requireProblem(t, c.patch(t, path, object{"reason": "x"}, "If-Match", `"9"`), http.StatusPreconditionFailed,
		problem.VersionMismatch)
	c.patch(t, path, object{"reason": "Paint"}, "If-Match", `"1"`).ok(t)
	archived := c.post(t, path+"/archive", nil, "If-Match", `"2"`).ok(t)
	require.Equal(t, archived.body, c.post(t, path+"/archive", nil).ok(t).body, "it is archived already")
	require.Equal(t, []string{early, other}, listed(""))
	require.Equal(t, []string{id}, listed("archived=true&from="+future(14).String()))
	c.post(t, path+"/unarchive", nil).ok(t)
	require.Equal(t, []string{"block.created", "block.updated", "block.archived", "block.unarchived"},
		actions(c.history(t, path)))
	c.eventsBut(t, 4, "types=block.*&subject="+id)
}

func TestBlocks_BookingsStandInTheWay_AreNamedInTheRefusalAndWithForceInTheAnswer(t *testing.T) {
	t.Parallel()
	c := setup(t)
	boat := c.newResource(t, 2)
	service := c.newService(t, "date", nil, boat)
	booked := c.book(t, service, future(1)).id(t).String()
	body := object{"resource_id": boat.String(), "from": future(0).String(), "to": future(2).String()}
	refused := c.post(t, "/v1/blocks", body)
	requireProblem(t, refused, http.StatusConflict, problem.BookingsInTheWay)
	require.Equal(t, []any{booked}, refused.field(t, "booking_ids"))
	body["force"] = true
	made := c.post(t, "/v1/blocks", body)
	path := "/v1/blocks/" + c.created(t, made).String()
	require.Equal(t, []any{booked}, made.field(t, "conflicts"))
	require.Equal(t, map[string][]any{booked: {"blocked"}}, c.conflicts(t, resourcePath(boat), 50))
	c.refused(t, http.StatusConflict, problem.SlotUnavailable, service, future(1))

	c.post(t, path+"/archive", nil).ok(t)
	require.Empty(t, c.conflicts(t, resourcePath(boat), 50))
	requireProblem(t, c.post(t, path+"/unarchive", nil), http.StatusConflict, problem.BookingsInTheWay)
	again := c.post(t, path+"/unarchive", object{"force": true}).ok(t)
	require.Equal(t, []any{booked}, again.field(t, "conflicts"))
	requireProblem(t, c.post(t, "/v1/blocks", body), http.StatusConflict, problem.BlockInTheWay)
}
