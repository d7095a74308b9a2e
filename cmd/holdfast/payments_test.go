package main

import (
	"encoding/json"
	"net/http"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/db/dbtest"
	"holdfast/internal/payment"
	"holdfast/internal/payment/sandbox"
	"holdfast/internal/testtime"
)

const (
	payPrice = 4500 // of what a shop sells, as in newShop
	// bearer and signing secret of the tests' sandboxes
	paySandboxKey, paySandboxSecret = "sk_of_the_tests", "whsec_of_the_tests"
	// settleLimit is how long what is unknown may take to settle: some looks, each after twice the pause of the last.
	settleLimit = 60 * time.Second
)

// till is a sandbox, and the database of servers that use it.
type till struct {
	sandbox  *sandbox.Server
	client   *sandbox.Client
	database string
}

func newTill(t testing.TB) till {
	t.Helper()
	server, err := sandbox.Start(sandbox.Config{
		File: filepath.Join(t.TempDir(), "sandbox.db"), Key: paySandboxKey, WebhookSecret: paySandboxSecret,
	})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, server.Close()) })
	client := sandbox.NewClient(sandbox.ClientConfig{URL: server.URL(), Key: paySandboxKey,
		WebhookSecret: paySandboxSecret})
	return till{sandbox: server, client: client, database: dbtest.Database(t)}
}

// startServer starts a server that reaches the till's database at url. settings override those of env.
func (k till) startServer(t testing.TB, url string, settings ...string) *proc {
	t.Helper()
	return start(t, newDir(t), append(k.env(url), settings...)...)
}

func (k till) env(url string) []string {
	return []string{
		"HOLDFAST_DATABASE_URL=" + url, "HOLDFAST_DIRECT_DATABASE_URL=" + k.database,
		"HOLDFAST_SANDBOX_URL=" + k.sandbox.URL(), "HOLDFAST_SANDBOX_KEY=" + paySandboxKey,
		"HOLDFAST_SANDBOX_WEBHOOK_SECRET=" +
			paySandboxSecret,
		// An order must arrive within the second time, also on a busy machine: else it is declined here and captured
		// there.
		"HOLDFAST_PROVIDER_TIMEOUT=1s", "HOLDFAST_PROVIDER_ABSENT_AFTER=5s",
	}
}

// fault makes something go wrong at the sandbox.
func (k till) fault(t testing.TB, fault sandbox.Fault) {
	t.Helper()
	require.NoError(t, k.sandbox.Inject(fault))
}

// movements returns the money that moved at the sandbox, by our payments' ids.
func (k till) movements(t testing.TB) map[uuid.UUID]payment.ProviderTransaction {
	t.Helper()
	return movements(t, k.client)
}

func movements(t testing.TB, client *sandbox.Client) map[uuid.UUID]payment.ProviderTransaction {
	t.Helper()
	found := make(map[uuid.UUID]payment.ProviderTransaction)
	for m, err := range client.Transactions(t.Context(), time.Unix(0, 0), testtime.Now().Add(time.Hour)) {
		require.NoError(t, err)
		require.NotContains(t, found, m.Reference.ID, "money moved twice for one payment")
		found[m.Reference.ID] = m
	}
	return found
}

// pay asks for all that is due of a booking.
func (s shop) pay(p *proc, key, booking, method string) (answer, error) {
	return p.send(http.MethodPost, "/v1/bookings/"+booking+"/payments", s.key, key,
		map[string]any{"kind": "balance", "payment_method": method})
}

// payUntilFinal repeats a payment, as clients should, until its end is known.
func (s shop) payUntilFinal(t testing.TB, p *proc, key, booking, method string) answer {
	t.Helper()
	var a answer
	eventually(t, func() bool {
		var err error
		a, err = s.pay(p, key, booking, method)
		require.NoError(t, err)
		return a.status != http.StatusAccepted && a.outcome() != "409 request_in_progress" &&
			a.outcome() != "503 provider_unavailable"
	})
	return a
}

// paid returns what a booking's balance says was paid.
func (s shop) paid(t testing.TB, p *proc, booking string) int64 {
	t.Helper()
	a, err := p.send(http.MethodGet, "/v1/bookings/"+booking+"/balance", s.key, "", nil)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, a.status, "%s", a)
	var balance struct{ Paid, Due int64 }
	require.NoError(t, json.Unmarshal(a.body, &balance))
	require.Equal(t, int64(payPrice), balance.Paid+balance.Due)
	return balance.Paid
}

// requirePaidOnce asserts that a was the true answer: the booking was paid once, at the sandbox and here, by the
// payment that a tells of, and a is what the key answers from now on.
func (k till) requirePaidOnce(t testing.TB, s shop, p *proc, key, booking string, a answer) {
	t.Helper()
	require.Equal(t, http.StatusCreated, a.status, "%s", a)
	moved := k.movements(t)
	require.Len(t, moved, 1)
	require.Contains(t, moved, uuid.MustParse(a.id()))
	m := moved[uuid.MustParse(a.id())]
	require.Equal(t, int64(payPrice), m.Amount)
	require.Contains(t, string(a.body), m.ProviderID)
	require.Equal(t, int64(payPrice), s.paid(t, p, booking))
	require.Equal(t, []string{a.id()},
		query[string](t, k.database, "SELECT payment_id::text FROM payments WHERE status = 'succeeded'"))
	again, err := s.pay(p, key, booking, "pm_ok")
	require.NoError(t, err)
	require.Equal(t, "true", again.header.Get("Idempotent-Replayed"))
	require.Equal(t, string(a.body), string(again.body))
}

func TestServe_SameKeyFiftyTimesAtOnceFromTwoServers_TakesMoneyOnce(t *testing.T) {
	t.Parallel()
	const requests = 50
	k := newTill(t)
	servers := []*proc{k.startServer(t, k.database), k.startServer(t, k.database)}
	s := newShop(t, servers[0])
	booking := s.mustBook(t, servers[0], "booking", slot(0, 10)).id()
	// so that all of them come meanwhile
	k.fault(t, sandbox.Fault{Kind: sandbox.Delay, On: sandbox.Charges, Delay: 300 * time.Millisecond})
	answers := everybody(requests, func(i int) (answer, error) { return s.pay(servers[i%2], "same", booking, "pm_ok") },
		nil)
	final := s.payUntilFinal(t, servers[1], "same", booking, "pm_ok")
	k.requirePaidOnce(t, s, servers[0], "same", booking, final)
	outcomes := make(map[string]int)
	for _, r := range answers {
		require.NoError(t, r.err)
		outcomes[r.outcome()]++
		require.Contains(t, []string{"201", "409 request_in_progress"}, r.outcome())
		if r.status == http.StatusCreated {
			require.Equal(t, string(final.body), string(r.body))
		}
	}
	t.Logf("answers: %v", outcomes)
	require.NotZero(t, outcomes["201"])
	require.Equal(t, []int{1}, query[int](t, k.database, "SELECT count(*) FROM payments"))
}

func TestServe_TwoKeysAtOnceForOneBalance_OnePays(t *testing.T) {
	t.Parallel()
	k := newTill(t)
	servers := []*proc{k.startServer(t, k.database), k.startServer(t, k.database)}
	s := newShop(t, servers[0])
	for round := range 5 {
		booking := s.mustBook(t, servers[0], "booking-"+strconv.Itoa(round), slot(round, 10)).id()
		var outcomes []string
		for _, r := range everybody(2, func(i int) (answer,
			error) {
			return s.pay(servers[i], uuid.NewString(), booking, "pm_ok")
		}, nil) {
			require.NoError(t, r.err)
			outcomes = append(outcomes, r.outcome())
		}
		slices.Sort(outcomes)
		require.Equal(t, "201", outcomes[0])
		require.Contains(t, []string{"409 payment_in_progress", "422 overpayment"}, outcomes[1])
		require.Equal(t, int64(payPrice), s.paid(t, servers[1], booking))
		require.Len(t, k.movements(t), round+1)
	}
}

func TestServe_ProviderWasDownAndLostAnswers_EverythingUnknownResolvesByItself(t *testing.T) {
	t.Parallel()
	k := newTill(t)
	servers := []*proc{k.startServer(t, k.database), k.startServer(t, k.database)}
	s := newShop(t, servers[0])
	type attempt struct{ key, booking, method string }
	var attempts []attempt
	ask := func(method string, want ...string) {
		n := len(attempts)
		a := attempt{"pay-" + strconv.Itoa(n),
			s.mustBook(t, servers[n%2], "booking-"+strconv.Itoa(n), slot(n, 10)).id(), method}
		attempts = append(attempts, a)
		got, err := s.pay(servers[n%2], a.key, a.booking, method)
		require.NoError(t, err)
		require.Contains(t, want, got.outcome())
	}
	for _, kind := range []sandbox.FaultKind{sandbox.DropAfter, sandbox.DropBefore, sandbox.ErrorAfter,
		sandbox.ErrorBefore,
		sandbox.ErrorDuring} {
		k.fault(t, sandbox.Fault{Kind: kind, On: sandbox.Charges, Count: 1})
		ask("pm_ok", "202")
	}
	ask("pm_timeout_charged", "202")
	ask("pm_timeout_not_charged", "202")
	k.fault(t, sandbox.Fault{Kind: sandbox.Down, For: time.Hour})
	for range servers { // a server's kept connection may break with the request on it, which leaves the outcome unknown
		ask("pm_ok", "503 provider_unavailable", "202")
	}
	ask("pm_ok", "503 provider_unavailable")
	k.sandbox.ClearFaults()

	open := "SELECT count(*) FROM payments WHERE resolve_at IS NOT NULL"
	require.NotEqual(t, []int{0}, query[int](t, k.database, open))
	require.Eventually(t, func() bool { return query[int](t, k.database, open)[0] == 0 }, settleLimit,
		50*time.Millisecond)
	moved := k.movements(t)
	var sum int64
	for _, m := range moved {
		sum += m.Amount
	}
	var ledger int64
	paid := 0
	for i, a := range attempts {
		final, err := s.pay(servers[(i+1)%2], a.key, a.booking, a.method)
		require.NoError(t, err)
		require.Equal(t, "true", final.header.Get("Idempotent-Replayed"), "%s", final)
		amount := s.paid(t, servers[0], a.booking)
		ledger += amount
		switch final.outcome() {
		case "201":
			paid++
			require.Contains(t, moved, uuid.MustParse(final.id()))
			require.Equal(t, int64(payPrice), amount)
		case "402 payment_declined":
			require.Zero(t, amount)
		default:
			require.Fail(t, "not the end", "%s", final)
		}
	}
	require.Len(t, moved, paid)
	require.Equal(t, sum, ledger)
	require.GreaterOrEqual(t, paid, 3, "what the provider carried out is paid")
	require.Less(t, paid, len(attempts), "what it didn't isn't")
}

func TestServe_WithoutAProvider_RefusesNewPaymentsAndSaysSoAtStart(t *testing.T) {
	t.Parallel()
	dir := filledDir(t)
	p := start(t, dir, "HOLDFAST_PROVIDER=")
	require.Contains(t, p.log(), "new payments are refused")
	s := newShop(t, p)
	booking := s.mustBook(t, p, "one", slot(0, 0)).id()
	refused, err := s.pay(p, "pay", booking, "pm_ok")
	require.NoError(t, err)
	require.Equal(t, "503 payments_not_configured", refused.outcome())
	var payments, keys int
	require.NoError(t, dbtest.SQL(t, p.databaseURL(t)).QueryRow(t.Context(),
		`SELECT (SELECT count(*) FROM payments), (SELECT count(*) FROM idempotency_keys WHERE key = 'pay')`).Scan(&payments, &keys))
	require.Zero(t, payments+keys, "nothing was written")
	p.stop(t)

	p = start(t, dir)
	require.Contains(t, p.log(), "no money moves")
	paid, err := s.pay(p, "pay", booking, "pm_ok")
	require.NoError(t, err)
	require.Equal(t, http.StatusCreated, paid.status, "the key was free: %s", paid)
	p.stop(t)

	p = start(t, dir, "HOLDFAST_PROVIDER=")
	again, err := s.pay(p, "pay", booking, "pm_ok")
	require.NoError(t, err)
	require.Equal(t, string(paid.body), string(again.body), "what was paid is told again")
	refunded, err := p.send(http.MethodPost, "/v1/payments/"+paid.id()+"/refunds", s.key, "refund", map[string]any{})
	require.NoError(t, err)
	require.Equal(t, http.StatusCreated, refunded.status, "the provider that took a payment refunds it: %s", refunded)
}
