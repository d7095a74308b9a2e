package httpapi_test

import (
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/httpapi/admission"
	"holdfast/internal/problem"
)

func TestVisitors_TooManyRequestsFromAnAddress_AreRefusedWithPublishableKeysOnly(t *testing.T) {
	t.Parallel()
	s := newLimitedServer(t, admission.Limits{VisitorRate: 0.001, VisitorBurst: 3})
	c := s.newTenant(t, "UTC")
	website, server := c.visitor(t), c
	reader, _ := c.withScopes(t, "catalog", "read")
	for left := range 3 {
		a := website.get(t, "/v1/services")
		require.Equal(t, http.StatusOK, a.status, a.body)
		require.Regexp(t, `^"visitor";r=`+string(rune('2'-left))+`;`, a.header.Get("RateLimit"))
	}
	// A forged header makes no other visitor: no proxy is trusted.
	for _, headers := range [][]string{
		nil, {"X-Forwarded-For", "203.0.113.9"}, {"X-Real-Ip", "203.0.113.9"}, {"Forwarded", "for=203.0.113.9"},
	} {
		a := website.get(t, "/v1/services", headers...)
		requireProblem(t, a, http.StatusTooManyRequests, problem.RateLimited)
		require.NotEmpty(t, a.header.Get("Retry-After"))
	}
	// A visitor has one bucket for all keys of a tenant.
	requireProblem(t, c.visitor(t).get(t, "/v1/services"), http.StatusTooManyRequests, problem.RateLimited)
	for _, other := range []client{server, reader} {
		require.Equal(t, http.StatusOK, other.get(t, "/v1/services").status)
	}
	require.Equal(t, http.StatusOK, s.newTenant(t, "UTC").visitor(t).get(t, "/v1/services").status,
		"another tenant's website")
}

func TestVisitors_TooManyHolds_AreRefused_AndWhatMadeNoneDoesNotCount(t *testing.T) {
	t.Parallel()
	s := newLimitedServer(t, admission.Limits{VisitorHolds: 2})
	c := s.newTenant(t, "UTC")
	website := c.visitor(t)
	service, key := c.newService(t, "date", nil, c.newResource(t, 1)), uuid.NewString()
	on := func(day int) object { return object{"service_id": service.String(), "date": future(day).String()} }
	require.Equal(t, http.StatusCreated, website.post(t, holds, on(0), "Idempotency-Key", key).status)
	for range 5 {
		requireProblem(t, website.post(t, holds, on(0)), http.StatusConflict, problem.SlotUnavailable)
		require.Equal(t, http.StatusCreated, website.post(t, holds, on(0), "Idempotency-Key", key).status,
			"a repetition")
		requireProblem(t, website.post(t, holds, object{}), http.StatusUnprocessableEntity, problem.ValidationFailed)
	}
	require.Equal(t, http.StatusCreated, website.post(t, holds, on(1)).status)
	before := c.tables(t)
	a := website.post(t, holds, on(2))
	requireProblem(t, a, http.StatusTooManyRequests, problem.RateLimited)
	require.Equal(t, before, c.tables(t))
	require.Contains(t, a.header.Values("RateLimit")[0], `"holds";r=0;t=`)
	require.Equal(t, http.StatusCreated, website.post(t, holds, on(0), "Idempotency-Key", key).status,
		"a repetition of what was made")
	require.Equal(t, http.StatusOK, website.get(t, "/v1/services").status)
	require.Equal(t, http.StatusCreated, c.post(t, holds, on(2)).status,
		"the tenant's own application has no such limit")
}

func TestVisitors_TooManyPayments_AreRefused_AlsoDeclinedOnes(t *testing.T) {
	t.Parallel()
	s := newLimitedServer(t, admission.Limits{VisitorHolds: 2})
	c := s.newTenant(t, "UTC")
	website := c.visitor(t)
	service := c.newService(t, "date", object{"price": 4500, "deposit": 1000}, c.newResource(t, 1))
	path := holdPath(website.visitsAt(t, service, 0).id(t)) + "/payments"
	declined, good := object{"kind": "deposit", "payment_method": "pm_declined"},
		object{"kind": "deposit", "payment_method": "pm_ok"}
	key := uuid.NewString()
	for range 3 { // one payment, and two repetitions
		requireProblem(t, website.post(t, path, declined, "Idempotency-Key", key), http.StatusPaymentRequired,
			problem.PaymentDeclined)
	}
	for range 3 {
		requireProblem(t, website.post(t, path, good, "If-Match", `"99"`), http.StatusPreconditionFailed,
			problem.VersionMismatch)
	}
	requireProblem(t, website.post(t, path, declined), http.StatusPaymentRequired, problem.PaymentDeclined)
	a := website.post(t, path, good)
	requireProblem(t, a, http.StatusTooManyRequests, problem.RateLimited)
	require.Contains(t, a.header.Values("RateLimit")[0], `"payments";r=0;t=`)
}
