package paymenttest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/payment"
)

var refunds = map[string]func(*testing.T, fixture){
	"Refund_WholeCharge_Succeeds": func(t *testing.T, fx fixture) {
		made := fx.mustCharge(t, fx.order(fx.Methods.OK, 900))
		o := fx.refundOrder(made.ProviderID, 900)
		returned := fx.refund(t, o)
		require.Equal(t, payment.Succeeded, returned.Result)
		require.Equal(t, int64(900), returned.Amount)
		transactions := fx.allTransactions(t)
		require.Len(t, transactions, 2)
		require.Equal(t, payment.ProviderTransaction{
			Refund: true, Reference: o.Reference, ProviderID: returned.ProviderID, Amount: 900, Currency: fx.Currency,
			At: transactions[1].At,
		}, transactions[1])
	},
	"Refund_InParts_NeverExceedsTheCharge": func(t *testing.T, fx fixture) {
		made := fx.mustCharge(t, fx.order(fx.Methods.OK, 1_000))
		for _, part := range []struct {
			amount int64
			result payment.Result
		}{
			{400, payment.Succeeded}, {601, payment.Declined}, {599, payment.Succeeded}, {2, payment.Declined},
			{1, payment.Succeeded}, {1, payment.Declined}, {1 << 40, payment.Declined},
		} {
			o := fx.refundOrder(made.ProviderID, part.amount)
			returned := fx.refund(t, o)
			require.Equal(t, part.result, returned.Result, part.amount)
			require.Equal(t, part.result == payment.Declined, returned.DeclineCode != "")
		}
		var left int64
		for _, m := range fx.allTransactions(t) {
			if m.Refund {
				m.Amount = -m.Amount
			}
			left += m.Amount
		}
		require.Zero(t, left)
	},
	"Refund_Concurrently_NeverExceedsTheCharge": func(t *testing.T, fx fixture) {
		made := fx.mustCharge(t, fx.order(fx.Methods.OK, 1_000))
		orders := make([]payment.RefundOrder, 10)
		for i := range orders {
			orders[i] = fx.refundOrder(made.ProviderID, 300)
		}
		outcomes := inParallel(len(orders),
			func(i int) (payment.Outcome, error) { return fx.Provider.Refund(t.Context(), orders[i]) })
		succeeded := 0
		for _, o := range outcomes {
			require.NoError(t, o.err)
			if o.Result == payment.Succeeded {
				succeeded++
			}
		}
		require.Equal(t, 3, succeeded)
		require.Len(t, fx.allTransactions(t), 4)
	},
	"Refund_Declined_RefundsNothing": func(t *testing.T, fx fixture) {
		made := fx.mustCharge(t, fx.order(fx.Methods.RefundFails, 900))
		o := fx.refundOrder(made.ProviderID, 900)
		returned := fx.refund(t, o)
		require.Equal(t, payment.Declined, returned.Result)
		require.NotEmpty(t, returned.DeclineCode)
		require.Equal(t, returned, fx.refund(t, o), "the same order must return the same outcome")
		require.Len(t, fx.allTransactions(t), 1)
	},
	"Refund_UnknownCharge_RefundsNothing": func(t *testing.T, fx fixture) {
		o := fx.refundOrder("ch_unknown", 1)
		returned, err := fx.Provider.Refund(t.Context(), o)
		if err != nil {
			requireNotDone(t, err, false, "")
		} else {
			require.Equal(t, payment.Declined, returned.Result)
		}
		require.Empty(t, fx.allTransactions(t))
	},
	"Refund_BadOrder_IsNotDone": func(t *testing.T, fx fixture) {
		made := fx.mustCharge(t, fx.order(fx.Methods.OK, 1_000))
		for _, amount := range []int64{0, -1} {
			_, err := fx.Provider.Refund(t.Context(), fx.refundOrder(made.ProviderID, amount))
			requireNotDone(t, err, false, "")
		}
		require.Len(t, fx.allTransactions(t), 1)
	},
}
