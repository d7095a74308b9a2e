package sandbox

import (
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/payment"
	"holdfast/internal/testtime"
)

// newForeignServer returns a client of a server that isn't a sandbox.
func newForeignServer(t *testing.T, handler http.HandlerFunc) *Client {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return newTestClient(t, server.URL, testKey)
}

func TestClient_ResponseFromAnotherServer_LeavesTheOutcomeUnknown(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]struct {
		status int
		body   string
	}{
		"HTML page":        {200, "<html>"},
		"empty body":       {200, ""},
		"an empty object":  {201, "{}"},
		"another status":   {201, `{"id": "ch_1", "status": "pending"}`},
		"proxy error":      {502, "<html>"},
		"proxy rate limit": {429, "slow down"},
		"proxy 404":        {404, `{"error": {"code": "no_upstream"}}`},
		"a redirect":       {302, ""},
		"sandbox error":    {500, `{"error": {"code": "internal_error", "message": "no"}}`},
		"unavailable":      {503, `{"error": {"code": "unavailable", "message": "no"}}`},
		"key in use":       {409, `{"error": {"code": "idempotency_key_in_use", "message": "no"}}`},
		"key reused":       {400, `{"error": {"code": "idempotency_key_reused", "message": "no"}}`},
	} {
		client := newForeignServer(t, func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(answer.status)
			_, _ = w.Write([]byte(answer.body))
		})
		_, err := client.Charge(t.Context(), newOrder(t, "pm_ok", 1))
		require.Error(t, err, name)
		requireUnknown(t, err)
		_, err = client.Refund(t.Context(), newRefund(t, "ch_1", 1))
		require.Error(t, err, name)
		requireUnknown(t, err)
		_, err = client.FindCharge(t.Context(), newOrder(t, "pm_ok", 1).Reference, "ch_1")
		require.Error(t, err, "%s is not the same as absent", name)
	}
}

func TestClient_ResponseTruncated_LeavesTheOutcomeUnknown(t *testing.T) {
	t.Parallel()
	client := newForeignServer(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "1000")
		w.WriteHeader(http.StatusCreated)
		_, _ = w.Write([]byte(`{"id": "ch_1", "status": "succeeded"}`))
	})
	_, err := client.Charge(t.Context(), newOrder(t, "pm_ok", 1))
	requireUnknown(t, err)
}

func TestClient_ConnectionBreaks_SendsTheOrderOnce(t *testing.T) {
	t.Parallel()
	var orders atomic.Int32
	client := newForeignServer(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			_, _ = w.Write([]byte(`{"data": []}`))
			return
		}
		orders.Add(1)
		panic(http.ErrAbortHandler)
	})
	o := newOrder(t, "pm_ok", 1)
	require.Equal(t, payment.Absent, lookUpResult(t, client, o.Reference)) // opens a connection that the next call uses
	_, err := client.Charge(t.Context(), o)
	requireUnknown(t, err)
	require.EqualValues(t, 1, orders.Load())
}

func TestClient_ManyOrders_ReuseConnections(t *testing.T) {
	t.Parallel()
	var connections atomic.Int32
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`{"data": []}`))
	}))
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			connections.Add(1)
		}
	}
	server.Start()
	t.Cleanup(server.Close)
	client := newTestClient(t, server.URL, testKey)
	for range 50 {
		require.Equal(t, payment.Absent, lookUpResult(t, client, newOrder(t, "pm_ok", 1).Reference))
	}
	require.EqualValues(t, 1, connections.Load())
}

func TestEvent_ClientWithoutSecret_RejectsEveryEvent(t *testing.T) {
	t.Parallel()
	body, now := []byte(`{}`), testtime.Now()
	_, err := NewClient(ClientConfig{}).Event(http.Header{headerSignature: {sign("", now, body)}}, body, now)
	require.ErrorIs(t, err, payment.ErrSignature)
}

func TestStrongest_OrderCarriedOutTwice_ReturnsTheCapture(t *testing.T) {
	t.Parallel()
	found := []charge{{ID: "1", Status: declined},
		{ID: "2", Status: succeeded, chargeRequest: chargeRequest{Amount: 5, Currency: "EUR"}},
		{ID: "3", Status: requiresAction}}
	outcome, err := strongest(found)
	require.NoError(t, err)
	require.Equal(t, payment.Outcome{Result: payment.Succeeded, ProviderID: "2", Amount: 5, Currency: "EUR"}, outcome)
}
