package stripe_test

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/payment"
	"holdfast/internal/payment/stripe"
	"holdfast/internal/testtime"
)

// responseRecorder records stripe-mock's responses.
type responseRecorder struct {
	mu        sync.Mutex
	responses []string // "200 POST /v1/payment_intents", and the body of errors
}

func (r *responseRecorder) record(response *http.Response) error {
	line := response.Status[:3] + " " + response.Request.Method + " " + response.Request.URL.Path
	if account := response.Request.Header.Get("Stripe-Account"); account != "" {
		line += " in " + account
	}
	if response.StatusCode >= http.StatusBadRequest {
		body, err := io.ReadAll(response.Body)
		if err != nil {
			return err
		}
		line += " " + string(body)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.responses = append(r.responses, line)
	return nil
}

func (r *responseRecorder) take() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	answers := r.responses
	r.responses = nil
	return answers
}

// startMock builds and starts Stripe's mock, which checks requests against Stripe's OpenAPI document.
func startMock(t *testing.T) (address string, answers *responseRecorder) {
	t.Helper()
	program := filepath.Join(t.TempDir(), "stripe-mock")
	building, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	build := exec.CommandContext(building, "go", "build", "-modfile=tools/stripe-mock/go.mod", "-o", program,
		"github.com/stripe/stripe-mock")
	build.Dir = "../../.."
	output, err := build.CombinedOutput()
	require.NoError(t, err, "build stripe-mock: %s", output)

	mock := exec.CommandContext(t.Context(), program, "-http-addr", "127.0.0.1:0")
	stdout, err := mock.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, mock.Start())
	t.Cleanup(func() { _ = mock.Wait() })
	var listening string
	for lines := bufio.NewScanner(stdout); listening == "" && lines.Scan(); {
		_, listening, _ = strings.Cut(lines.Text(), "Listening for HTTP at address: ")
	}
	require.NotEmpty(t, listening, "stripe-mock ended before it listened")

	answers = &responseRecorder{}
	proxy := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: listening})
	proxy.ModifyResponse = answers.record
	server := httptest.NewServer(proxy)
	t.Cleanup(server.Close)
	return server.URL, answers
}

// The test sends each kind of request to stripe-mock. Its responses are examples, so only their status counts.
func TestContract_EachRequest_IsValidForStripe(t *testing.T) {
	t.Parallel()
	address, answers := startMock(t)
	provider := newProvider(t, stripe.Config{URL: address})
	ref := payment.Reference{TenantID: uuid.New(), ID: uuid.Must(uuid.NewV7())}
	order := payment.ChargeOrder{
		Reference: ref, Key: "key-1", Amount: 4500, Currency: "EUR", Method: "pm_card_visa", Description: "Sauna",
	}
	checkout := order
	checkout.Key, checkout.Method = "key-3", ""
	checkout.Checkout = &payment.Checkout{ReturnURL: "https://example.com/paid?payment_id=1",
		ExpiresAt: testtime.Now().Add(time.Hour)}
	charge := func(p *stripe.Provider) func() {
		return func() { _, _ = p.Charge(t.Context(), order) }
	}
	inAccount := provider.Account("acct_1")
	fee := order
	fee.Key, fee.ApplicationFee, fee.Metadata = "key-4", 45, map[string]string{"order": "4711"}
	feeOnPage := checkout
	feeOnPage.Key, feeOnPage.ApplicationFee, feeOnPage.Metadata = "key-5", 45, fee.Metadata
	now := testtime.Now()
	for name, test := range map[string]struct {
		send func()
		want []string
	}{
		// The example's intent is old and waits for a payment method, so it is cancelled.
		"charge": {
			send: charge(provider),
			want: []string{"200 POST /v1/payment_intents", "200 POST /v1/payment_intents/{id}/cancel"},
		},
		"charge with redirects": {
			send: charge(newProvider(t, stripe.Config{URL: address, ReturnURL: "https://example.com/paid"})),
			want: []string{"200 POST /v1/payment_intents", "200 POST /v1/payment_intents/{id}/cancel"},
		},
		"refund": {
			send: func() {
				_, _ = provider.Refund(t.Context(), payment.RefundOrder{
					Reference: ref, Key: "key-2", ChargeID: "pi_1", Amount: 4500, Currency: "EUR",
				})
			},
			want: []string{"200 POST /v1/refunds"},
		},
		"charge by id": {
			send: func() { _, _ = provider.FindCharge(t.Context(), ref, "pi_1") },
			want: []string{"200 GET /v1/payment_intents/pi_1", "200 POST /v1/payment_intents/pi_1/cancel"},
		},
		"charge by reference": {
			send: func() { _, _ = provider.FindCharge(t.Context(), ref, "") },
			want: []string{"200 GET /v1/payment_intents", "200 GET /v1/checkout/sessions"},
		},
		"checkout": {
			send: func() { _, _ = provider.Charge(t.Context(), checkout) },
			want: []string{"200 POST /v1/checkout/sessions"},
		},
		"checkout by id": {
			send: func() { _, _ = provider.FindCharge(t.Context(), ref, "cs_1") },
			want: []string{"200 GET /v1/checkout/sessions/cs_1"},
		},
		"cancellation of a checkout": {
			send: func() { _, _ = provider.CancelCharge(t.Context(), ref, "cs_1") },
			want: []string{"200 GET /v1/checkout/sessions/cs_1", "200 POST /v1/checkout/sessions/cs_1/expire"},
		},
		"cancellation by id": {
			send: func() { _, _ = provider.CancelCharge(t.Context(), ref, "pi_1") },
			want: []string{"200 GET /v1/payment_intents/pi_1", "200 POST /v1/payment_intents/pi_1/cancel"},
		},
		"cancellation by reference": {
			send: func() { _, _ = provider.CancelCharge(t.Context(), ref, "") },
			want: []string{"200 GET /v1/payment_intents", "200 GET /v1/checkout/sessions"},
		},
		"refund by id": {
			send: func() { _, _ = provider.FindRefund(t.Context(), ref, "re_1", "pi_1") },
			want: []string{"200 GET /v1/refunds/re_1"},
		},
		"refund by reference": {
			send: func() { _, _ = provider.FindRefund(t.Context(), ref, "", "pi_1") },
			want: []string{"200 GET /v1/refunds"},
		},
		"account": {
			send: func() {
				_, _ = provider.CreateAccount(t.Context(),
					payment.AccountOrder{TenantID: ref.TenantID, Key: "key-6", Country: "DE"})
			},
			want: []string{"200 POST /v1/accounts"},
		},
		"account by id": {
			send: func() { _, _ = provider.FindAccount(t.Context(), "acct_1") },
			want: []string{"200 GET /v1/accounts/acct_1"},
		},
		"onboarding link": {
			send: func() {
				_, _ = provider.OnboardingLink(t.Context(), "acct_1", payment.OnboardingPages{
					ReturnURL: "https://example.com/account", RefreshURL: "https://example.com/again",
				})
			},
			want: []string{"200 POST /v1/account_links"},
		},
		"charge in an account": {
			send: func() { _, _ = inAccount.Charge(t.Context(), fee) },
			want: []string{"200 POST /v1/payment_intents in acct_1",
				"200 POST /v1/payment_intents/{id}/cancel in acct_1"},
		},
		"checkout in an account": {
			send: func() { _, _ = inAccount.Charge(t.Context(), feeOnPage) },
			want: []string{"200 POST /v1/checkout/sessions in acct_1"},
		},
		"refund in an account": {
			send: func() {
				_, _ = inAccount.Refund(t.Context(), payment.RefundOrder{
					Reference: ref, Key: "key-7", ChargeID: "pi_1", Amount: 4500, Currency: "EUR", ReturnFee: true,
				})
			},
			want: []string{"200 POST /v1/refunds in acct_1"},
		},
		"cancellations in an account": {
			send: func() {
				_, _ = inAccount.CancelCharge(t.Context(), ref, "cs_1")
				_, _ = inAccount.CancelCharge(t.Context(), ref, "pi_1")
			},
			want: []string{
				"200 GET /v1/checkout/sessions/cs_1 in acct_1", "200 POST /v1/checkout/sessions/cs_1/expire in acct_1",
				"200 GET /v1/payment_intents/pi_1 in acct_1", "200 POST /v1/payment_intents/pi_1/cancel in acct_1",
			},
		},
		"look-ups in an account": {
			send: func() {
				_, _ = inAccount.FindCharge(t.Context(), ref, "")
				_, _ = inAccount.FindRefund(t.Context(), ref, "re_1", "pi_1")
				_, _ = inAccount.FindRefund(t.Context(), ref, "", "pi_1")
				_, _ = collectTransactions(t.Context(), inAccount, now.Add(-time.Hour), now)
			},
			want: []string{
				"200 GET /v1/payment_intents in acct_1", "200 GET /v1/checkout/sessions in acct_1",
				"200 GET /v1/refunds/re_1 in acct_1",
				"200 GET /v1/refunds in acct_1", "200 GET /v1/balance_transactions in acct_1",
			},
		},
		"movements": {
			send: func() { _, _ = collectTransactions(t.Context(), provider, now.Add(-time.Hour), now) },
			want: []string{"200 GET /v1/balance_transactions"},
		},
	} {
		test.send()
		got := answers.take()
		require.Len(t, got, len(test.want), "%s: %q", name, got)
		for i, want := range test.want {
			before, after, _ := strings.Cut(want, "{id}")
			require.True(t, strings.HasPrefix(got[i], before) && strings.HasSuffix(got[i], after), "%s: %q, want %q",
				name, got[i], want)
		}
	}
}
