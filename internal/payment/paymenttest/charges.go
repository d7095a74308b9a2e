package paymenttest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/payment"
)

var charges = map[string]func(*testing.T, fixture){
	"Charge_OK_CapturesTheAmount": func(t *testing.T, fx fixture) {
		o := fx.order(fx.Methods.OK, 12_345)
		made := fx.mustCharge(t, o)
		require.Empty(t, made.DeclineCode)
		transactions := fx.allTransactions(t)
		require.Len(t, transactions, 1)
		require.False(t, transactions[0].At.IsZero())
		require.Equal(t, payment.ProviderTransaction{
			Reference: o.Reference, ProviderID: made.ProviderID, Amount: 12_345, Currency: fx.Currency,
			At: transactions[0].At,
		}, transactions[0])
	},
	"Charge_OtherCurrencies_UseTheirMinorUnits": func(t *testing.T, fx fixture) {
		for _, currency := range fx.OtherCurrencies {
			o := fx.order(fx.Methods.OK, 4_560)
			o.Currency = currency
			fx.mustCharge(t, o)
			transactions := fx.allTransactions(t)
			last := transactions[len(transactions)-1]
			require.Equal(t, currency, last.Currency)
			require.Equal(t, int64(4_560), last.Amount)
		}
	},
	"Charge_Declined_CapturesNothingAndAdvisesAnotherMethod": func(t *testing.T, fx fixture) {
		fx.requireDeclined(t, fx.Methods.Declined, false)
	},
	"Charge_InsufficientFunds_CapturesNothingAndAdvisesToTryAgain": func(t *testing.T, fx fixture) {
		require.Equal(t, "insufficient_funds", fx.requireDeclined(t, fx.Methods.InsufficientFunds, true).DeclineCode)
	},
	"Charge_Slow_Succeeds": func(t *testing.T, fx fixture) {
		fx.mustCharge(t, fx.order(fx.Methods.Slow, 100))
	},
	"Charge_RequiresActionAndCompletes_Succeeds": func(t *testing.T, fx fixture) {
		o, made := fx.chargeRequiringAction(t)
		require.True(t, fx.FinishAction(t, made, true))
		found := fx.findCharge(t, o.Reference, made.ProviderID)
		require.Equal(t, payment.Succeeded, found.Result)
		require.Equal(t, o.Amount, found.Amount)
		require.Len(t, fx.allTransactions(t), 1)
		_, err := fx.Provider.Charge(t.Context(), o)
		require.NoError(t, err)
		require.Len(t, fx.allTransactions(t), 1, "the order was sent again")
	},
	"Charge_RequiresActionAndFails_IsDeclined": func(t *testing.T, fx fixture) {
		o, made := fx.chargeRequiringAction(t)
		require.True(t, fx.FinishAction(t, made, false))
		found := fx.findCharge(t, o.Reference, made.ProviderID)
		require.Equal(t, payment.Declined, found.Result)
		require.NotEmpty(t, found.DeclineCode)
		require.Empty(t, fx.allTransactions(t))
	},
	"Charge_BadOrder_IsNotDone": func(t *testing.T, fx fixture) {
		for name, change := range map[string]func(*payment.ChargeOrder){
			"no amount":       func(o *payment.ChargeOrder) { o.Amount = 0 },
			"negative amount": func(o *payment.ChargeOrder) { o.Amount = -1 },
			"bad currency":    func(o *payment.ChargeOrder) { o.Currency = "XXQ" },
		} {
			o := fx.order(fx.Methods.OK, 100)
			good := o
			change(&o)
			_, err := fx.Provider.Charge(t.Context(), o)
			requireNotDone(t, err, false, "")
			require.Equal(t, payment.Absent, fx.findCharge(t, o.Reference, "").Result, name)
			fx.mustCharge(t, good) // with the same key: a rejected request doesn't use it
		}
	},
	"Charge_UnknownMethod_IsNotDoneWithItsError": func(t *testing.T, fx fixture) {
		fx.requireMethodRefused(t, "pm_unknown", payment.UnknownMethod)
	},
	"Charge_UnusableMethod_IsNotDoneWithItsError": func(t *testing.T, fx fixture) {
		if fx.Methods.Unusable == "" {
			t.Skip("the provider has no method that exists and can't be charged")
		}
		fx.requireMethodRefused(t, fx.Methods.Unusable, payment.UnusableMethod)
	},
}

// requireMethodRefused makes a charge whose payment method is rejected, and then a valid charge with the same key.
func (fx fixture) requireMethodRefused(t *testing.T, method string, want payment.MethodError) {
	t.Helper()
	o := fx.order(method, 100)
	_, err := fx.Provider.Charge(t.Context(), o)
	requireNotDone(t, err, false, want)
	require.Equal(t, payment.Absent, fx.findCharge(t, o.Reference, "").Result)
	require.Empty(t, fx.allTransactions(t))
	o.Method = fx.Methods.OK
	fx.mustCharge(t, o)
}

// requireDeclined makes a charge that is declined, and repeats it.
func (fx fixture) requireDeclined(t *testing.T, method string, tryAgain bool) payment.Outcome {
	t.Helper()
	o := fx.order(method, 500)
	first := fx.charge(t, o)
	require.Equal(t, payment.Declined, first.Result)
	require.NotEmpty(t, first.DeclineCode)
	require.Equal(t, tryAgain, first.TryAgain)
	require.Zero(t, first.Amount)
	require.Equal(t, first, fx.charge(t, o), "the same order must return the same outcome")
	found := fx.findCharge(t, o.Reference, first.ProviderID)
	require.Equal(t, payment.Declined, found.Result)
	require.Equal(t, first.DeclineCode, found.DeclineCode)
	require.Empty(t, fx.allTransactions(t))
	return first
}

// chargeRequiringAction makes a charge that waits for its customer.
func (fx fixture) chargeRequiringAction(t *testing.T) (payment.ChargeOrder, payment.Outcome) {
	t.Helper()
	o := fx.order(fx.Methods.RequiresAction, 700)
	made := fx.charge(t, o)
	require.Equal(t, payment.Processing, made.Result)
	require.NotEmpty(t, made.ProviderID)
	require.NotEmpty(t, made.ActionURL+made.ClientSecret, "the customer needs a URL or a secret")
	require.Equal(t, payment.Processing, fx.findCharge(t, o.Reference, "").Result)
	require.Empty(t, fx.allTransactions(t))
	return o, made
}
