package httpapi_test

import (
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/app/apptest"
	"holdfast/internal/httpapi/admission"
	"holdfast/internal/problem"
)

// operatorOf returns the headers by which Ada of the operator acts for the tenant.
func (c client) operatorOf() []string {
	return []string{"Authorization", "Bearer " + adminKey, "Holdfast-Tenant", c.tenant.String(), "Holdfast-Actor",
		"Ada, support"}
}

func TestActing_ForATenant_ChangesWhatItsKeysCouldAndLeavesATrace(t *testing.T) {
	t.Parallel()
	log := new(logBuffer)
	s := serveAPI(t, apptest.Options{Log: slog.New(slog.NewTextHandler(log, nil))}, admission.Limits{})
	c := s.newTenant(t, "Europe/Berlin")
	service := c.newService(t, "date", nil, c.newResource(t, 1))
	ada := c.operatorOf()
	made := c.post(t, "/v1/bookings", bookingOf(service, future(0)), ada...)
	booking := c.created(t, made)
	cancelled := c.post(t, "/v1/bookings/"+booking.String()+"/cancel", nil, ada...)
	require.Equal(t, http.StatusOK, cancelled.status, cancelled.body)

	a := c.get(t, "/v1/bookings/"+booking.String()+"/history")
	var history struct {
		Data []struct {
			Action, Operator string
			APIKeyID         *uuid.UUID `json:"api_key_id"`
			RequestID        string     `json:"request_id"`
		}
	}
	a.read(t, &history)
	require.Len(t, history.Data, 2)
	require.Equal(t, made.header.Get("Request-Id"), history.Data[0].RequestID)
	for _, e := range history.Data {
		require.Equal(t, "Ada, support", e.Operator)
		require.Nil(t, e.APIKeyID)
	}
	own := c.book(t, service, future(1)).id(t)
	require.NotContains(t, c.get(t, "/v1/bookings/"+own.String()+"/history").body, "operator")
	told := 0
	for _, e := range c.feed(t, "/v1/events?types=booking.*,customer.created", 5) {
		if e["operator"] != nil {
			require.Equal(t, "Ada, support", e["operator"])
			told++
		}
	}
	require.Equal(t, 3, told, "two changes of the booking, and its customer")
	read := c.get(t, "/v1/bookings/"+booking.String(), ada...)
	require.Equal(t, http.StatusOK, read.status, read.body)
	for _, a := range []answer{made, cancelled, read} {
		id := a.header.Get("Request-Id")
		require.Eventually(t, func() bool { return log.line(id) != "" }, soon, time.Millisecond)
		require.Contains(t, log.line(id), `operator="Ada, support"`)
		require.Contains(t, log.line(id), "tenant_id="+c.tenant.String())
	}

	customer := c.post(t, "/v1/customers", object{"name": "Grace", "email": "grace@example.com"}, ada...)
	require.Equal(t, http.StatusCreated, customer.status, customer.body)
	changed := c.send(t, http.MethodPatch, "/v1/customers/"+customer.id(t).String(), object{"name": "Grace Hopper"},
		ada...)
	require.Equal(t, http.StatusOK, changed.status, changed.body)
	require.Equal(t, 2, strings.Count(c.get(t, "/v1/customers/"+customer.id(t).String()+"/history").body,
		`"operator":"Ada, support"`))
}

func TestActing_BySlugAndForASuspendedTenant_Works(t *testing.T) {
	t.Parallel()
	c := setup(t)
	service := c.newService(t, "date", nil, c.newResource(t, 1))
	slug := c.admin().get(t, c.path()).text(t, "slug")
	ada := []string{"Authorization", "Bearer " + adminKey, "Holdfast-Tenant", slug, "Holdfast-Actor", "Ada"}
	c.suspended(t)
	c.created(t, c.post(t, "/v1/bookings", bookingOf(service, future(0)), ada...))
	key := c.post(t, "/v1/api-keys", object{"name": "Till", "scopes": []string{"read"}}, ada...)
	require.Equal(t, http.StatusCreated, key.status, key.body)
	requireProblem(t, c.withKey(key.text(t, "api_key")).get(t, "/v1/services"), http.StatusForbidden,
		problem.TenantSuspended)
}

func TestActing_SameIdempotencyKeyAsTheTenant_IsTheTenantsRequest(t *testing.T) {
	t.Parallel()
	c := setup(t)
	other := c.newTenant(t, "UTC")
	service := c.newService(t, "date", nil, c.newResource(t, 1))
	body, key := bookingOf(service, future(0)), []string{"Idempotency-Key", "order-1"}
	first := c.post(t, "/v1/bookings", body, key...)
	again := c.post(t, "/v1/bookings", body, append(key, c.operatorOf()...)...)
	require.Equal(t, first.body, again.body)
	require.Equal(t, "true", again.header.Get("Idempotent-Replayed"))
	requireProblem(t, c.post(t, "/v1/bookings", body, append(key, other.operatorOf()...)...), http.StatusNotFound,
		problem.NotFound)
	requireProblem(t, c.get(t, "/v1/bookings/"+first.id(t).String(), other.operatorOf()...), http.StatusNotFound,
		problem.NotFound)
}

func TestActing_WithHostileHeaders_IsRefused(t *testing.T) {
	t.Parallel()
	c := setup(t)
	before := c.tables(t)
	id, admin := c.tenant.String(), []string{"Authorization", "Bearer " + adminKey}
	malformed := [][]string{
		{"Holdfast-Tenant", id},
		{"Holdfast-Actor", "Ada"},
		{"Holdfast-Tenant", id, "Holdfast-Actor", " "},
		{"Holdfast-Tenant", id, "Holdfast-Actor", strings.Repeat("a", 101)},
		{"Holdfast-Tenant", id, "Holdfast-Actor", "Ad\u00e4"},
		{"Holdfast-Tenant", id, "Holdfast-Actor", "Ada\tB"},
		{"Holdfast-Tenant", id, "Holdfast-Tenant", id, "Holdfast-Actor", "Ada"},
		{"Holdfast-Tenant", id, "Holdfast-Actor", "Ada", "Holdfast-Actor", "Ada"},
		{"Holdfast-Tenant", "nobody", "Holdfast-Actor", "Ada"},
		{"Holdfast-Tenant", uuid.NewString(), "Holdfast-Actor", "Ada"},
		{"Holdfast-Tenant", "' OR 1=1 --", "Holdfast-Actor", "Ada"},
		{"Holdfast-Tenant", strings.Repeat("a", 64), "Holdfast-Actor", "Ada"},
		{"Holdfast-Tenant", uuid.Nil.String(), "Holdfast-Actor", "Ada"},
	}
	for _, headers := range malformed {
		a := c.post(t, "/v1/resources", object{"name": "Boat", "capacity": 1}, append(admin, headers...)...)
		requireProblem(t, a, http.StatusBadRequest, problem.MalformedRequest)
	}
	both := []string{"Holdfast-Tenant", id, "Holdfast-Actor", "Ada"}
	// with the tenant's own key
	requireProblem(t, c.get(t, "/v1/services", both...), http.StatusForbidden, problem.Forbidden)
	requireProblem(t, c.get(t, "/v1/services", append([]string{"Authorization", ""}, both...)...),
		http.StatusUnauthorized,
		problem.Unauthenticated)
	// for no tenant
	requireProblem(t, c.get(t, "/v1/services", admin...), http.StatusUnauthorized, problem.Unauthenticated)
	requireProblem(t, c.admin().get(t, "/admin/v1/tenants", both...), http.StatusBadRequest, problem.MalformedRequest)
	require.Equal(t, before, c.tables(t), "nothing was written")
}
