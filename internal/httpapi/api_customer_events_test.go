package httpapi_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
)

// instants makes the times of a customer comparable: SQL and Go write the same instant in different ways.
func instants(t testingT, of object) object {
	t.Helper()
	for field, value := range of {
		if strings.HasSuffix(field, "_at") {
			at, err := time.Parse(time.RFC3339Nano, value.(string))
			require.NoError(t, err)
			of[field] = at.UTC()
		}
	}
	return of
}

// shownCustomer returns a customer as the API shows it.
func (c client) shownCustomer(t testingT, id uuid.UUID) (shown object) {
	t.Helper()
	c.get(t, customerPath(id)).ok(t).read(t, &shown)
	return instants(t, shown)
}

func TestEvents_EachChangeOfACustomer_ShowsTheCustomerAsTheAPIDoes(t *testing.T) {
	t.Parallel()
	c := setup(t)
	service := c.newService(t, "date", nil, c.newResource(t, 9))
	name := "Ada \"<&>\" Lovelace"
	_, id := c.bookFor(t, service, 3, object{"name": name, "email": "ada@example.com"})
	path := customerPath(id)
	want := []object{c.shownCustomer(t, id)}
	change := func(what func()) {
		t.Helper()
		what()
		want = append(want, c.shownCustomer(t, id))
	}
	change(func() {
		c.bookFor(t, service, 4,
			object{"name": name, "email": "ada@example.com", "phone": "+49 30", "birthday": "1990-12-10",
				"time_zone": "Europe/London"})
	})
	change(func() { c.patch(t, path, object{"email": "king@example.com"}).ok(t) })
	change(func() { c.post(t, path+"/archive", nil).ok(t) })
	change(func() {
		link := unsubscribeLink(t, unsubscribeKey, c.tenant, id)
		require.Equal(t, http.StatusOK, subscriber{client: c, id: id}.oneClick(t, link).status)
	})
	change(func() {
		c.bookFor(t, service, 5, object{"name": "Ada King", "email": "king@example.com"},
			object{"update_customer": true})
	})
	require.Contains(t, want[5], "archived_at")
	require.Contains(t, want[5], "unsubscribed_at")
	change(func() { c.post(t, path+"/unarchive", nil).ok(t) })

	require.Equal(t, want, c.toldOfCustomer(t, id, len(want)))
	c.post(t, path+"/erase", nil).ok(t)
	told := c.toldOfCustomer(t, id, len(want)+1)
	require.Equal(t, c.shownCustomer(t, id), told[len(want)], "what is told of an erasure names no person")
	require.Equal(t, object{"id": id.String()}, told[0])

	made := c.created(t, c.post(t, "/v1/customers", object{"name": "Bob", "email": "bob@example.com", "phone": "+1"}))
	require.Equal(t, []object{c.shownCustomer(t, made)}, c.toldOfCustomer(t, made, 1))
}

// toldOfCustomer returns the data of a customer's n events, which have the sequences 1 to n.
func (c client) toldOfCustomer(t testingT, id uuid.UUID, n int) (data []object) {
	t.Helper()
	events := c.allEvents(t, n, "subject="+id.String())
	requireInOrder(t, events)
	for _, e := range events {
		var shown object
		require.NoError(t, json.Unmarshal(e.Data, &shown))
		data = append(data, instants(t, shown))
	}
	return data
}
