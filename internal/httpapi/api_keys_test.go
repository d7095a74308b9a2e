package httpapi_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/problem"
)

const ownKeys = "/v1/api-keys"

var allScopes = []string{"catalog", "hold", "read", "book", "customers", "money", "admin"}

// withScopes returns a client of the same tenant whose key has some scopes, and the key's id.
func (c client) withScopes(t testingT, scopes ...string) (client, uuid.UUID) {
	t.Helper()
	a := c.post(t, ownKeys, object{"name": "Till", "scopes": scopes})
	id := c.created(t, a)
	require.Equal(t, ownKeys+"/"+id.String(), a.header.Get("Location"))
	return client{apiServer: c.apiServer, key: a.text(t, "api_key"), tenant: c.tenant}, id
}

// scopes returns the scope that each of a tenant's operations needs, by the OpenAPI document.
func (s *apiServer) scopes(t testingT) map[string]string {
	t.Helper()
	var document struct {
		Paths map[string]map[string]struct {
			OperationID string
			Scope       string `json:"x-scope"`
			Security    []map[string][]string
		}
	}
	s.admin().get(t, "/openapi.json").read(t, &document)
	needed := map[string]string{}
	for _, methods := range document.Paths {
		for _, o := range methods {
			for _, scheme := range o.Security {
				if _, ok := scheme["apiKey"]; ok {
					require.NotEmpty(t, o.Scope, o.OperationID)
					needed[o.OperationID] = o.Scope
				}
			}
		}
	}
	return needed
}

func TestScopes_EveryOperation_PassesWithItsScopeAloneAndIsForbiddenWithAllOthers(t *testing.T) {
	t.Parallel()
	f := newFixture(t, setup(t))
	samples := f.samples(t)
	needed := f.scopes(t)
	only, without := map[string]client{}, map[string]client{}
	for _, scope := range allScopes {
		only[scope], _ = f.withScopes(t, scope)
		without[scope], _ = f.withScopes(t,
			slices.DeleteFunc(slices.Clone(allScopes), func(s string) bool { return s == scope })...)
	}
	checked := 0
	for _, op := range f.operations(t) {
		scope, ok := needed[op.id]
		if !ok {
			continue
		}
		s, ok := samples[op.id]
		if !ok {
			s = sample{method: op.method, path: op.path}
			for prefix, id := range f.ids() {
				s.path = strings.Replace(s.path, prefix+"{id}", prefix+id.String(), 1)
			}
			s.path = strings.Replace(s.path, "{payment_id}", f.visitPayment.String(), 1)
			if op.id == "get-availability" {
				s.path += "?from=" + future(0).String() + "&to=" + future(1).String()
			}
		}
		checked++
		var body any
		if s.body != nil {
			body = s.body
		}
		before := f.tables(t)
		d := requireProblem(t, without[scope].send(t, s.method, s.path, body), http.StatusForbidden, problem.Forbidden)
		require.Equal(t, "This API key lacks the scope "+scope+".", d.Detail, op.id)
		require.Equal(t, before, f.tables(t), op.id)
		// What comes of it isn't checked here: the operations before may have ended what it is about.
		a := only[scope].send(t, s.method, s.path, body)
		require.NotEqual(t, http.StatusUnauthorized, a.status, op.id)
		// a key can't grant what it lacks; a fee, and the quote of a move, need another scope
		if a.status == http.StatusForbidden {
			require.Contains(t,
				[]string{"create-own-api-key", "change-own-api-key", "rotate-own-api-key", "invite-user",
					"cancel-booking", "no-show-booking", "quote-booking"}, op.id, a.body)
		}
	}
	require.Greater(t, checked, 45)
}

func TestScopes_BodyOfAForbiddenRequest_IsNotJudged(t *testing.T) {
	t.Parallel()
	c := setup(t)
	reader, _ := c.withScopes(t, "read")
	requireProblem(t, reader.post(t, "/v1/resources", "{", "Idempotency-Key", ""), http.StatusForbidden,
		problem.Forbidden)
	require.Equal(t, http.StatusOK, reader.get(t, "/v1/bookings").status)
}

func TestScopes_StoredResponse_IsNotGivenToAKeyWithoutTheScope(t *testing.T) {
	t.Parallel()
	c := setup(t)
	reader, _ := c.withScopes(t, "read")
	body := object{"name": "Boat", "capacity": 1}
	require.Equal(t, http.StatusCreated, c.post(t, "/v1/resources", body, "Idempotency-Key", "same").status)
	requireProblem(t, reader.post(t, "/v1/resources", body, "Idempotency-Key", "same"), http.StatusForbidden,
		problem.Forbidden)
}

func TestAPIKeys_OfTheTenant_AreMadeListedChangedRotatedAndRevoked(t *testing.T) {
	t.Parallel()
	c := setup(t)
	till, id := c.withScopes(t, "book", "read")
	path := ownKeys + "/" + id.String()
	listed := c.list(t, ownKeys).Data
	require.Len(t, listed, 2)
	require.Equal(t, []any{"catalog", "hold", "read", "book", "customers", "money", "admin"}, listed[0]["scopes"],
		"the first key has all")
	require.Equal(t, object{
		"id": id.String(), "tenant_id": c.tenant.String(), "name": "Till", "scopes": []any{"read", "book"},
		"created_at": listed[1]["created_at"],
	}, listed[1])
	var one object
	c.get(t, path).read(t, &one)
	require.Equal(t, listed[1], one)

	a := c.patch(t, path, object{"name": "Office", "scopes": []any{"money"}})
	require.Equal(t, http.StatusOK, a.status, a.body)
	require.Equal(t, "Office", a.text(t, "name"))
	requireProblem(t, till.get(t, "/v1/bookings"), http.StatusForbidden, problem.Forbidden)
	require.Equal(t, http.StatusOK, c.patch(t, path, object{"scopes": []any{"read"}}).status)
	require.Equal(t, http.StatusOK, till.get(t, "/v1/bookings").status)

	rotated := c.post(t, path+"/rotate", object{"overlap_minutes": 0})
	require.Equal(t, http.StatusCreated, rotated.status, rotated.body)
	require.Equal(t, ownKeys+"/"+rotated.text(t, "id"), rotated.header.Get("Location"))
	require.Equal(t, "Office", rotated.text(t, "name"))
	requireProblem(t, till.get(t, "/v1/bookings"), http.StatusUnauthorized, problem.Unauthenticated)
	next := client{apiServer: c.apiServer, key: rotated.text(t, "api_key"), tenant: c.tenant}
	require.Equal(t, http.StatusOK, next.get(t, "/v1/bookings").status)
	again := c.post(t, ownKeys+"/"+rotated.text(t, "id")+"/rotate", nil)
	require.Equal(t, http.StatusCreated, again.status, again.body)
	require.Equal(t, http.StatusOK, next.get(t, "/v1/bookings").status, "without a body the old key works for a day")
	require.Regexp(t, `^20`, c.get(t, ownKeys+"/"+rotated.text(t, "id")).text(t, "expires_at"))

	for range 2 {
		require.Equal(t, http.StatusNoContent, c.delete(t, ownKeys+"/"+rotated.text(t, "id")).status)
		requireProblem(t, next.get(t, "/v1/bookings"), http.StatusUnauthorized, problem.Unauthenticated)
	}
	require.Len(t, c.listAll(t, ownKeys, url.Values{"limit": {"1"}}), 4)
	require.Zero(t, c.count(t, "SELECT count(*) FROM idempotency_keys WHERE convert_from(body, 'UTF8') LIKE '%hf\\_%'"),
		"no key is stored")
}

func TestAPIKeys_LastAdminKey_CannotBeRevokedByTheTenant(t *testing.T) {
	t.Parallel()
	c := setup(t)
	own := ownKeys + "/" + c.list(t, ownKeys).Data[0]["id"].(string)
	d := requireProblem(t, c.delete(t, own), http.StatusConflict, problem.InvalidState)
	require.Contains(t, d.Detail, "last lasting API key with the scope admin")
	requireProblem(t, c.patch(t, own, object{"scopes": []any{"read", "book", "money"}}), http.StatusConflict,
		problem.InvalidState)
	require.Equal(t, http.StatusNoContent,
		c.admin().delete(t, strings.Replace(own, ownKeys, "/admin/v1/tenants/"+c.tenant.String()+"/api-keys",
			1)).status,
		"the operator may")
	requireProblem(t, c.get(t, "/v1/bookings"), http.StatusUnauthorized, problem.Unauthenticated)
}

func TestAPIKeys_IssuedByTheOperator_HaveTheScopesAskedForOrAll(t *testing.T) {
	t.Parallel()
	c := setup(t)
	path := "/admin/v1/tenants/" + c.tenant.String() + "/api-keys"
	for _, test := range []struct {
		body   any
		name   string
		scopes []any
	}{
		{nil, "", []any{"catalog", "hold", "read", "book", "customers", "money", "admin"}},
		{object{}, "", []any{"catalog", "hold", "read", "book", "customers", "money", "admin"}},
		{object{"name": "Till"}, "Till", []any{"catalog", "hold", "read", "book", "customers", "money", "admin"}},
		{object{"name": "Report", "scopes": []any{"read"}}, "Report", []any{"read"}},
	} {
		a := c.admin().post(t, path, test.body)
		require.Equal(t, http.StatusCreated, a.status, a.body)
		require.Equal(t, test.name, a.text(t, "name"))
		require.Equal(t, test.scopes, a.field(t, "scopes"))
	}
	listed := c.admin().list(t, path).Data
	require.Len(t, listed, 5)
	require.NotContains(t, listed[1], "api_key")
	require.Len(t, c.admin().listAll(t, path, url.Values{"limit": {"2"}}), 5)
}

func TestTenants_OperatorListsThem_ByPageAndSlug(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	var ids []string
	for range 3 {
		ids = append(ids, s.newTenant(t, "Europe/Berlin").tenant.String())
	}
	require.Equal(t, ids, s.admin().listAll(t, "/admin/v1/tenants", url.Values{"limit": {"2"}}))
	one := s.admin().get(t, "/admin/v1/tenants/"+ids[1])
	require.Equal(t, http.StatusOK, one.status, one.body)
	require.NotContains(t, one.body, "api_key")
	found := s.admin().list(t, "/admin/v1/tenants?slug="+one.text(t, "slug")).Data
	require.Len(t, found, 1)
	var shown object
	one.read(t, &shown)
	require.Equal(t, found[0], shown)
	require.Empty(t, s.admin().list(t, "/admin/v1/tenants?slug=nobody").Data)
}
