package sandbox

import (
	"context"
	"net/http"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/payment"
	"holdfast/internal/payment/paymenttest"
)

const (
	maxWait      = time.Minute
	pollInterval = 5 * time.Millisecond
)

func newOrder(t *testing.T, method string, amount int64) payment.ChargeOrder {
	t.Helper()
	return payment.ChargeOrder{
		Reference: payment.Reference{TenantID: uuid.New(), ID: uuid.New()}, Key: uuid.NewString(),
		Amount: amount, Currency: "EUR", Method: method,
	}
}

func newRefund(t *testing.T, chargeID string, amount int64) payment.RefundOrder {
	t.Helper()
	return payment.RefundOrder{
		Reference: payment.Reference{TenantID: uuid.New(), ID: uuid.New()}, Key: uuid.NewString(),
		ChargeID: chargeID, Amount: amount, Currency: "EUR",
	}
}

func mustCharge(t *testing.T, c *Client, o payment.ChargeOrder) payment.Outcome {
	t.Helper()
	outcome, err := c.Charge(t.Context(), o)
	require.NoError(t, err)
	return outcome
}

func lookUpResult(t *testing.T, c *Client, ref payment.Reference) payment.Result {
	t.Helper()
	outcome, err := c.FindCharge(t.Context(), ref, "")
	require.NoError(t, err)
	return outcome.Result
}

// netAmounts returns the captured less the refunded amount of each reference.
func netAmounts(t *testing.T, c *Client) map[payment.Reference]int64 {
	t.Helper()
	sums := map[payment.Reference]int64{}
	for m, err := range c.Transactions(t.Context(), time.Unix(0, 0), maxTime) {
		require.NoError(t, err)
		if m.Refund {
			m.Amount = -m.Amount
		}
		sums[m.Reference] += m.Amount
	}
	return sums
}

func requireUnknown(t *testing.T, err error) {
	t.Helper()
	var notDone *payment.NotDone
	require.Error(t, err)
	require.NotErrorAs(t, err, &notDone)
}

func requireNotDone(t *testing.T, err error, tryAgain bool) {
	t.Helper()
	var notDone *payment.NotDone
	require.ErrorAs(t, err, &notDone)
	require.Equal(t, tryAgain, notDone.TryAgain)
}

func TestStart_ExistingJournal_RestoresTheState(t *testing.T) {
	t.Parallel()
	var events receiver
	file := filepath.Join(t.TempDir(), "sandbox.db")
	cfg := Config{File: file, Key: testKey, WebhookSecret: testSecret, WebhookURL: paymenttest.ClosedPort(t),
		WebhookBackoff: pollInterval}
	first, err := Start(cfg)
	require.NoError(t, err)
	client := newTestClient(t, first.URL(), testKey)
	paid, waits := newOrder(t, "pm_ok", 1_000), newOrder(t, "pm_requires_action", 500)
	made := mustCharge(t, client, paid)
	waiting := mustCharge(t, client, waits)
	_, err = client.Refund(t.Context(), newRefund(t, made.ProviderID, 700))
	require.NoError(t, err)
	before := netAmounts(t, client)
	require.NoError(t, first.Close())

	cfg.WebhookURL = events.listen(t)
	second, err := Start(cfg)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, second.Close()) })
	client = newTestClient(t, second.URL(), testKey)
	require.Equal(t, before, netAmounts(t, client))
	require.Equal(t, made, mustCharge(t, client, paid), "the key must be remembered")
	found, err := client.FindCharge(t.Context(), waits.Reference, waiting.ProviderID)
	require.NoError(t, err)
	require.True(t, finishActionInBrowser(t, found, true))
	require.Equal(t, payment.Succeeded, lookUpResult(t, client, waits.Reference))
	refused, err := client.Refund(t.Context(), newRefund(t, made.ProviderID, 301))
	require.NoError(t, err)
	require.Equal(t, payment.Declined, refused.Result, "the refunded sum must be remembered")
	events.await(t, 4) // two are from the first server, which had no receiver
}

func TestStart_JournalInUse_ReturnsAnError(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "sandbox.db")
	startServer(t, func(cfg *Config) { cfg.File = file })
	_, err := Start(Config{File: file, Key: testKey})
	require.ErrorContains(t, err, file)
}

func TestCharge_ClientDisconnectsDuringSlowCharge_IsStillMade(t *testing.T) {
	t.Parallel()
	_, client := startServer(t, func(cfg *Config) { cfg.SlowDelay = 5 * time.Second })
	o := newOrder(t, "pm_slow", 100)
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	_, err := client.Charge(ctx, o)
	requireUnknown(t, err)
	require.Equal(t, payment.Absent, lookUpResult(t, client, o.Reference), "the charge isn't made yet")
	_, err = client.Charge(t.Context(), o)
	requireUnknown(t, err)
	require.ErrorContains(t, err, string(codeKeyInUse))
	require.Eventually(t, func() bool { return lookUpResult(t, client, o.Reference) == payment.Succeeded }, maxWait,
		pollInterval)
	require.Equal(t, map[payment.Reference]int64{o.Reference: 100}, netAmounts(t, client))
}

func TestClose_WaitingOrders_AreNotExecuted(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "sandbox.db")
	s, err := Start(Config{File: file, Key: testKey, SlowDelay: time.Hour})
	require.NoError(t, err)
	client := newTestClient(t, s.URL(), testKey)
	o := newOrder(t, "pm_slow", 100)
	failed := make(chan error, 1)
	go func() {
		_, err := client.Charge(t.Context(), o)
		failed <- err
	}()
	require.Eventually(t, func() bool {
		_, running := s.running.Load(o.Key)
		return running
	}, maxWait, pollInterval)
	require.NoError(t, s.Close())
	requireUnknown(t, <-failed)
	_, client = startServer(t, func(cfg *Config) { cfg.File = file })
	require.Equal(t, payment.Absent, lookUpResult(t, client, o.Reference))
}

func TestAction_Repeated_IsRejected(t *testing.T) {
	t.Parallel()
	_, client := startServer(t, nil)
	o := newOrder(t, "pm_requires_action", 100)
	made := mustCharge(t, client, o)
	page, err := http.Get(made.ActionURL)
	require.NoError(t, err)
	require.NoError(t, page.Body.Close())
	require.Equal(t, http.StatusOK, page.StatusCode)
	require.Equal(t, payment.Processing, lookUpResult(t, client, o.Reference), "reading the page must change nothing")
	for _, step := range []struct {
		outcome string
		status  int
	}{{"", 400}, {"steal", 400}, {"complete", 200}, {"complete", 409}, {"fail", 409}} {
		response, err := http.PostForm(made.ActionURL, map[string][]string{outcomeParameter: {step.outcome}})
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		require.Equal(t, step.status, response.StatusCode, step.outcome)
	}
	require.Equal(t, map[payment.Reference]int64{o.Reference: 100}, netAmounts(t, client))
	again := mustCharge(t, client, o)
	require.Equal(t, payment.Processing, again.Result, "a repeated order must return the first response")
}
