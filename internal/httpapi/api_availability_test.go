package httpapi_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/db/dbtest"
	"holdfast/internal/problem"
)

// maxEntries is how many slots and resources one availability answer may have.
const maxEntries = 36_000

// availabilityPage is one page of availability.
type availabilityPage struct {
	Data       []day
	NextCursor string `json:"next_cursor"`
}

// entries counts a page's slots and the resources in them.
func (p availabilityPage) entries() (n int) {
	for _, d := range p.Data {
		for _, s := range d.Slots {
			n += 1 + len(s.ResourceIDs)
		}
	}
	return n
}

func (c client) availabilityPage(t testingT, path string) availabilityPage {
	t.Helper()
	a := c.get(t, path)
	require.Equal(t, http.StatusOK, a.status, a.body)
	var p availabilityPage
	a.read(t, &p)
	return p
}

// allPages follows the cursors to the last page.
func (c client) allPages(t testingT, path string) (pages []availabilityPage) {
	t.Helper()
	for next := path; ; {
		p := c.availabilityPage(t, next)
		require.LessOrEqual(t, p.entries(), maxEntries)
		pages = append(pages, p)
		if p.NextCursor == "" {
			return pages
		}
		require.Less(t, len(pages), 50)
		next = path + "&cursor=" + p.NextCursor
	}
}

func TestAvailability_DenseSlotsOfManyDates_ComeInBoundedPagesOfWholeDates(t *testing.T) {
	t.Parallel()
	c := setup(t)
	resource := c.newResource(t, 1)
	service := c.newService(t, "slot", object{"duration_minutes": 5, "slot_interval_minutes": 2}, resource)
	c.book(t, service, at(future(27), 10, 0))
	from, to := future(0), future(59)
	pages := c.allPages(t, availabilityPath(service, from, to))
	require.Greater(t, len(pages), 1)
	next := from
	for _, p := range pages {
		require.NotEmpty(t, p.Data)
		for _, d := range p.Data {
			require.Equal(t, next.String(), d.Date, "every date once, in order")
			whole := c.on(t, service, next)
			require.Equal(t, whole, d)
			next = next.AddDays(1)
		}
	}
	require.Equal(t, to.AddDays(1), next)
}

func TestAvailability_DateWithMoreSlotsThanAPage_IsContinuedWithItsOwnSums(t *testing.T) {
	t.Parallel()
	c := setup(t)
	var resources []uuid.UUID
	for range 100 {
		resources = append(resources, c.newResource(t, 1))
	}
	service := c.newService(t, "slot", object{"duration_minutes": 1, "slot_interval_minutes": 1}, resources...)
	d := future(0)
	pages := c.allPages(t, availabilityPath(service, d, d.AddDays(1)))
	require.GreaterOrEqual(t, len(pages), 8, "two dates of 1440 slots, each with 100 resources")
	starts := make(map[civil.Date][]time.Time)
	for _, p := range pages {
		for _, part := range p.Data {
			require.True(t, part.Available)
			require.Equal(t, 1440, part.Remaining, "of the whole date, on every part")
			date, err := civil.ParseDate(part.Date)
			require.NoError(t, err)
			for _, s := range part.Slots {
				require.Len(t, s.ResourceIDs, 100)
				starts[date] = append(starts[date], s.StartsAt)
			}
		}
	}
	for _, d := range []civil.Date{d, d.AddDays(1)} {
		require.Len(t, starts[d], 1440)
		for minute, start := range starts[d] {
			require.Equal(t, at(d, 0, minute).Unix(), start.Unix())
		}
	}
}

func TestAvailability_WithoutSlots_TellsAYearInOneAnswer(t *testing.T) {
	t.Parallel()
	c := setup(t)
	resource := c.newResource(t, 1)
	slots := c.newService(t, "slot", object{"duration_minutes": 5, "slot_interval_minutes": 2, "max_per_day": 1},
		resource)
	dates := c.newService(t, "date", nil, resource)
	c.book(t, slots, at(future(3), 10, 0))
	c.newClosure(t, nil, future(5), future(6))
	for _, service := range []uuid.UUID{slots, dates} {
		p := c.availabilityPage(t, availabilityPath(service, future(0), future(365))+"&slots=false")
		require.Empty(t, p.NextCursor)
		require.Len(t, p.Data, 366)
		whole := c.availability(t, service, future(0), future(10), 1)
		for i, d := range p.Data {
			require.NotNil(t, d.Slots)
			require.Empty(t, d.Slots)
			if i < len(whole) {
				whole[i].Slots = d.Slots
				require.Equal(t, whole[i], d)
			}
		}
	}
}

func TestAvailability_CursorThatIsNotOne_IsRefused(t *testing.T) {
	t.Parallel()
	c := setup(t)
	service := c.newService(t, "slot", object{"duration_minutes": 1, "slot_interval_minutes": 1}, c.newResource(t, 1))
	first := c.availabilityPage(t, availabilityPath(service, future(0), future(30)))
	require.NotEmpty(t, first.NextCursor)
	for _, path := range []string{
		availabilityPath(service, future(0), future(30)) + "&cursor=x",
		availabilityPath(service, future(0), future(30)) + "&cursor=MjAyNy0wMS0wMXx4", // 2027-01-01|x
		availabilityPath(service, future(0), future(1)) + "&cursor=" + first.NextCursor,
		availabilityPath(service, future(29), future(30)) + "&cursor=" + first.NextCursor,
	} {
		d := requireProblem(t, c.get(t, path), http.StatusUnprocessableEntity, problem.ValidationFailed)
		require.Equal(t, "cursor", d.Errors[0].Field, path)
	}
	requireProblem(t, c.get(t, fmt.Sprintf("%s&slots=maybe", availabilityPath(service, future(0), future(0)))),
		http.StatusUnprocessableEntity, problem.ValidationFailed)
}

func TestAvailability_IfNoneMatch_Is304UntilSomethingChanges(t *testing.T) {
	t.Parallel()
	c := setup(t)
	resource := c.newResource(t, 2)
	service := c.newService(t, "slot", nil, resource)
	path := availabilityPath(service, future(0), future(30))
	tag := c.get(t, path).header.Get("ETag")
	require.Regexp(t, `^W/"[^"]+"$`, tag)
	unchanged := func(c client, headers ...string) {
		t.Helper()
		a := c.get(t, path, append(headers, "If-None-Match", `"other", `+tag)...)
		require.Equal(t, http.StatusNotModified, a.status, a.body)
		require.Empty(t, a.body)
		require.Equal(t, tag, a.header.Get("ETag"))
		require.Equal(t, "private, no-cache", a.header.Get("Cache-Control"))
	}
	changed := func(what string) {
		t.Helper()
		a := c.get(t, path, "If-None-Match", tag)
		require.Equal(t, http.StatusOK, a.status, what)
		require.NotEqual(t, tag, a.header.Get("ETag"), what)
		tag = a.header.Get("ETag")
	}
	unchanged(c)
	unchanged(client{c.another(t), c.key, c.tenant})
	unchanged(c, "Accept-Encoding", "gzip")
	require.Equal(t, tag, c.get(t, path, "Accept-Encoding", "gzip").header.Get("ETag"))
	for _, other := range []string{path + "&party_size=2", path + "&slots=false",
		availabilityPath(service, future(0), future(29))} {
		require.NotEqual(t, tag, c.get(t, other).header.Get("ETag"), other)
	}

	free := tag
	made := c.created(t, c.book(t, service, at(future(9), 10, 0)))
	changed("a booking")
	unchanged(c)
	require.Equal(t, http.StatusOK, c.post(t, "/v1/bookings/"+made.String()+"/cancel", nil).status)
	changed("a cancellation")
	require.Equal(t, free, tag)
	held := c.created(t, c.book(t, service, at(future(9), 10, 0), object{"hold_minutes": 5}))
	changed("a hold")
	_, err := c.sql.Exec(t.Context(), "UPDATE bookings SET hold_expires_at = now() WHERE booking_id = $1", held)
	require.NoError(t, err)
	_, err = c.sql.Exec(t.Context(), dbtest.SyncClaims)
	require.NoError(t, err)
	changed("a hold that lapsed")
	require.Equal(t, free, tag)
	c.newClosure(t, &resource, future(3), future(3))
	changed("a closure")
	c.setHours(t, resource, object{"weekly": []object{}})
	changed("other hours")
	unchanged(c)
}

// TestAvailability_MoreBookingsThanAPageReads_TellsEveryDate has more bookings on one date of one resource than are
// read for a page of several dates.
func TestAvailability_MoreBookingsThanAPageReads_TellsEveryDate(t *testing.T) {
	t.Parallel()
	c := setup(t)
	var resources []uuid.UUID
	for range 100 {
		resources = append(resources, c.newResource(t, 1))
	}
	service := c.newService(t, "slot", object{"duration_minutes": 60, "slot_interval_minutes": 60}, resources...)
	c.book(t, service, at(future(9), 10, 0)) // for its customer
	busy := future(1)
	made, err := c.sql.Exec(t.Context(), dbtest.InsertBookings(`
		SELECT c.tenant_id, gen_random_uuid(), $1::uuid, $2::uuid, c.customer_id, 'confirmed', m, m + interval '1 minute', 'Europe/Berlin',
			'{[1,2)}', m, m + interval '1 minute', NULL, 0, 0
		FROM customers c, generate_series($3::timestamptz, $3::timestamptz + interval '1299 minutes', interval '1 minute') AS m`),
		service, resources[0], at(busy, 0, 0))
	require.NoError(t, err)
	require.EqualValues(t, 1300, made.RowsAffected())

	told := 0
	for _, p := range c.allPages(t, availabilityPath(service, future(0), future(3))) {
		for _, d := range p.Data {
			require.Equal(t, future(told).String(), d.Date)
			require.Len(t, d.Slots, 24)
			for hour, slot := range d.Slots {
				free := 100
				if d.Date == busy.String() && hour < 22 {
					free--
				}
				require.Equal(t, free, slot.Remaining, "%s %d:00", d.Date, hour)
			}
			told++
		}
	}
	require.Equal(t, 4, told)
}

func TestLists_OfLargeRows_HaveShorterPages(t *testing.T) {
	t.Parallel()
	c := setup(t)
	var overrides []object
	for i := range 300 { // 18 KB, of which a page of a megabyte takes fewer than 70
		overrides = append(overrides, object{"date": future(i).String(), "opens": "10:00", "closes": "14:00"})
	}
	large := object{"metadata": object{"a": strings.Repeat("x", 16_000)}}
	plain := c.newResource(t, 1000)
	service := c.newService(t, "date", large, plain)
	for i := range 70 {
		c.setHours(t, c.newResource(t, 1), object{"always_open": true, "overrides": overrides})
		c.newService(t, "date", large, plain)
		c.book(t, service, future(i%10), large)
	}
	for path, rows := range map[string]int{"/v1/resources": 71, "/v1/services": 71, "/v1/bookings": 70} {
		seen := make(map[any]bool)
		for cursor := ""; ; {
			a := c.get(t, path+"?limit=200"+cursor)
			require.Less(t, len(a.body), 2<<20, path)
			var page listed
			a.read(t, &page)
			for _, row := range page.Data {
				require.False(t, seen[row["id"]], "%s: every row once", path)
				seen[row["id"]] = true
			}
			if page.NextCursor == "" {
				break
			}
			cursor = "&cursor=" + page.NextCursor
		}
		require.Len(t, seen, rows, path)
		require.NotEmpty(t, c.list(t, path+"?limit=200").NextCursor, path)
	}
}
