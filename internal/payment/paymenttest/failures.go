package paymenttest

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/internal/payment"
)

// failures are those of reaching the provider. They need no provider that remembers.
var failures = map[string]func(*testing.T, bench){
	"Orders_NobodyThere_AreNotDone": func(t *testing.T, b bench) {
		needs(t, b.Unreachable != nil, "address where nobody is")
		_, err := b.Unreachable.Charge(t.Context(), b.order(t, "pm_any", 100))
		requireNotDone(t, err, true)
		_, err = b.Unreachable.Refund(t.Context(), b.refundOrder(t, "ch_any", 100))
		requireNotDone(t, err, true)
	},
	"Lookups_NobodyThere_AreErrors": func(t *testing.T, b bench) {
		needs(t, b.Unreachable != nil, "address where nobody is")
		_, err := b.Unreachable.FindCharge(t.Context(), newReference(t), "")
		require.Error(t, err)
		_, err = b.Unreachable.FindCharge(t.Context(), newReference(t), "ch_any")
		require.Error(t, err)
		_, err = b.Unreachable.FindRefund(t.Context(), newReference(t), "", "ch_any")
		require.Error(t, err)
		for _, id := range []string{"", "ch_any"} {
			_, err = b.Unreachable.CancelCharge(t.Context(), newReference(t), id)
			requireUnknown(t, err)
		}
		last := error(nil)
		for _, err := range b.Unreachable.Movements(t.Context(), time.Unix(0, 0), time.Now()) {
			require.NoError(t, last, "an error is the last")
			last = err
		}
		require.Error(t, last)
	},
	"Orders_WrongKey_AreNotDone": func(t *testing.T, b bench) {
		needs(t, b.WrongKey != nil, "wrong key")
		_, err := b.WrongKey.Charge(t.Context(), b.order(t, b.Methods.OK, 100))
		requireNotDone(t, err, false)
		requireMethodError(t, err, "")
		_, err = b.WrongKey.FindCharge(t.Context(), newReference(t), "")
		require.Error(t, err, "that isn't the same as absent")
		for _, id := range []string{"", "ch_any"} {
			_, err = b.WrongKey.CancelCharge(t.Context(), newReference(t), id)
			requireUnknown(t, err)
		}
	},
	"Orders_TooMany_AreNotDoneAndMayBeSentAgain": func(t *testing.T, b bench) {
		needs(t, b.LimitNext != nil, "limit")
		o := b.order(t, b.Methods.OK, 100)
		b.LimitNext(t)
		_, err := b.Provider.Charge(t.Context(), o)
		requireNotDone(t, err, true)
		b.charged(t, o)
	},
	"Orders_FailAtTheProvider_AreUnknown": func(t *testing.T, b bench) {
		needs(t, b.FailNext != nil, "failures on demand")
		for executed, want := range map[bool]payment.Result{true: payment.Succeeded, false: payment.Absent} {
			o := b.order(t, b.Methods.OK, 100)
			b.FailNext(t, executed)
			_, err := b.Provider.Charge(t.Context(), o)
			requireUnknown(t, err)
			require.Equal(t, want, b.findCharge(t, o.Reference, "").Result)
		}
	},
	"Orders_ContextHasEnded_AreErrors": func(t *testing.T, b bench) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := b.Provider.Charge(ctx, b.order(t, "pm_any", 100))
		require.ErrorIs(t, err, context.Canceled)
		_, err = b.Provider.Refund(ctx, b.refundOrder(t, "ch_any", 100))
		require.ErrorIs(t, err, context.Canceled)
		_, err = b.Provider.FindCharge(ctx, newReference(t), "")
		require.ErrorIs(t, err, context.Canceled)
		_, err = b.Provider.CancelCharge(ctx, newReference(t), "")
		require.ErrorIs(t, err, context.Canceled)
	},
}

func withDeadline(t *testing.T, d time.Duration) (context.Context, context.CancelFunc) {
	t.Helper()
	return context.WithTimeout(t.Context(), d)
}
