package httpapi_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/problem"
)

// requireSame requires that two answers can't be told apart.
func requireSame(t testingT, want, got answer) {
	t.Helper()
	headers := func(a answer) http.Header {
		h := a.header.Clone()
		h.Del("Date")
		h.Del("Request-Id")
		return h
	}
	require.Equal(t, want.status, got.status)
	require.Equal(t, want.body, got.body)
	require.Equal(t, headers(want), headers(got))
}

// ids returns the ids of what f has, by the path that leads to it.
func (f fixture) ids() map[string]uuid.UUID {
	return map[string]uuid.UUID{
		"/v1/bookings/": f.hold, "/v1/holds/": f.visit, "/v1/closures/": f.closure, "/v1/blocks/": f.block,
		"/v1/payments/": f.payment, "/v1/resources/": f.resource,
		"/v1/scheduled-events/": f.scheduled, "/v1/services/": f.slots, "/v1/webhook-endpoints/": f.endpoint,
		"/v1/deliveries/": f.delivery,
		"/v1/customers/":  f.customer, "/v1/wallets/": f.card, "/v1/api-keys/": f.apiKey,
		"/v1/users/": f.user,
	}
}

func TestIsolation_EveryRouteWithAnID_AnswersAnothersIDLikeOneThatDoesNotExist(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	them, ours := s.newTenant(t, "Europe/Berlin"), newFixture(t, s.newTenant(t, "Europe/Berlin"))
	theirs := newFixture(t, them)
	samples := theirs.samples(t)
	covered := 0
	var visible []func(testingT) // these may end what they are about, so they come last
	for _, op := range s.operations(t) {
		if len(op.parameters) == 0 {
			continue
		}
		covered++
		query := ""
		switch op.id {
		case "get-availability":
			query = "?from=" + future(0).String() + "&to=" + future(1).String()
		case "delete-tenant":
			query = "?export_id=" + uuid.NewString()
		case "reconcile-tenant":
			query = "?from=" + future(0).String() + "&to=" + future(1).String()
		}
		var caller client
		var existing string          // an id that the caller must not see
		var path func(string) string // of a request about an id
		if strings.HasPrefix(op.path, "/admin/") {
			// Administrators see every tenant; what they must not see is one tenant's key under another.
			caller = s.admin()
			switch strings.Join(op.parameters, " ") {
			case "id":
				path = func(id string) string { return strings.Replace(op.path, "{id}", id, 1) + query }
			case "id key_id":
				existing = theirs.apiKey.String()
				path = func(id string) string {
					return strings.NewReplacer("{id}", ours.tenant.String(), "{key_id}", id).Replace(op.path)
				}
			}
		} else {
			caller = ours.client
			for prefix, id := range theirs.ids() {
				if strings.HasPrefix(op.path, prefix+"{id}") {
					existing = id.String()
					within := strings.NewReplacer("{hold_id}", theirs.walletHold.String(),
						"{payment_id}", theirs.visitPayment.String()).Replace(op.path)
					path = func(id string) string { return strings.Replace(within, "{id}", id, 1) + query }
				}
			}
		}
		require.NotNil(t, path, "no request for %s; add one", op.id)
		t.Run(op.id, func(t *testing.T) {
			var body any
			if b := samples[op.id].body; b != nil {
				body = b
			}
			before := s.tables(t)
			want := caller.send(t, op.method, path(uuid.NewString()), body)
			d := requireProblem(t, want, http.StatusNotFound, problem.NotFound)
			require.Empty(t, d.Errors)
			ids := []string{uuid.Nil.String(), "x", "%00"}
			// what an id may look like doesn't depend on the operation
			if op.id == "get-booking" || op.id == "cancel-booking" {
				ids = append(ids, "%ff", "..", "1", strings.Repeat("a", 5000), "%20", "'%20OR%20'1'='1")
			}
			if existing != "" {
				ids = append(ids, existing, strings.ToUpper(existing))
			}
			for _, id := range ids {
				requireSame(t, want, caller.send(t, op.method, path(id), body))
			}
			require.Equal(t, before, s.tables(t))
			if existing != "" && caller == ours.client {
				show := func(t testingT) {
					a := theirs.send(t, op.method, path(existing), body)
					require.NotEqual(t, http.StatusNotFound, a.status, "%s: it is there for those whose it is: %s",
						op.id, a.body)
				}
				if op.method == http.MethodDelete {
					visible = append(visible, show)
				} else {
					visible = slices.Insert(visible, 0, show)
				}
			}
		})
	}
	require.Greater(t, covered, 17)
	for _, show := range visible {
		show(t)
	}
}

func TestIsolation_AnothersIDInABody_IsAnsweredLikeOneThatDoesNotExist(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	theirs, ours := newFixture(t, s.newTenant(t, "Europe/Berlin")), newFixture(t, s.newTenant(t, "Europe/Berlin"))
	booking := func(with object) object { return bookingOf(ours.slots, at(future(1), 10, 0), with) }
	service := func(resources ...string) object {
		return object{"name": "Tour", "kind": "slot", "resource_ids": resources, "duration_minutes": 60, "price": 0}
	}
	for _, test := range []struct {
		name, path string
		id         uuid.UUID
		body       func(id string) object
	}{
		{"a service to book", "/v1/bookings", theirs.slots,
			func(id string) object { return booking(object{"service_id": id}) }},
		{"a service of another kind to book", "/v1/bookings", theirs.dates,
			func(id string) object { return booking(object{"service_id": id}) }},
		{"a resource to book", "/v1/bookings", theirs.resource,
			func(id string) object { return booking(object{"resource_id": id}) }},
		{"a customer to book for", "/v1/bookings", theirs.customer, func(id string) object {
			return without(booking(object{"customer_id": id}), []any{"customer"})
		}},
		{"a service to quote", "/v1/quotes", theirs.slots, func(id string) object {
			return object{"service_id": id, "starts_at": at(future(1), 10, 0).Format(time.RFC3339)}
		}},
		{"a resource to quote", "/v1/quotes", theirs.resource, func(id string) object {
			return object{"service_id": ours.slots.String(), "resource_id": id,
				"starts_at": at(future(1), 10, 0).Format(time.RFC3339)}
		}},
		{"a booking to quote the move of", "/v1/quotes", theirs.booking,
			func(id string) object { return object{"booking_id": id} }},
		{"a service to quote a move to", "/v1/quotes", theirs.slots, func(id string) object {
			return object{"booking_id": ours.booking.String(), "service_id": id}
		}},
		{"a resource to quote a move to", "/v1/quotes", theirs.resource, func(id string) object {
			return object{"booking_id": ours.booking.String(), "resource_id": id}
		}},
		{"the resource of a service", "/v1/services", theirs.resource, func(id string) object { return service(id) }},
		{"one of the resources of a service", "/v1/services", theirs.resource,
			func(id string) object { return service(ours.resource.String(), id) }},
		{"a customer to make a wallet for", "/v1/wallets", theirs.customer, func(id string) object {
			return object{"customer_id": id, "currency": "USD"}
		}},
		{"a customer to merge into", "/v1/customers/" + ours.customer.String() + "/merge", theirs.customer,
			func(id string) object { return object{"into": id} }},
		{"a wallet to move credit from", "/v1/transfers", theirs.card, func(id string) object {
			return object{"from": id, "to": ours.wallet.String(), "amount": 1}
		}},
		{"a wallet to move credit to", "/v1/transfers", theirs.card, func(id string) object {
			return object{"from": ours.card.String(), "to": id, "amount": 1}
		}},
		{"a resource to close", "/v1/closures", theirs.resource, func(id string) object {
			return object{"resource_id": id, "from": future(1).String(), "to": future(1).String()}
		}},
		{"a resource to block", "/v1/blocks", theirs.resource, func(id string) object {
			return object{"resource_id": id, "from": future(1).String(), "to": future(1).String()}
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			before := s.tables(t)
			want := ours.post(t, test.path, test.body(uuid.NewString()))
			requireProblem(t, want, http.StatusNotFound, problem.NotFound)
			requireSame(t, want, ours.post(t, test.path, test.body(test.id.String())))
			require.Equal(t, before, s.tables(t))
		})
	}
}

func TestIsolation_ListsHoldOnlyWhatIsTheCallersOwn(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	theirs, ours := newFixture(t, s.newTenant(t, "Europe/Berlin")), newFixture(t, s.newTenant(t, "Europe/Berlin"))
	bookings := []string{ours.booking.String(), ours.hold.String(), ours.visit.String()}
	require.Equal(t, bookings, ours.listAll(t, "/v1/bookings", url.Values{}))
	require.Equal(t, []string{ours.resource.String()}, ours.listAll(t, "/v1/resources", url.Values{}))
	require.Equal(t, []string{ours.slots.String(), ours.dates.String()}, ours.listAll(t, "/v1/services", url.Values{}))
	require.Equal(t, []string{ours.closure.String()}, ours.listAll(t, "/v1/closures", url.Values{}))
	require.Equal(t, []string{ours.block.String()}, ours.listAll(t, "/v1/blocks", url.Values{}))
	require.NotEmpty(t, theirs.listAll(t, "/v1/scheduled-events", url.Values{"subject": {theirs.hold.String()}}))
	require.Empty(t, ours.listAll(t, "/v1/scheduled-events", url.Values{"subject": {theirs.hold.String()}}))
	require.NotContains(t, ours.listAll(t, "/v1/scheduled-events", url.Values{}), theirs.scheduled.String())
	for field, id := range map[string]uuid.UUID{"service_id": theirs.slots, "resource_id": theirs.resource,
		"customer_id": theirs.customer} {
		require.NotEmpty(t, theirs.listAll(t, "/v1/bookings", url.Values{field: {id.String()}}), field)
		want := ours.get(t, "/v1/bookings?"+field+"="+uuid.NewString())
		require.Equal(t, http.StatusOK, want.status)
		require.JSONEq(t, `{"data":[]}`, want.body)
		requireSame(t, want, ours.get(t, "/v1/bookings?"+field+"="+id.String()))
	}
	// A cursor is a position in an order, not a permission.
	page := theirs.list(t, "/v1/resources?limit=1")
	require.Empty(t, page.NextCursor)
	theirCursor := theirs.list(t, "/v1/bookings?limit=1").NextCursor
	for _, b := range ours.list(t, "/v1/bookings?cursor="+theirCursor).Data {
		require.Contains(t, bookings, b["id"])
	}
}

func TestIsolation_SameIdempotencyKeyOfTwoTenants_IsTwoKeys(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	a, b := s.newTenant(t, "Europe/Berlin"), s.newTenant(t, "Europe/Berlin")
	body := object{"name": "Boat", "capacity": 1}
	first := a.post(t, "/v1/resources", body, "Idempotency-Key", "same")
	second := b.post(t, "/v1/resources", body, "Idempotency-Key", "same")
	require.NotEqual(t, a.created(t, first), b.created(t, second))
	require.Empty(t, second.header.Get("Idempotent-Replayed"))
	// Another body under the other tenant's key is no mismatch either.
	third := s.newTenant(t, "Europe/Berlin").post(t, "/v1/resources", object{"name": "Raft", "capacity": 2},
		"Idempotency-Key", "same")
	require.Equal(t, http.StatusCreated, third.status, third.body)
	// Nor has the administrators' scope anything to do with a tenant's.
	tenant := s.admin().post(t, "/admin/v1/tenants",
		object{"slug": "same", "name": "Same", "time_zone": "UTC", "currency": "EUR"},
		"Idempotency-Key", "same")
	require.Equal(t, http.StatusCreated, tenant.status, tenant.body)
}

func TestAuthentication_EveryOperationNeedsItsKey(t *testing.T) {
	t.Parallel()
	f := newFixture(t, setup(t))
	samples := f.samples(t)
	flipped := []byte(f.key)
	flipped[len(flipped)-5] ^= 1
	for _, op := range f.operations(t) {
		s, ok := samples[op.id]
		if !ok {
			path := op.path
			for prefix, id := range f.ids() {
				path = strings.Replace(path, prefix+"{id}", prefix+id.String(), 1)
			}
			s = sample{client: f.client, method: op.method, path: path}
		}
		t.Run(op.id, func(t *testing.T) {
			before := f.tables(t)
			var body any
			if s.body != nil {
				body = s.body
			}
			authorizations := []string{"", "Bearer " + string(flipped)}
			// what a key may look like doesn't depend on the operation
			if op.id == "create-booking" || op.id == "create-tenant" {
				authorizations = append(authorizations, "Bearer", "Bearer ", "Basic "+f.key, f.key, "Bearer x",
					"Bearer hf_", "Bearer "+
						f.key+"x",
					"Bearer "+f.key[:len(f.key)-1], "Bearer  "+f.key, "Bearer "+strings.ToUpper(f.key))
			}
			for _, authorization := range authorizations {
				a := f.send(t, s.method, s.path, body, "Authorization", authorization)
				if strings.HasPrefix(op.path, "/admin/") && strings.HasPrefix(authorization, "Bearer") {
					requireProblem(t, a, http.StatusForbidden, problem.Forbidden)
					continue
				}
				requireProblem(t, a, http.StatusUnauthorized, problem.Unauthenticated)
				require.Equal(t, "Bearer", a.header.Get("WWW-Authenticate"))
			}
			if strings.HasPrefix(op.path, "/admin/") {
				requireProblem(t, f.send(t, s.method, s.path, body), http.StatusForbidden, problem.Forbidden)
			} else {
				requireProblem(t, f.admin().send(t, s.method, s.path, body), http.StatusUnauthorized,
					problem.Unauthenticated)
			}
			require.Equal(t, before, f.tables(t))
		})
	}
	require.Equal(t, http.StatusOK, f.get(t, "/v1/bookings", "Authorization", "bearer "+f.key).status,
		"a scheme has no case")
}

func TestAuthentication_RevokedKey_StopsAtOnceAndTheOthersStay(t *testing.T) {
	t.Parallel()
	c := setup(t)
	keys := "/admin/v1/tenants/" + c.tenant.String() + "/api-keys"
	issued := c.admin().post(t, keys, nil)
	id := c.created(t, issued)
	require.Equal(t, keys+"/"+id.String(), issued.header.Get("Location"))
	require.Equal(t, c.tenant.String(), issued.text(t, "tenant_id"))
	require.True(t, strings.HasPrefix(issued.text(t, "api_key"), "hf_"))
	second := client{apiServer: c.apiServer, key: issued.text(t, "api_key"), tenant: c.tenant}
	require.NotEqual(t, c.key, second.key)
	require.Equal(t, http.StatusOK, second.get(t, "/v1/bookings").status)

	for range 2 { // revoking again changes nothing
		a := c.admin().delete(t, keys+"/"+id.String())
		require.Equal(t, http.StatusNoContent, a.status, a.body)
		requireProblem(t, second.get(t, "/v1/bookings"), http.StatusUnauthorized, problem.Unauthenticated)
		require.Equal(t, http.StatusOK, c.get(t, "/v1/bookings").status)
	}
	require.Zero(t, c.count(t, "SELECT count(*) FROM idempotency_keys WHERE convert_from(body, 'UTF8') LIKE '%hf\\_%'"),
		"no key is stored")
}
