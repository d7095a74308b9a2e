package paymenttest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/payment"
)

var charges = map[string]func(*testing.T, bench){
	"Charge_OK_TakesTheAmountAtOnce": func(t *testing.T, b bench) {
		o := b.order(t, b.Methods.OK, 12_345)
		made := b.charged(t, o)
		require.Empty(t, made.DeclineCode)
		movements := b.allMovements(t)
		require.Len(t, movements, 1)
		require.False(t, movements[0].At.IsZero())
		require.Equal(t, payment.Movement{
			Reference: o.Reference, ProviderID: made.ProviderID, Amount: 12_345, Currency: b.Currency, At: movements[0].At,
		}, movements[0])
	},
	"Charge_OtherCurrencies_AreInTheirMinorUnits": func(t *testing.T, b bench) {
		for _, currency := range b.OtherCurrencies {
			o := b.order(t, b.Methods.OK, 4_560)
			o.Currency = currency
			b.charged(t, o)
			movements := b.allMovements(t)
			last := movements[len(movements)-1]
			require.Equal(t, currency, last.Currency)
			require.Equal(t, int64(4_560), last.Amount)
		}
	},
	"Charge_Declined_MovesNothingAndAdvisesAnotherMethod": func(t *testing.T, b bench) {
		needs(t, b.Methods.Declined != "", "method that is declined")
		b.requireDeclined(t, b.Methods.Declined, false)
	},
	"Charge_InsufficientFunds_MovesNothingAndAdvisesToTryAgain": func(t *testing.T, b bench) {
		needs(t, b.Methods.InsufficientFunds != "", "method without funds")
		require.Equal(t, "insufficient_funds", b.requireDeclined(t, b.Methods.InsufficientFunds, true).DeclineCode)
	},
	"Charge_Slow_Succeeds": func(t *testing.T, b bench) {
		needs(t, b.Methods.Slow != "", "slow method")
		b.charged(t, b.order(t, b.Methods.Slow, 100))
	},
	"Charge_RequiresActionAndCompletes_Succeeds": func(t *testing.T, b bench) {
		o, made := b.processing(t)
		require.True(t, b.Settle(t, made, true))
		found := b.findCharge(t, o.Reference, made.ProviderID)
		require.Equal(t, payment.Succeeded, found.Result)
		require.Equal(t, o.Amount, found.Amount)
		require.Len(t, b.allMovements(t), 1)
		_, err := b.Provider.Charge(t.Context(), o)
		require.NoError(t, err)
		require.Len(t, b.allMovements(t), 1, "the order was sent again")
	},
	"Charge_RequiresActionAndFails_IsDeclined": func(t *testing.T, b bench) {
		o, made := b.processing(t)
		require.True(t, b.Settle(t, made, false))
		found := b.findCharge(t, o.Reference, made.ProviderID)
		require.Equal(t, payment.Declined, found.Result)
		require.NotEmpty(t, found.DeclineCode)
		require.Empty(t, b.allMovements(t))
	},
	"Charge_BadOrder_IsNotDone": func(t *testing.T, b bench) {
		for name, change := range map[string]func(*payment.ChargeOrder){
			"no amount":       func(o *payment.ChargeOrder) { o.Amount = 0 },
			"negative amount": func(o *payment.ChargeOrder) { o.Amount = -1 },
			"bad currency":    func(o *payment.ChargeOrder) { o.Currency = "XXQ" },
		} {
			o := b.order(t, b.Methods.OK, 100)
			good := o
			change(&o)
			_, err := b.Provider.Charge(t.Context(), o)
			requireNotDone(t, err, false)
			requireMethodError(t, err, "")
			require.Equal(t, payment.Absent, b.findCharge(t, o.Reference, "").Result, name)
			b.charged(t, good) // with the same key: a refused request doesn't use it up
		}
	},
	"Charge_UnknownMethod_IsNotDoneAndSaysSo": func(t *testing.T, b bench) {
		b.requireMethodRefused(t, "pm_that_nobody_knows", payment.UnknownMethod)
	},
	"Charge_UnusableMethod_IsNotDoneAndSaysSo": func(t *testing.T, b bench) {
		needs(t, b.Methods.Unusable != "", "method that exists and can't be charged")
		b.requireMethodRefused(t, b.Methods.Unusable, payment.UnusableMethod)
	},
}

// requireMethodRefused makes a charge whose payment method is refused, and another one with the same key.
func (b bench) requireMethodRefused(t *testing.T, method string, want payment.MethodError) {
	t.Helper()
	o := b.order(t, method, 100)
	_, err := b.Provider.Charge(t.Context(), o)
	requireNotDone(t, err, false)
	requireMethodError(t, err, want)
	require.Equal(t, payment.Absent, b.findCharge(t, o.Reference, "").Result)
	require.Empty(t, b.allMovements(t))
	o.Method = b.Methods.OK
	b.charged(t, o)
}

// requireDeclined makes a charge that is declined, and repeats it.
func (b bench) requireDeclined(t *testing.T, method string, tryAgain bool) payment.Outcome {
	t.Helper()
	o := b.order(t, method, 500)
	first := b.charge(t, o)
	require.Equal(t, payment.Declined, first.Result)
	require.NotEmpty(t, first.DeclineCode)
	require.Equal(t, tryAgain, first.TryAgain)
	require.Zero(t, first.Amount)
	require.Equal(t, first, b.charge(t, o), "the same order gets the same outcome")
	found := b.findCharge(t, o.Reference, first.ProviderID)
	require.Equal(t, payment.Declined, found.Result)
	require.Equal(t, first.DeclineCode, found.DeclineCode)
	require.Empty(t, b.allMovements(t))
	return first
}

// processing makes a charge that waits for its customer.
func (b bench) processing(t *testing.T) (payment.ChargeOrder, payment.Outcome) {
	t.Helper()
	needs(t, b.Methods.RequiresAction != "" && b.Settle != nil, "method whose customers must act")
	o := b.order(t, b.Methods.RequiresAction, 700)
	made := b.charge(t, o)
	require.Equal(t, payment.Processing, made.Result)
	require.NotEmpty(t, made.ProviderID)
	require.NotEmpty(t, made.ActionURL+made.ClientSecret, "the customer must get somewhere")
	require.Equal(t, payment.Processing, b.findCharge(t, o.Reference, "").Result)
	require.Empty(t, b.allMovements(t))
	return o, made
}
