package httpapi_test

import (
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/problem"
)

// limitVisitors sets the limits for visitors of the tenant.
func (c client) limitVisitors(t testingT, limits any) answer {
	t.Helper()
	return c.patch(t, "/v1/tenant", object{"website": object{"limits": limits}})
}

func TestTenantLimits_OfAPublishableKey_RefuseWhatIsMore_AndNoOtherKeyKnowsThem(t *testing.T) {
	t.Parallel()
	c := setup(t)
	website := c.visitor(t)
	server, _ := c.withScopes(t, "catalog", "hold", "read")
	room := c.newService(t, "stay", object{"check_in": "15:00", "check_out": "10:00"}, c.newResource(t, 9))
	c.limitVisitors(t, object{"nights": 2, "units": 3}).ok(t)
	of := func(nights, party int) object {
		return object{
			"service_id": room, "check_in": future(0).String(), "check_out": future(nights).String(),
			"party_size": party,
		}
	}
	key, before := uuid.NewString(), c.tables(t)
	for field, body := range map[string]object{"check_out": of(3, 1), "party_size": of(2, 4)} {
		a := website.post(t, holds, body, "Idempotency-Key", key)
		requireProblem(t, a, http.StatusUnprocessableEntity, problem.ValidationFailed)
		require.Contains(t, a.body, `"field":"`+field+`","code":"too_large"`)
		quote := website.post(t, "/v1/quotes", body)
		require.Equal(t, false, quote.field(t, "available"))
		require.Contains(t, quote.body, `"field":"`+field+`","code":"too_large"`)
		require.Equal(t, true, server.post(t, "/v1/quotes", body).field(t, "available"))
	}
	require.Equal(t, before, c.tables(t))
	require.Equal(t, http.StatusCreated, website.post(t, holds, of(2, 3), "Idempotency-Key", key).status,
		"the key is free")
	require.Equal(t, http.StatusCreated, server.post(t, holds, of(3, 1)).status)
	require.Equal(t, http.StatusCreated, c.post(t, holds, of(3, 1)).status)
	with := of(3, 4)
	with["customer"] = ada
	require.Equal(t, http.StatusCreated, c.post(t, "/v1/bookings", with).status)

	day := future(10).String()
	for _, path := range []string{
		"/v1/services/" + room.String() + "/availability?to=" + day,
		"/v1/availability?to=" + day + "&service_ids=" + room.String(),
	} {
		path += "&from=" + day
		theirs, ours := website.get(t, path), server.get(t, path)
		require.Contains(t, theirs.body, `"largest_party":3,`)
		require.Contains(t, theirs.body, `"max_nights":2,`)
		require.Contains(t, ours.body, `"largest_party":9,`)
		require.Contains(t, ours.body, `"max_nights":28,`)
		require.NotEqual(t, ours.header.Get("ETag"), theirs.header.Get("ETag"))
	}
}

func TestTenantLimits_OpenHoldsOfAnEmail_RefuseOneMoreOfAPublishableKey(t *testing.T) {
	t.Parallel()
	c := setup(t)
	website := c.visitor(t)
	service := c.newService(t, "date", nil, c.newResource(t, 9))
	c.limitVisitors(t, object{"open_holds_per_email": 1}).ok(t)
	hold := website.visitsAt(t, service, 0, object{"customer": ada}).id(t)
	again := object{"name": "A", "email": "ADA@example.com"}
	second := object{"service_id": service, "date": future(1).String(), "customer": again}
	before := c.tables(t)
	a := website.post(t, holds, second)
	requireProblem(t, a, http.StatusUnprocessableEntity, problem.ValidationFailed)
	require.Contains(t, a.body, `"field":"customer.email","code":"too_many"`)
	require.Equal(t, before, c.tables(t))
	require.Equal(t, http.StatusCreated, c.post(t, holds, second).status, "the tenant's own key; it counts")
	confirmed := c.visitor(t).post(t, holdPath(hold)+"/confirm", nil)
	require.Equal(t, http.StatusOK, confirmed.status, confirmed.body)
	requireProblem(t, website.post(t, holds, second), http.StatusUnprocessableEntity, problem.ValidationFailed)
}
