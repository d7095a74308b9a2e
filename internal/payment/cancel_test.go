package payment_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/db"
	"holdfast/internal/idempotency"
	"holdfast/internal/lock"
	"holdfast/internal/payment"
	"holdfast/internal/payment/sandbox"
	"holdfast/internal/problem"
	"holdfast/internal/testtime"
)

// withTimeout sets the time after which open payments are cancelled.
func withTimeout(d time.Duration) func(*payment.Config) {
	return func(cfg *payment.Config) { cfg.Timeout = d }
}

// payWithAction makes a payment that waits for its customer.
func (b *testBundle) payWithAction(t testing.TB, s *payment.Service, key string, booking uuid.UUID) paymentResponse {
	t.Helper()
	r := b.payKnown(t, s, key, booking, balance("pm_requires_action"))
	require.Equal(t, http.StatusAccepted, r.Answer().Status, "%s", r.Body)
	return decode(t, r)
}

// completeAction completes the customer's action, and reports whether the sandbox accepted that.
func completeAction(t testing.TB, actionURL string) bool {
	t.Helper()
	r, err := http.PostForm(actionURL, url.Values{"outcome": {"complete"}})
	require.NoError(t, err)
	require.NoError(t, r.Body.Close())
	require.Contains(t, []int{http.StatusOK, http.StatusConflict}, r.StatusCode)
	return r.StatusCode == http.StatusOK
}

// requireCancelled requires that a payment is cancelled, here and at the provider, and that repeating its request
// returns that.
func (b *testBundle) requireCancelled(t testing.TB, s *payment.Service, id uuid.UUID) {
	t.Helper()
	p, err := s.Get(t.Context(), b.tenant, id)
	require.NoError(t, err)
	require.Equal(t, payment.StatusDeclined, p.Status)
	require.Equal(t, "cancelled", *p.DeclineCode)
	require.True(t, p.TryAgain)
	require.Nil(t, p.CancelAt)
	o, err := b.provider.FindCharge(t.Context(), payment.Reference{TenantID: b.tenant, ID: id}, "")
	require.NoError(t, err)
	require.Contains(t, []payment.Result{payment.Declined, payment.Absent}, o.Result)
	require.Equal(t, 1, b.count(t, `
		SELECT count(*) FROM payments p JOIN idempotency_keys k ON k.tenant_id = p.tenant_id AND k.key = p.idempotency_key
		WHERE p.payment_id = $1 AND k.status = 402 AND convert_from(k.body, 'UTF8') LIKE '%"cancelled"%'`, id))
}

func TestResolve_PaymentTimedOut_IsCancelled(t *testing.T) {
	t.Parallel()
	b := setup(t)
	services := []*payment.Service{b.process(t, withTimeout(time.Second)), b.process(t, withTimeout(time.Second))}
	id := b.newBooking(t)
	open := b.payWithAction(t, services[0], newKey(), id)
	require.Equal(t, 1, b.count(t,
		`SELECT count(*) FROM payments WHERE cancel_at = created_at + interval '1 second' AND resolve_at <= cancel_at`))
	p, err := services[0].Get(t.Context(), b.tenant, open.ID)
	require.NoError(t, err)
	require.WithinDuration(t, p.CreatedAt.Add(time.Second), *p.CancelAt, time.Millisecond)
	b.resolveAll(t, services...)
	b.requireCancelled(t, services[0], open.ID)
	require.False(t, completeAction(t, open.ActionURL), "a cancelled payment can't be completed")
	require.Zero(t, b.transferTotals(t))
	b.mustPay(t, services[1], id, balance("pm_ok"))
}

func TestResolve_BeforeTheTimeout_PollsUntilCancelTime(t *testing.T) {
	t.Parallel()
	b := setup(t)
	f := &interceptedProvider{}
	f.cancel = func(context.Context, payment.Reference, string) (payment.Outcome, error) {
		return payment.Outcome{}, errors.New("must not be called")
	}
	s := b.process(t, withInterceptor(f), withTimeout(time.Hour))
	open := b.payWithAction(t, s, newKey(), b.newBooking(t))
	// the backoff would be ten minutes
	b.exec(t, `UPDATE payments SET resolve_at = now(), polls = 30, cancel_at = now() + interval '3 minutes'`)
	b.dueNow(t)
	require.Equal(t, 1, b.resolve(t, s))
	require.Equal(t, 1, b.count(t,
		`SELECT count(*) FROM payments WHERE status = 'processing' AND resolve_at = cancel_at`))
	require.True(t, completeAction(t, open.ActionURL))
}

func TestCancel_OpenPayment_IsCancelledAtTheProvider(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.process(t)
	id := b.newBooking(t)
	cancel := func(booking, payment uuid.UUID) {
		require.NoError(t, s.CancelOpen(t.Context(), b.tenant, booking, payment))
	}
	paid := b.mustPay(t, s, id, part(100, "pm_ok"))
	require.NoError(t, b.sandbox.Inject(sandbox.Fault{Kind: sandbox.DropAfter, On: sandbox.Refunds, Count: 1}))
	r, err := b.refund(t, s, newKey(), paid, 10)
	require.NoError(t, err)
	require.Equal(t, http.StatusAccepted, r.Answer().Status)
	cancel(id, paid)
	cancel(id, decode(t, r).ID)
	require.Zero(t, b.count(t, `SELECT count(*) FROM payments WHERE cancel_at <= now()`),
		"a payment that has an end, and a refund")
	b.resolveAll(t, s)
	require.Equal(t, transferTotals{captures: 1, captured: 100, refunds: 1, refunded: 10}, b.transferTotals(t))

	open := b.payWithAction(t, s, newKey(), id)
	cancel(b.newBooking(t), open.ID)
	require.Zero(t, b.count(t, `SELECT count(*) FROM payments WHERE cancel_at <= now()`),
		"a payment of another booking")
	cancel(id, open.ID)
	require.Equal(t, 1, b.resolve(t, s), "at once")
	b.requireCancelled(t, s, open.ID)
	require.False(t, completeAction(t, open.ActionURL))
}

// The process dies before the cancellation was sent, or after the provider had cancelled.
func TestCancel_ProcessDies_IsCompletedLater(t *testing.T) {
	t.Parallel()
	for _, asked := range []bool{false, true} {
		for _, by := range []string{"a repetition", "the resolver", "the request that pays"} {
			t.Run(fmt.Sprintf("%s, asked: %t", by, asked), func(t *testing.T) {
				t.Parallel()
				b := setup(t)
				f := &interceptedProvider{}
				f.cancel = func(ctx context.Context, ref payment.Reference, id string) (payment.Outcome, error) {
					if asked {
						_, err := f.Provider.CancelCharge(ctx, ref, id)
						require.NoError(t, err)
					}
					crash()
					return payment.Outcome{}, nil
				}
				dead, alive := b.process(t, withInterceptor(f)), b.process(t)
				payKey, key, id := newKey(), newKey(), b.newBooking(t)
				open := b.payWithAction(t, dead, payKey, id)
				runUntilCrash(func() (idempotency.Outcome, error) { return b.cancel(t, dead, key, open.ID) })
				r, err := b.cancel(t, alive, key, open.ID)
				require.NoError(t, err)
				require.Equal(t, http.StatusAccepted, r.Answer().Status, "the lease is still valid")
				require.Zero(t, b.resolve(t, alive), "the lease is still valid")
				b.exec(t, `UPDATE payments SET leased_until = now() WHERE resolve_at IS NOT NULL`)
				b.dueNow(t)
				switch by {
				case "the resolver":
					b.resolveAll(t, alive)
				case "the request that pays":
					r, err := b.pay(t, alive, payKey, id, balance("pm_requires_action"))
					require.NoError(t, err)
					require.Equal(t, http.StatusPaymentRequired, r.Answer().Status, "%s", r.Body)
				}
				r, err = b.cancel(t, alive, key, open.ID)
				require.NoError(t, err)
				require.Equal(t, http.StatusOK, r.Answer().Status, "%s", r.Body)
				b.requireCancelled(t, alive, open.ID)
				require.Zero(t, b.transferTotals(t))
			})
		}
	}
}

func TestCancel_DuringCharge_TakesEffectAfterwards(t *testing.T) {
	t.Parallel()
	for method, want := range map[string]payment.Status{"pm_ok": payment.StatusSucceeded,
		"pm_requires_action": payment.StatusDeclined} {
		t.Run(method, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			f := &interceptedProvider{}
			asked, goOn := make(chan uuid.UUID, 1), make(chan struct{})
			f.charge = func(ctx context.Context, o payment.ChargeOrder) (payment.Outcome, error) {
				asked <- o.Reference.ID
				<-goOn
				return f.Provider.Charge(ctx, o)
			}
			s, other := b.process(t, withLongCallTimeout, withInterceptor(f)), b.process(t)
			paid := make(chan idempotency.Outcome)
			payKey, key, booking := newKey(), newKey(), b.newBooking(t)
			go func() {
				r, _ := b.pay(t, s, payKey, booking, balance(method))
				paid <- r
			}()
			id := <-asked
			r, err := b.cancel(t, other, key, id)
			require.NoError(t, err)
			require.Equal(t, http.StatusAccepted, r.Answer().Status, "%s", r.Body)
			require.Zero(t, b.resolve(t, other), "another process has the lease")
			close(goOn)
			first := <-paid
			if want == payment.StatusSucceeded {
				require.Equal(t, http.StatusCreated, first.Answer().Status, "%s", first.Body)
				_, err = b.cancel(t, other, key, id)
				require.True(t, problem.Is(err, problem.InvalidState), "%v", err)
				require.EqualValues(t, 1, b.transferTotals(t).captures)
				require.Zero(t, b.openCount(t), "no automatic refund may be made")
				return
			}
			require.Equal(t, http.StatusAccepted, first.Answer().Status)
			require.Equal(t, 1, b.resolve(t, other), "at once")
			b.requireCancelled(t, s, id)
			r, err = b.cancel(t, other, key, id)
			require.NoError(t, err)
			require.Equal(t, http.StatusOK, r.Answer().Status)
		})
	}
}

func TestCancel_NotPossibleNowOrUnknown_IsRetriedByTheResolver(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]struct {
		outcome payment.Outcome
		err     error
	}{
		"processing": {outcome: payment.Outcome{Result: payment.Processing, ProviderID: "ch_1"}},
		"no outcome": {err: errors.New("status 500")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			f, calls := &interceptedProvider{}, 0
			f.cancel = func(ctx context.Context, ref payment.Reference, _ string) (payment.Outcome, error) {
				if calls++; calls < 3 {
					return answer.outcome, answer.err
				}
				return f.Provider.CancelCharge(ctx, ref, "")
			}
			s := b.process(t, withInterceptor(f))
			key := newKey()
			open := b.payWithAction(t, s, newKey(), b.newBooking(t))
			for range 2 {
				r, err := b.cancel(t, s, key, open.ID)
				require.NoError(t, err)
				require.Equal(t, http.StatusAccepted, r.Answer().Status, "%s", r.Body)
				require.False(t, r.Replayed)
			}
			require.Equal(t, 1, b.count(t, `SELECT count(*) FROM payments WHERE resolve_at > updated_at`),
				"with a pause")
			b.resolveAll(t, s)
			b.requireCancelled(t, s, open.ID)
			r, err := b.cancel(t, s, key, open.ID)
			require.NoError(t, err)
			require.Equal(t, http.StatusOK, r.Answer().Status)
		})
	}
}

func TestCancel_ChargeOutcomeUnknown_IsNotSentAgain(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.process(t, withShortCallTimeout)
	payKey, booking := newKey(), b.newBooking(t)
	require.NoError(t, b.sandbox.Inject(sandbox.Fault{Kind: sandbox.DropBefore, On: sandbox.Charges, Count: 1}))
	r, err := b.pay(t, s, payKey, booking, balance("pm_ok"))
	require.NoError(t, err)
	require.Equal(t, http.StatusAccepted, r.Answer().Status)
	id := decode(t, r).ID
	r, err = b.cancel(t, s, newKey(), id)
	require.NoError(t, err)
	require.Equal(t, http.StatusAccepted, r.Answer().Status, "the order may still arrive: %s", r.Body)
	r, err = b.pay(t, s, payKey, booking, balance("pm_ok"))
	require.NoError(t, err)
	require.NotEqual(t, http.StatusCreated, r.Answer().Status, "%s", r.Body)
	b.resolveAll(t, s)
	b.requireCancelled(t, s, id)
	require.Zero(t, b.transferTotals(t))
	r, err = b.cancel(t, s, newKey(), id)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, r.Answer().Status)
}

func TestCancel_CapturedAfterCancellation_IsRefunded(t *testing.T) {
	t.Parallel()
	b := setup(t)
	f := &interceptedProvider{}
	f.cancel = func(_ context.Context, _ payment.Reference, id string) (payment.Outcome, error) {
		// the charge is captured later
		return payment.Outcome{Result: payment.Declined, ProviderID: id, DeclineCode: payment.Cancelled}, nil
	}
	s := b.process(t, withInterceptor(f))
	in := b.receiveWebhooks(t)
	key := newKey()
	open := b.payWithAction(t, s, newKey(), b.newBooking(t))
	r, err := b.cancel(t, s, key, open.ID)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, r.Answer().Status)
	require.True(t, completeAction(t, open.ActionURL))
	require.NoError(t, deliver(t, s, in.wait(t, 1)[0]))
	b.resolveAll(t, s)
	require.Equal(t, transferTotals{captures: 1, captured: price, refunds: 1, refunded: price}, b.transferTotals(t))
	again, err := b.cancel(t, s, key, open.ID)
	require.NoError(t, err)
	require.Equal(t, string(r.Body), string(again.Body), "the stored response must not change")
	_, err = b.cancel(t, s, newKey(), open.ID)
	require.True(t, problem.Is(err, problem.InvalidState), "%v", err)
}

// The customer wins if the sandbox received the completion before the cancellation; else the cancellation wins. The
// repeated payment request changes nothing and returns the payment's outcome.
func TestCancel_ConcurrentWithCustomerAndRetry_AllAgreeOnOneOutcome(t *testing.T) {
	t.Parallel()
	b := setup(t)
	// The first cancellation that is sent completes the customer's action before or after it, as customer says.
	var customer atomic.Pointer[func(cancel func())]
	f := &interceptedProvider{}
	var calls atomic.Int32
	f.cancel = func(ctx context.Context, ref payment.Reference, id string) (o payment.Outcome, err error) {
		if calls.Add(1) != 1 {
			t.Error("two calls cancel one payment at the same time")
		}
		defer calls.Add(-1)
		cancel := func() { o, err = f.Provider.CancelCharge(ctx, ref, id) }
		if first := customer.Swap(nil); first != nil {
			(*first)(cancel)
		} else {
			cancel()
		}
		return o, err
	}
	services := []*payment.Service{b.process(t, withLongCallTimeout, withInterceptor(f)),
		b.process(t, withLongCallTimeout, withInterceptor(f))}
	var captured int64
	for round := range testtime.Rounds(6) {
		payKey, booking := newKey(), b.newBooking(t)
		open := b.payWithAction(t, services[0], payKey, booking)
		var paid bool
		var all sync.WaitGroup
		switch round % 3 {
		case 0:
			customer.Store(new(func(cancel func()) { paid = completeAction(t, open.ActionURL); cancel() }))
		case 1:
			customer.Store(new(func(cancel func()) { cancel(); paid = completeAction(t, open.ActionURL) }))
		case 2:
			all.Go(func() { paid = completeAction(t, open.ActionURL) })
		}
		cancels := make([]error, 4)
		keys := []string{newKey(), newKey()}
		for i := range cancels {
			all.Go(func() { _, cancels[i] = b.cancel(t, services[i%2], keys[i/2], open.ID) })
		}
		for _, s := range services {
			all.Go(func() {
				r, err := b.pay(t, s, payKey, booking, balance("pm_requires_action"))
				if err != nil {
					require.Equal(t, problem.RequestInProgress, problem.CodeOf(err), "%v", err)
					return
				}
				require.Contains(t, []int{http.StatusCreated, http.StatusAccepted, http.StatusPaymentRequired},
					r.Answer().Status)
			})
			all.Go(func() { b.work(t, s) })
		}
		all.Wait()
		// All of them may have been refused while the request was repeated.
		require.Eventually(t, func() bool {
			if customer.Load() != nil {
				_, _ = b.cancel(t, services[0], newKey(), open.ID)
			}
			return customer.Load() == nil
		}, maxWait, 10*time.Millisecond)
		if round%3 < 2 {
			require.Equal(t, round%3 == 0, paid, "who was first")
		}
		for _, err := range cancels {
			if err != nil && !problem.Is(err, problem.RequestInProgress) {
				require.True(t, paid && problem.Is(err, problem.InvalidState), "paid %t: %v", paid, err)
			}
		}
		b.resolveAll(t, services...)
		r, err := b.pay(t, services[1], payKey, booking, balance("pm_requires_action"))
		require.NoError(t, err)
		final, err := b.cancel(t, services[0], newKey(), open.ID)
		if paid {
			captured++
			require.Equal(t, http.StatusCreated, r.Answer().Status, "%s", r.Body)
			require.True(t, problem.Is(err, problem.InvalidState), "%v", err)
			require.EqualValues(t, price, b.balanceSummary(t, services[0], booking).Paid)
		} else {
			require.Equal(t, http.StatusPaymentRequired, r.Answer().Status, "%s", r.Body)
			require.NoError(t, err)
			require.Equal(t, http.StatusOK, final.Answer().Status)
			b.requireCancelled(t, services[0], open.ID)
		}
		require.Equal(t, transferTotals{captures: captured, captured: captured * price}, b.transferTotals(t))
	}
}

func TestCancel_KeyOfAnotherRequest_IsRejected(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.process(t)
	key := newKey()
	open := b.payWithAction(t, s, key, b.newBooking(t))
	_, err := b.cancel(t, s, key, open.ID)
	require.Equal(t, problem.IdempotencyKeyReused, problem.CodeOf(err), "%v", err)
	p, err := s.Get(t.Context(), b.tenant, open.ID)
	require.NoError(t, err)
	require.Equal(t, payment.StatusProcessing, p.Status)
}

func TestCancel_RecordingFails_IsUnknownAndResolvedLater(t *testing.T) {
	t.Parallel()
	b := setup(t)
	f := &interceptedProvider{}
	cfg := db.Config{URL: b.url, MaxConns: 8, LockTimeout: 100 * time.Millisecond}
	s := b.processOn(t, cfg, withInterceptor(f), withLongCallTimeout)
	booking, key := b.newBooking(t), newKey()
	open := b.payWithAction(t, s, newKey(), booking)
	tx, err := b.sql.Begin(t.Context())
	require.NoError(t, err)
	defer func() { _ = tx.Rollback(context.WithoutCancel(t.Context())) }()
	f.cancel = func(ctx context.Context, ref payment.Reference, id string) (payment.Outcome, error) {
		_, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock($1)", lock.Balance(b.tenant, booking).Keys()[0].ID())
		require.NoError(t, err)
		return f.Provider.CancelCharge(ctx, ref, id)
	}
	_, err = b.cancel(t, s, key, open.ID)
	require.Equal(t, problem.OutcomeUnknown, problem.CodeOf(err), "%v", err)
	require.NoError(t, tx.Rollback(t.Context()))
	f.cancel = nil
	b.endLeases(t)
	b.resolveAll(t, s)
	r, err := b.cancel(t, s, key, open.ID)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, r.Answer().Status)
	b.requireCancelled(t, s, open.ID)
}
