package paymenttest

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/internal/payment"
)

// crowd is how many send the same order at once.
const crowd = 50

var keys = map[string]func(*testing.T, bench){
	"KeyLifetime_IsKnown": func(t *testing.T, b bench) {
		require.NotEmpty(t, b.Provider.Name())
		require.Greater(t, b.Provider.KeyLifetime(), time.Minute)
	},
	"Charge_SameOrderAgain_GetsTheFirstOutcome": func(t *testing.T, b bench) {
		o := b.order(t, b.Methods.OK, 800)
		first := b.charged(t, o)
		for range 3 {
			require.Equal(t, first, b.charge(t, o))
		}
		require.Len(t, b.allMovements(t), 1)
	},
	"Charge_SameOrderFiftyAtOnce_ChargesOnce": func(t *testing.T, b bench) {
		o := b.order(t, b.Methods.OK, 800)
		outcomes := atOnce(crowd, func(int) (payment.Outcome, error) { return b.Provider.Charge(t.Context(), o) })
		requireOneOutcome(t, outcomes)
		require.Len(t, b.allMovements(t), 1)
		require.Equal(t, payment.Succeeded, b.findCharge(t, o.Reference, "").Result)
	},
	"Charge_SameKeyForAnotherOrder_IsAnErrorAndChargesNothing": func(t *testing.T, b bench) {
		first := b.order(t, b.Methods.OK, 800)
		b.charged(t, first)
		for name, change := range map[string]func(*payment.ChargeOrder){
			"reference": func(o *payment.ChargeOrder) { o.Reference = newReference(t) },
			"amount":    func(o *payment.ChargeOrder) { o.Amount++ },
		} {
			other := first
			change(&other)
			_, err := b.Provider.Charge(t.Context(), other)
			require.Error(t, err, name)
		}
		require.Len(t, b.allMovements(t), 1)
	},
	"Charge_KeyRemembered_ForItsLifetime": func(t *testing.T, b bench) {
		needs(t, b.AdvanceClock != nil, "clock")
		o := b.order(t, b.Methods.OK, 800)
		first := b.charged(t, o)
		b.AdvanceClock(b.Provider.KeyLifetime() - time.Minute)
		require.Equal(t, first, b.charge(t, o))
		require.Len(t, b.allMovements(t), 1)
	},
	"Charge_KeyExpired_IsANewOrder": func(t *testing.T, b bench) {
		needs(t, b.AdvanceClock != nil, "clock")
		o := b.order(t, b.Methods.OK, 800)
		first := b.charged(t, o)
		b.AdvanceClock(b.Provider.KeyLifetime() + time.Minute)
		require.NotEqual(t, first.ProviderID, b.charged(t, o).ProviderID)
		require.Len(t, b.allMovements(t), 2, "this is why orders are looked up and not sent again")
	},
	"Refund_SameOrderFiftyAtOnce_RefundsOnce": func(t *testing.T, b bench) {
		made := b.charged(t, b.order(t, b.Methods.OK, 800))
		o := b.refundOrder(t, made.ProviderID, 100)
		outcomes := atOnce(crowd, func(int) (payment.Outcome, error) { return b.Provider.Refund(t.Context(), o) })
		requireOneOutcome(t, outcomes)
		require.Len(t, b.allMovements(t), 2)
	},
	"Refund_SameKeyForAnotherOrder_IsAnErrorAndRefundsNothing": func(t *testing.T, b bench) {
		made := b.charged(t, b.order(t, b.Methods.OK, 800))
		o := b.refundOrder(t, made.ProviderID, 100)
		require.Equal(t, payment.Succeeded, b.refund(t, o).Result)
		o.Amount++
		_, err := b.Provider.Refund(t.Context(), o)
		require.Error(t, err)
		require.Len(t, b.allMovements(t), 2)
	},
}

type attempt struct {
	payment.Outcome
	err error
}

// atOnce sends n orders that start together.
func atOnce(n int, send func(i int) (payment.Outcome, error)) []attempt {
	attempts := make([]attempt, n)
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

// requireOneOutcome fails unless all that were answered were answered alike. One that met another in flight got an
// error, which must not claim that nothing was done.
func requireOneOutcome(t *testing.T, attempts []attempt) {
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
	require.NotNil(t, first, "nobody was answered: %v", attempts[0].err)
}
