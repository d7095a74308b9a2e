package paymenttest

import (
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/payment"
	"holdfast/internal/testtime"
)

var cancellations = map[string]func(*testing.T, fixture){
	"CancelCharge_WaitingForCustomer_IsFinal": func(t *testing.T, fx fixture) {
		for _, known := range []bool{true, false} {
			o, made := fx.chargeRequiringAction(t)
			ended := fx.cancelCharge(t, o.Reference, made.ProviderID, known)
			require.Equal(t, payment.Declined, ended.Result)
			require.Equal(t, payment.Cancelled, ended.DeclineCode)
			require.True(t, ended.TryAgain, "nothing is wrong with the method")
			require.Equal(t, made.ProviderID, ended.ProviderID)
			require.Equal(t, ended, fx.findCharge(t, o.Reference, made.ProviderID))
			require.Equal(t, ended, fx.findCharge(t, o.Reference, ""))
			require.False(t, fx.FinishAction(t, made, true), "a cancelled charge can't be completed")
			_, err := fx.Provider.Charge(t.Context(), o)
			require.NoError(t, err)
			require.Equal(t, ended, fx.findCharge(t, o.Reference, ""), "the order was sent again")
		}
		require.Empty(t, fx.allTransactions(t))
	},
	"CancelCharge_Twice_ReturnsTheSameOutcome": func(t *testing.T, fx fixture) {
		o, made := fx.chargeRequiringAction(t)
		first := fx.cancelCharge(t, o.Reference, made.ProviderID, true)
		require.Equal(t, payment.Cancelled, first.DeclineCode)
		require.Equal(t, first, fx.cancelCharge(t, o.Reference, made.ProviderID, true))
		require.Equal(t, first, fx.cancelCharge(t, o.Reference, made.ProviderID, false))
	},
	"CancelCharge_Succeeded_ChangesNothing": func(t *testing.T, fx fixture) {
		for _, known := range []bool{true, false} {
			o := fx.order(fx.Methods.OK, 800)
			made := fx.mustCharge(t, o)
			before := fx.allTransactions(t)
			ended := fx.cancelCharge(t, o.Reference, made.ProviderID, known)
			require.Equal(t, payment.Succeeded, ended.Result)
			require.Equal(t, int64(800), ended.Amount)
			require.Equal(t, before, fx.allTransactions(t))
		}
	},
	"CancelCharge_Declined_KeepsItsReason": func(t *testing.T, fx fixture) {
		o := fx.order(fx.Methods.InsufficientFunds, 800)
		made := fx.charge(t, o)
		for _, known := range []bool{true, false} {
			require.Equal(t, made, fx.cancelCharge(t, o.Reference, made.ProviderID, known))
		}
	},
	"CancelCharge_CustomerFailed_KeepsItsReason": func(t *testing.T, fx fixture) {
		o, made := fx.chargeRequiringAction(t)
		require.True(t, fx.FinishAction(t, made, false))
		ended := fx.cancelCharge(t, o.Reference, made.ProviderID, true)
		require.Equal(t, payment.Declined, ended.Result)
		require.NotEqual(t, payment.Cancelled, ended.DeclineCode)
		require.False(t, fx.FinishAction(t, made, true), "the decline is final")
	},
	"CancelCharge_NeverMade_IsAbsent": func(t *testing.T, fx fixture) {
		o, made := fx.chargeRequiringAction(t)
		require.Equal(t, payment.Outcome{Result: payment.Absent}, fx.cancelCharge(t, newReference(), "", false))
		otherTenant := o.Reference
		otherTenant.TenantID = uuid.New()
		require.Equal(t, payment.Outcome{Result: payment.Absent}, fx.cancelCharge(t, otherTenant, "", false))
		require.True(t, fx.FinishAction(t, made, true), "another charge was not touched")
	},
	"CancelCharge_NotCancellableNow_IsProcessing": func(t *testing.T, fx fixture) {
		if fx.Methods.Uncancellable == "" {
			t.Skip("the provider has no method whose charges can't be cancelled")
		}
		o := fx.order(fx.Methods.Uncancellable, 800)
		made := fx.charge(t, o)
		require.Equal(t, payment.Processing, made.Result)
		for _, known := range []bool{true, false} {
			require.Equal(t, payment.Processing, fx.cancelCharge(t, o.Reference, made.ProviderID, known).Result)
		}
		require.Equal(t, payment.Processing, fx.findCharge(t, o.Reference, "").Result)
	},
	"CancelCharge_ConcurrentWithConfirmation_OneWins": func(t *testing.T, fx fixture) {
		rounds := testtime.Rounds(9)
		fx.chargeRequiringAction(t)
		wins := map[bool]int{}
		for i := range rounds {
			o := fx.order(fx.Methods.RequiresAction, 700)
			made := fx.charge(t, o)
			var paid bool
			var ended payment.Outcome
			confirm := func() { paid = fx.FinishAction(t, made, true) }
			cancel := func() { ended, _ = fx.Provider.CancelCharge(t.Context(), o.Reference, made.ProviderID) }
			switch i % 3 {
			case 0:
				confirm()
				cancel()
				require.True(t, paid, "the customer was first")
			case 1:
				cancel()
				confirm()
				require.False(t, paid, "the cancellation was first")
			case 2:
				var both sync.WaitGroup
				both.Go(confirm)
				both.Go(cancel)
				both.Wait()
			}
			want := payment.Declined
			if paid {
				want = payment.Succeeded
			}
			require.Equal(t, want, ended.Result, "round %d", i)
			require.Equal(t, want, fx.findCharge(t, o.Reference, "").Result)
			require.Equal(t, paid, len(fx.allTransactions(t)) == wins[true]+1,
				"a charge is captured only if the customer won")
			wins[paid]++
		}
		t.Logf("the customer won %d of %d", wins[true], rounds)
	},
	"CancelCharge_FiftyConcurrently_ReturnOneOutcome": func(t *testing.T, fx fixture) {
		o, made := fx.chargeRequiringAction(t)
		for _, result := range inParallel(parallelOrders, func(int) (payment.Outcome, error) {
			return fx.Provider.CancelCharge(t.Context(), o.Reference, made.ProviderID)
		}) {
			require.NoError(t, result.err)
			require.Equal(t, payment.Cancelled, result.DeclineCode)
		}
	},
}

// cancelCharge cancels a charge by the provider's id if known is true, else by our reference.
func (fx fixture) cancelCharge(t *testing.T, ref payment.Reference, id string, known bool) payment.Outcome {
	t.Helper()
	if !known {
		id = ""
	}
	outcome, err := fx.Provider.CancelCharge(t.Context(), ref, id)
	require.NoError(t, err)
	return outcome
}
