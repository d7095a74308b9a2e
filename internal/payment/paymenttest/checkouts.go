package paymenttest

import (
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/payment"
	"holdfast/internal/testtime"
)

// checkouts are the tests of charges on the provider's page.
var checkouts = map[string]func(*testing.T, fixture){
	"Checkout_Opened_WaitsOnItsPage": func(t *testing.T, fx fixture) {
		o, made := fx.checkout(t)
		require.Equal(t, made, fx.findCharge(t, o.Reference, made.ProviderID))
		require.Equal(t, made, fx.findCharge(t, o.Reference, ""))
		require.Equal(t, made, fx.charge(t, o), "the same order again has the same page")
		require.Empty(t, fx.allTransactions(t))
	},
	"Checkout_Paid_SucceedsOnce": func(t *testing.T, fx fixture) {
		o, made := fx.checkout(t)
		require.True(t, fx.PayOnPage(t, made, true))
		found := fx.findCharge(t, o.Reference, made.ProviderID)
		require.Equal(t, payment.Succeeded, found.Result)
		require.Equal(t, o.Amount, found.Amount)
		require.Equal(t, found, fx.findCharge(t, o.Reference, ""))
		require.Equal(t, found, fx.findCharge(t, o.Reference, found.ProviderID))
		transactions := fx.allTransactions(t)
		require.Equal(t, []payment.ProviderTransaction{{
			Reference: o.Reference, ProviderID: found.ProviderID, Amount: o.Amount, Currency: fx.Currency,
			At: transactions[0].At,
		}}, transactions)
		_, err := fx.Provider.Charge(t.Context(), o)
		require.NoError(t, err)
		require.Equal(t, found, fx.cancelCharge(t, o.Reference, made.ProviderID, true), "it is too late to cancel")
		require.Equal(t, transactions, fx.allTransactions(t))
		require.Equal(t, payment.Succeeded, fx.refund(t, fx.refundOrder(found.ProviderID, o.Amount)).Result)
	},
	"Checkout_CardDeclined_StaysOpen": func(t *testing.T, fx fixture) {
		for _, paid := range []bool{true, false} {
			before := len(fx.allTransactions(t))
			o, made := fx.checkout(t)
			require.True(t, fx.PayOnPage(t, made, false))
			require.Equal(t, made, fx.findCharge(t, o.Reference, made.ProviderID))
			require.Equal(t, made, fx.findCharge(t, o.Reference, ""))
			if paid {
				require.True(t, fx.PayOnPage(t, made, true), "with another card")
				require.Equal(t, payment.Succeeded, fx.findCharge(t, o.Reference, "").Result)
				require.Len(t, fx.allTransactions(t), before+1)
				continue
			}
			fx.requireEnded(t, o, made, fx.cancelCharge(t, o.Reference, "", false))
			require.Len(t, fx.allTransactions(t), before)
		}
	},
	"Checkout_Cancelled_CanNotBePaid": func(t *testing.T, fx fixture) {
		for _, known := range []bool{true, false} {
			o, made := fx.checkout(t)
			ended := fx.cancelCharge(t, o.Reference, made.ProviderID, known)
			fx.requireEnded(t, o, made, ended)
			require.Equal(t, ended, fx.cancelCharge(t, o.Reference, made.ProviderID, true), "again")
		}
		require.Empty(t, fx.allTransactions(t))
	},
	"Checkout_TimeIsOver_CanNotBePaid": func(t *testing.T, fx fixture) {
		o, made := fx.checkout(t)
		other, otherMade := fx.checkout(t)
		fx.AdvanceClock(2 * time.Hour)
		fx.requireEnded(t, o, made, fx.findCharge(t, o.Reference, made.ProviderID))
		require.False(t, fx.PayOnPage(t, otherMade, true), "before it was looked up")
		fx.requireEnded(t, other, otherMade, fx.findCharge(t, other.Reference, ""))
		require.Empty(t, fx.allTransactions(t))
	},
	// Its caller ends the page with CancelCharge if the provider can't end it so soon.
	"Checkout_TimeBeyondTheProvidersBounds_IsAccepted": func(t *testing.T, fx fixture) {
		for _, open := range []time.Duration{time.Second, time.Minute, 24 * time.Hour} {
			o := fx.checkoutOrder()
			o.Checkout.ExpiresAt = testtime.Now().Add(open).UTC()
			made := fx.charge(t, o)
			require.Equal(t, payment.Processing, made.Result)
			require.Equal(t, payment.Cancelled, fx.cancelCharge(t, o.Reference, made.ProviderID, true).DeclineCode)
		}
	},
	"Checkout_AnswerLost_IsFoundOrAbsent": func(t *testing.T, fx fixture) {
		for _, executed := range []bool{true, false} {
			o := fx.checkoutOrder()
			fx.FailNext(t, executed)
			_, err := fx.Provider.Charge(t.Context(), o)
			requireUnknown(t, err)
			found := fx.findCharge(t, o.Reference, "")
			if !executed {
				require.Equal(t, payment.Absent, found.Result)
				require.Equal(t, payment.Absent, fx.cancelCharge(t, o.Reference, "", false).Result)
				continue
			}
			require.Equal(t, payment.Processing, found.Result)
			require.NotEmpty(t, found.ActionURL)
			fx.requireEnded(t, o, found, fx.cancelCharge(t, o.Reference, "", false))
		}
	},
	"Checkout_NeverOpened_IsAbsent": func(t *testing.T, fx fixture) {
		o, made := fx.checkout(t)
		otherTenant := o.Reference
		otherTenant.TenantID = uuid.New()
		for _, ref := range []payment.Reference{newReference(), otherTenant} {
			require.Equal(t, payment.Outcome{Result: payment.Absent}, fx.findCharge(t, ref, ""))
			require.Equal(t, payment.Outcome{Result: payment.Absent}, fx.cancelCharge(t, ref, "", false))
		}
		require.True(t, fx.PayOnPage(t, made, true), "another charge was not touched")
	},
	"Checkout_SameOrderFiftyConcurrently_HasOnePage": func(t *testing.T, fx fixture) {
		o := fx.checkoutOrder()
		var made *payment.Outcome
		send := func(int) (payment.Outcome, error) { return fx.Provider.Charge(t.Context(), o) }
		for _, result := range inParallel(parallelOrders, send) {
			if result.err != nil {
				requireUnknown(t, result.err)
				continue
			}
			if made == nil {
				made = &result.Outcome
			}
			require.Equal(t, *made, result.Outcome)
		}
		require.NotNil(t, made)
		require.Equal(t, *made, fx.findCharge(t, o.Reference, ""))
	},
	"Checkout_ConcurrentPaymentAndCancellation_OneWins": func(t *testing.T, fx fixture) {
		wins := 0
		for i := range testtime.Rounds(9) {
			o, made := fx.checkout(t)
			var paid bool
			var ended payment.Outcome
			pay := func() { paid = fx.PayOnPage(t, made, true) }
			cancel := func() { ended, _ = fx.Provider.CancelCharge(t.Context(), o.Reference, made.ProviderID) }
			switch i % 3 {
			case 0:
				pay()
				cancel()
				require.True(t, paid, "the customer was first")
			case 1:
				cancel()
				pay()
				require.False(t, paid, "the cancellation was first")
			case 2:
				var both sync.WaitGroup
				both.Go(pay)
				both.Go(cancel)
				both.Wait()
			}
			want := payment.Declined
			if paid {
				want = payment.Succeeded
				wins++
			}
			require.Equal(t, want, ended.Result, "round %d", i)
			require.Equal(t, want, fx.findCharge(t, o.Reference, "").Result)
			require.Len(t, fx.allTransactions(t), wins, "a charge is captured only if the customer won")
		}
	},
	"Checkout_OtherCurrencies_UseTheirMinorUnits": func(t *testing.T, fx fixture) {
		for _, currency := range fx.OtherCurrencies {
			o := fx.checkoutOrder()
			o.Currency, o.Amount = currency, 4_560
			require.True(t, fx.PayOnPage(t, fx.charge(t, o), true))
			require.Equal(t, int64(4_560), fx.findCharge(t, o.Reference, "").Amount)
			transactions := fx.allTransactions(t)
			require.Equal(t, currency, transactions[len(transactions)-1].Currency)
		}
	},
	"Checkout_BadOrder_IsNotDone": func(t *testing.T, fx fixture) {
		for name, change := range map[string]func(*payment.ChargeOrder){
			"no amount":    func(o *payment.ChargeOrder) { o.Amount = 0 },
			"bad currency": func(o *payment.ChargeOrder) { o.Currency = "XXQ" },
		} {
			o := fx.checkoutOrder()
			good := o
			change(&o)
			_, err := fx.Provider.Charge(t.Context(), o)
			requireNotDone(t, err, false, "")
			require.Equal(t, payment.Absent, fx.findCharge(t, o.Reference, "").Result, name)
			require.Equal(t, payment.Processing, fx.charge(t, good).Result,
				"with the same key: a rejected request doesn't use it")
		}
		_, err := fx.Unreachable.Charge(t.Context(), fx.checkoutOrder())
		requireNotDone(t, err, true, "")
	},
}

// checkoutOrder returns a new order for a charge on the provider's page, which ends in an hour.
func (fx fixture) checkoutOrder() payment.ChargeOrder {
	o := fx.order("", 700)
	o.Checkout = &payment.Checkout{
		ReturnURL: "https://shop.example/paid?payment_id=" + o.Reference.ID.String(),
		ExpiresAt: testtime.Now().Add(time.Hour).UTC(),
	}
	return o
}

// checkout opens a page.
func (fx fixture) checkout(t *testing.T) (payment.ChargeOrder, payment.Outcome) {
	t.Helper()
	o := fx.checkoutOrder()
	made := fx.charge(t, o)
	require.Equal(t, payment.Outcome{Result: payment.Processing, ProviderID: made.ProviderID,
		ActionURL: made.ActionURL}, made)
	require.NotEmpty(t, made.ProviderID)
	require.NotEmpty(t, made.ActionURL)
	return o, made
}

// requireEnded fails unless a page has ended for good and its charge is cancelled.
func (fx fixture) requireEnded(t *testing.T, o payment.ChargeOrder, made, ended payment.Outcome) {
	t.Helper()
	require.Equal(t, payment.Outcome{
		Result: payment.Declined, ProviderID: made.ProviderID, DeclineCode: payment.Cancelled, TryAgain: true,
	}, ended)
	require.False(t, fx.PayOnPage(t, made, true), "the page has ended")
	require.Equal(t, ended, fx.findCharge(t, o.Reference, made.ProviderID))
	require.Equal(t, ended, fx.findCharge(t, o.Reference, ""))
	_, _ = fx.Provider.Charge(t.Context(), o) // a provider may repeat the error of the first sending
	require.Equal(t, ended, fx.findCharge(t, o.Reference, ""), "the order was sent again")
}
