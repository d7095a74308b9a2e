package httpapi_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/db/dbtest"
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
	require.Equal(t, http.StatusOK, c.patch(t, "/v1/resources/"+resource.String(), object{"capacity": 1, "force": true}).status)
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

func TestCatalogChange_IfMatch_PermitsOnlyTheVersionThatItNames(t *testing.T) {
	t.Parallel()
	c := setup(t)
	for name, thing := range catalogThings(t, c) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			first := c.get(t, thing.path).ok(t)
			require.Equal(t, `"1"`, first.header.Get("ETag"))
			require.InDelta(t, 1, first.field(t, "version"), 0)
			changed := c.patch(t, thing.path, object{thing.field: thing.value}, "If-Match", `"1"`).ok(t)
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
		ids = append(ids, c.created(t, c.post(t, "/v1/resources", object{"name": "Boat", "capacity": 1, "position": position})).String())
	}
	require.Equal(t, ids, c.listAll(t, "/v1/resources", url.Values{"limit": {"1"}}))
	byPosition := url.Values{"limit": {"1"}, "order": {"position"}}
	require.Equal(t, []string{ids[1], ids[2], ids[3], ids[0]}, c.listAll(t, "/v1/resources", byPosition))
	c.patch(t, "/v1/resources/"+ids[0], object{"position": 0}).ok(t)
	c.post(t, "/v1/resources/"+ids[2]+"/archive", object{}).ok(t)
	byPosition.Del("cursor")
	require.Equal(t, []string{ids[0], ids[1], ids[3]}, c.listAll(t, "/v1/resources", byPosition))
	require.Equal(t, []string{ids[2]}, c.listAll(t, "/v1/resources", url.Values{"archived": {"true"}}))
	require.Equal(t, []string{ids[2]}, c.listAll(t, "/v1/resources", url.Values{"archived": {"true"}, "order": {"position"}}))
	c.post(t, "/v1/resources/"+ids[2]+"/unarchive", nil).ok(t)
	require.Equal(t, ids, c.listAll(t, "/v1/resources", url.Values{"archived": {"false"}}))

	service := c.newService(t, "date", nil, uuid.MustParse(ids[0]))
	c.post(t, servicePath(service)+"/archive", object{}).ok(t)
	require.Empty(t, c.listAll(t, "/v1/services", url.Values{}))
	require.Equal(t, []string{service.String()}, c.listAll(t, "/v1/services", url.Values{"archived": {"true"}}))
	idCursor := c.list(t, "/v1/resources?limit=1").NextCursor
	requireProblem(t, c.get(t, "/v1/resources?order=position&cursor="+idCursor), http.StatusUnprocessableEntity, problem.ValidationFailed)
}

func TestServiceChange_Price_LeavesBookingsAsTheyAre(t *testing.T) {
	t.Parallel()
	c := setup(t)
	service := c.newService(t, "date", object{"price": 4500, "deposit": 1000}, c.newResource(t, 5))
	made := c.book(t, service, future(0))
	changed := c.patch(t, servicePath(service), object{"price": 6000, "deposit": 500, "max_per_day": 3, "metadata": object{"a": 1}}).ok(t)
	require.InDelta(t, 3, changed.field(t, "max_per_day"), 0)
	require.Equal(t, object{"a": 1.0}, changed.field(t, "metadata"))
	require.Equal(t, made.body, c.get(t, "/v1/bookings/"+made.id(t).String()).body)
	require.InDelta(t, 6000, c.book(t, service, future(0)).field(t, "price"), 0)
	var body object
	c.patch(t, servicePath(service), object{"max_per_day": nil}).ok(t).read(t, &body)
	require.NotContains(t, body, "max_per_day")
	require.Equal(t, "immutable", requireProblem(t, c.patch(t, servicePath(service), object{"kind": "slot"}), 422,
		problem.ValidationFailed).field("kind"))
	require.Equal(t, "too_large",
		requireProblem(t, c.patch(t, servicePath(service), object{"price": 499}), 422, problem.ValidationFailed).field("deposit"))
}

func TestServiceChange_Occupies_IsShownAndDecidesAboutTheNextBooking(t *testing.T) {
	t.Parallel()
	c := setup(t)
	service := c.newService(t, "date", object{"occupies": "whole"}, c.newResource(t, 5))
	require.Equal(t, "whole", c.get(t, servicePath(service)).ok(t).field(t, "occupies"))
	c.book(t, service, future(0))
	c.refused(t, http.StatusConflict, problem.SlotUnavailable, service, future(0))

	require.Equal(t, "session", c.patch(t, servicePath(service), object{"occupies": "session"}).ok(t).field(t, "occupies"))
	c.book(t, service, future(1))
	c.book(t, service, future(1))
	require.Equal(t, "units", c.patch(t, servicePath(service), object{"occupies": nil}).ok(t).field(t, "occupies"))
	c.refused(t, http.StatusConflict, problem.SlotUnavailable, service, future(1))
	require.Equal(t, "not_one_of",
		requireProblem(t, c.patch(t, servicePath(service), object{"occupies": "planes"}), 422, problem.ValidationFailed).field("occupies"))
}

func TestServiceChange_Reminders_ReplaceTheTenantsAndGiveWay(t *testing.T) {
	t.Parallel()
	c := setup(t)
	service := c.newService(t, "date", nil, c.newResource(t, 5))
	own := c.patch(t, servicePath(service), object{"reminders": []any{object{"before_minutes": 60}}}).ok(t)
	require.Len(t, own.field(t, "reminders"), 1)
	require.Equal(t, 1, c.plansAhead(t))
	var body object
	c.patch(t, servicePath(service), object{"reminders": nil}).ok(t).read(t, &body)
	require.NotContains(t, body, "reminders")
}

func TestServiceChange_RemovedResource_TakesNoBookingsAndKeepsThoseItHas(t *testing.T) {
	t.Parallel()
	c := setup(t)
	first, second := c.newResource(t, 1), c.newResource(t, 1)
	service := c.newService(t, "date", nil, first, second)
	kept := c.book(t, service, future(0), object{"resource_id": first.String()}).id(t)
	changed := c.patch(t, servicePath(service), object{"resource_ids": []any{second.String()}}).ok(t)
	require.Equal(t, []any{second.String()}, changed.field(t, "resource_ids"))
	c.refused(t, http.StatusNotFound, problem.NotFound, service, future(1), object{"resource_id": first.String()})
	require.Equal(t, second.String(), c.book(t, service, future(1)).field(t, "resource_id"))
	c.post(t, "/v1/bookings/"+kept.String()+"/cancel", nil).ok(t)
	// It comes back in the place that is given to it.
	changed = c.patch(t, servicePath(service), object{"resource_ids": []any{second.String(), first.String()}}).ok(t)
	require.Equal(t, []any{second.String(), first.String()}, changed.field(t, "resource_ids"))
	require.Equal(t, second.String(), c.book(t, service, future(2)).field(t, "resource_id"))
	require.Equal(t, first.String(), c.book(t, service, future(2)).field(t, "resource_id"))
}

// TestServiceChange_ShorterDuration_BookingsOfTheFormerOneStillTakeTheirTime: what is occupied is read as far back as the longest booking
// that exists, and not only as the longest that can be made now.
func TestServiceChange_ShorterDuration_BookingsOfTheFormerOneStillTakeTheirTime(t *testing.T) {
	t.Parallel()
	c := setup(t)
	service := c.newService(t, "slot", object{"duration_minutes": 300, "slot_interval_minutes": 30}, c.newResource(t, 1))
	c.book(t, service, at(future(0), 9, 0))
	c.patch(t, servicePath(service), object{"duration_minutes": 30}).ok(t)
	c.refused(t, http.StatusConflict, problem.SlotUnavailable, service, at(future(0), 13, 30))
	day := c.get(t, servicePath(service)+"/availability?from="+future(0).String()+"&to="+future(0).String()).ok(t).field(t,
		"data").([]any)[0].(object)
	require.InDelta(t, 48-10, day["remaining"], 0)
	c.book(t, service, at(future(0), 14, 0))
}

func TestArchive_ResourceAndService_TakeNoNewBookings(t *testing.T) {
	t.Parallel()
	c := setup(t)
	first, second := c.newResource(t, 1), c.newResource(t, 1)
	service := c.newService(t, "date", nil, first, second)
	remaining := func() any {
		day := c.get(t, servicePath(service)+"/availability?from="+future(0).String()+"&to="+future(0).String()).ok(t).field(t,
			"data").([]any)[0].(object)
		require.Equal(t, day["remaining"].(float64) > 0, day["available"])
		return day["remaining"]
	}
	require.InDelta(t, 2, remaining(), 0)
	archived := c.post(t, resourcePath(first)+"/archive", nil).ok(t)
	require.NotEmpty(t, archived.text(t, "archived_at"))
	require.Equal(t, archived.body, c.get(t, resourcePath(first)).body)
	require.InDelta(t, 1, remaining(), 0)
	c.refused(t, http.StatusConflict, problem.InvalidState, service, future(0), object{"resource_id": first.String()})
	kept := c.book(t, service, future(0)).id(t)

	ids, count := inTheWay(t, c.post(t, servicePath(service)+"/archive", nil))
	require.Equal(t, []string{kept.String()}, ids)
	require.Equal(t, 1, count)
	c.post(t, servicePath(service)+"/archive", object{"force": true}).ok(t)
	require.InDelta(t, 0, remaining(), 0)
	c.refused(t, http.StatusConflict, problem.InvalidState, service, future(1))
	require.Equal(t, map[string][]any{kept.String(): {"service_archived"}}, c.conflicts(t, servicePath(service), 50))
	require.Equal(t, map[string][]any{kept.String(): {"service_archived"}}, c.conflicts(t, resourcePath(second), 50))
	c.post(t, "/v1/bookings/"+kept.String()+"/cancel", nil).ok(t)
	require.Empty(t, c.conflicts(t, servicePath(service), 50))

	c.post(t, servicePath(service)+"/unarchive", nil).ok(t)
	c.post(t, resourcePath(first)+"/unarchive", nil).ok(t)
	require.InDelta(t, 2, remaining(), 0)
	c.book(t, service, future(0), object{"resource_id": first.String()})
}

func TestArchive_AllResourcesOfAService_IsAnInvalidState(t *testing.T) {
	t.Parallel()
	c := setup(t)
	resource := c.newResource(t, 1)
	service := c.newService(t, "slot", nil, resource)
	c.post(t, resourcePath(resource)+"/archive", nil).ok(t)
	c.refused(t, http.StatusConflict, problem.InvalidState, service, at(future(0), 10, 0))
	c.refused(t, http.StatusConflict, problem.InvalidState, service, at(future(0), 10, 0), object{"resource_id": resource.String()})
	c.get(t, servicePath(service)+"/availability?from="+future(0).String()+"&to="+future(3).String()).ok(t)
}

func TestCapacity_LoweredBelowWhatIsBooked_NeedsForceAndSellsNoMoreThanItsUnits(t *testing.T) {
	t.Parallel()
	c := setup(t)
	resource := c.newResource(t, 4)
	service := c.newService(t, "slot", nil, resource)
	hour := func(h int) any { return at(future(0), h, 0) }
	lone := c.book(t, service, hour(8)).id(t)
	var three []string
	for range 3 {
		three = append(three, c.book(t, service, hour(10)).id(t).String())
	}
	over := c.book(t, service, hour(12), object{"party_size": 4}).id(t).String()
	cancelled := c.book(t, service, hour(14), object{"party_size": 4}).id(t).String()
	c.post(t, "/v1/bookings/"+cancelled+"/cancel", nil).ok(t)

	ids, count := inTheWay(t, c.patch(t, resourcePath(resource), object{"capacity": 3}))
	require.Equal(t, []string{over}, ids)
	require.Equal(t, 1, count)
	ids, count = inTheWay(t, c.patch(t, resourcePath(resource), object{"capacity": 2}))
	require.Equal(t, over, ids[3], "by their beginning")
	require.ElementsMatch(t, append(three, over), ids)
	require.Equal(t, 4, count)
	require.Equal(t, `"1"`, c.get(t, resourcePath(resource)).header.Get("ETag"))

	c.patch(t, resourcePath(resource), object{"capacity": 2, "force": true}).ok(t)
	want := map[string][]any{three[0]: {"over_capacity"}, three[1]: {"over_capacity"}, three[2]: {"over_capacity"}, over: {"over_capacity"}}
	require.Equal(t, want, c.conflicts(t, resourcePath(resource), 1))
	require.Equal(t, want, c.conflicts(t, servicePath(service), 3))

	// Two of the three are cancelled, also those with the low numbers: one unit is in use, and one can be sold.
	c.post(t, "/v1/bookings/"+three[0]+"/cancel", nil).ok(t)
	c.refused(t, http.StatusConflict, problem.SlotUnavailable, service, hour(10))
	c.post(t, "/v1/bookings/"+three[1]+"/cancel", nil).ok(t)
	require.Equal(t, map[string][]any{over: {"over_capacity"}}, c.conflicts(t, resourcePath(resource), 50))
	c.refused(t, http.StatusConflict, problem.SlotUnavailable, service, hour(10), object{"party_size": 2})
	c.book(t, service, hour(10))
	c.refused(t, http.StatusConflict, problem.SlotUnavailable, service, hour(10))
	c.book(t, service, hour(8))
	require.NotContains(t, c.conflicts(t, resourcePath(resource), 50), lone.String())

	c.patch(t, resourcePath(resource), object{"capacity": 4}).ok(t)
	require.Empty(t, c.conflicts(t, resourcePath(resource), 50))
}

func TestInTheWay_ManyBookings_NamesAHundredAndCountsAll(t *testing.T) {
	t.Parallel()
	c := setup(t)
	resource := c.newResource(t, 150)
	service := c.newService(t, "date", nil, resource)
	for range 103 {
		c.book(t, service, future(0))
	}
	ids, count := inTheWay(t, c.post(t, resourcePath(resource)+"/archive", object{}))
	require.Len(t, ids, 100)
	require.Equal(t, 103, count)
}

func TestConflicts_HoursAndClosures_ListWhatIsOutsideThem(t *testing.T) {
	t.Parallel()
	c := setup(t)
	resource, other := c.newResource(t, 3), c.newResource(t, 3)
	slots, dates := c.newService(t, "slot", nil, resource), c.newService(t, "date", nil, resource)
	early := c.book(t, slots, at(future(0), 7, 0)).id(t).String()
	c.book(t, slots, at(future(0), 10, 0))
	monday := c.book(t, dates, future(7)).id(t).String()
	tuesday := c.book(t, dates, future(8)).id(t).String()
	closed := c.book(t, slots, at(future(14), 10, 0)).id(t).String()
	both := c.book(t, slots, at(future(15), 7, 0), object{"hold_minutes": 60}).id(t).String()
	expired := c.book(t, slots, at(future(14), 8, 0), object{"hold_minutes": 60}).id(t).String()
	require.Empty(t, c.conflicts(t, resourcePath(resource), 50))

	c.setHours(t, resource, object{"weekly": []any{
		object{"weekday": "monday", "opens": "09:00", "closes": "18:00"}, object{"weekday": "tuesday", "opens": "09:00", "closes": "18:00"},
	}, "overrides": []any{object{"date": future(8).String(), "closed": true}}})
	c.newClosure(t, &resource, future(14), future(15))
	c.newClosure(t, &other, future(0), future(0))
	_, err := c.sql.Exec(t.Context(), "UPDATE bookings SET hold_expires_at = now() - interval '1 minute' WHERE booking_id = $1", expired)
	require.NoError(t, err)
	_, err = c.sql.Exec(t.Context(), dbtest.SyncClaims)
	require.NoError(t, err)
	want := map[string][]any{
		early: {"outside_hours"}, tuesday: {"outside_hours"}, closed: {"closed"}, both: {"outside_hours", "closed"},
	}
	require.NotContains(t, want, monday)
	require.Equal(t, want, c.conflicts(t, resourcePath(resource), 1))
	require.Equal(t, map[string][]any{tuesday: {"outside_hours"}}, c.conflicts(t, servicePath(dates), 50))
}

func TestConflicts_MoreBookingsThanAPageLooksAt_AreListedOverSeveralPages(t *testing.T) {
	t.Parallel()
	c := setup(t)
	resource := c.newResource(t, 1000)
	service := c.newService(t, "date", nil, resource)
	first := c.book(t, service, future(0)).id(t).String()
	last := c.book(t, service, future(20)).id(t).String()
	// Bookings that fit, between these two.
	_, err := c.sql.Exec(t.Context(), dbtest.InsertBookings(`
		SELECT tenant_id, gen_random_uuid(), service_id, resource_id, customer_id, status, starts_at + interval '1 day' * (1 + i / 100),
			ends_at + interval '1 day' * (1 + i / 100), time_zone, '{[' || i % 100 + 1 || ',' || i % 100 + 2 || ')}',
			busy_from + interval '1 day' * (1 + i / 100), busy_until + interval '1 day' * (1 + i / 100), NULL, 0, 0
		FROM bookings, generate_series(0, 1299) AS i WHERE booking_id = $1`), first)
	require.NoError(t, err)
	for _, d := range []civil.Date{future(0), future(20)} {
		c.newClosure(t, &resource, d, d)
	}
	page := c.list(t, resourcePath(resource)+"/conflicts")
	require.Len(t, page.Data, 1)
	require.NotEmpty(t, page.NextCursor)
	require.Equal(t, map[string][]any{first: {"closed"}, last: {"closed"}}, c.conflicts(t, resourcePath(resource), 50))
}

// TestArchive_WhileBookingsRace_ListsThoseThatWereMadeAndRefusesLaterOnes: a booking that reads the catalog's version after the commit of
// the archiving is refused, in every process; one that read it before stands in the list.
func TestArchive_WhileBookingsRace_ListsThoseThatWereMadeAndRefusesLaterOnes(t *testing.T) {
	t.Parallel()
	c := setup(t)
	resource := c.newResource(t, 1000)
	service := c.newService(t, "date", nil, resource)
	var mu sync.Mutex
	made := make(map[string][]any)
	var refused []answer
	var clients sync.WaitGroup
	enough := make(chan struct{}, 4)
	for i := range 4 {
		from := c
		if i%2 == 1 {
			from.apiServer = c.another(t)
		}
		clients.Go(func() {
			for n := 1; ; n++ {
				a := from.post(t, "/v1/bookings", bookingOf(service, future(i)))
				mu.Lock()
				if a.status != http.StatusCreated {
					refused = append(refused, a)
					mu.Unlock()
					return
				}
				made[a.id(t).String()] = []any{"resource_archived"}
				mu.Unlock()
				if n == 3 {
					enough <- struct{}{}
				}
			}
		})
	}
	for range 4 {
		<-enough
	}
	inTheWay(t, c.post(t, resourcePath(resource)+"/archive", nil))
	c.post(t, resourcePath(resource)+"/archive", object{"force": true}).ok(t)
	clients.Wait()
	require.Len(t, refused, 4)
	for _, a := range refused {
		requireProblem(t, a, http.StatusConflict, problem.InvalidState)
	}
	require.Equal(t, made, c.conflicts(t, resourcePath(resource), 7))
	require.Len(t, made, c.count(t, "SELECT count(*) FROM bookings"))
}

func TestClosureChange_LocksTheDatesBeforeAndAfter(t *testing.T) {
	t.Parallel()
	c := setup(t)
	resource := c.newResource(t, 1)
	service := c.newService(t, "date", nil, resource)
	closure := "/v1/closures/" + c.newClosure(t, &resource, future(0), future(1)).String()
	for _, days := range []int{0, 1, 5} {
		release := c.stall(t, days)
		changed := c.later(t, http.MethodPatch, closure, object{"from": future(1).String(), "to": future(5).String()})
		require.Eventually(t, func() bool {
			return c.count(t, `SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
				AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`) > 0
		}, soon, 2*time.Millisecond, "the change waits for the lock of date %d", days)
		release()
		(<-changed).ok(t)
		c.patch(t, closure, object{"from": future(0).String(), "to": future(1).String()}).ok(t)
	}
	c.refused(t, http.StatusUnprocessableEntity, problem.OutsideOpeningHours, service, future(0))
	c.patch(t, closure, object{"from": future(2).String(), "to": future(2).String(), "resource_id": nil}).ok(t)
	c.book(t, service, future(0))
	c.refused(t, http.StatusUnprocessableEntity, problem.OutsideOpeningHours, service, future(2))
	c.post(t, closure+"/archive", nil).ok(t)
	c.book(t, service, future(2))
}

func TestClosureChange_MoreThan62DatesTogether_AreTooMany(t *testing.T) {
	t.Parallel()
	c := setup(t)
	closure := "/v1/closures/" + c.newClosure(t, nil, future(0), future(30)).String()
	far := object{"from": future(100).String(), "to": future(131).String()}
	requireProblem(t, c.patch(t, closure, far), http.StatusUnprocessableEntity, problem.TooManyDates)
	far["to"] = future(130).String()
	c.patch(t, closure, far).ok(t)
	require.Equal(t, "before_from",
		requireProblem(t, c.patch(t, closure, object{"to": future(99).String()}), 422, problem.ValidationFailed).field("to"))
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

func TestHistory_ResourceAndService_TellEachChange(t *testing.T) {
	t.Parallel()
	c := setup(t)
	resource := c.newResource(t, 3)
	service := c.newService(t, "date", nil, resource)
	c.patch(t, resourcePath(resource), object{"capacity": 2, "name": "Raft"}, "Request-Id", "change-7").ok(t)
	c.patch(t, resourcePath(resource), object{"capacity": 2}).ok(t)
	c.setHours(t, resource, object{"weekly": []any{}})
	c.patch(t, servicePath(service), object{"price": 100}).ok(t)
	for _, path := range []string{resourcePath(resource), servicePath(service)} {
		c.post(t, path+"/archive", nil).ok(t)
		c.post(t, path+"/unarchive", nil).ok(t)
	}
	actions := func(path string) (list []string) {
		for _, e := range c.history(t, path) {
			require.NotEmpty(t, e.RequestID)
			list = append(list, e.Action)
		}
		return list
	}
	require.Equal(t, []string{"resource.created", "resource.updated", "resource.hours_set", "resource.archived", "resource.unarchived"},
		actions(resourcePath(resource)))
	require.Equal(t, []string{"service.created", "service.updated", "service.archived", "service.unarchived"},
		actions(servicePath(service)))
	changed := c.history(t, resourcePath(resource))[1]
	require.Equal(t, "change-7", changed.RequestID)
	require.Equal(t, object{"capacity": 3.0, "name": "Boat"}, changed.Before)
	require.Equal(t, object{"capacity": 2.0, "name": "Raft"}, changed.After)
}
