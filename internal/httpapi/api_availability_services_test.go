package httpapi_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/problem"
)

// servicesAvailabilityPath asks for availability of what query names: service_ids or resource_id.
func servicesAvailabilityPath(query string, from, to civil.Date) string {
	return fmt.Sprintf("/v1/availability?%s&from=%s&to=%s", query, from, to)
}

// serviceIDs is the parameter for services.
func serviceIDs(services ...uuid.UUID) string {
	list := make([]string, len(services))
	for i, id := range services {
		list[i] = id.String()
	}
	return "service_ids=" + strings.Join(list, ",")
}

// servicesPage is a page of availability of several services, as it is written.
type servicesPage struct {
	Data []struct {
		ServiceID uuid.UUID       `json:"service_id"`
		Data      json.RawMessage `json:"data"`
	} `json:"data"`
	NextCursor string `json:"next_cursor"`
}

// newServiceOfEachKind returns services of every kind on a boat and a skipper, some dates of which are booked.
func (c client) newServiceOfEachKind(t testingT) (boat, skipper uuid.UUID, services []uuid.UUID) {
	t.Helper()
	boat, skipper = c.newResource(t, 4), c.newResource(t, 1)
	both := object{"resource_ids": nil,
		"needs": []any{object{"resource_ids": []any{boat}}, object{"resource_ids": []any{skipper}}}}
	of := func(kind string, with ...object) {
		all := object{"price": 700}
		for _, w := range with {
			for name, value := range w {
				all[name] = value
			}
		}
		services = append(services, c.newService(t, kind, all, boat))
	}
	of("slot")
	of("date", object{"max_per_day": 2})
	of("stay", object{"check_in": "15:00", "check_out": "10:00"})
	of("slot", object{"occupies": "session"}, both)
	of("slot", object{"occupies": "whole"})
	of("date", both)
	c.book(t, services[1], future(1))
	c.book(t, services[3], at(future(2), 10, 0))
	c.book(t, services[4], at(future(4), 12, 0))
	c.book(t, services[2], nil, stay(6, 8))
	return boat, skipper, services
}

// TestAvailabilityOfServices_EveryKind_HasTheBytesOfEachService compares what is written with the answers for each
// service.
func TestAvailabilityOfServices_EveryKind_HasTheBytesOfEachService(t *testing.T) {
	t.Parallel()
	c := setup(t)
	_, _, services := c.newServiceOfEachKind(t)
	archived := c.newService(t, "date", nil, c.newResource(t, 1))
	c.post(t, servicePath(archived)+"/archive", nil).ok(t)
	services = append(services, archived)
	for _, options := range []string{"", "&party_size=2&prices=true", "&slots=false"} {
		a := c.get(t, servicesAvailabilityPath(serviceIDs(services...), future(0), future(9))+options).ok(t)
		require.Equal(t, "application/json", a.header.Get("Content-Type"))
		var page servicesPage
		a.read(t, &page)
		require.Empty(t, page.NextCursor)
		require.Len(t, page.Data, len(services))
		for i, id := range services {
			require.Equal(t, id, page.Data[i].ServiceID, "in the order asked for")
			single := c.get(t, availabilityPath(id, future(0), future(9))+options).ok(t).body
			require.Equal(t, single, `{"data":`+string(page.Data[i].Data)+"}\n")
		}
	}
}

func TestAvailabilityOfResource_OverHTTP_HasItsServicesAndOnlyWhatItServes(t *testing.T) {
	t.Parallel()
	c := setup(t)
	boat, skipper, services := c.newServiceOfEachKind(t)
	c.newService(t, "date", nil, c.newResource(t, 1)) // on another boat
	read := func(resource uuid.UUID) (ids []uuid.UUID) {
		var page servicesPage
		c.get(t, servicesAvailabilityPath("resource_id="+resource.String(), future(0), future(2))).ok(t).read(t, &page)
		for _, s := range page.Data {
			ids = append(ids, s.ServiceID)
		}
		return ids
	}
	require.ElementsMatch(t, services, read(boat))
	require.ElementsMatch(t, []uuid.UUID{services[3], services[5]}, read(skipper))
	require.Empty(t, read(c.newResource(t, 1)))

	second := c.newResource(t, 1)
	shared := c.newService(t, "date", nil, second, boat)
	c.book(t, shared, future(0), object{"resource_id": second.String()})
	var page servicesPage
	c.get(t, servicesAvailabilityPath("resource_id="+second.String(), future(0), future(0))).ok(t).read(t, &page)
	require.Contains(t, string(page.Data[0].Data), `"available":false,"reason":"sold_out"`,
		"although the other boat is free")
}

func TestAvailabilityOfServices_MoreThanAPage_IsContinuedWithinAService(t *testing.T) {
	t.Parallel()
	c := setup(t)
	dense := object{"duration_minutes": 1, "slot_interval_minutes": 1}
	resources := []uuid.UUID{c.newResource(t, 1), c.newResource(t, 1)}
	services := []uuid.UUID{
		c.newService(t, "slot", dense, resources...), c.newService(t, "slot", dense, resources...),
		c.newService(t, "date", nil, resources...),
	}
	path := servicesAvailabilityPath(serviceIDs(services...), future(0), future(8))
	told, slots, pages := make(map[uuid.UUID]map[string]bool), 0, 0
	for cursor := ""; ; pages++ {
		var page struct {
			Data []struct {
				ServiceID uuid.UUID `json:"service_id"`
				Data      []day     `json:"data"`
			} `json:"data"`
			NextCursor string `json:"next_cursor"`
		}
		c.get(t, path+cursor).ok(t).read(t, &page)
		entries := 0
		for _, s := range page.Data {
			require.NotEmpty(t, s.Data)
			for _, d := range s.Data {
				if told[s.ServiceID] == nil {
					told[s.ServiceID] = make(map[string]bool)
				}
				told[s.ServiceID][d.Date] = true
				slots += len(d.Slots)
				for _, slot := range d.Slots {
					entries += 1 + len(slot.ResourceIDs)
				}
			}
		}
		require.LessOrEqual(t, entries, maxEntries)
		if page.NextCursor == "" {
			break
		}
		cursor = "&cursor=" + page.NextCursor
		require.Less(t, pages, 6)
	}
	require.Equal(t, 2*9*1440, slots, "each once")
	require.GreaterOrEqual(t, pages, 2)
	for _, id := range services {
		require.Len(t, told[id], 9)
	}
}

func TestAvailabilityOfServices_IfNoneMatch_Is304UntilSomethingChanges(t *testing.T) {
	t.Parallel()
	c := setup(t)
	boat, skipper, services := c.newServiceOfEachKind(t)
	for _, query := range []string{serviceIDs(services[3], services[0]), "resource_id=" + boat.String()} {
		path := servicesAvailabilityPath(query, future(0), future(30))
		tag := c.get(t, path).header.Get("ETag")
		require.Regexp(t, `^W/"[^"]+"$`, tag)
		a := c.get(t, path, "If-None-Match", tag)
		require.Equal(t, http.StatusNotModified, a.status, a.body)
		require.Empty(t, a.body)
		c.book(t, services[0], at(future(9), 10, 0))
		require.Equal(t, http.StatusOK, c.get(t, path, "If-None-Match", tag).status)
	}
	tags := make(map[string]bool)
	for _, query := range []string{serviceIDs(services...), serviceIDs(services[1:]...), serviceIDs(services[0]),
		"resource_id=" + boat.String(), "resource_id=" + skipper.String()} {
		for _, options := range []string{"", "&slots=false", "&prices=true", "&party_size=2"} {
			tag := c.get(t, servicesAvailabilityPath(query, future(0), future(3))+options).header.Get("ETag")
			require.False(t, tags[tag], "%s%s", query, options)
			tags[tag] = true
		}
	}
}

func TestAvailabilityOfServices_BadRequests_AreRefusedWithTheirField(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	c, them := s.newTenant(t, "Europe/Berlin"), s.newTenant(t, "Europe/Berlin")
	boat := c.newResource(t, 1)
	service := c.newService(t, "slot", object{"duration_minutes": 1, "slot_interval_minutes": 1}, boat)
	many := make([]uuid.UUID, 11)
	for i := range many {
		many[i] = uuid.New()
	}
	mine := serviceIDs(service)
	long := servicesAvailabilityPath(mine, future(0), future(30))
	var page servicesPage
	c.get(t, long).ok(t).read(t, &page)
	require.NotEmpty(t, page.NextCursor)
	for path, field := range map[string]string{
		servicesAvailabilityPath("", future(0),
			future(0)): "service_ids",
		servicesAvailabilityPath("service_ids=", future(0),
			future(0)): "service_ids",
		servicesAvailabilityPath(mine+"&resource_id="+boat.String(), future(0),
			future(0)): "resource_id",
		servicesAvailabilityPath(mine+",", future(0),
			future(0)): "service_ids[1]",
		servicesAvailabilityPath("service_ids=,,", future(0),
			future(0)): "service_ids[0]",
		servicesAvailabilityPath("service_ids=%20", future(0),
			future(0)): "service_ids[0]",
		servicesAvailabilityPath("service_ids={"+service.String()+"}", future(0),
			future(0)): "service_ids[0]",
		servicesAvailabilityPath(mine+","+service.String(), future(0),
			future(0)): "service_ids[1]",
		servicesAvailabilityPath(mine+","+strings.ToUpper(service.String()), future(0),
			future(0)): "service_ids[1]",
		servicesAvailabilityPath(serviceIDs(many...), future(0),
			future(0)): "service_ids",
		servicesAvailabilityPath("service_ids="+strings.Repeat("a", 1001), future(0),
			future(0)): "service_ids",
		servicesAvailabilityPath("resource_id=x", future(0),
			future(0)): "resource_id",
		servicesAvailabilityPath(mine, future(1), future(0)): "to",
		servicesAvailabilityPath(mine, future(0), future(0)) +
			"&party_size=0": "party_size",
		servicesAvailabilityPath(mine, future(0), future(0)) + "&nights=2": "nights",
		servicesAvailabilityPath(mine, future(0), future(0)) +
			"&except_booking=x": "except_booking",
		"/v1/availability?" + mine + "&from=" + future(0).String():                                          "to",
		servicesAvailabilityPath(mine, future(0), future(0)) + "&cursor=" + page.NextCursor:                 "cursor",
		servicesAvailabilityPath(serviceIDs(many[0]), future(0), future(30)) + "&cursor=" + page.NextCursor: "cursor",
		long + "&cursor=x":                   "cursor",
		long + "&cursor=MjAyNy0wMS0wMXx8":    "cursor", // 2027-01-01||
		long + "&cursor=eHwyMDI3LTAxLTAxfHw": "cursor", // x|2027-01-01||
		availabilityPath(service, future(0), future(30)) + "&cursor=" + page.NextCursor: "cursor",
	} {
		d := requireProblem(t, c.get(t, path), http.StatusUnprocessableEntity, problem.ValidationFailed)
		require.Equal(t, field, d.Errors[0].Field, path)
	}
	requireProblem(t, c.get(t, servicesAvailabilityPath(mine, future(0), future(31))), http.StatusUnprocessableEntity,
		problem.TooManyDates)
	requireProblem(t, c.get(t, servicesAvailabilityPath(mine+"&"+mine, future(0), future(0))), http.StatusBadRequest,
		problem.MalformedRequest)

	// Another tenant's id reads as one that doesn't exist.
	theirs := them.newResource(t, 1)
	taken := them.newService(t, "date", nil, theirs)
	for _, same := range [][2]string{
		{mine + "," + uuid.NewString(), mine + "," + taken.String()},
		{"resource_id=" + uuid.NewString(), "resource_id=" + theirs.String()},
		{"resource_id=" + uuid.NewString(), "resource_id=" + service.String()},
	} {
		want := c.get(t, servicesAvailabilityPath(same[0], future(0), future(0)))
		d := requireProblem(t, want, http.StatusNotFound, problem.NotFound)
		require.Equal(t, "not_found", d.Errors[0].Code)
		requireSame(t, want, c.get(t, servicesAvailabilityPath(same[1], future(0), future(0))))
	}
	them.get(t, servicesAvailabilityPath("resource_id="+theirs.String(), future(0), future(0))).ok(t)
}
