package httpapi_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/google/uuid"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
	"github.com/stretchr/testify/require"

	"holdfast/internal/problem"
	"holdfast/internal/testtime"
)

const operatorHooks, operatorDeliveries = "/admin/v1/webhook-endpoints", "/admin/v1/deliveries/"

// newOperatorHook makes an endpoint of the operator.
func (s *apiServer) newOperatorHook(t testingT, url string, types ...any) answer {
	t.Helper()
	a := s.admin().post(t, operatorHooks, object{"url": url, "types": types})
	require.Equal(t, http.StatusCreated, a.status, a.body)
	require.Equal(t, operatorHooks+"/"+a.text(t, "id"), a.header.Get("Location"))
	return a
}

func TestOperatorWebhooks_BookingsOfTwoTenants_ArriveSignedAndAreListed(t *testing.T) {
	t.Parallel()
	a := setup(t)
	b := a.newTenant(t, "UTC")
	type request struct {
		header http.Header
		body   []byte
	}
	received := make(chan request, 10)
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err == nil {
			received <- request{r.Header, body}
		}
	}))
	t.Cleanup(receiver.Close)
	made := a.newOperatorHook(t, receiver.URL, "booking.*")
	path := operatorHooks + "/" + made.text(t, "id")
	verifier, err := standardwebhooks.NewWebhook(made.text(t, "secret"))
	require.NoError(t, err)
	a.startWorker(t)
	booked := map[string]string{}
	for _, c := range []client{a, b} {
		id := c.book(t, c.newService(t, "slot", nil, c.newResource(t, 1)), at(future(0), 10, 0)).id(t)
		booked[id.String()] = c.tenant.String()
	}
	told := map[string]string{}
	for range booked {
		got := testtime.Receive(t, received)
		require.NoError(t, verifier.Verify(got.body, got.header))
		var event struct {
			ID, Type string
			TenantID string `json:"tenant_id"`
			Subject  struct{ ID string }
		}
		require.NoError(t, json.Unmarshal(got.body, &event))
		require.Equal(t, []string{got.header.Get("webhook-id"), "booking.created"}, []string{event.ID, event.Type})
		told[event.Subject.ID] = event.TenantID
	}
	require.Equal(t, booked, told)

	var deliveries struct {
		Data []struct {
			ID, Status string
			TenantID   string `json:"tenant_id"`
		}
	}
	require.Eventually(t, func() bool {
		a.admin().get(t, path+"/deliveries").read(t, &deliveries)
		return len(deliveries.Data) == 2 && deliveries.Data[0].Status == "completed" &&
			deliveries.Data[1].Status == "completed"
	}, time.Minute, 10*time.Millisecond)
	require.ElementsMatch(t, []string{a.tenant.String(), b.tenant.String()}, []string{deliveries.Data[0].TenantID,
		deliveries.Data[1].TenantID})
	delivery := operatorDeliveries + deliveries.Data[0].ID
	log := a.admin().get(t, delivery)
	require.Equal(t, http.StatusOK, log.status, log.body)
	require.NotContains(t, log.body, "@example.com")
	require.Equal(t, http.StatusOK, a.admin().post(t, delivery+"/replay", nil).status)
	require.Equal(t, deliveries.Data[0].TenantID, func() string {
		var event struct {
			TenantID string `json:"tenant_id"`
		}
		require.NoError(t, json.Unmarshal(testtime.Receive(t, received).body, &event))
		return event.TenantID
	}())

	for _, c := range []client{a, b} {
		requireProblem(t, c.get(t, path), http.StatusForbidden, problem.Forbidden)
		requireProblem(t, c.post(t, operatorHooks, object{"url": receiver.URL, "types": []any{"*"}}),
			http.StatusForbidden,
			problem.Forbidden)
		requireProblem(t, c.get(t, "/v1/webhook-endpoints/"+made.text(t, "id")), http.StatusNotFound, problem.NotFound)
		requireProblem(t, c.get(t, "/v1/deliveries/"+deliveries.Data[0].ID), http.StatusNotFound, problem.NotFound)
		require.NotContains(t, c.get(t, "/v1/webhook-endpoints").body, receiver.URL)
		require.NotContains(t, c.get(t, "/v1/scheduled-events?kind=webhook.delivery").body, deliveries.Data[0].ID)
	}
}

func TestOperatorWebhooks_Routes_WorkAsATenantsDo(t *testing.T) {
	t.Parallel()
	c := setup(t)
	admin := c.admin()
	made := c.newOperatorHook(t, "https://example.com/hooks", "*")
	path := operatorHooks + "/" + made.text(t, "id")
	require.Equal(t, `"1"`, made.header.Get("ETag"))
	require.NotContains(t, admin.get(t, operatorHooks).body, "whsec_")
	require.Contains(t, admin.get(t, operatorHooks).body, made.text(t, "id"))

	changed := admin.send(t, http.MethodPatch, path, object{"types": []any{"payment.*"}}, "If-Match", `"1"`)
	require.Equal(t, http.StatusOK, changed.status, changed.body)
	stale := admin.send(t, http.MethodPatch, path, object{"types": []any{"*"}}, "If-Match", `"1"`)
	requireProblem(t, stale, http.StatusPreconditionFailed, problem.VersionMismatch)
	require.Contains(t, stale.body, `"current":`)
	require.NotEqual(t, made.text(t, "secret"), admin.post(t, path+"/rotate-secret", nil).text(t, "secret"))
	ping := admin.post(t, path+"/ping", nil)
	require.Equal(t, operatorDeliveries+ping.text(t, "id"), ping.header.Get("Location"))
	replayed := admin.post(t, path+"/replay", object{"from": "2027-07-01T00:00:00Z", "to": "2027-07-02T00:00:00Z"})
	require.Equal(t, http.StatusOK, replayed.status, replayed.body)

	refused := func(body object) { // its addresses are those that a tenant's may have
		t.Helper()
		requireProblem(t, admin.post(t, operatorHooks, body), unprocessable, problem.ValidationFailed)
	}
	refused(object{"url": "https://10.0.0.1/", "types": []any{"*"}})
	refused(object{"url": "https://example.com/", "types": []any{"basket.*"}})
	for range 19 {
		c.newOperatorHook(t, "https://example.com/hooks", "*")
	}
	refused(object{"url": "https://example.com/", "types": []any{"*"}})
	require.Equal(t, http.StatusCreated, c.post(t, "/v1/webhook-endpoints", object{"url": "https://example.com/",
		"types": []any{"*"}}).status,
		"a tenant has its own")
	require.Equal(t, http.StatusNoContent, admin.delete(t, path).status)
	requireProblem(t, admin.get(t, path), http.StatusNotFound, problem.NotFound)
}

func TestOperatorWebhooks_TenantIsDeleted_LeavesThem(t *testing.T) {
	t.Parallel()
	c := setup(t)
	hook := c.newOperatorHook(t, "https://example.com/hooks", "*").text(t, "id")
	c.busy(t)
	c.suspended(t)
	c.still(t)
	body, _, export := c.exported(t)
	require.NotContains(t, body, hook)
	require.Equal(t, http.StatusAccepted, c.deleteTenant(t, export).status)
	c.finishDeletion(t)
	require.Equal(t, http.StatusOK, c.admin().get(t, operatorHooks+"/"+hook).status)
	require.Equal(t, 1, c.count(t, "SELECT count(*) FROM webhook_endpoints WHERE tenant_id = $1", uuid.Nil))
}
