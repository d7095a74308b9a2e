package httpapi_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/db/dbtest"
	"holdfast/internal/problem"
)

func TestTenant_IsMadeOnceWithAKeyThatIsShownOnce(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	admin := s.admin()
	body := object{"slug": "harbour", "name": "Harbour Tours", "time_zone": "Europe/Berlin", "currency": "EUR"}
	made := admin.post(t, "/admin/v1/tenants", body, "Idempotency-Key", "make harbour")
	id := admin.created(t, made)
	require.Equal(t, "/admin/v1/tenants/"+id.String(), made.header.Get("Location"))
	require.Empty(t, made.header.Get("Idempotent-Replayed"))
	key := made.text(t, "api_key")
	require.True(t, strings.HasPrefix(key, "hf_"), key)
	for name, value := range body {
		require.Equal(t, value, made.field(t, name))
	}
	require.Equal(t, http.StatusOK, client{apiServer: s, key: key}.get(t, "/v1/bookings").status)

	var want, got object
	made.read(t, &want)
	delete(want, "api_key")
	replay := admin.post(t, "/admin/v1/tenants", body, "Idempotency-Key", "make harbour")
	require.Equal(t, made.status, replay.status)
	require.Equal(t, made.header.Get("Location"), replay.header.Get("Location"))
	require.Equal(t, "true", replay.header.Get("Idempotent-Replayed"))
	replay.read(t, &got)
	require.Equal(t, want, got, "the key is shown once")
	require.NotContains(t, replay.body, "hf_")

	before := s.tables(t)
	requireProblem(t, admin.post(t, "/admin/v1/tenants", body), http.StatusConflict, problem.AlreadyExists)
	require.Equal(t, before, s.tables(t))
	body["slug"] = "harbour-2"
	admin.created(t, admin.post(t, "/admin/v1/tenants", body))
}

func TestBooking_FromCatalogToCompletion(t *testing.T) {
	t.Parallel()
	c := setup(t)
	resource := c.newResource(t, 4)
	made := c.get(t, "/v1/resources/"+resource.String())
	require.Equal(t, object{"inherited": true, "overrides": []any{}}, made.field(t, "hours"),
		"as the tenant, which is open always")
	hours := object{
		"weekly": []any{object{"weekday": "monday", "opens": "09:00", "closes": "12:00"}},
		"overrides": []any{object{"date": future(1).String(), "opens": "20:00", "closes": "24:00"},
			object{"date": future(7).String(), "closed": true}},
	}
	set := c.put(t, "/v1/resources/"+resource.String()+"/hours", hours)
	require.Equal(t, http.StatusOK, set.status, set.body)
	require.Equal(t, hours, set.field(t, "hours"))
	require.Equal(t, set.body, c.get(t, "/v1/resources/"+resource.String()).body)

	service := c.newService(t, "slot", object{"price": 4500, "deposit": 1000, "metadata": object{"colour": "red"}},
		resource)
	offer := c.get(t, "/v1/services/"+service.String())
	require.Equal(t, "EUR", offer.field(t, "currency"))
	require.EqualValues(t, 60, offer.field(t, "slot_interval_minutes"), "the duration, if it isn't given")
	require.Equal(t, object{"colour": "red"}, offer.field(t, "metadata"))

	require.Equal(t, []string{"09:00", "10:00", "11:00"}, c.on(t, service, future(0)).clocks())
	start := at(future(0), 10, 0)
	body := bookingOf(service, start, object{
		"party_size": 3, "hold_minutes": 15, "metadata": object{"table": "7"},
		"customer": object{
			"name": "Ada Lovelace", "email": "Ada@Example.com", "phone": "+44 20", "time_zone": "Europe/London",
			"birthday": "1990-12-10",
		},
	})
	held := c.post(t, "/v1/bookings", body)
	id := c.created(t, held)
	path := "/v1/bookings/" + id.String()
	require.Equal(t, path, held.header.Get("Location"))
	require.Equal(t, `"1"`, held.header.Get("ETag"))
	var b struct {
		ServiceID     uuid.UUID `json:"service_id"`
		ResourceID    uuid.UUID `json:"resource_id"`
		Customer      object
		Status, Date  string
		StartsAt      string    `json:"starts_at"`
		EndsAt        string    `json:"ends_at"`
		TimeZone      string    `json:"time_zone"`
		PartySize     int       `json:"party_size"`
		HoldExpiresAt time.Time `json:"hold_expires_at"`
		Price         int64
		Deposit       int64
		Currency      string
		Version       int64
		Metadata      object
		CreatedAt     time.Time `json:"created_at"`
		UpdatedAt     time.Time `json:"updated_at"`
	}
	held.read(t, &b)
	require.Equal(t, service, b.ServiceID)
	require.Equal(t, resource, b.ResourceID)
	require.Equal(t, "held", b.Status)
	require.Equal(t, future(0).String(), b.Date)
	require.Equal(t, rfc3339(start), b.StartsAt, "in the tenant's time zone")
	require.Equal(t, rfc3339(start.Add(time.Hour)), b.EndsAt)
	require.Equal(t, "Europe/Berlin", b.TimeZone)
	require.Equal(t, 3, b.PartySize)
	require.Equal(t, 15*time.Minute, b.HoldExpiresAt.Sub(b.CreatedAt))
	require.Equal(t, []any{int64(4500), int64(1000), "EUR", int64(1)}, []any{b.Price, b.Deposit, b.Currency, b.Version})
	require.Equal(t, object{"table": "7"}, b.Metadata)
	require.Equal(t, b.CreatedAt, b.UpdatedAt)
	customer := b.Customer["id"]
	delete(b.Customer, "id")
	require.Equal(t, object{
		"name": "Ada Lovelace", "email": "ada@example.com", "phone": "+44 20", "time_zone": "Europe/London",
		"birthday": "1990-12-10",
	}, b.Customer)
	require.Equal(t, 1, c.on(t, service, future(0)).Slots[1].Remaining)

	confirmed := c.post(t, path+"/confirm", nil)
	require.Equal(t, http.StatusOK, confirmed.status, confirmed.body)
	require.Equal(t, "confirmed", confirmed.field(t, "status"))
	require.Equal(t, `"2"`, confirmed.header.Get("ETag"))
	read := c.get(t, path)
	require.Equal(t, confirmed.body, read.body, "what is read is what was answered")
	require.Equal(t, `"2"`, read.header.Get("ETag"))

	days := c.newService(t, "date", nil, c.newResource(t, 2))
	requireProblem(t, c.post(t, path+"/complete", nil), http.StatusConflict, problem.InvalidState)
	requireProblem(t, c.post(t, path+"/no-show", nil), http.StatusConflict, problem.InvalidState)
	for i, change := range []string{"complete", "no-show"} {
		status := []string{"completed", "no_show"}[i]
		other := c.begun(t, c.book(t, days, future(i)).id(t))
		done := c.post(t, "/v1/bookings/"+other.String()+"/"+change, nil)
		require.Equal(t, http.StatusOK, done.status, done.body)
		require.Equal(t, status, done.field(t, "status"))
		requireProblem(t, c.post(t, "/v1/bookings/"+other.String()+"/cancel", nil), http.StatusConflict,
			problem.InvalidState)
	}

	cancelled := c.post(t, path+"/cancel", "{}")
	require.Equal(t, http.StatusOK, cancelled.status, cancelled.body)
	require.Equal(t, "cancelled", cancelled.field(t, "status"))
	require.Equal(t, `"3"`, cancelled.header.Get("ETag"))
	for _, change := range []string{"confirm", "cancel", "complete", "no-show"} {
		requireProblem(t, c.post(t, path+"/"+change, nil), http.StatusConflict, problem.InvalidState)
	}
	require.Equal(t, 4, c.on(t, service, future(0)).Slots[1].Remaining, "what is cancelled is free")

	// The customer is known by now, by address in any spelling or by id.
	again := c.book(t, service, start, object{"customer": object{"name": "Somebody Else", "email": " ADA@example.COM"}})
	require.Equal(t, customer, again.field(t, "customer").(object)["id"])
	require.Equal(t, "Somebody Else", again.field(t, "customer").(object)["name"], "as it was given for this booking")
	byID := without(bookingOf(service, start, object{"customer_id": customer}), []any{"customer"})
	known := c.post(t, "/v1/bookings", byID).field(t, "customer").(object)
	require.Equal(t, []any{customer, "Ada Lovelace", "+44 20"}, []any{known["id"], known["name"], known["phone"]},
		"what was known first")
}

func TestHold_PastItsExpiry_CountsAsFreeAndCannotBeConfirmed(t *testing.T) {
	t.Parallel()
	c := setup(t)
	service := c.newService(t, "slot", nil, c.newResource(t, 1))
	start := at(future(0), 10, 0)
	hold := c.book(t, service, start, object{"hold_minutes": 1}).id(t)
	c.refused(t, http.StatusConflict, problem.SlotUnavailable, service, start)
	require.Zero(t, c.on(t, service, future(0)).Slots[10].Remaining)
	_, err := c.sql.Exec(t.Context(), "UPDATE bookings SET hold_expires_at = now()")
	require.NoError(t, err)
	_, err = c.sql.Exec(t.Context(), dbtest.SyncClaims)
	require.NoError(t, err)
	require.Equal(t, 1, c.on(t, service, future(0)).Slots[10].Remaining)
	for _, change := range []string{"confirm", "cancel"} {
		requireProblem(t, c.post(t, "/v1/bookings/"+hold.String()+"/"+change, nil), http.StatusConflict,
			problem.HoldExpired)
	}
	c.book(t, service, start)
	require.Equal(t, "expired", c.get(t, "/v1/bookings/"+hold.String()).field(t, "status"))
	requireProblem(t, c.post(t, "/v1/bookings/"+hold.String()+"/confirm", nil), http.StatusConflict,
		problem.HoldExpired)
}

func TestIfMatch_RefusesAChangeToAnotherVersion(t *testing.T) {
	t.Parallel()
	c := setup(t)
	service := c.newService(t, "slot", nil, c.newResource(t, 100))
	for _, test := range []struct {
		name    string
		headers []string
		matches bool
	}{
		{"none", nil, true},
		{"the version", []string{`"1"`}, true},
		{"any", []string{`*`}, true},
		{"any, with blanks", []string{` * `}, true},
		{"a list with the version", []string{`"7", "1" ,"9"`}, true},
		{"the version in a second header", []string{`"7"`, `"1"`}, true},
		{"a version to come", []string{`"2"`}, false},
		{"a list without the version", []string{`"2","3"`}, false},
		{"a weak tag of the version", []string{`W/"1"`}, false},
		{"the version without quotes", []string{`1`}, false},
		{"nonsense", []string{`",`}, false},
		{"the version with a zero", []string{`"01"`}, false},
		{"a blank", []string{" "}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			path := "/v1/bookings/" + c.book(t, service, at(future(0), 10, 0)).id(t).String()
			var headers []string
			for _, h := range test.headers {
				headers = append(headers, "If-Match", h)
			}
			before := c.tables(t)
			a := c.post(t, path+"/cancel", nil, headers...)
			if test.matches {
				require.Equal(t, http.StatusOK, a.status, a.body)
				return
			}
			requireProblem(t, a, http.StatusPreconditionFailed, problem.VersionMismatch)
			require.Equal(t, before, c.tables(t))
		})
	}
	// The tag that was read goes stale with the next change, whatever the change.
	hold := c.book(t, service, at(future(1), 10, 0), object{"hold_minutes": 30})
	path := "/v1/bookings/" + hold.id(t).String()
	require.Equal(t, http.StatusOK, c.post(t, path+"/confirm", nil, "If-Match", hold.header.Get("ETag")).status)
	requireProblem(t, c.post(t, path+"/cancel", nil, "If-Match", hold.header.Get("ETag")),
		http.StatusPreconditionFailed,
		problem.VersionMismatch)
	require.Equal(t, http.StatusOK,
		c.post(t, path+"/cancel", nil, "If-Match", c.get(t, path).header.Get("ETag")).status)
}

func TestLists_PagesAreStableAndWholeWhateverTheirSize(t *testing.T) {
	t.Parallel()
	c := setup(t)
	var resources, services, closures, bookings []string
	for range 7 {
		resources = append(resources, c.newResource(t, 1).String())
	}
	first := uuid.MustParse(resources[0])
	for i := range 7 {
		services = append(services, c.newService(t, "slot", nil, first).String())
		closures = append(closures, c.newClosure(t, nil, future(100+i), future(100+i)).String())
	}
	service := uuid.MustParse(services[0])
	for i := range 12 { // dates in reverse, and three bookings each
		bookings = append(bookings, c.book(t, service, at(future(3-i/3), 8+i%3, 0)).id(t).String())
	}
	byDate := slices.Concat(bookings[9:12], bookings[6:9], bookings[3:6], bookings[:3])
	for path, want := range map[string][]string{
		"/v1/resources": resources, "/v1/services": services, "/v1/closures": closures, "/v1/bookings": byDate,
	} {
		for _, limit := range []string{"", "1", "2", "3", "5", "6", "7", "12", "200"} {
			query := url.Values{}
			if limit != "" {
				query.Set("limit", limit)
			}
			require.Equal(t, want, c.listAll(t, path, query), "%s by %s", path, limit)
		}
		page := c.list(t, path+"?limit=2")
		require.Len(t, page.Data, 2)
		require.Equal(t, page, c.list(t, path+"?limit=2"))
		last := c.list(t, fmt.Sprintf("%s?limit=%d", path, len(want)))
		require.Len(t, last.Data, len(want))
		require.Empty(t, last.NextCursor, "there is no page after the last")
		// What a list shows is what is read one by one.
		one := c.get(t, path+"/"+want[0])
		require.Equal(t, http.StatusOK, one.status, one.body)
		var read object
		one.read(t, &read)
		require.Equal(t, page.Data[0], read)
	}
	// What is added meanwhile, before or after the place where a reader is, moves nothing.
	page := c.list(t, "/v1/bookings?limit=4")
	before, after := c.book(t, service, at(future(-1), 8, 0)).id(t).String(),
		c.book(t, service, at(future(9), 8, 0)).id(t).String()
	rest := c.listAll(t, "/v1/bookings", url.Values{"limit": {"3"}, "cursor": {page.NextCursor}})
	require.Equal(t, append(byDate[4:len(byDate):len(byDate)], after), rest)
	require.Equal(t, before, c.list(t, "/v1/bookings?limit=1").Data[0]["id"])
}

func TestLists_FilterBookings(t *testing.T) {
	t.Parallel()
	c := setup(t)
	boat, raft := c.newResource(t, 10), c.newResource(t, 10)
	tour, trip := c.newService(t, "slot", nil, boat, raft), c.newService(t, "date", nil, raft)
	confirmed := c.book(t, tour, at(future(0), 10, 0))
	held := c.book(t, tour, at(future(1), 10, 0), object{"hold_minutes": 10, "resource_id": raft.String()})
	cancelled := c.book(t, trip, future(2))
	require.Equal(t, http.StatusOK, c.post(t, "/v1/bookings/"+cancelled.id(t).String()+"/cancel", nil).status)
	late := c.book(t, tour, at(future(3), 23, 30).Add(-30*time.Minute))
	ids := func(list ...answer) []string {
		texts := []string{}
		for _, a := range list {
			texts = append(texts, a.id(t).String())
		}
		return texts
	}
	customer := held.field(t, "customer").(object)["id"].(string)
	for query, want := range map[string][]string{
		"":                             ids(confirmed, held, cancelled, late),
		"status=confirmed":             ids(confirmed, late),
		"status=held":                  ids(held),
		"status=cancelled":             ids(cancelled),
		"status=expired":               ids(),
		"status=no_show":               ids(),
		"service_id=" + tour.String():  ids(confirmed, held, late),
		"service_id=" + trip.String():  ids(cancelled),
		"resource_id=" + boat.String(): ids(confirmed, late),
		"resource_id=" + raft.String(): ids(held, cancelled),
		"customer_id=" + customer:      ids(held),
		"from=" + future(1).String():   ids(held, cancelled, late),
		"to=" + future(1).String():     ids(confirmed, held),
		"from=" + future(1).String() + "&to=" + future(2).String():  ids(held, cancelled),
		"from=" + future(3).String() + "&to=" + future(3).String():  ids(late),
		"from=" + future(2).String() + "&to=" + future(1).String():  ids(),
		"status=confirmed&service_id=" + trip.String():              ids(),
		"status=held&resource_id=" + raft.String() + "&limit=1":     ids(held),
		"from=1900-01-01&to=9000-12-31&service_id=" + tour.String(): ids(confirmed, held, late),
	} {
		values, err := url.ParseQuery(query)
		require.NoError(t, err)
		require.Equal(t, want, c.listAll(t, "/v1/bookings", values), query)
		values.Set("limit", "1")
		require.Equal(t, want, c.listAll(t, "/v1/bookings", values), "%s, one by one", query)
	}
}

func TestClosure_IsReadAndListed(t *testing.T) {
	t.Parallel()
	c := setup(t)
	resource := c.newResource(t, 1)
	id := c.newClosure(t, &resource, future(0), future(2))
	path := "/v1/closures/" + id.String()
	var read object
	c.get(t, path).read(t, &read)
	delete(read, "created_at")
	delete(read, "updated_at")
	require.Equal(t, object{
		"version": float64(1), "id": id.String(), "resource_id": resource.String(), "from": future(0).String(),
		"to":     future(2).String(),
		"reason": "Winter",
	}, read)
	require.Equal(t, id.String(), c.list(t, "/v1/closures").Data[0]["id"])
}
