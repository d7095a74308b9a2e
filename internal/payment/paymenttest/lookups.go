package paymenttest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/internal/payment"
)

var lookups = map[string]func(*testing.T, bench){
	"FindCharge_ByReferenceOrID_TellsTheOutcome": func(t *testing.T, b bench) {
		o := b.order(t, b.Methods.OK, 800)
		made := b.charged(t, o)
		for _, id := range []string{"", made.ProviderID} {
			found := b.findCharge(t, o.Reference, id)
			require.Equal(t, payment.Succeeded, found.Result)
			require.Equal(t, made.ProviderID, found.ProviderID)
			require.Equal(t, int64(800), found.Amount)
		}
	},
	"FindCharge_NeverMade_IsAbsent": func(t *testing.T, b bench) {
		o := b.order(t, b.Methods.OK, 800)
		b.charged(t, o)
		require.Equal(t, payment.Outcome{Result: payment.Absent}, b.findCharge(t, newReference(t), ""))
		otherTenant := o.Reference
		otherTenant.TenantID = newID(t)
		require.Equal(t, payment.Outcome{Result: payment.Absent}, b.findCharge(t, otherTenant, ""))
	},
	"FindRefund_ByReferenceOrID_TellsTheOutcome": func(t *testing.T, b bench) {
		made := b.charged(t, b.order(t, b.Methods.OK, 800))
		o := b.refundOrder(t, made.ProviderID, 300)
		b.refund(t, b.refundOrder(t, made.ProviderID, 200))
		returned := b.refund(t, o)
		for _, id := range []string{"", returned.ProviderID} {
			found := b.findRefund(t, o.Reference, id, made.ProviderID)
			require.Equal(t, payment.Succeeded, found.Result)
			require.Equal(t, returned.ProviderID, found.ProviderID)
			require.Equal(t, int64(300), found.Amount)
		}
	},
	"FindRefund_NeverMade_IsAbsent": func(t *testing.T, b bench) {
		made := b.charged(t, b.order(t, b.Methods.OK, 800))
		b.refund(t, b.refundOrder(t, made.ProviderID, 200))
		require.Equal(t, payment.Outcome{Result: payment.Absent}, b.findRefund(t, newReference(t), "", made.ProviderID))
	},
	"FindCharge_AnswerLostAfterCharging_TellsThatItSucceeded": func(t *testing.T, b bench) {
		needs(t, b.Methods.TimeoutCharged != "", "method that charges and doesn't answer")
		o := b.order(t, b.Methods.TimeoutCharged, 800)
		b.requireNoAnswer(t, o)
		require.Eventually(t, func() bool { return b.findCharge(t, o.Reference, "").Result == payment.Succeeded }, patience, poll)
		require.Len(t, b.allMovements(t), 1)
		require.Eventually(t, func() bool { // the first request may still be running for a moment
			again, err := b.Provider.Charge(t.Context(), o)
			return err == nil && again.Result == payment.Succeeded
		}, patience, poll)
		require.Len(t, b.allMovements(t), 1, "the order was sent again")
	},
	"FindCharge_NotChargedAndNoAnswer_TellsThatItIsAbsent": func(t *testing.T, b bench) {
		needs(t, b.Methods.TimeoutNotCharged != "", "method that doesn't charge and doesn't answer")
		o := b.order(t, b.Methods.TimeoutNotCharged, 800)
		b.requireNoAnswer(t, o)
		for range 20 { // it doesn't come later either
			require.Equal(t, payment.Absent, b.findCharge(t, o.Reference, "").Result)
			time.Sleep(poll)
		}
		require.Empty(t, b.allMovements(t))
	},
	"Movements_AreOldestFirstAndWithinTheirTimes": func(t *testing.T, b bench) {
		const n = 3
		var want []string
		var refund payment.Outcome
		for range n {
			made := b.charged(t, b.order(t, b.Methods.OK, 800))
			refund = b.refund(t, b.refundOrder(t, made.ProviderID, 100))
			want = append(want, made.ProviderID, refund.ProviderID)
			if b.AdvanceClock != nil {
				b.AdvanceClock(time.Minute)
			}
		}
		if b.Methods.Declined != "" {
			b.charge(t, b.order(t, b.Methods.Declined, 800))
		}
		all := b.allMovements(t)
		require.Equal(t, want, ids(all))
		for i := range all[1:] {
			require.False(t, all[i+1].At.Before(all[i].At))
		}
		first, last := all[0].At, all[len(all)-1].At
		require.NotContains(t, ids(collect(t, b.movements(t.Context(), time.Unix(0, 0), first))), want[0], "until is not included")
		require.Contains(t, ids(collect(t, b.movements(t.Context(), first, first.Add(time.Second)))), want[0], "from is included")
		require.Contains(t, ids(collect(t, b.movements(t.Context(), last, last.Add(time.Second)))), refund.ProviderID)
		require.Empty(t, collect(t, b.movements(t.Context(), last.Add(time.Second), last.Add(time.Hour))))
	},
	"Movements_MoreThanAPage_AreAllThereOnce": func(t *testing.T, b bench) {
		const n = 230
		orders := make([]payment.ChargeOrder, n)
		for i := range orders {
			orders[i] = b.order(t, b.Methods.OK, int64(i+1))
		}
		made := atOnce(n, func(i int) (payment.Outcome, error) { return b.Provider.Charge(t.Context(), orders[i]) })
		var want []string
		for _, m := range made {
			require.NoError(t, m.err)
			want = append(want, m.ProviderID)
		}
		require.ElementsMatch(t, want, ids(b.allMovements(t)))
		for _, err := range b.movements(t.Context(), time.Unix(0, 0), time.Now().Add(time.Hour)) {
			require.NoError(t, err)
			break // a caller may stop early
		}
	},
}

// requireNoAnswer sends an order until its context ends.
func (b bench) requireNoAnswer(t *testing.T, o payment.ChargeOrder) {
	t.Helper()
	ctx, cancel := withDeadline(t, 300*time.Millisecond)
	defer cancel()
	_, err := b.Provider.Charge(ctx, o)
	requireUnknown(t, err)
	require.ErrorIs(t, err, ctx.Err())
}

func ids(movements []payment.Movement) (all []string) {
	for _, m := range movements {
		all = append(all, m.ProviderID)
	}
	return all
}
