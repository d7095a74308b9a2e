package paymenttest

import (
	"context"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/payment"
	"holdfast/internal/testtime"
)

var lookups = map[string]func(*testing.T, fixture){
	"FindCharge_ByReferenceOrID_ReturnsTheOutcome": func(t *testing.T, fx fixture) {
		o := fx.order(fx.Methods.OK, 800)
		made := fx.mustCharge(t, o)
		for _, id := range []string{"", made.ProviderID} {
			found := fx.findCharge(t, o.Reference, id)
			require.Equal(t, payment.Succeeded, found.Result)
			require.Equal(t, made.ProviderID, found.ProviderID)
			require.Equal(t, int64(800), found.Amount)
		}
	},
	"FindCharge_NeverMade_IsAbsent": func(t *testing.T, fx fixture) {
		o := fx.order(fx.Methods.OK, 800)
		fx.mustCharge(t, o)
		require.Equal(t, payment.Outcome{Result: payment.Absent}, fx.findCharge(t, newReference(), ""))
		otherTenant := o.Reference
		otherTenant.TenantID = uuid.New()
		require.Equal(t, payment.Outcome{Result: payment.Absent}, fx.findCharge(t, otherTenant, ""))
	},
	"FindRefund_ByReferenceOrID_ReturnsTheOutcome": func(t *testing.T, fx fixture) {
		made := fx.mustCharge(t, fx.order(fx.Methods.OK, 800))
		o := fx.refundOrder(made.ProviderID, 300)
		fx.refund(t, fx.refundOrder(made.ProviderID, 200))
		returned := fx.refund(t, o)
		for _, id := range []string{"", returned.ProviderID} {
			found := fx.findRefund(t, o.Reference, id, made.ProviderID)
			require.Equal(t, payment.Succeeded, found.Result)
			require.Equal(t, returned.ProviderID, found.ProviderID)
			require.Equal(t, int64(300), found.Amount)
		}
	},
	"FindRefund_NeverMade_IsAbsent": func(t *testing.T, fx fixture) {
		made := fx.mustCharge(t, fx.order(fx.Methods.OK, 800))
		fx.refund(t, fx.refundOrder(made.ProviderID, 200))
		require.Equal(t, payment.Outcome{Result: payment.Absent}, fx.findRefund(t, newReference(), "", made.ProviderID))
	},
	"FindCharge_ResponseLostAfterCharge_IsSucceeded": func(t *testing.T, fx fixture) {
		o := fx.order(fx.Methods.TimeoutCharged, 800)
		fx.chargeWithoutResponse(t, o)
		require.Eventually(t, func() bool { return fx.findCharge(t, o.Reference, "").Result == payment.Succeeded },
			deadline, pollInterval)
		require.Len(t, fx.allTransactions(t), 1)
		require.Eventually(t, func() bool { // the first request may still be running
			again, err := fx.Provider.Charge(t.Context(), o)
			return err == nil && again.Result == payment.Succeeded
		}, deadline, pollInterval)
		require.Len(t, fx.allTransactions(t), 1, "the order was sent again")
	},
	"FindCharge_NotChargedAndNoResponse_IsAbsent": func(t *testing.T, fx fixture) {
		o := fx.order(fx.Methods.TimeoutNotCharged, 800)
		fx.chargeWithoutResponse(t, o)
		for range 20 { // it isn't charged later either
			require.Equal(t, payment.Absent, fx.findCharge(t, o.Reference, "").Result)
			<-time.After(pollInterval)
		}
		require.Empty(t, fx.allTransactions(t))
	},
	"Transactions_Period_AreOldestFirstAndWithinIt": func(t *testing.T, fx fixture) {
		const n = 3
		var want []string
		var refund payment.Outcome
		for range n {
			made := fx.mustCharge(t, fx.order(fx.Methods.OK, 800))
			refund = fx.refund(t, fx.refundOrder(made.ProviderID, 100))
			want = append(want, made.ProviderID, refund.ProviderID)
			fx.AdvanceClock(time.Minute)
		}
		fx.charge(t, fx.order(fx.Methods.Declined, 800))
		all := fx.allTransactions(t)
		require.Equal(t, want, providerIDs(all))
		for i := range all[1:] {
			require.False(t, all[i+1].At.Before(all[i].At))
		}
		first, last := all[0].At, all[len(all)-1].At
		require.NotContains(t,
			providerIDs(collectTransactions(t, fx.Provider.Transactions(t.Context(), time.Unix(0, 0), first))), want[0],
			"until is not included")
		require.Contains(t, providerIDs(collectTransactions(t,
			fx.Provider.Transactions(t.Context(), first, first.Add(time.Second)))),
			want[0], "from is included")
		require.Contains(t, providerIDs(collectTransactions(t,
			fx.Provider.Transactions(t.Context(), last, last.Add(time.Second)))),
			refund.ProviderID)
		require.Empty(t, collectTransactions(t,
			fx.Provider.Transactions(t.Context(), last.Add(time.Second), last.Add(time.Hour))))
	},
	"Transactions_MoreThanAPage_AreAllListedOnce": func(t *testing.T, fx fixture) {
		const n = 230
		orders := make([]payment.ChargeOrder, n)
		for i := range orders {
			orders[i] = fx.order(fx.Methods.OK, int64(i+1))
		}
		made := inParallel(n,
			func(i int) (payment.Outcome, error) { return fx.Provider.Charge(t.Context(), orders[i]) })
		var want []string
		for _, m := range made {
			require.NoError(t, m.err)
			want = append(want, m.ProviderID)
		}
		require.ElementsMatch(t, want, providerIDs(fx.allTransactions(t)))
		for _, err := range fx.Provider.Transactions(t.Context(), time.Unix(0, 0), testtime.Now().Add(time.Hour)) {
			require.NoError(t, err)
			break // the caller may stop early
		}
	},
}

// chargeWithoutResponse sends an order that gets no response until its context ends.
func (fx fixture) chargeWithoutResponse(t *testing.T, o payment.ChargeOrder) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	_, err := fx.Provider.Charge(ctx, o)
	requireUnknown(t, err)
	require.ErrorIs(t, err, ctx.Err())
}

func providerIDs(transactions []payment.ProviderTransaction) (all []string) {
	for _, m := range transactions {
		all = append(all, m.ProviderID)
	}
	return all
}
