package stripe_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/payment"
	"holdfast/internal/payment/stripe"
	"holdfast/internal/testtime"
)

const (
	apiKey        = "sk_test_123"
	webhookSecret = "whsec_test"
	connectSecret = "whsec_connect"
)

// object is a JSON object of Stripe.
type object = map[string]any

// scriptedResponse is the response to one request.
type scriptedResponse struct {
	status     int // 0 means 200
	body       any // a string is sent unchanged
	replayed   bool
	disconnect bool // close the connection instead
}

type request struct {
	call   string // method and path
	form   url.Values
	header http.Header
}

// scriptedServer is a Stripe with a list of responses for each call. The last response is repeated.
type scriptedServer struct {
	mu        sync.Mutex
	responses map[string][]scriptedResponse
	requests  []request
}

func (s *scriptedServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	form, _ := url.ParseQuery(string(body))
	maps.Copy(form, r.URL.Query())
	call := r.Method + " " + r.URL.Path

	s.mu.Lock()
	s.requests = append(s.requests, request{call: call, form: form, header: r.Header})
	answers := s.responses[call]
	if len(answers) > 1 {
		s.responses[call] = answers[1:]
	}
	s.mu.Unlock()

	if len(answers) == 0 {
		http.Error(w, "not in the script", http.StatusNotImplemented)
		return
	}
	a := answers[0]
	if a.disconnect {
		panic(http.ErrAbortHandler)
	}
	if a.replayed {
		w.Header().Set("Idempotent-Replayed", "true")
	}
	w.Header().Set("Request-Id", "req_1")
	if a.status != 0 {
		w.WriteHeader(a.status)
	}
	if text, ok := a.body.(string); ok {
		_, _ = io.WriteString(w, text)
		return
	}
	_ = json.NewEncoder(w).Encode(a.body)
}

// reset forgets the requests, and gives the responses to the next ones.
func (s *scriptedServer) reset(responses map[string][]scriptedResponse) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests, s.responses = nil, responses
}

func (s *scriptedServer) calls() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	calls := make([]string, len(s.requests))
	for i, r := range s.requests {
		calls[i] = r.call
	}
	return calls
}

type testBundle struct {
	provider *stripe.Provider
	stripe   *scriptedServer
	order    payment.ChargeOrder
	refund   payment.RefundOrder
}

// setup returns an adapter for a scripted Stripe.
func setup(t *testing.T, answers map[string][]scriptedResponse) *testBundle {
	t.Helper()
	script := &scriptedServer{responses: answers}
	server := httptest.NewServer(script)
	t.Cleanup(server.Close)
	ref := payment.Reference{TenantID: uuid.New(), ID: uuid.Must(uuid.NewV7())}
	return &testBundle{
		provider: newProvider(t, stripe.Config{URL: server.URL}),
		stripe:   script,
		order: payment.ChargeOrder{
			Reference: ref, Key: "key-1", Amount: 4500, Currency: "EUR", Method: "pm_1", Description: "Sauna",
		},
		refund: payment.RefundOrder{Reference: ref, Key: "key-2", ChargeID: "pi_1", Amount: 4500, Currency: "EUR"},
	}
}

// connected is the configuration of a platform that uses Connect.
func connected(url string) stripe.Config {
	return stripe.Config{URL: url, ConnectWebhookSecret: connectSecret}
}

// checkoutOrder returns another order like o, to be paid on Stripe's page.
func checkoutOrder(o payment.ChargeOrder) payment.ChargeOrder {
	o.Reference.ID = uuid.Must(uuid.NewV7())
	o.Key, o.Method = o.Reference.ID.String(), ""
	o.Checkout = &payment.Checkout{ReturnURL: "https://example.com/paid", ExpiresAt: testtime.Now().Add(time.Hour)}
	return o
}

func newProvider(t *testing.T, c stripe.Config) *stripe.Provider {
	t.Helper()
	c.Key, c.WebhookSecret = apiKey, webhookSecret
	provider, err := stripe.New(c)
	require.NoError(t, err)
	return provider
}

// intent returns a PaymentIntent over 45.00 euros, with changes.
func intent(ref payment.Reference, status string, changes object) object {
	pi := object{
		"id": "pi_1", "object": "payment_intent", "status": status, "amount": 4500, "amount_received": 0,
		"currency": "eur", "created": testtime.Now().Unix(), "client_secret": "pi_1_secret_x", "latest_charge": nil,
		"metadata": object{"tenant_id": ref.TenantID, "payment_id": ref.ID}, "last_payment_error": nil,
	}
	if status == "succeeded" {
		pi["amount_received"] = 4500
	}
	maps.Copy(pi, changes)
	return pi
}

// checkoutSession returns a Checkout Session over 45.00 euros, with changes.
func checkoutSession(ref payment.Reference, status string, changes object) object {
	s := object{
		"id": "cs_1", "object": "checkout.session", "status": status, "payment_status": "unpaid", "amount_total": 4500,
		"currency": "eur",
		"created":  testtime.Now().Unix(), "url": nil, "payment_intent": nil,
		"metadata": object{"tenant_id": ref.TenantID, "payment_id": ref.ID},
	}
	if status == "open" {
		s["url"] = "https://checkout.stripe.com/c/pay/cs_1"
	}
	maps.Copy(s, changes)
	return s
}

// refunded returns a Refund of 45.00 euros, with changes.
func refunded(ref payment.Reference, status string, changes object) object {
	r := object{
		"id": "re_1", "object": "refund", "status": status, "amount": 4500, "currency": "eur", "payment_intent": "pi_1",
		"created": testtime.Now().Unix(), "metadata": object{"tenant_id": ref.TenantID, "refund_id": ref.ID},
	}
	maps.Copy(r, changes)
	return r
}

// chargeWithAdvice returns a declined charge with the issuer's advice.
func chargeWithAdvice(advice any) object {
	return object{
		"id": "ch_1", "object": "charge", "failure_code": "card_declined",
		"outcome": object{"type": "issuer_declined", "reason": "generic_decline", "advice_code": advice},
	}
}

func apiError(kind, code string, changes object) object {
	e := object{"type": kind, "code": code, "message": "words for people"}
	maps.Copy(e, changes)
	return object{"error": e}
}

func page(more bool, items ...object) object {
	return object{"object": "list", "data": items, "has_more": more, "url": "/v1/x"}
}

const (
	create    = "POST /v1/payment_intents"
	open      = "POST /v1/checkout/sessions"
	sessions  = "GET /v1/checkout/sessions"
	session   = "GET /v1/checkout/sessions/cs_1"
	expire    = "POST /v1/checkout/sessions/cs_1/expire"
	list      = "GET /v1/payment_intents"
	retrieve  = "GET /v1/payment_intents/pi_1"
	cancel    = "POST /v1/payment_intents/pi_1/cancel"
	giveBack  = "POST /v1/refunds"
	refundGet = "GET /v1/refunds/re_1"
	refunds   = "GET /v1/refunds"
	journal   = "GET /v1/balance_transactions"
)

func requireNotDone(t *testing.T, err error, tryAgain bool) {
	t.Helper()
	var notDone *payment.NotDone
	require.ErrorAs(t, err, &notDone)
	require.Equal(t, tryAgain, notDone.TryAgain, "TryAgain of %v", err)
}

func requireUnknown(t *testing.T, err error) {
	t.Helper()
	require.Error(t, err)
	var notDone *payment.NotDone
	require.NotErrorAs(t, err, &notDone)
}

// collectTransactions reads all transactions.
func collectTransactions(ctx context.Context, p payment.Provider, from, until time.Time,
) ([]payment.ProviderTransaction, error) {
	var all []payment.ProviderTransaction
	for m, err := range p.Transactions(ctx, from, until) {
		if err != nil {
			return all, fmt.Errorf("after %d: %w", len(all), err)
		}
		all = append(all, m)
	}
	return all, nil
}
