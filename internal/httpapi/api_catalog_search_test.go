package httpapi_test

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/problem"
)

func TestCatalog_ListsByName_FindBeginningsPageByPage(t *testing.T) {
	t.Parallel()
	c := setup(t)
	resource := func(name string, position int) string {
		return c.created(t, c.post(t, "/v1/resources",
			object{"name": name, "capacity": 1, "position": position})).String()
	}
	boat1, boat2, kayak, upper := resource("Boat 1", 3), resource("Boat 2", 1), resource("Kayak for a boat", 0),
		resource("BOAT HOUSE", 2)
	gone := resource("Boat 3", 0)
	require.Equal(t, http.StatusOK, c.post(t, "/v1/resources/"+gone+"/archive", nil).status)
	other := c.newTenant(t, "Europe/Berlin")
	other.newResource(t, 1)
	other.newService(t, "date", object{"name": "Boat tour"}, other.newResource(t, 1))

	for _, step := range []struct {
		with url.Values
		want []string
	}{
		{url.Values{"name": {"boat"}}, []string{boat1, boat2, upper}},
		{url.Values{"name": {"boat"}, "order": {"position"}}, []string{boat2, upper, boat1}},
		{url.Values{"name": {" Boat 2 "}}, []string{boat2}},
		{url.Values{"name": {"k"}, "order": {"position"}}, []string{kayak}},
		{url.Values{"name": {"boat"}, "archived": {"true"}}, []string{gone}},
		{url.Values{"name": {"for"}}, []string{}}, // not the beginning of the name
		{url.Values{"name": {"%"}}, []string{}},
		{url.Values{"name": {""}}, []string{boat1, boat2, kayak, upper}},
	} {
		for _, limit := range []string{"1", "200"} {
			step.with.Set("limit", limit)
			require.Equal(t, step.want, c.listAll(t, "/v1/resources", step.with), step.with)
			step.with.Del("cursor")
		}
	}

	first := c.newService(t, "date", object{"name": "Harbour tour"}, c.newResource(t, 1))
	second := c.newService(t, "date", object{"name": "harbour by night"}, c.newResource(t, 1))
	c.newService(t, "date", object{"name": "Boat tour"}, c.newResource(t, 1))
	require.Equal(t, []string{first.String(), second.String()},
		c.listAll(t, "/v1/services", url.Values{"name": {"HARBOUR"}, "limit": {"1"}}))
	require.Equal(t, []string{first.String(), second.String()},
		c.listAll(t, "/v1/services", url.Values{"name": {"harbour"}, "limit": {"1"}}))
	var whole object
	c.get(t, "/v1/services/"+first.String()).read(t, &whole)
	require.Equal(t, []object{whole}, c.list(t, "/v1/services?name=harbour+t").Data)

	for _, path := range []string{"/v1/resources", "/v1/services"} {
		for _, name := range []string{"%20", "a%0Ab", "%e2%80%ae"} {
			requireProblem(t, c.get(t, path+"?name="+name), http.StatusUnprocessableEntity, problem.ValidationFailed)
		}
	}
}
