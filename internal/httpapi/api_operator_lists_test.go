package httpapi_test

import (
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/problem"
)

// feed reads a feed until it has n events. Transactions of other tests, in other databases of the cluster, hold it up.
func (c client) feed(t testingT, path string, n int) (events []object) {
	t.Helper()
	after := ""
	require.Eventually(t, func() bool {
		a := c.get(t, path+"&limit=2&after="+after)
		require.Equal(t, http.StatusOK, a.status, a.body)
		var p struct {
			Data       []object `json:"data"`
			NextCursor string   `json:"next_cursor"`
		}
		a.read(t, &p)
		require.NotEmpty(t, p.NextCursor)
		events, after = append(events, p.Data...), p.NextCursor
		return len(events) >= n
	}, soon, time.Millisecond)
	require.Len(t, events, n)
	return events
}

func TestOperatorEvents_TwoTenants_HasBothInOneOrderAsEachHasItsOwn(t *testing.T) {
	t.Parallel()
	a := setup(t)
	b := a.newTenant(t, "UTC")
	const path, types = "/admin/v1/events?", "types=resource.*,booking.*"
	var made []string
	for i, c := range []client{a, b, a, b} {
		service := c.newService(t, "date", nil, c.newResource(t, 1))
		made = append(made, c.tenant.String(), c.tenant.String())
		c.book(t, service, future(i))
	}
	all := a.admin().feed(t, path+types, 8)
	var tenants []string
	of := map[string][]object{}
	for _, e := range all {
		tenant := e["tenant_id"].(string)
		tenants = append(tenants, tenant)
		delete(e, "tenant_id")
		of[tenant] = append(of[tenant], e)
	}
	require.Equal(t, made, tenants)
	for _, c := range []client{a, b} {
		require.Equal(t, c.feed(t, "/v1/events?"+types, 4), of[c.tenant.String()])
		require.Len(t, a.admin().feed(t, path+types+"&tenant_id="+c.tenant.String(), 4), 4)
	}

	latest := a.admin().get(t, path+"after=latest").text(t, "next_cursor")
	a.exec(t, `UPDATE feed_positions SET change_id = gen_random_uuid() WHERE reader = 'epoch'`)
	requireProblem(t, a.admin().get(t, path+"after="+latest), http.StatusGone, problem.CursorExpired)
	requireProblem(t, a.admin().get(t, path+"after=x"), unprocessable, problem.ValidationFailed)
	requireProblem(t, a.admin().get(t, path+"tenant_id=x"), unprocessable, problem.ValidationFailed)
	requireProblem(t, a.get(t, path), http.StatusForbidden, problem.Forbidden)
}

func TestOperatorPayments_Filters_FindPaymentsOfAllTenants(t *testing.T) {
	t.Parallel()
	a := setup(t)
	b := a.newTenant(t, "UTC")
	const path = "/admin/v1/payments"
	var ids []string
	for _, c := range []client{a, b, a} {
		service := c.newService(t, "slot", object{"price": 4500}, c.newResource(t, 9))
		ids = append(ids, c.created(t,
			c.payWith(t, c.book(t, service, at(future(0), 10, 0)).id(t), "pm_ok", 100)).String())
	}
	open := a.processing(t,
		a.book(t, a.newService(t, "slot", object{"price": 4500}, a.newResource(t, 9)), at(future(0), 10, 0)).id(t)).
		text(t, "id")
	admin := a.admin()
	list := func(query url.Values) []string {
		query.Set("limit", "2")
		return admin.listAll(t, path, query)
	}
	require.Equal(t, append(ids, open), list(url.Values{}))
	require.Equal(t, []string{ids[1]}, list(url.Values{"tenant_id": {b.tenant.String()}}))
	require.Equal(t, []string{open}, list(url.Values{"status": {"processing"}}))
	require.Equal(t, []string{ids[0], ids[2]},
		list(url.Values{"status": {"succeeded"}, "tenant_id": {a.tenant.String()}}))
	second := admin.list(t, path+"?tenant_id="+b.tenant.String()).Data[0]
	reference, when := second["provider_id"].(string), second["created_at"].(string)
	require.Equal(t, []string{ids[1]}, list(url.Values{"provider_id": {reference}}))
	require.Equal(t, append(ids[1:], open), list(url.Values{"from": {when}}))
	require.Equal(t, ids[:1], list(url.Values{"until": {when}}))
	require.Empty(t, list(url.Values{"from": {when}, "until": {when}}))
	require.Equal(t, b.tenant.String(), second["tenant_id"])
	for _, private := range []string{"payment_method", "customer", "contact", "client_secret", "action_url"} {
		require.NotContains(t, second, private)
	}
	for _, query := range []string{
		"tenant_id=x", "status=x", "from=x", "from=0000-01-01T00:00:00Z", "until=9999-01-01T00:00:00Z", "cursor=x",
		"a=b",
	} {
		requireProblem(t, admin.get(t, path+"?"+query), unprocessable, problem.ValidationFailed)
	}
	requireProblem(t, a.get(t, path), http.StatusForbidden, problem.Forbidden)
	require.Empty(t, list(url.Values{"provider_id": {"\u00e4"}}))
	require.Empty(t, list(url.Values{"tenant_id": {uuid.NewString()}}))
}
