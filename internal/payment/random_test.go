package payment_test

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"holdfast/internal/db/dbtest"
	"holdfast/internal/event"
	"holdfast/internal/idempotency"
	"holdfast/internal/payment"
	"holdfast/internal/payment/sandbox"
	"holdfast/internal/problem"
	"holdfast/internal/testtime"
	"holdfast/internal/wallet"
)

const (
	// randomBookings is how many bookings a test pays at random. See testtime.Rounds.
	randomBookings = 100
	// maxRuns is how many of them there are at a time. Most of them wait.
	maxRuns = 32
	// absentAfter is within which an order must arrive, also on a busy machine: else it is declined here and captured
	// there.
	absentAfter = 10 * time.Second
)

// Many bookings are paid, refunded and cancelled at random through two processes that die at times, with a provider
// that fails at times. Some are paid from wallets, alone or beside a card, and credit is added meanwhile. At the end
// our payments must match the provider's transactions and the wallets' entries.
func TestRandom_FaultsAndCrashes_PaymentsMatchTheProvider(t *testing.T) {
	t.Parallel()
	seed, runs := testtime.Seed(t), testtime.Rounds(randomBookings)
	c := newFaultInjection(t, seed)
	runRandomly(t, seed, runs, c.run)
	c.stopFaults(t)
	c.requireConsistent(t)
	m := c.transferTotals(t)
	require.Positive(t, c.count(t, `SELECT count(*) FROM payments WHERE method = '' AND provider = 'sandbox' AND status = 'succeeded'
		AND kind <> 'refund'`), "payments on the page")
	fromWallets := c.count(t, `SELECT count(*) FROM payments WHERE provider = 'wallet' AND kind <> 'refund'`)
	t.Logf("%d bookings: %d captures, %d refunds, %d payments from wallets", runs, m.captures, m.refunds, fromWallets)
	require.Positive(t, fromWallets)
	require.Positive(t, m.captures)
	require.Positive(t, m.refunds)
}

// runRandomly calls run n times, maxRuns at a time, until one fails. The seed repeats their draws, not how they
// interleave.
func runRandomly(t *testing.T, seed uint64, n int, run func(*testing.T, *rand.Rand)) {
	t.Helper()
	var next atomic.Int64
	var workers sync.WaitGroup
	for range maxRuns {
		workers.Go(func() {
			for i := next.Add(1); i <= int64(n) && !t.Failed(); i = next.Add(1) {
				run(t, rand.New(rand.NewPCG(seed, uint64(i))))
			}
		})
	}
	workers.Wait()
}

// faultInjection has two processes and a provider that fail at random.
type faultInjection struct {
	*testBundle
	services  []*payment.Service
	faultsOff atomic.Bool
	credits   []uuid.UUID // the wallets

	mu     sync.Mutex
	random *rand.Rand
	// bookings that accept no payments any more, and the latest time at which they ended
	endedAt map[uuid.UUID]time.Time
}

func newFaultInjection(t *testing.T, seed uint64) *faultInjection {
	t.Helper()
	c := &faultInjection{testBundle: setup(t), random: rand.New(rand.NewPCG(seed, 0)),
		endedAt: make(map[uuid.UUID]time.Time)}
	for range 4 {
		c.credits = append(c.credits, c.newWallet(t, 5*price))
	}
	var turn atomic.Int64
	ctx, stop := context.WithCancel(context.Background())
	var workers sync.WaitGroup
	for range 2 {
		f := &interceptedProvider{}
		f.charge = func(ctx context.Context, o payment.ChargeOrder) (payment.Outcome, error) {
			return c.call(func() (payment.Outcome, error) { return f.Provider.Charge(ctx, o) })
		}
		f.refund = func(ctx context.Context, o payment.RefundOrder) (payment.Outcome, error) {
			return c.call(func() (payment.Outcome, error) { return f.Provider.Refund(ctx, o) })
		}
		f.cancel = func(ctx context.Context, ref payment.Reference, id string) (payment.Outcome, error) {
			return c.call(func() (payment.Outcome, error) { return f.Provider.CancelCharge(ctx, ref, id) })
		}
		s := c.process(t, withInterceptor(f), func(cfg *payment.Config) {
			cfg.CallTimeout, cfg.AbsentAfter, cfg.ResolveEvery = 300*time.Millisecond, absentAfter, 50*time.Millisecond
		})
		c.services = append(c.services, s)
		workers.Go(func() {
			event.NewWorker(c.events, event.Config{Poll: 50 * time.Millisecond}, s.Resolution(),
				s.EndedBooking()).Run(ctx)
		})
	}
	t.Cleanup(func() { stop(); workers.Wait() })
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		s := c.services[turn.Add(1)%2]
		read, err := s.ReadWebhook("sandbox", r.Header, body)
		if err == nil {
			err = s.HandleWebhook(r.Context(), read)
		}
		if err != nil {
			w.WriteHeader(http.StatusInternalServerError)
		}
	}))
	t.Cleanup(server.Close)
	c.sandbox.SetWebhook(server.URL)
	for i, f := range []sandbox.Fault{
		{Kind: sandbox.ErrorBefore}, {Kind: sandbox.ErrorDuring}, {Kind: sandbox.ErrorAfter},
		{Kind: sandbox.DropBefore},
		{Kind: sandbox.DropAfter}, {Kind: sandbox.Unavailable}, {Kind: sandbox.RateLimit},
		{Kind: sandbox.Delay, Delay: 400 * time.Millisecond},
		{Kind: sandbox.WebhookDuplicate, Delay: time.Second}, {Kind: sandbox.WebhookDelay, Delay: time.Second},
		{Kind: sandbox.WebhookReorder, Delay: time.Second},
	} {
		f.Probability, f.Seed = 0.04, seed+uint64(i)
		require.NoError(t, c.sandbox.Inject(f))
	}
	return c
}

// call calls the provider. The process may die before or after the call.
func (c *faultInjection) call(do func() (payment.Outcome, error)) (payment.Outcome, error) {
	dice := c.randomFloat()
	if dice < 0.02 {
		crash()
	}
	o, err := do()
	if dice > 0.98 {
		crash()
	}
	return o, err
}

func (c *faultInjection) randomFloat() float64 {
	if c.faultsOff.Load() {
		return 0.5
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.random.Float64()
}

var methods = []string{
	"pm_ok", "pm_ok", "pm_ok", "pm_ok", "pm_ok", "pm_ok", "pm_ok", "pm_ok", "pm_declined", "pm_insufficient_funds",
	"pm_slow",
	"pm_requires_action", "pm_requires_action", "pm_refund_fails", "pm_timeout_charged", "pm_timeout_not_charged",
}

// run does random actions with one booking's payments.
func (c *faultInjection) run(t *testing.T, random *rand.Rand) {
	t.Helper()
	id := c.newBooking(t)
	var requests []func() (idempotency.Outcome, error)
	var paid []uuid.UUID
	var actions []string
	service := func() *payment.Service { return c.services[random.IntN(2)] }
	do := func(request func() (idempotency.Outcome, error)) {
		runUntilCrash(func() (idempotency.Outcome, error) {
			r, err := request()
			if err != nil {
				c.requireExpectedError(t, err)
				return r, err
			}
			if v := decode(t, r); v.ID != uuid.Nil {
				paid = append(paid, v.ID)
				if v.ActionURL != "" {
					actions = append(actions, v.ActionURL)
				}
			}
			return r, nil
		})
	}
	for range 2 + random.IntN(7) {
		switch dice := random.IntN(100); {
		case dice < 40 || len(requests) == 0:
			o := payment.PayRequest{Kind: []payment.Kind{payment.Deposit, payment.Balance,
				payment.Amount}[random.IntN(3)],
				Method: methods[random.IntN(len(methods))]}
			if random.IntN(4) == 0 {
				o.Method, o.Checkout = "", toPage
			}
			if o.Kind == payment.Amount {
				o.Amount = new(1 + random.Int64N(price))
			}
			if random.IntN(2) == 0 {
				o.WalletID = &c.credits[random.IntN(len(c.credits))]
				switch random.IntN(3) {
				case 0:
					o.Method, o.Checkout = "", nil
				case 1:
					most := 1 + random.Int64N(price)
					o.WalletAmount = &most
				}
			}
			key := newKey()
			requests = append(requests, func() (idempotency.Outcome, error) { return c.pay(t, service(), key, id, o) })
			do(requests[len(requests)-1])
		case dice < 60:
			do(requests[random.IntN(len(requests))])
		case dice < 67 && len(paid) > 0:
			key, of := newKey(), paid[random.IntN(len(paid))]
			requests = append(requests, func() (idempotency.Outcome, error) { return c.cancel(t, service(), key, of) })
			do(requests[len(requests)-1])
		case dice < 80 && len(paid) > 0:
			key, of, amount := newKey(), paid[random.IntN(len(paid))], random.Int64N(price)*int64(random.IntN(2))
			requests = append(requests,
				func() (idempotency.Outcome, error) {
					return c.refund(t, service(), key, of, amount)
				})
			do(requests[len(requests)-1])
		case dice < 90 && len(actions) > 0:
			c.finishAction(t, actions[random.IntN(len(actions))], random.IntN(3) > 0)
		case dice < 94:
			c.endBooking(t, id, random.IntN(2) == 0)
		case dice < 97:
			_, err := c.wallets().Credit(t.Context(), c.owner, request(t, newKey(), ""),
				c.credits[random.IntN(len(c.credits))],
				wallet.CreditRequest{Amount: 1 + random.Int64N(2*price)})
			require.NoError(t, err)
		case dice == 99 && random.IntN(4) == 0:
			require.NoError(t, c.sandbox.Inject(sandbox.Fault{Kind: sandbox.Down, For: 200 * time.Millisecond}))
		}
	}
}

// requireExpectedError fails the test for errors that a client must not get.
func (c *faultInjection) requireExpectedError(t *testing.T, err error) {
	t.Helper()
	switch problem.CodeOf(err) {
	case problem.PaymentInProgress, problem.RequestInProgress, problem.InvalidState, problem.HoldExpired,
		problem.ProviderUnavailable:
	default:
		t.Errorf("a client got the unexpected error %v", err)
	}
}

// finishAction finishes the customer's action, if the provider is up.
func (c *faultInjection) finishAction(t *testing.T, actionURL string, complete bool) {
	t.Helper()
	outcome := map[bool]string{true: "complete", false: "fail"}[complete]
	if strings.Contains(actionURL, "/checkout/") {
		outcome = map[bool]string{true: "pay", false: "decline"}[complete]
	}
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	if r, err := client.PostForm(actionURL, url.Values{"outcome": {outcome}}); err == nil {
		require.NoError(t, r.Body.Close())
	}
}

// endBooking cancels a booking or expires its hold.
func (c *faultInjection) endBooking(t *testing.T, id uuid.UUID, cancel bool) {
	t.Helper()
	c.exec(t, map[bool]string{true: bookingEnds["cancelled"], false: bookingEnds["a hold past its expiry"]}[cancel], id)
	var since time.Time
	require.NoError(t, c.sql.QueryRow(t.Context(), `SELECT clock_timestamp()`).Scan(&since))
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, before := c.endedAt[id]; !before {
		c.endedAt[id] = since
	}
}

// stopFaults removes the faults, finishes every customer's action, and waits until all payments are complete.
func (c *faultInjection) stopFaults(t *testing.T) {
	t.Helper()
	c.faultsOff.Store(true)
	c.sandbox.ClearFaults()
	defer func() {
		if t.Failed() {
			t.Logf("%d are open; %s", c.openCount(t), c.differences(t))
		}
	}()
	eventually(t, func() bool {
		if c.openCount(t) == 0 {
			return c.differences(t) == ""
		}
		rows, err := c.sql.Query(t.Context(),
			`SELECT action_url FROM payments WHERE status = 'processing' AND action_url <> ''`)
		require.NoError(t, err)
		urls, err := pgx.CollectRows(rows, pgx.RowTo[string])
		require.NoError(t, err)
		for i, u := range urls {
			c.finishAction(t, u, i%2 == 0)
		}
		// The backoff grows to minutes. An order that never arrived is known to be absent after absentAfter.
		c.exec(t, `UPDATE payments SET resolve_at = now() WHERE resolve_at > now() AND leased_until <= now()
			AND (status = 'processing' OR last_sent_at <= now() - $1 * interval '1 second')`, absentAfter.Seconds())
		c.exec(t, `
			UPDATE scheduled_events e SET due_at = now() FROM payments p
			WHERE p.payment_id = e.subject_id AND p.resolve_at <= now() AND e.due_at > now() AND e.status IN ('pending', 'failed')`)
		c.exec(t, `UPDATE scheduled_events SET due_at = now() WHERE kind = 'payment.ended_booking' AND status = 'pending'
			AND due_at > now()`)
		return false
	})
	require.Empty(t, c.differences(t))
}

// differences compares each provider transaction with our payments, to the minor unit.
func (c *faultInjection) differences(t *testing.T) string {
	t.Helper()
	type movement struct {
		refund   bool
		amount   int64
		currency string
	}
	theirs := make(map[uuid.UUID]movement)
	for m, err := range c.provider.Transactions(t.Context(), time.Time{}, testtime.Now().AddDate(1, 0, 0)) {
		if err != nil {
			return err.Error()
		}
		if _, twice := theirs[m.Reference.ID]; twice {
			return fmt.Sprintf("payment %s moved twice", m.Reference.ID)
		}
		theirs[m.Reference.ID] = movement{m.Refund, m.Amount, m.Currency}
	}
	c.exec(t, dbtest.SyncClaims) // bookings were ended by hand
	rows, err := c.sql.Query(t.Context(),
		`SELECT payment_id, kind = 'refund', amount, currency FROM payments WHERE status = 'succeeded' AND provider <> 'wallet'`)
	require.NoError(t, err)
	defer rows.Close()
	n := 0
	for ; rows.Next(); n++ {
		var id uuid.UUID
		var ours movement
		require.NoError(t, rows.Scan(&id, &ours.refund, &ours.amount, &ours.currency))
		if theirs[id] != ours {
			return fmt.Sprintf("payment %s is %v with us and %v with the provider", id, ours, theirs[id])
		}
	}
	require.NoError(t, rows.Err())
	if n != len(theirs) {
		return fmt.Sprintf("%d movements with us, %d with the provider", n, len(theirs))
	}
	return ""
}

// requireConsistent checks the final state.
func (c *faultInjection) requireConsistent(t *testing.T) {
	t.Helper()
	m := c.transferTotals(t)
	require.EqualValues(t, m.captured-m.refunded, c.count(t, `
		SELECT coalesce(sum(CASE WHEN kind = 'refund' THEN -amount ELSE amount END), 0)::bigint FROM payments
		WHERE status = 'succeeded' AND provider <> 'wallet'`))
	c.requireWalletsMatch(t)
	require.Zero(t, c.count(t, `SELECT coalesce(sum(held), 0) FROM wallets`), "no payment is open")
	var wrong []string
	require.NoError(t, c.sql.QueryRow(t.Context(), `
		SELECT array_agg(concat_ws(' ', p.kind, p.method, p.status, p.decline_code, 'with key', coalesce(k.status::text, 'unfinished'),
			'after', p.updated_at - p.created_at))
		FROM payments p LEFT JOIN idempotency_keys k ON k.tenant_id = p.tenant_id AND k.key = p.idempotency_key
		WHERE NOT p.automatic AND p.card_payment_id IS NULL AND k.status IS DISTINCT FROM CASE p.status WHEN 'succeeded' THEN 201
			ELSE 402 END`).Scan(&wrong))
	require.Empty(t, wrong, "payments whose key has no stored response, or a wrong one")
	for what, sql := range map[string]string{
		"payments refunded by more than their amount": `
			SELECT count(*) FROM payments p WHERE p.status = 'succeeded' AND p.amount <
				(SELECT sum(amount) FROM payments r WHERE r.refund_of = p.payment_id AND r.status = 'succeeded')`,
		"bookings paid by more than their price": `
			SELECT count(*) FROM bookings b WHERE b.price < (SELECT sum(CASE WHEN p.kind = 'refund' THEN -p.amount ELSE p.amount END)
				FROM payments p WHERE p.booking_id = b.booking_id AND p.status = 'succeeded')`,
		"payments in another currency than their booking": `
			SELECT count(*) FROM payments p JOIN bookings b USING (tenant_id, booking_id) WHERE p.currency <> b.currency`,
	} {
		require.Zero(t, c.count(t, sql), what)
	}
	late := 0
	for id, since := range c.endedAt {
		late += c.count(t, `SELECT count(*) FROM payments WHERE booking_id = $1 AND kind <> 'refund' AND status = 'succeeded'
			AND updated_at > $2`, id, since)
		require.Zero(t, c.count(t, `
			SELECT count(*) FROM payments p
			WHERE p.booking_id = $1 AND p.kind <> 'refund' AND p.status = 'succeeded' AND p.updated_at > $2
			  AND p.method <> 'pm_refund_fails'
			  AND p.amount <> (SELECT coalesce(sum(amount), 0) FROM payments r WHERE r.refund_of = p.payment_id
			  	AND r.status = 'succeeded')`,
			id, since), "captures of an ended booking that weren't returned")
	}
	t.Logf("%d bookings ended, %d captures became known after that", len(c.endedAt), late)
}
