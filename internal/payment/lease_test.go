package payment_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/internal/idempotency"
	"holdfast/internal/payment"
)

// asShipped has leases last as long, and be renewed as often, as in a server.
func asShipped(cfg *payment.Config) { payment.SetLease(cfg, 0, 0) }

// withLease has leases last for a short time, which renewals make longer.
func withLease(lease time.Duration) func(*payment.Config) {
	return func(cfg *payment.Config) { payment.SetLease(cfg, lease, lease/10) }
}

// heldCall is a provider whose charges begin, and end with nothing when the test lets them.
func heldCall(t *testing.T) (f *interceptedProvider, called <-chan struct{}, end func()) {
	t.Helper()
	reached, ended := make(chan struct{}), make(chan struct{})
	f = &interceptedProvider{}
	f.charge = func(_ context.Context, o payment.ChargeOrder) (payment.Outcome, error) {
		close(reached)
		<-ended // even after its deadline
		return f.Provider.Charge(t.Context(), o)
	}
	return f, reached, func() { close(ended) }
}

func TestPay_ProcessDied_OthersWaitForAFewSecondsAtMost(t *testing.T) {
	t.Parallel()
	b := setup(t)
	f := &interceptedProvider{}
	dead := b.process(t, withLongCallTimeout, withInterceptor(f), asShipped)
	f.charge = func(context.Context, payment.ChargeOrder) (payment.Outcome, error) {
		crash()
		return payment.Outcome{}, nil
	}
	key := newKey()
	runUntilCrash(func() (idempotency.Outcome, error) { return b.pay(t, dead, key, b.newBooking(t), balance("pm_ok")) })
	require.Equal(t, 1, b.count(t, `SELECT count(*) FROM payments WHERE leased_until <= now() + interval '3 seconds'`))
	require.Equal(t, 1, b.count(t, `SELECT count(*) FROM scheduled_events WHERE kind = 'payment.resolution' AND status = 'pending'
		AND due_at <= now() + interval '3 seconds'`), "the resolver looks then")
}

func TestResolve_ProcessDied_OthersWaitForAFewSecondsAtMost(t *testing.T) {
	t.Parallel()
	b := setup(t)
	f := &interceptedProvider{}
	dead, alive := b.process(t, withLongCallTimeout, withInterceptor(f), asShipped), b.process(t)
	open := b.payWithAction(t, alive, newKey(), b.newBooking(t))
	b.dueNow(t)
	b.exec(t, `UPDATE payments SET resolve_at = now()`)
	f.find = func(context.Context, payment.Reference, string) (payment.Outcome, error) {
		crash()
		return payment.Outcome{}, nil
	}
	require.Equal(t, 1, b.resolve(t, dead))
	require.Equal(t, 1, b.count(t,
		`SELECT count(*) FROM payments WHERE payment_id = $1 AND leased_until <= now() + interval '3 seconds'`,
		open.ID))
}

func TestPay_ProviderTakesLongerThanALease_ProcessKeepsThePayment(t *testing.T) {
	t.Parallel()
	const lease = 500 * time.Millisecond
	b := setup(t)
	f, called, end := heldCall(t)
	s := b.process(t, withLongCallTimeout, withInterceptor(f), withLease(lease))
	key, done := newKey(), make(chan idempotency.Outcome)
	id := b.newBooking(t)
	go func() {
		r, _ := b.pay(t, s, key, id, balance("pm_requires_action"))
		done <- r
	}()
	within(t, called)
	eventually(t, func() bool { // it has held the payment for longer than a lease
		return b.count(t, `SELECT count(*) FROM payments WHERE leased_until > created_at + $1::interval`, 3*lease) == 1
	})
	end()
	r := within(t, done)
	require.Equal(t, string(payment.StatusProcessing), decode(t, r).Status,
		"only the lease's holder may record that: %s", r.Body)
	require.Equal(t, 1, b.count(t,
		`SELECT count(*) FROM payments WHERE fence = 1 AND polls = 0 AND leased_until <= updated_at`),
		"nobody took it over, and its lease has ended")
}

func TestPay_CallIsStuck_LosesItsPaymentOnceItsTimeIsOver(t *testing.T) {
	t.Parallel()
	b := setup(t)
	f, called, end := heldCall(t)
	s := b.process(t, withInterceptor(f), withLease(time.Second),
		func(cfg *payment.Config) { cfg.CallTimeout = time.Second })
	done := make(chan struct{})
	key, id := newKey(), b.newBooking(t)
	go func() {
		defer close(done)
		_, _ = b.pay(t, s, key, id, balance("pm_ok"))
	}()
	within(t, called)
	other := b.process(t)
	eventually(t, func() bool {
		b.dueNow(t)
		return b.resolve(t, other) == 1
	})
	end()
	within(t, done)
}

func TestRenewPayment_TakenOverOrComplete_ChangesNothing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.process(t)
	open, complete := b.payWithAction(t, s, newKey(), b.newBooking(t)),
		b.mustPay(t, s, b.newBooking(t), balance("pm_ok"))
	b.exec(t, `UPDATE payments SET resolve_at = now(), leased_until = now() WHERE payment_id = $1`, open.ID)
	claimed := b.claimPayment(t, open.ID)
	const leased = `SELECT count(*) FROM payments WHERE leased_until > now() + interval '2 hours'`
	require.NoError(t, s.Prolong(t.Context(), b.tenant, open.ID, claimed.Fence-1, 3*time.Hour))
	require.NoError(t, s.Prolong(t.Context(), b.tenant, complete, 1, 3*time.Hour))
	require.Zero(t, b.count(t, leased))
	require.NoError(t, s.Prolong(t.Context(), b.tenant, open.ID, claimed.Fence, 3*time.Hour))
	require.Equal(t, 1, b.count(t, leased))
}
