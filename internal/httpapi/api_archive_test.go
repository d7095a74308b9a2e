package httpapi_test

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/problem"
)

// actions returns what a history tells, in order.
func actions(entries []historyEntry) (list []string) {
	for _, e := range entries {
		list = append(list, e.Action)
	}
	return list
}

func TestArchive_Closure_ClosesNothingIsListedApartAndStaysInItsHistory(t *testing.T) {
	t.Parallel()
	c := setup(t)
	service := c.newService(t, "date", nil, c.newResource(t, 1))
	id := c.newClosure(t, nil, future(0), future(1))
	path, key := "/v1/closures/"+id.String(), "archive-once"
	listed := func(query string) []string {
		q, err := url.ParseQuery(query)
		require.NoError(t, err)
		return c.listAll(t, "/v1/closures", q)
	}
	requireProblem(t, c.post(t, path+"/archive", nil, "If-Match", `"7"`), http.StatusPreconditionFailed,
		problem.VersionMismatch)
	require.Equal(t, []string{id.String()}, listed(""))

	archived := c.post(t, path+"/archive", nil, "If-Match", `"1"`, "Idempotency-Key", key).ok(t)
	require.Equal(t, `"2"`, archived.header.Get("ETag"))
	require.NotEmpty(t, archived.text(t, "archived_at"))
	require.Equal(t, archived.body, c.get(t, path).body)
	require.Empty(t, listed(""))
	require.Equal(t, []string{id.String()}, listed("archived=true"))
	require.Equal(t, archived.body, c.post(t, path+"/archive", nil).ok(t).body, "it is archived already")
	kept := c.book(t, service, future(0)).id(t)
	c.patch(t, path, object{"reason": "Storm"}).ok(t)
	require.Empty(t, c.conflicts(t, servicePath(service), 50), "an archived closure is in nobody's way")

	again := c.post(t, path+"/unarchive", nil).ok(t)
	require.NotContains(t, again.body, "archived_at")
	c.refused(t, unprocessable, problem.OutsideOpeningHours, service, future(1))
	require.Equal(t, map[string][]any{kept.String(): {"closed"}}, c.conflicts(t, servicePath(service), 50))
	replayed := c.post(t, path+"/archive", nil, "If-Match", `"1"`, "Idempotency-Key", key).ok(t)
	require.Equal(t, archived.body, replayed.body)
	require.Equal(t, again.body, c.get(t, path).body, "a replay archives nothing")

	entries := c.history(t, path)
	require.Equal(t, []string{"closure.created", "closure.archived", "closure.updated", "closure.unarchived"},
		actions(entries))
	require.Equal(t, future(1).String(), entries[0].After["to"])
	require.Equal(t, object{"archived_at": archived.field(t, "archived_at")}, entries[1].After)
	require.Equal(t, object{"reason": "Storm"}, entries[2].After)
	require.Equal(t, object{"archived_at": archived.field(t, "archived_at")}, entries[3].Before)
}
