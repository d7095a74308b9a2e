package paymenttest

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/internal/payment"
)

// parallelOrders is how many requests send the same order at the same time.
const parallelOrders = 50

var keys = map[string]func(*testing.T, fixture){
	"KeyLifetime_AnyProvider_IsOverAMinute": func(t *testing.T, fx fixture) {
		require.NotEmpty(t, fx.Provider.Name())
		require.Greater(t, fx.Provider.KeyLifetime(), time.Minute)
	},
	"Charge_SameOrderAgain_ReturnsTheFirstOutcome": func(t *testing.T, fx fixture) {
		o := fx.order(fx.Methods.OK, 800)
		first := fx.mustCharge(t, o)
		for range 3 {
			require.Equal(t, first, fx.charge(t, o))
		}
		require.Len(t, fx.allTransactions(t), 1)
	},
	"Charge_SameOrderFiftyConcurrently_ChargesOnce": func(t *testing.T, fx fixture) {
		o := fx.order(fx.Methods.OK, 800)
		outcomes := inParallel(parallelOrders,
			func(int) (payment.Outcome, error) { return fx.Provider.Charge(t.Context(), o) })
		requireOneOutcome(t, outcomes)
		require.Len(t, fx.allTransactions(t), 1)
		require.Equal(t, payment.Succeeded, fx.findCharge(t, o.Reference, "").Result)
	},
	"Charge_KeyReusedForAnotherOrder_ReturnsAnErrorAndChargesNothing": func(t *testing.T, fx fixture) {
		first := fx.order(fx.Methods.OK, 800)
		fx.mustCharge(t, first)
		for name, change := range map[string]func(*payment.ChargeOrder){
			"reference": func(o *payment.ChargeOrder) { o.Reference = newReference() },
			"amount":    func(o *payment.ChargeOrder) { o.Amount++ },
		} {
			other := first
			change(&other)
			_, err := fx.Provider.Charge(t.Context(), other)
			require.Error(t, err, name)
		}
		require.Len(t, fx.allTransactions(t), 1)
	},
	"Charge_SameOrderWithinKeyLifetime_ReturnsTheFirstOutcome": func(t *testing.T, fx fixture) {
		o := fx.order(fx.Methods.OK, 800)
		first := fx.mustCharge(t, o)
		fx.AdvanceClock(fx.Provider.KeyLifetime() - time.Minute)
		require.Equal(t, first, fx.charge(t, o))
		require.Len(t, fx.allTransactions(t), 1)
	},
	"Charge_KeyExpired_ChargesAgain": func(t *testing.T, fx fixture) {
		o := fx.order(fx.Methods.OK, 800)
		first := fx.mustCharge(t, o)
		fx.AdvanceClock(fx.Provider.KeyLifetime() + time.Minute)
		require.NotEqual(t, first.ProviderID, fx.mustCharge(t, o).ProviderID)
		require.Len(t, fx.allTransactions(t), 2, "an expired key doesn't prevent a second charge")
	},
	"Refund_SameOrderFiftyConcurrently_RefundsOnce": func(t *testing.T, fx fixture) {
		made := fx.mustCharge(t, fx.order(fx.Methods.OK, 800))
		o := fx.refundOrder(made.ProviderID, 100)
		outcomes := inParallel(parallelOrders,
			func(int) (payment.Outcome, error) { return fx.Provider.Refund(t.Context(), o) })
		requireOneOutcome(t, outcomes)
		require.Len(t, fx.allTransactions(t), 2)
	},
	"Refund_KeyReusedForAnotherOrder_ReturnsAnErrorAndRefundsNothing": func(t *testing.T, fx fixture) {
		made := fx.mustCharge(t, fx.order(fx.Methods.OK, 800))
		o := fx.refundOrder(made.ProviderID, 100)
		require.Equal(t, payment.Succeeded, fx.refund(t, o).Result)
		o.Amount++
		_, err := fx.Provider.Refund(t.Context(), o)
		require.Error(t, err)
		require.Len(t, fx.allTransactions(t), 2)
	},
}

type callResult struct {
	payment.Outcome
	err error
}

// inParallel sends n orders that start together.
func inParallel(n int, send func(i int) (payment.Outcome, error)) []callResult {
	attempts := make([]callResult, n)
	start := make(chan struct{})
	var sending sync.WaitGroup
	for i := range attempts {
		sending.Go(func() {
			<-start
			attempts[i].Outcome, attempts[i].err = send(i)
		})
	}
	close(start)
	sending.Wait()
	return attempts
}

// requireOneOutcome fails unless all outcomes are the same. A request that ran while another one was running may return
// an error, which must leave the outcome unknown.
func requireOneOutcome(t *testing.T, attempts []callResult) {
	t.Helper()
	var first *payment.Outcome
	for i := range attempts {
		if attempts[i].err != nil {
			requireUnknown(t, attempts[i].err)
			continue
		}
		if first == nil {
			first = &attempts[i].Outcome
			require.Equal(t, payment.Succeeded, first.Result)
		}
		require.Equal(t, *first, attempts[i].Outcome)
	}
	require.NotNil(t, first, "no request succeeded: %v", attempts[0].err)
}
