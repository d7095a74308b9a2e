package httpapi_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/problem"
)

func resourcePath(id uuid.UUID) string { return "/v1/resources/" + id.String() }

func servicePath(id uuid.UUID) string { return "/v1/services/" + id.String() }

// ok requires that a request succeeded.
func (a answer) ok(t testingT) answer {
	t.Helper()
	require.Equal(t, http.StatusOK, a.status, a.body)
	return a
}

// conflicts reads the conflicts of what a path names, page by page: the reasons, by the booking's id.
func (c client) conflicts(t testingT, path string, limit int) map[string][]any {
	t.Helper()
	found := make(map[string][]any)
	for query := fmt.Sprintf("?limit=%d", limit); ; {
		page := c.list(t, path+"/conflicts"+query)
		require.LessOrEqual(t, len(page.Data), limit)
		for _, o := range page.Data {
			id := o["booking"].(object)["id"].(string)
			require.NotContains(t, found, id, "listed twice")
			found[id] = o["conflicts"].([]any)
		}
		if page.NextCursor == "" {
			return found
		}
		query = fmt.Sprintf("?limit=%d&cursor=%s", limit, url.QueryEscape(page.NextCursor))
	}
}

// inTheWay requires that bookings stand in the way of a change, and returns their ids.
func inTheWay(t testingT, a answer) (ids []string, count int) {
	t.Helper()
	requireProblem(t, a, http.StatusConflict, problem.BookingsInTheWay)
	var d struct {
		BookingIDs   []string `json:"booking_ids"`
		BookingCount int      `json:"booking_count"`
	}
	a.read(t, &d)
	return d.BookingIDs, d.BookingCount
}

// catalogThings are requests that change a resource, a service and a closure, with the field that they change.
func catalogThings(t *testing.T, c client) map[string]struct {
	path, field string
	value       any
} {
	t.Helper()
	resource := c.newResource(t, 2)
	type change = struct {
		path, field string
		value       any
	}
	return map[string]change{
		"resource": {resourcePath(resource), "name", "Boat 2"},
		"service":  {servicePath(c.newService(t, "slot", nil, resource)), "buffer_after_minutes", 15.0},
		"closure":  {"/v1/closures/" + c.newClosure(t, nil, future(200), future(201)).String(), "reason", "Regatta"},
	}
}

func TestConflicts_OfBookingsWithMuchMetadata_ComeInPagesOfAMegabyte(t *testing.T) {
	t.Parallel()
	c := setup(t)
	resource := c.newResource(t, 100)
	service := c.newService(t, "date", nil, resource)
	const bookings = 80
	for range bookings {
		c.created(t, c.book(t, service, future(1), object{"metadata": object{"text": strings.Repeat("x", 15_000)}}))
	}
	require.Equal(t, http.StatusOK,
		c.patch(t, "/v1/resources/"+resource.String(), object{"capacity": 1, "force": true}).status)
	path := "/v1/resources/" + resource.String() + "/conflicts?limit=200"
	first := c.get(t, path)
	require.Less(t, len(first.body), 1_200_000)
	rest := c.get(t, path+"&cursor="+first.text(t, "next_cursor"))
	require.NotContains(t, rest.body, "next_cursor")
	seen := map[any]bool{}
	for _, row := range append(first.field(t, "data").([]any), rest.field(t, "data").([]any)...) {
		seen[row.(object)["booking"].(object)["id"]] = true
	}
	require.GreaterOrEqual(t, len(seen), bookings-1)
}

func TestArchive_BookingsInTheWay_AreNamedAndCounted(t *testing.T) {
	t.Parallel()
	c := setup(t)
	resource := c.newResource(t, 1)
	booked := c.book(t, c.newService(t, "date", nil, resource), future(0)).id(t).String()
	ids, count := inTheWay(t, c.post(t, resourcePath(resource)+"/archive", nil))
	require.Equal(t, []string{booked}, ids)
	require.Equal(t, 1, count)
	c.post(t, resourcePath(resource)+"/archive", object{"force": true}).ok(t)
	require.Equal(t, map[string][]any{booked: {"resource_archived"}}, c.conflicts(t, "/v1/tenant", 50))
}

func TestCatalogChange_IfMatch_PermitsOnlyTheVersionThatItNames(t *testing.T) {
	t.Parallel()
	c := setup(t)
	for name, thing := range catalogThings(t, c) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			first := c.get(t, thing.path).ok(t)
			require.Equal(t, `"1"`, first.header.Get("ETag"))
			require.InDelta(t, 1, first.field(t, "version"), 0)
			changed := c.patch(t, thing.path, object{thing.field: thing.value}, "If-Match", `"1"`, "Request-Id",
				"change-7").ok(t)
			require.Equal(t, "change-7", c.history(t, thing.path)[1].RequestID)
			require.Equal(t, `"2"`, changed.header.Get("ETag"))
			require.Equal(t, thing.value, changed.field(t, thing.field))
			requireSame(t, changed, c.get(t, thing.path))

			stale := c.patch(t, thing.path, object{thing.field: first.field(t, thing.field)}, "If-Match", `"1"`)
			requireProblem(t, stale, http.StatusPreconditionFailed, problem.VersionMismatch)
			for _, action := range []string{"/archive", "/unarchive"} {
				requireProblem(t, c.post(t, thing.path+action, nil, "If-Match", `"1"`), http.StatusPreconditionFailed,
					problem.VersionMismatch)
			}
			requireSame(t, changed, c.get(t, thing.path))
		})
	}
}

func TestCatalogChange_ThatChangesNothing_WritesNothing(t *testing.T) {
	t.Parallel()
	c := setup(t)
	for _, thing := range catalogThings(t, c) {
		before := c.get(t, thing.path).ok(t)
		tables := c.tables(t)
		for _, body := range []object{{}, {thing.field: before.field(t, thing.field)}} {
			requireSame(t, before, c.patch(t, thing.path, body))
		}
		require.Equal(t, tables, c.tables(t))
	}
	resource := c.newResource(t, 2)
	hours := object{"weekly": []any{object{"weekday": "monday", "opens": "09:00", "closes": "12:00"}}}
	first := c.put(t, resourcePath(resource)+"/hours", hours).ok(t)
	require.Equal(t, `"2"`, first.header.Get("ETag"))
	requireSame(t, first, c.put(t, resourcePath(resource)+"/hours", hours))
	requireProblem(t, c.put(t, resourcePath(resource)+"/hours", object{"always_open": true}, "If-Match", `"1"`),
		http.StatusPreconditionFailed, problem.VersionMismatch)
	archived := c.post(t, resourcePath(resource)+"/archive", nil).ok(t)
	require.Equal(t, `"3"`, archived.header.Get("ETag"))
	requireSame(t, archived, c.post(t, resourcePath(resource)+"/archive", nil))
}

func TestCatalogChange_AnothersID_IsAnsweredLikeOneThatDoesNotExist(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	theirs, ours := newFixture(t, s.newTenant(t, "Europe/Berlin")), newFixture(t, s.newTenant(t, "Europe/Berlin"))
	before := s.tables(t)
	for path, body := range map[string]func(id string) object{
		servicePath(ours.slots): func(id string) object {
			return object{"resource_ids": []any{ours.resource.String(),
				id}}
		},
		"/v1/closures/" + ours.closure.String(): func(id string) object { return object{"resource_id": id} },
	} {
		want := ours.patch(t, path, body(uuid.NewString()))
		requireProblem(t, want, http.StatusNotFound, problem.NotFound)
		requireSame(t, want, ours.patch(t, path, body(theirs.resource.String())))
	}
	require.Equal(t, before, s.tables(t))
}

func TestResources_OrderAndArchivedFilters_ListWhatTheyName(t *testing.T) {
	t.Parallel()
	c := setup(t)
	var ids []string
	for _, position := range []int{2, 0, 1, 1} {
		ids = append(ids, c.created(t,
			c.post(t, "/v1/resources", object{"name": "Boat", "capacity": 1, "position": position})).String())
	}
	require.Equal(t, ids, c.listAll(t, "/v1/resources", url.Values{"limit": {"1"}}))
	byPosition := url.Values{"limit": {"1"}, "order": {"position"}}
	require.Equal(t, []string{ids[1], ids[2], ids[3], ids[0]}, c.listAll(t, "/v1/resources", byPosition))
	c.patch(t, "/v1/resources/"+ids[0], object{"position": 0}).ok(t)
	c.post(t, "/v1/resources/"+ids[2]+"/archive", object{}).ok(t)
	byPosition.Del("cursor")
	require.Equal(t, []string{ids[0], ids[1], ids[3]}, c.listAll(t, "/v1/resources", byPosition))
	require.Equal(t, []string{ids[2]}, c.listAll(t, "/v1/resources", url.Values{"archived": {"true"}}))
	require.Equal(t, []string{ids[2]},
		c.listAll(t, "/v1/resources", url.Values{"archived": {"true"}, "order": {"position"}}))
	c.post(t, "/v1/resources/"+ids[2]+"/unarchive", nil).ok(t)
	require.Equal(t, ids, c.listAll(t, "/v1/resources", url.Values{"archived": {"false"}}))

	service := c.newService(t, "date", nil, uuid.MustParse(ids[0]))
	c.post(t, servicePath(service)+"/archive", object{}).ok(t)
	require.Empty(t, c.listAll(t, "/v1/services", url.Values{}))
	require.Equal(t, []string{service.String()}, c.listAll(t, "/v1/services", url.Values{"archived": {"true"}}))
	idCursor := c.list(t, "/v1/resources?limit=1").NextCursor
	requireProblem(t, c.get(t, "/v1/resources?order=position&cursor="+idCursor), http.StatusUnprocessableEntity,
		problem.ValidationFailed)
}

func TestCatalogChange_TwoClientsAtOnce_OneOfThemIsStale(t *testing.T) {
	t.Parallel()
	c := setup(t)
	for name, thing := range catalogThings(t, c) {
		statuses := make(chan int, 8)
		for i := range cap(statuses) {
			body := object{thing.field: thing.value}
			if text, ok := thing.value.(string); ok {
				body[thing.field] = fmt.Sprint(text, i)
			} else {
				body[thing.field] = i + 1
			}
			go func() { statuses <- c.patch(t, thing.path, body, "If-Match", `"1"`).status }()
		}
		counts := make(map[int]int)
		for range cap(statuses) {
			counts[<-statuses]++
		}
		require.Equal(t, map[int]int{http.StatusOK: 1, http.StatusPreconditionFailed: 7}, counts, name)
	}
}
