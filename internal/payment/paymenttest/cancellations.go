package paymenttest

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/internal/payment"
)

var cancellations = map[string]func(*testing.T, bench){
	"CancelCharge_WaitsForItsCustomer_EndsForGood": func(t *testing.T, b bench) {
		for _, known := range []bool{true, false} {
			o, made := b.processing(t)
			ended := b.cancelCharge(t, o.Reference, made.ProviderID, known)
			require.Equal(t, payment.Declined, ended.Result)
			require.Equal(t, payment.Cancelled, ended.DeclineCode)
			require.True(t, ended.TryAgain, "nothing is wrong with the method")
			require.Equal(t, made.ProviderID, ended.ProviderID)
			require.Equal(t, ended, b.findCharge(t, o.Reference, made.ProviderID))
			require.Equal(t, ended, b.findCharge(t, o.Reference, ""))
			require.False(t, b.Settle(t, made, true), "the customer comes too late")
			_, err := b.Provider.Charge(t.Context(), o)
			require.NoError(t, err)
			require.Equal(t, ended, b.findCharge(t, o.Reference, ""), "the order was sent again")
		}
		require.Empty(t, b.allMovements(t))
	},
	"CancelCharge_Twice_HasTheSameOutcome": func(t *testing.T, b bench) {
		o, made := b.processing(t)
		first := b.cancelCharge(t, o.Reference, made.ProviderID, true)
		require.Equal(t, payment.Cancelled, first.DeclineCode)
		require.Equal(t, first, b.cancelCharge(t, o.Reference, made.ProviderID, true))
		require.Equal(t, first, b.cancelCharge(t, o.Reference, made.ProviderID, false))
	},
	"CancelCharge_Succeeded_StaysSoAndReturnsNoMoney": func(t *testing.T, b bench) {
		for _, known := range []bool{true, false} {
			o := b.order(t, b.Methods.OK, 800)
			made := b.charged(t, o)
			before := b.allMovements(t)
			ended := b.cancelCharge(t, o.Reference, made.ProviderID, known)
			require.Equal(t, payment.Succeeded, ended.Result)
			require.Equal(t, int64(800), ended.Amount)
			require.Equal(t, before, b.allMovements(t))
		}
	},
	"CancelCharge_Declined_KeepsItsReason": func(t *testing.T, b bench) {
		needs(t, b.Methods.InsufficientFunds != "", "method without funds")
		o := b.order(t, b.Methods.InsufficientFunds, 800)
		made := b.charge(t, o)
		for _, known := range []bool{true, false} {
			require.Equal(t, made, b.cancelCharge(t, o.Reference, made.ProviderID, known))
		}
	},
	"CancelCharge_CustomerFailed_KeepsItsReason": func(t *testing.T, b bench) {
		o, made := b.processing(t)
		require.True(t, b.Settle(t, made, false))
		ended := b.cancelCharge(t, o.Reference, made.ProviderID, true)
		require.Equal(t, payment.Declined, ended.Result)
		require.NotEqual(t, payment.Cancelled, ended.DeclineCode)
		require.False(t, b.Settle(t, made, true), "it is final")
	},
	"CancelCharge_NeverMade_IsAbsent": func(t *testing.T, b bench) {
		o, made := b.processing(t)
		require.Equal(t, payment.Outcome{Result: payment.Absent}, b.cancelCharge(t, newReference(t), "", false))
		otherTenant := o.Reference
		otherTenant.TenantID = newID(t)
		require.Equal(t, payment.Outcome{Result: payment.Absent}, b.cancelCharge(t, otherTenant, "", false))
		require.True(t, b.Settle(t, made, true), "another charge was not touched")
	},
	"CancelCharge_CantBeEndedNow_IsProcessing": func(t *testing.T, b bench) {
		needs(t, b.Methods.Unending != "", "method whose charges can't be cancelled")
		o := b.order(t, b.Methods.Unending, 800)
		made := b.charge(t, o)
		require.Equal(t, payment.Processing, made.Result)
		for _, known := range []bool{true, false} {
			require.Equal(t, payment.Processing, b.cancelCharge(t, o.Reference, made.ProviderID, known).Result)
		}
		require.Equal(t, payment.Processing, b.findCharge(t, o.Reference, "").Result)
	},
	"CancelCharge_BesideTheCustomersConfirmation_OneOfThemWins": func(t *testing.T, b bench) {
		const rounds = 30
		b.processing(t)
		wins := map[bool]int{}
		for i := range rounds {
			o := b.order(t, b.Methods.RequiresAction, 700)
			made := b.charge(t, o)
			var paid bool
			var ended payment.Outcome
			var both sync.WaitGroup
			both.Go(func() {
				time.Sleep(time.Duration(i%4) * time.Millisecond) // each comes first at times
				paid = b.Settle(t, made, true)
			})
			both.Go(func() {
				time.Sleep(time.Duration(i/4%4) * time.Millisecond)
				ended, _ = b.Provider.CancelCharge(t.Context(), o.Reference, made.ProviderID)
			})
			both.Wait()
			want := payment.Declined
			if paid {
				want = payment.Succeeded
			}
			require.Equal(t, want, ended.Result, "round %d", i)
			require.Equal(t, want, b.findCharge(t, o.Reference, "").Result)
			require.Equal(t, paid, len(b.allMovements(t)) == wins[true]+1, "money moves if and only if the customer won")
			wins[paid]++
		}
		t.Logf("the customer won %d of %d", wins[true], rounds)
	},
	"CancelCharge_FiftyAtOnce_HaveOneOutcome": func(t *testing.T, b bench) {
		o, made := b.processing(t)
		for _, a := range atOnce(crowd, func(int) (payment.Outcome, error) {
			return b.Provider.CancelCharge(t.Context(), o.Reference, made.ProviderID)
		}) {
			require.NoError(t, a.err)
			require.Equal(t, payment.Cancelled, a.DeclineCode)
		}
	},
}

// cancelCharge cancels a charge by the provider's id or, if that is not known, by our reference.
func (b bench) cancelCharge(t *testing.T, ref payment.Reference, id string, known bool) payment.Outcome {
	t.Helper()
	if !known {
		id = ""
	}
	outcome, err := b.Provider.CancelCharge(t.Context(), ref, id)
	require.NoError(t, err)
	return outcome
}
