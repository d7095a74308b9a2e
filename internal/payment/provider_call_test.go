package payment_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/internal/db"
	"holdfast/internal/payment"
)

// A second connection reads the database's locks and transactions during each provider call. The process has only one
// connection, so it could read nothing during a call that held it.
func TestProvider_DuringCalls_NoLockOrConnectionIsHeld(t *testing.T) {
	t.Parallel()
	b := setup(t)
	f := &interceptedProvider{}
	one := db.Config{URL: b.url, MaxConns: 1}
	s := b.processOn(t, one, withLongCallTimeout, withInterceptor(f), func(cfg *payment.Config) {
		cfg.ResolveEvery = time.Hour // an open payment is looked up once, however slow the machine is
	})
	id := b.newBooking(t)
	calls := 0
	const request = `query NOT LIKE '%EventNotify%'` // workers are notified in the background
	look := func() {
		calls++
		require.Zero(t, b.count(t, `
			SELECT count(*) FROM pg_locks l JOIN pg_stat_activity a USING (pid)
			WHERE a.datname = current_database() AND a.pid <> pg_backend_pid() AND a.backend_type = 'client backend'
				AND `+request), "locks")
		require.Zero(t, b.count(t, `
			SELECT count(*) FROM pg_stat_activity
			WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend' AND state <> 'idle'
				AND `+request), "transactions")
		b.balanceSummary(t, s, id)
	}
	f.charge = func(ctx context.Context, o payment.ChargeOrder) (payment.Outcome, error) {
		look()
		defer look()
		return f.Provider.Charge(ctx, o)
	}
	f.refund = func(ctx context.Context, o payment.RefundOrder) (payment.Outcome, error) {
		look()
		defer look()
		return f.Provider.Refund(ctx, o)
	}
	f.find = func(ctx context.Context, ref payment.Reference, id string) (payment.Outcome, error) {
		look()
		return f.Provider.FindCharge(ctx, ref, id)
	}
	f.cancel = func(ctx context.Context, ref payment.Reference, id string) (payment.Outcome, error) {
		look()
		return f.Provider.CancelCharge(ctx, ref, id)
	}
	paid := b.mustPay(t, s, id, part(100, "pm_slow"))
	_, err := b.refund(t, s, newKey(), paid, 0)
	require.NoError(t, err)
	open, err := b.pay(t, s, newKey(), id, balance("pm_requires_action"))
	require.NoError(t, err)
	b.endLeases(t)
	require.Equal(t, 1, b.resolve(t, s))
	require.Equal(t, 7, calls)
	_, err = b.cancel(t, s, newKey(), decode(t, open).ID)
	require.NoError(t, err)
	require.Equal(t, 8, calls)
}
