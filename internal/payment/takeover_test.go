package payment_test

import (
	"context"
	"errors"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/internal/idempotency"
	"holdfast/internal/payment"
	"holdfast/internal/problem"
)

// The process dies before it called the provider, or after the capture.
func TestPay_ProcessDied_IsTakenOver(t *testing.T) {
	t.Parallel()
	for _, captured := range []bool{false, true} {
		for _, by := range []string{"a repeated request", "the resolver"} {
			t.Run(by+map[bool]string{false: ", before the call", true: ", after the capture"}[captured], func(t *testing.T) {
				t.Parallel()
				b := setup(t)
				f := &interceptedProvider{}
				dead, alive := b.process(t, withShortCallTimeout, withInterceptor(f)),
					b.process(t, withShortCallTimeout)
				f.charge = func(ctx context.Context, o payment.ChargeOrder) (payment.Outcome, error) {
					if captured {
						_, err := f.Provider.Charge(ctx, o)
						require.NoError(t, err)
					}
					crash()
					return payment.Outcome{}, nil
				}
				id, key := b.newBooking(t), newKey()
				runUntilCrash(func() (idempotency.Outcome, error) { return b.pay(t, dead, key, id, balance("pm_ok")) })
				require.Equal(t, 1, b.count(t, `SELECT count(*) FROM payments WHERE status = 'started'`))

				_, err := b.pay(t, alive, key, id, balance("pm_ok"))
				var refusal *problem.Error
				require.ErrorAs(t, err, &refusal)
				require.Equal(t, problem.RequestInProgress, refusal.Code, "the lease is still valid")
				require.Positive(t, refusal.RetryAfter)
				require.Zero(t, b.resolve(t, alive), "the lease is still valid")

				b.endLeases(t)
				if by == "the resolver" {
					b.resolveAll(t, alive)
				}
				r, err := b.pay(t, alive, key, id, balance("pm_ok"))
				require.NoError(t, err)
				charged := captured || by == "a repeated request"
				require.Equal(t, charged, r.Answer().Status == http.StatusCreated, "%s", r.Body)
				require.Equal(t, !charged, r.Answer().Status == http.StatusPaymentRequired, "%s", r.Body)
				require.Equal(t, charged, b.transferTotals(t).captures == 1)
				require.Equal(t, charged, b.balanceSummary(t, alive, id).Paid == price)
			})
		}
	}
}

// endLeases ends all leases.
func (b *testBundle) endLeases(t testing.TB) {
	t.Helper()
	b.exec(t, `UPDATE payments SET leased_until = now(), resolve_at = now() WHERE resolve_at IS NOT NULL`)
	b.dueNow(t)
}

func TestRefund_ProcessDied_IsTakenOverAndRefundsOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	f := &interceptedProvider{}
	dead, alive := b.process(t, withInterceptor(f)), b.process(t)
	f.refund = func(ctx context.Context, o payment.RefundOrder) (payment.Outcome, error) {
		_, err := f.Provider.Refund(ctx, o)
		require.NoError(t, err)
		crash()
		return payment.Outcome{}, nil
	}
	id, key := b.newBooking(t), newKey()
	paid := b.mustPay(t, alive, id, balance("pm_ok"))
	runUntilCrash(func() (idempotency.Outcome, error) { return b.refund(t, dead, key, paid, 40) })
	_, err := b.refund(t, alive, newKey(), paid, 40)
	require.True(t, problem.Is(err, problem.PaymentInProgress), "%v", err)
	b.endLeases(t)
	r, err := b.refund(t, alive, key, paid, 40)
	require.NoError(t, err)
	require.Equal(t, http.StatusCreated, r.Answer().Status, "%s", r.Body)
	require.Equal(t, transferTotals{captures: 1, captured: price, refunds: 1, refunded: 40}, b.transferTotals(t))
}

// A slow process finishes its call after another process has taken its payment over.
func TestPay_SlowHolderAfterTakeover_DoesNotOverwriteNewerState(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		method string // payment method
		late   error  // the slow process's call result
		want   payment.Status
	}{
		{"no outcome, after the capture", "pm_ok", errors.New("timeout"), payment.StatusSucceeded},
		{"no outcome, after processing", "pm_requires_action", errors.New("timeout"), payment.StatusProcessing},
		{"rejected, after processing", "pm_requires_action", &payment.NotDone{Err: errors.New("bad key")},
			payment.StatusProcessing},
		{"capture, reported twice", "pm_ok", nil, payment.StatusSucceeded},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			f := &interceptedProvider{}
			slow, other := b.process(t, withInterceptor(f)), b.process(t)
			called, resume := make(chan struct{}), make(chan struct{})
			f.charge = func(_ context.Context, o payment.ChargeOrder) (payment.Outcome, error) {
				close(called)
				<-resume // even after its deadline
				if test.late != nil {
					return payment.Outcome{}, test.late
				}
				return f.Provider.Charge(t.Context(), o)
			}
			id, key := b.newBooking(t), newKey()
			done := make(chan error)
			go func() {
				_, err := b.pay(t, slow, key, id, balance(test.method))
				done <- err
			}()
			<-called
			b.endLeases(t)
			r, err := b.pay(t, other, key, id, balance(test.method))
			require.NoError(t, err)
			before := b.row(t, key)
			close(resume)
			require.NoError(t, <-done)
			require.Equal(t, before, b.row(t, key), "the row must not change")
			require.Contains(t, before, `"`+string(test.want)+`"`)
			again, err := b.pay(t, other, key, id, balance(test.method))
			require.NoError(t, err)
			if test.want == payment.StatusSucceeded {
				require.Equal(t, string(r.Body), string(again.Body))
				require.EqualValues(t, 1, b.transferTotals(t).captures)
			}
		})
	}
}

// row returns a payment's row as JSON.
func (b *testBundle) row(t testing.TB, key string) string {
	t.Helper()
	var text string
	require.NoError(t, b.sql.QueryRow(t.Context(), `SELECT to_json(p) FROM payments p WHERE idempotency_key = $1`,
		key).Scan(&text))
	return text
}

func TestPay_SlowHolderReportsCapture_IsAccepted(t *testing.T) {
	t.Parallel()
	b := setup(t)
	f, timingOut := &interceptedProvider{}, &interceptedProvider{}
	slow, other := b.process(t, withInterceptor(f)), b.process(t, withInterceptor(timingOut))
	called, resume := make(chan struct{}), make(chan struct{})
	f.charge = func(_ context.Context, o payment.ChargeOrder) (payment.Outcome, error) {
		close(called)
		<-resume
		return f.Provider.Charge(t.Context(), o)
	}
	timingOut.charge = func(context.Context, payment.ChargeOrder) (payment.Outcome, error) {
		return payment.Outcome{}, errors.New("timeout")
	}
	id, key := b.newBooking(t), newKey()
	done := make(chan idempotency.Outcome)
	go func() {
		r, _ := b.pay(t, slow, key, id, balance("pm_ok"))
		done <- r
	}()
	<-called
	b.endLeases(t)
	r, err := b.pay(t, other, key, id, balance("pm_ok"))
	require.NoError(t, err)
	require.Equal(t, http.StatusAccepted, r.Answer().Status)
	close(resume)
	r = <-done
	require.Equal(t, http.StatusCreated, r.Answer().Status, "a capture is recorded even without the lease")
	again, err := b.pay(t, other, key, id, balance("pm_ok"))
	require.NoError(t, err)
	require.Equal(t, string(r.Body), string(again.Body))
}

// Each process in turn is held in its call of the provider while the others look for work.
func TestResolve_ConcurrentResolvers_NeverShareAPayment(t *testing.T) {
	t.Parallel()
	b := setup(t)
	const payments = 12
	access := newExclusiveAccess()
	services := make([]*payment.Service, 3)
	var held [3]atomic.Pointer[gate]
	for i := range services {
		f := &interceptedProvider{}
		services[i] = b.process(t, withLongCallTimeout, withInterceptor(f))
		f.find = func(ctx context.Context, ref payment.Reference, id string) (payment.Outcome, error) {
			defer access.enter(t, ref.ID)()
			if g := held[i].Swap(nil); g != nil {
				g.hold()
			}
			return f.Provider.FindCharge(ctx, ref, id)
		}
	}
	for range payments {
		_, err := b.pay(t, services[0], newKey(), b.newBooking(t), balance("pm_requires_action"))
		require.NoError(t, err)
	}
	for i, s := range services {
		b.endLeases(t)
		g := newGate(t)
		held[i].Store(g)
		done := make(chan struct{})
		go func() {
			defer close(done)
			b.work(t, s)
		}()
		within(t, g.reached)
		runConcurrently(2*(len(services)-1), func(n int) error {
			b.work(t, services[(i+1+n%2)%len(services)])
			return nil
		})
		eventually(t, func() bool { return access.currentCount() == 1 }) // it still works on its payment
		g.open()
		within(t, done)
	}
	require.GreaterOrEqual(t, access.enteredCount(), payments*len(services))
}

// The answer to an order was lost, and the provider can't be asked for its outcome. Sent again under its key, it is not
// carried out twice.
func TestPay_LookUpFails_OrderIsSentAgainUnderItsKey(t *testing.T) {
	t.Parallel()
	b := setup(t)
	f, sent := &interceptedProvider{}, 0
	f.charge = func(ctx context.Context, o payment.ChargeOrder) (payment.Outcome, error) {
		outcome, err := f.Provider.Charge(ctx, o)
		if sent++; sent == 1 {
			return payment.Outcome{}, errors.New("the answer is lost")
		}
		return outcome, err
	}
	f.find = func(context.Context, payment.Reference, string) (payment.Outcome, error) {
		return payment.Outcome{}, errors.New("no answer")
	}
	s := b.process(t, withLongCallTimeout, withInterceptor(f),
		func(cfg *payment.Config) { cfg.AbsentAfter = time.Hour })
	id, key := b.newBooking(t), newKey()
	for _, status := range []int{http.StatusAccepted, http.StatusCreated} {
		r, err := b.pay(t, s, key, id, balance("pm_ok"))
		require.NoError(t, err)
		require.Equal(t, status, r.Answer().Status, "%s", r.Body)
	}
	require.Equal(t, 2, sent)
	require.EqualValues(t, 1, b.transferTotals(t).captures)
}
