package httpapi_test

import (
	"fmt"
	"net/http"
	"path/filepath"
	"testing"
	"time"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/app/apptest"
	"holdfast/internal/httpapi/admission"
	"holdfast/internal/payment/sandbox"
	"holdfast/internal/problem"
	"holdfast/internal/testtime"
)

// reconcile asks for the comparison of the tenant's payments on some dates.
func (c client) reconcile(t testingT, from, to any) answer {
	t.Helper()
	return c.admin().get(t, fmt.Sprintf("/admin/v1/tenants/%s/reconciliation?from=%s&to=%s", c.tenant, from, to))
}

// otherDateThanUTC returns a time zone in which it is another date than in UTC, and will be for two hours.
func otherDateThanUTC(now time.Time) string {
	if hour := now.UTC().Hour(); hour < 10 {
		return fmt.Sprintf("Etc/GMT+%d", min(hour+6, 12)) // it is behind UTC
	}
	return "Etc/GMT-14"
}

func TestReconciliation_TenantInAnotherDateThanUTC_ComparesItsOwnDays(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	now := testtime.Now()
	c := s.newTenant(t, otherDateThanUTC(now))
	today := civil.DateOf(now.In(location(t, otherDateThanUTC(now))))
	require.NotEqual(t, civil.DateOf(now.UTC()), today)
	booking := c.book(t, c.newService(t, "slot", object{"price": 4500}, c.newResource(t, 9)),
		at(future(0), 10, 0)).id(t)
	paid := c.created(t, c.payWith(t, booking, "pm_ok", 100))

	counts := func(a answer) string {
		t.Helper()
		require.Equal(t, http.StatusOK, a.status, a.body)
		return fmt.Sprint(a.field(t, "movements"), a.field(t, "payments"), a.field(t, "open"),
			len(a.field(t, "differences").([]any)))
	}
	require.Equal(t, "1 1 0 0", counts(c.reconcile(t, today, today)))
	require.Equal(t, "0 0 0 0", counts(c.reconcile(t, today.AddDays(-30), today.AddDays(-1))))
	require.Equal(t, "0 0 0 0", counts(c.reconcile(t, today.AddDays(1), today.AddDays(31))))
	require.Equal(t, "0 0 0 0", counts(s.newTenant(t, "UTC").reconcile(t, today, today)),
		"another tenant's payments are left out")

	a := c.reconcile(t, today, today)
	from, err := time.Parse(time.RFC3339, a.text(t, "from"))
	require.NoError(t, err)
	until, err := time.Parse(time.RFC3339, a.text(t, "until"))
	require.NoError(t, err)
	require.Equal(t, 24*time.Hour, until.Sub(from))
	require.True(t, !now.Before(from) && now.Before(until))

	c.exec(t, `UPDATE payments SET amount = 99 WHERE payment_id = $1`, paid)
	a = c.reconcile(t, today, today)
	require.Equal(t, "1 1 0 1", counts(a))
	difference := a.field(t, "differences").([]any)[0].(object)
	require.Equal(t, "amount", difference["kind"])
	require.Equal(t, []any{c.tenant.String(), paid.String()}, []any{difference["tenant_id"], difference["payment_id"]})
	require.InDelta(t, 99, difference["here"].(object)["amount"], 0)
	require.InDelta(t, 100, difference["at_provider"].(object)["amount"], 0)
	require.Equal(t, difference["here"].(object)["provider_id"], difference["at_provider"].(object)["provider_id"])
}

// The tenant's own key gets what the operator gets.
func TestReconciliation_OfTheTenantsOwnKey_IsThatOfTheOperator(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	now := testtime.Now()
	c := s.newTenant(t, otherDateThanUTC(now))
	today := civil.DateOf(now.In(location(t, otherDateThanUTC(now))))
	booking := c.book(t, c.newService(t, "slot", object{"price": 4500}, c.newResource(t, 9)),
		at(future(0), 10, 0)).id(t)
	paid := c.created(t, c.payWith(t, booking, "pm_ok", 100))
	c.exec(t, `UPDATE payments SET amount = 99 WHERE payment_id = $1`, paid)
	own := c.get(t, fmt.Sprintf("/v1/reconciliation?from=%s&to=%s", today, today))
	require.Equal(t, http.StatusOK, own.status, own.body)
	require.Len(t, own.field(t, "differences"), 1)
	require.JSONEq(t, c.reconcile(t, today, today).body, own.body)

	other := s.newTenant(t, otherDateThanUTC(now))
	require.Empty(t, other.get(t, fmt.Sprintf("/v1/reconciliation?from=%s&to=%s", today, today)).field(t,
		"differences"))
	for query, code := range map[string]problem.Code{
		"": problem.ValidationFailed, "?from=2027-01-01": problem.ValidationFailed,
		"?from=2027-01-02&to=2027-01-01": problem.ValidationFailed,
		"?from=2027-01-01&to=2027-02-01": problem.TooManyDates,
		"?from=0001-01-01&to=0001-01-01": problem.ValidationFailed,
	} {
		requireProblem(t, c.get(t, "/v1/reconciliation"+query), unprocessable, code)
	}
}

func TestReconciliation_BadRequest_IsRefused(t *testing.T) {
	t.Parallel()
	c := setup(t)
	day := future(0)
	requireProblem(t, c.reconcile(t, day, day.AddDays(-1)), unprocessable, problem.ValidationFailed)
	requireProblem(t, c.reconcile(t, day, day.AddDays(31)), unprocessable, problem.TooManyDates)
	requireProblem(t, c.reconcile(t, "yesterday", day), unprocessable, problem.ValidationFailed)
	requireProblem(t, c.reconcile(t, "0001-01-01", "0001-01-01"), unprocessable, problem.ValidationFailed)
	requireProblem(t, c.reconcile(t, "9000-12-31", "9001-01-01"), unprocessable, problem.ValidationFailed)
	require.Equal(t, http.StatusOK, c.reconcile(t, "9000-12-31", "9000-12-31").status)
	path := "/admin/v1/tenants/" + c.tenant.String() + "/reconciliation"
	requireProblem(t, c.admin().get(t, path+"?from="+day.String()), unprocessable, problem.ValidationFailed)
	requireProblem(t, c.get(t, path+"?from="+day.String()+"&to="+day.String()), http.StatusForbidden, problem.Forbidden)
	unknown := c
	unknown.tenant = uuid.New()
	requireProblem(t, unknown.reconcile(t, day, day), http.StatusNotFound, problem.NotFound)
	c.exec(t, `UPDATE tenants SET status = 'deleted' WHERE tenant_id = $1`, c.tenant)
	requireProblem(t, c.reconcile(t, day, day), http.StatusNotFound, problem.NotFound)
}

func TestReconciliation_ProviderIsDown_AnswersUnavailable(t *testing.T) {
	t.Parallel()
	provider, err := sandbox.Start(sandbox.Config{File: filepath.Join(t.TempDir(), "sandbox.db"), Key: sandboxSecret,
		WebhookSecret: sandboxSecret})
	require.NoError(t, err)
	s := serveAPI(t, apptest.Options{Provider: provider}, admission.Limits{})
	c := s.newTenant(t, "UTC")
	require.NoError(t, provider.Close())
	a := c.reconcile(t, future(0), future(0))
	requireProblem(t, a, http.StatusServiceUnavailable, problem.ProviderUnavailable)
	require.NotEmpty(t, a.header.Get("Retry-After"))
}
