package paymenttest

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/internal/payment"
	"holdfast/internal/testtime"
)

// failures are the tests of calls that fail.
var failures = map[string]func(*testing.T, fixture){
	"Orders_ProviderUnreachable_AreNotDone": func(t *testing.T, fx fixture) {
		_, err := fx.Unreachable.Charge(t.Context(), fx.order("pm_any", 100))
		requireNotDone(t, err, true, "")
		_, err = fx.Unreachable.Refund(t.Context(), fx.refundOrder("ch_any", 100))
		requireNotDone(t, err, true, "")
	},
	"Lookups_ProviderUnreachable_ReturnErrors": func(t *testing.T, fx fixture) {
		_, err := fx.Unreachable.FindCharge(t.Context(), newReference(), "")
		require.Error(t, err)
		_, err = fx.Unreachable.FindCharge(t.Context(), newReference(), "ch_any")
		require.Error(t, err)
		_, err = fx.Unreachable.FindRefund(t.Context(), newReference(), "", "ch_any")
		require.Error(t, err)
		for _, id := range []string{"", "ch_any"} {
			_, err = fx.Unreachable.CancelCharge(t.Context(), newReference(), id)
			requireUnknown(t, err)
		}
		last := error(nil)
		for _, err := range fx.Unreachable.Transactions(t.Context(), time.Unix(0, 0), testtime.Now()) {
			require.NoError(t, last, "no error may follow an error")
			last = err
		}
		require.Error(t, last)
	},
	"Orders_WrongKey_AreNotDone": func(t *testing.T, fx fixture) {
		_, err := fx.WrongKey.Charge(t.Context(), fx.order(fx.Methods.OK, 100))
		requireNotDone(t, err, false, "")
		_, err = fx.WrongKey.FindCharge(t.Context(), newReference(), "")
		require.Error(t, err, "a wrong key isn't Absent")
		for _, id := range []string{"", "ch_any"} {
			_, err = fx.WrongKey.CancelCharge(t.Context(), newReference(), id)
			requireUnknown(t, err)
		}
	},
	"Orders_RateLimited_AreNotDoneAndMayBeSentAgain": func(t *testing.T, fx fixture) {
		o := fx.order(fx.Methods.OK, 100)
		fx.LimitNext(t)
		_, err := fx.Provider.Charge(t.Context(), o)
		requireNotDone(t, err, true, "")
		fx.mustCharge(t, o)
	},
	"Orders_ProviderReturns500_AreUnknown": func(t *testing.T, fx fixture) {
		for executed, want := range map[bool]payment.Result{true: payment.Succeeded, false: payment.Absent} {
			o := fx.order(fx.Methods.OK, 100)
			fx.FailNext(t, executed)
			_, err := fx.Provider.Charge(t.Context(), o)
			requireUnknown(t, err)
			require.Equal(t, want, fx.findCharge(t, o.Reference, "").Result)
		}
	},
	"Orders_ContextCancelled_ReturnErrors": func(t *testing.T, fx fixture) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := fx.Provider.Charge(ctx, fx.order("pm_any", 100))
		require.ErrorIs(t, err, context.Canceled)
		_, err = fx.Provider.Refund(ctx, fx.refundOrder("ch_any", 100))
		require.ErrorIs(t, err, context.Canceled)
		_, err = fx.Provider.FindCharge(ctx, newReference(), "")
		require.ErrorIs(t, err, context.Canceled)
		_, err = fx.Provider.CancelCharge(ctx, newReference(), "")
		require.ErrorIs(t, err, context.Canceled)
	},
}
