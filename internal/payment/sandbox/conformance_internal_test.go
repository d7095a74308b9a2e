package sandbox

import (
	"net/http"
	"net/url"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"

	"holdfast/internal/payment"
	"holdfast/internal/payment/paymenttest"
	"holdfast/internal/testtime"
)

const (
	testKey    = "sk_test"
	testSecret = "whsec_test"
)

// clock can be moved forward by tests.
type clock struct{ ahead atomic.Int64 }

func (c *clock) now() time.Time { return testtime.Now().Add(time.Duration(c.ahead.Load())) }

// startServer starts a sandbox that stops with the test. change may set its configuration.
func startServer(t testing.TB, change func(*Config)) (*Server, *Client) {
	t.Helper()
	cfg := Config{
		File: filepath.Join(t.TempDir(), "sandbox.db"), Key: testKey, WebhookSecret: testSecret,
		SlowDelay: 50 * time.Millisecond, WebhookBackoff: 10 * time.Millisecond,
	}
	if change != nil {
		change(&cfg)
	}
	s, err := Start(cfg)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s, newTestClient(t, s.URL(), testKey)
}

func newTestClient(t testing.TB, url, key string) *Client {
	t.Helper()
	c := NewClient(ClientConfig{URL: url, Key: key, WebhookSecret: testSecret})
	t.Cleanup(c.http.CloseIdleConnections)
	return c
}

func TestClient_ConformanceSuite_Passes(t *testing.T) {
	t.Parallel()
	paymenttest.Run(t, paymenttest.Harness{
		New: func(t *testing.T) paymenttest.Instance {
			t.Helper()
			var c clock
			s, client := startServer(t, func(cfg *Config) { cfg.Now = c.now })
			return paymenttest.Instance{
				Provider:     client,
				Unreachable:  newTestClient(t, paymenttest.ClosedPort(t), testKey),
				WrongKey:     newTestClient(t, s.URL(), "sk_wrong"),
				AdvanceClock: func(d time.Duration) { c.ahead.Add(int64(d)) },
				FailNext: func(t *testing.T, executed bool) {
					t.Helper()
					kind := ErrorBefore
					if executed {
						kind = ErrorAfter
					}
					require.NoError(t, s.Inject(Fault{Kind: kind, Count: 1}))
				},
				LimitNext: func(t *testing.T) {
					t.Helper()
					require.NoError(t, s.Inject(Fault{Kind: RateLimit, Count: 1}))
				},
				FinishAction: finishActionInBrowser,
				PayOnPage:    payInBrowser,
				Onboard:      onboardInBrowser,
				Webhook:      signedEvent,
				UnrelatedWebhook: func(t *testing.T, at time.Time) (http.Header, []byte) {
					t.Helper()
					return signed(t, event{ID: "evt_1", Type: "payout.paid", CreatedAt: at}, at)
				},
			}
		},
		Currency:        "EUR",
		OtherCurrencies: []string{"JPY", "KWD"},
		Methods: paymenttest.Methods{
			OK:                "pm_ok",
			Declined:          "pm_declined",
			InsufficientFunds: "pm_insufficient_funds",
			RefundFails:       "pm_refund_fails",
			RequiresAction:    "pm_requires_action",
			Slow:              "pm_slow",
			TimeoutCharged:    "pm_timeout_charged",
			TimeoutNotCharged: "pm_timeout_not_charged",
		},
	})
}

// finishActionInBrowser completes or fails a charge as a customer does. It reports whether the charge still waited.
func finishActionInBrowser(t *testing.T, o payment.Outcome, complete bool) bool {
	t.Helper()
	outcome := "fail"
	if complete {
		outcome = "complete"
	}
	response, err := http.PostForm(o.ActionURL, url.Values{outcomeParameter: {outcome}})
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	require.Contains(t, []int{http.StatusOK, http.StatusConflict}, response.StatusCode)
	return response.StatusCode == http.StatusOK
}

// payInBrowser tries to pay on a checkout's page as a customer does. It reports whether the page was open.
func payInBrowser(t *testing.T, o payment.Outcome, accepted bool) bool {
	t.Helper()
	choice, want := choiceDecline, http.StatusOK
	if accepted {
		choice, want = choicePay, http.StatusSeeOther
	}
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	response, err := client.PostForm(o.ActionURL, url.Values{outcomeParameter: {choice}})
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	require.Contains(t, []int{want, http.StatusConflict}, response.StatusCode)
	return response.StatusCode == want
}

// onboardInBrowser onboards an account as its owner does.
func onboardInBrowser(t *testing.T, _ string, link payment.OnboardingLink) {
	t.Helper()
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	response, err := client.PostForm(link.URL, url.Values{outcomeParameter: {"complete"}})
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	require.Equal(t, http.StatusSeeOther, response.StatusCode)
	require.Equal(t, "https://example.com/account", response.Header.Get("Location"))
}

func signedEvent(t *testing.T, e payment.Event, at time.Time) (http.Header, []byte) {
	t.Helper()
	if e.AccountChanged {
		return signed(t, event{ID: e.ID, Type: accountUpdated, Account: e.Account, TenantID: e.Reference.TenantID}, at)
	}
	var made event
	final := map[payment.Result]status{payment.Succeeded: succeeded, payment.Declined: declined}[e.Outcome.Result]
	if e.Refund {
		r := refund{
			ID: e.Outcome.ProviderID, Account: e.Account,
			refundRequest: refundRequest{Reference: reference(e.Reference), Amount: e.Outcome.Amount,
				Currency: e.Outcome.Currency},
			Status: final, DeclineCode: e.Outcome.DeclineCode,
		}
		made = r.event(e.ID)
	} else {
		c := charge{
			ID: e.Outcome.ProviderID, Account: e.Account,
			chargeRequest: chargeRequest{Reference: reference(e.Reference), Amount: e.Outcome.Amount,
				Currency: e.Outcome.Currency},
			Status: final, DeclineCode: e.Outcome.DeclineCode, TryAgain: e.Outcome.TryAgain,
		}
		made = c.event(e.ID)
	}
	return signed(t, made, at)
}

func signed(t *testing.T, e event, at time.Time) (http.Header, []byte) {
	t.Helper()
	body, err := json.Marshal(e)
	require.NoError(t, err)
	return http.Header{headerSignature: {sign(testSecret, at, body)}}, body
}
