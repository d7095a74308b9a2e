package httpapi_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
	"github.com/stretchr/testify/require"

	"holdfast/internal/event"
	"holdfast/internal/problem"
)

// newWebhook makes an endpoint and a delivery to it. The tenant's other endpoints are deleted, because a tenant may
// have only 20.
func (c client) newWebhook(t testingT) (endpoint, delivery uuid.UUID) {
	t.Helper()
	return c.newWebhookAt(t, "/v1/webhook-endpoints")
}

// newWebhookAt is newWebhook for the tenant's endpoints or the operator's: path says which.
func (c client) newWebhookAt(t testingT, path string) (endpoint, delivery uuid.UUID) {
	t.Helper()
	var list struct{ Data []struct{ ID string } }
	c.get(t, path).read(t, &list)
	for _, e := range list.Data {
		require.Equal(t, http.StatusNoContent, c.delete(t, path+"/"+e.ID).status)
	}
	endpoint = c.created(t, c.post(t, path, object{"url": "https://example.com/hooks", "types": []any{"*"}}))
	ping := c.post(t, path+"/"+endpoint.String()+"/ping", nil)
	require.Equal(t, http.StatusCreated, ping.status, ping.body)
	return endpoint, ping.id(t)
}

func (f fixture) webhookPath() string { return "/v1/webhook-endpoints/" + f.endpoint.String() }

func (f fixture) operatorWebhookPath() string {
	return operatorHooks + "/" + f.operatorEndpoint.String()
}

// startWorker handles deliveries, and events of more kinds, until the test ends.
func (s *apiServer) startWorker(t *testing.T, more ...event.Kind) {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() {
		event.NewWorker(s.store, event.Config{Jobs: []event.Job{event.Relay(s.store)}},
			append(more, s.webhooks.DeliveryKind())...).Run(ctx)
	})
	t.Cleanup(func() {
		stop()
		running.Wait()
	})
}

func TestWebhooks_Booking_ArrivesWithASignatureThatVerifies(t *testing.T) {
	t.Parallel()
	c := setup(t)
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
	made := c.post(t, "/v1/webhook-endpoints", object{"url": receiver.URL, "types": []any{"booking.*"}})
	endpoint := c.created(t, made)
	require.Equal(t, `"1"`, made.header.Get("ETag"))
	c.startWorker(t)
	booking := c.book(t, c.newService(t, "slot", nil, c.newResource(t, 1)), at(future(0), 10, 0))

	var got request
	select {
	case got = <-received:
	case <-time.After(time.Minute):
		require.Fail(t, "nothing was delivered")
	}
	verifier, err := standardwebhooks.NewWebhook(made.text(t, "secret"))
	require.NoError(t, err)
	require.NoError(t, verifier.Verify(got.body, got.header))
	var told struct {
		ID, Type string
		Subject  struct{ Type, ID string }
		Sequence int64
		Data     json.RawMessage
	}
	require.NoError(t, json.Unmarshal(got.body, &told))
	require.Equal(t, got.header.Get("webhook-id"), told.ID)
	require.Equal(t, []any{"booking.created", "booking", booking.id(t).String(), int64(1)},
		[]any{told.Type, told.Subject.Type, told.Subject.ID, told.Sequence})
	require.JSONEq(t, booking.body, string(told.Data), "the booking as the API shows it")

	path := "/v1/webhook-endpoints/" + endpoint.String() + "/deliveries"
	var deliveries struct{ Data []struct{ ID, Status string } }
	require.Eventually(t, func() bool {
		c.get(t, path).read(t, &deliveries)
		return len(deliveries.Data) == 1 && deliveries.Data[0].Status == "completed"
	}, time.Minute, 10*time.Millisecond)
	delivery := c.get(t, "/v1/deliveries/"+deliveries.Data[0].ID)
	require.Equal(t, http.StatusOK, delivery.status)
	require.Len(t, delivery.field(t, "log"), 1, delivery.body)
	require.NotContains(t, delivery.body, "whsec_")
	var ofBooking struct{ Data []struct{ ID, Type string } }
	c.get(t, "/v1/bookings/"+booking.id(t).String()+"/deliveries").read(t, &ofBooking)
	require.Len(t, ofBooking.Data, 1)
	require.Equal(t, deliveries.Data[0].ID, ofBooking.Data[0].ID)
	require.Equal(t, http.StatusNotFound, c.get(t, "/v1/bookings/"+uuid.NewString()+"/deliveries").status)
	require.NotContains(t, c.get(t, "/v1/webhook-endpoints").body, "whsec_")
}

func TestWebhooks_Deliveries_AreListedInPages(t *testing.T) {
	t.Parallel()
	c := setup(t)
	endpoint, first := c.newWebhook(t)
	path := "/v1/webhook-endpoints/" + endpoint.String()
	want := []string{first.String()}
	for range 4 {
		want = append([]string{c.post(t, path+"/ping", nil).id(t).String()}, want...)
	}
	var got []string
	for cursor := ""; ; {
		var page struct {
			Data       []struct{ ID string }
			NextCursor string `json:"next_cursor"`
		}
		c.get(t, path+"/deliveries?limit=2"+cursor).read(t, &page)
		for _, d := range page.Data {
			got = append(got, d.ID)
		}
		if page.NextCursor == "" {
			break
		}
		cursor = "&cursor=" + page.NextCursor
	}
	require.Equal(t, want, got, "the newest first")
}

func TestWebhooks_Patch_RespectsIfMatch(t *testing.T) {
	t.Parallel()
	c := setup(t)
	endpoint, _ := c.newWebhook(t)
	path := "/v1/webhook-endpoints/" + endpoint.String()
	a := c.send(t, http.MethodPatch, path, object{"enabled": false}, "If-Match", c.get(t, path).header.Get("ETag"))
	require.Equal(t, http.StatusOK, a.status, a.body)
	require.Equal(t, []any{"disabled", "Disabled by a request.", `"2"`},
		[]any{a.text(t, "status"), a.text(t, "disabled_reason"), a.header.Get("ETag")})
	requireProblem(t, c.send(t, http.MethodPatch, path, object{"enabled": true}, "If-Match", `"1"`),
		http.StatusPreconditionFailed,
		problem.VersionMismatch)
	requireProblem(t, c.post(t, path+"/ping", nil), http.StatusConflict, problem.InvalidState)
}

func TestWebhooks_HostileInput_Is4xxAndWritesNothing(t *testing.T) {
	t.Parallel()
	c := setup(t)
	endpoint, delivery := c.newWebhook(t)
	path := "/v1/webhook-endpoints/" + endpoint.String()
	before := c.tables(t)
	refused := func(a answer, about string) {
		require.GreaterOrEqual(t, a.status, 400, "%s: %s", about, a.body)
		require.Less(t, a.status, 500, "%s: %s", about, a.body)
	}
	for _, url := range []any{
		nil, 1, "", " ", "example.com", "http://", "https://", "https:///x", "https://user:pass@example.com/",
		"https://example.com/#x",
		"https://example.com:0/",
		"https://example.com:99999/", "file:///etc/passwd", "gopher://example.com/", "https://10.0.0.1/",
		"https://[::1]/",
		"https://[fd00::1]/",
		"https://169.254.169.254/latest/meta-data/", "https://192.168.1.1/", "https://0.0.0.0/", "https://0x7f000001/",
		"https://2130706433/", "https://127.1/",
		"https://exa mple.com/", "https://example.com/\r\nX: y", "https://example.com/\u0000",
		strings.Repeat("https://example.com/", 200),
		"javascript:alert(1)",
	} {
		refused(c.post(t, "/v1/webhook-endpoints", object{"url": url, "types": []any{"*"}}), fmt.Sprint(url))
		if url != nil {
			refused(c.send(t, http.MethodPatch, path, object{"url": url}), fmt.Sprint(url))
		}
	}
	for _, types := range []any{nil, "*", []any{}, []any{1}, []any{""}, []any{"*", "*"}, []any{"%"},
		[]any{"booking._%"}, []any{nil},
		make([]any, 51)} {
		refused(c.post(t, "/v1/webhook-endpoints", object{"url": "https://example.com/", "types": types}),
			fmt.Sprint(types))
		refused(c.send(t, http.MethodPatch, path, object{"types": types}), fmt.Sprint(types))
	}
	for _, body := range []any{
		object{}, object{"from": ""}, object{"from": "yesterday"}, object{"from": "2027-07-01"}, object{"from": 1},
		object{"from": nil},
		object{"after": "x"}, object{"after": 1},
		object{"after": strings.Repeat("A", 201)}, object{"from": "2027-07-02T00:00:00Z", "to": "2027-07-01T00:00:00Z"},
		object{"from": "+300000-01-01T00:00:00Z"},
		object{"from": "2027-07-01T00:00:00Z", "limit": 5}, `[]`, `{`, `null`,
	} {
		refused(c.post(t, path+"/replay", body), fmt.Sprint(body))
	}
	for _, query := range []string{"?limit=0", "?limit=201", "?limit=x", "?cursor=x",
		"?cursor=" + strings.Repeat("A", 201),
		"?limit=1&limit=2", "?cursor=%00"} {
		refused(c.get(t, path+"/deliveries"+query), query)
	}
	for _, description := range []any{1, "a\nb", "\u202eabc", strings.Repeat("é", 501)} {
		refused(c.send(t, http.MethodPatch, path, object{"description": description}), fmt.Sprint(description))
	}
	for _, enabled := range []any{nil, "true", 1} {
		refused(c.send(t, http.MethodPatch, path, object{"enabled": enabled}), fmt.Sprint(enabled))
	}
	refused(c.send(t, http.MethodPatch, path, object{"secret": "whsec_"}), "secret")
	refused(c.send(t, http.MethodPatch, path, object{"status": "enabled"}), "status")
	for _, action := range []string{path + "/ping", path + "/rotate-secret",
		"/v1/deliveries/" + delivery.String() + "/replay"} {
		refused(c.post(t, action, object{"x": 1}), action)
		refused(c.post(t, action, nil, "Idempotency-Key", ""), action)
	}
	require.Equal(t, before, c.tables(t))
}

func TestWebhooks_ChangeToWhatIsSo_WritesNothing(t *testing.T) {
	t.Parallel()
	c := setup(t)
	endpoint, _ := c.newWebhook(t)
	path := "/v1/webhook-endpoints/" + endpoint.String()
	row := func() (text string) {
		require.NoError(t, c.sql.QueryRow(t.Context(),
			"SELECT xmin::text FROM webhook_endpoints WHERE endpoint_id = $1",
			endpoint).Scan(&text))
		return text
	}
	for _, given := range []object{
		{"url": "https://example.com/other", "types": []any{"booking.*", "customer.created"}, "description": "Test",
			"enabled": true},
		{"enabled": false},
	} {
		first := c.patch(t, path, given)
		require.Equal(t, http.StatusOK, first.status, first.body)
		stored := row()
		for _, again := range []object{given, {}} {
			a := c.patch(t, path, again, "If-Match", first.header.Get("ETag"))
			require.Equal(t, []any{http.StatusOK, first.header.Get("ETag"), first.body},
				[]any{a.status, a.header.Get("ETag"), a.body},
				again)
			require.Equal(t, stored, row(), again)
		}
	}
	requireProblem(t, c.patch(t, path, object{}, "If-Match", `"99"`), http.StatusPreconditionFailed,
		problem.VersionMismatch)
}
