package booking

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The price is 1000, the deposit 300.
func TestBalance_RefundsThatLowerWhatIsOwed_AreNotDueAgain(t *testing.T) {
	t.Parallel()
	now := time.Date(2027, 7, 1, 12, 0, 0, 0, time.UTC)
	fee := func(status Status, fee int64) State { return State{Status: status, Fee: &fee} }
	confirmed := State{Status: Confirmed}
	for name, test := range map[string]struct {
		state                     State
		money                     Balance
		due, depositDue, overpaid int64
		paymentState              PaymentState
	}{
		"nothing paid":           {confirmed, Balance{}, 1000, 300, 0, Unpaid},
		"all paid":               {confirmed, Balance{Paid: 1000}, 0, 0, 0, Paid},
		"goodwill":               {confirmed, Balance{Paid: 1000, Refunded: 200, Lowered: 200}, 0, 0, 0, Paid},
		"goodwill on its way":    {confirmed, Balance{Paid: 1000, Returning: 200, Lowered: 200}, 0, 0, 0, Paid},
		"owed again":             {confirmed, Balance{Paid: 1000, Refunded: 200}, 200, 0, 0, DepositPaid},
		"owed again, on its way": {confirmed, Balance{Paid: 1000, Returning: 200}, 200, 0, 0, DepositPaid},
		"goodwill, then owed again": {confirmed, Balance{Paid: 1000, Refunded: 500, Lowered: 200}, 300, 0, 0,
			DepositPaid},
		"goodwill of the deposit": {confirmed, Balance{Paid: 300, Refunded: 100, Lowered: 100}, 700, 100, 0,
			PartlyPaid},
		"goodwill beyond the deposit": {confirmed, Balance{Paid: 400, Refunded: 400, Lowered: 400}, 600, 300, 0,
			Refunded},
		"goodwill of all": {confirmed, Balance{Paid: 1000, Refunded: 1000, Lowered: 1000}, 0, 0, 0,
			Refunded},
		"too much":                  {confirmed, Balance{Paid: 1500}, 0, 0, 500, Paid},
		"too much, on its way back": {confirmed, Balance{Paid: 1500, Returning: 500}, 0, 0, 0, Paid},
		"too much, half of it back": {confirmed, Balance{Paid: 1500, Refunded: 200}, 0, 0, 300, Paid},
		"fee, kept":                 {fee(Cancelled, 400), Balance{Paid: 400}, 0, 0, 0, DepositPaid},
		"fee, too much":             {fee(NoShow, 400), Balance{Paid: 1000}, 0, 0, 600, Paid},
		"fee, goodwill of it": {
			fee(Cancelled, 400), Balance{Paid: 400, Refunded: 150, Lowered: 150, LoweredFee: 150}, 0, 0, 0, PartlyPaid,
		},
		"goodwill, then a fee": {fee(Cancelled, 100), Balance{Paid: 1000, Refunded: 300, Lowered: 300}, 0, 0,
			600, Paid},
		"goodwill, then a larger fee": {fee(NoShow, 900), Balance{Paid: 1000, Refunded: 300, Lowered: 300}, 0, 0, 0,
			Paid},
		"goodwill before and after the end": {
			fee(Cancelled, 500), Balance{Paid: 1000, Refunded: 500, Lowered: 500, LoweredFee: 200}, 0, 0, 200,
			Paid},
		"fee, of it owed again": {fee(Cancelled, 400), Balance{Paid: 400, Refunded: 150}, 150, 50, 0,
			PartlyPaid},
		"waived":                        {fee(Cancelled, 0), Balance{Paid: 1000}, 0, 0, 1000, Paid},
		"cancelled, the tenant decides": {State{Status: Cancelled}, Balance{Paid: 1000}, 0, 0, 0, Paid},
		"no show without a fee": {State{Status: NoShow}, Balance{Paid: 1000, Refunded: 300, Lowered: 300}, 0, 0,
			0, Paid},
		"expired": {State{Status: Expired}, Balance{Paid: 300}, 0, 0, 300, DepositPaid},
		"lapsed, on its way back by itself": {State{Status: Held, HoldExpiresAt: &now},
			Balance{Paid: 300, Returning: 300}, 0, 0, 0,
			Refunded},
		"confirmed after an earlier refund": {confirmed, Balance{Paid: 300, Refunded: 300}, 1000, 300, 0, Refunded},
		"lowered by more than the deposit": {confirmed, Balance{Paid: 1000, Refunded: 900, Lowered: 900}, 0, 0, 0,
			Paid},
		"lowered by more than the new price": {fee(Cancelled, 100), Balance{Paid: 1000, Refunded: 950, Lowered: 950}, 0,
			0, 0, Paid},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := [3]int64{test.state.Due(1000, test.money, now), test.state.DepositDue(300, 1000, test.money, now),
				test.state.Overpaid(1000, test.money, now)}
			require.Equal(t, [3]int64{test.due, test.depositDue, test.overpaid}, got)
			require.Equal(t, test.paymentState, paymentState(1000, 300, test.money))
		})
	}
}

// The plain model has one number for what the customer still owes in all. Before the end it follows from the price and
// the goodwill so far; from the end on only goodwill changes it.
func TestBalance_RandomPaymentsRefundsMovesAndEnds_AgreesWithAPlainModel(t *testing.T) {
	t.Parallel()
	for seed := range uint64(2000) {
		random := rand.New(rand.NewPCG(seed, 54))
		now := time.Date(2027, 7, 1, 12, 0, 0, 0, time.UTC)
		state, m, price, deposit := State{Status: Confirmed}, Balance{}, 1+random.Int64N(1000), random.Int64N(300)
		var discount, owes, kept int64
		for range 12 {
			if state.Fee == nil {
				owes = max(price-discount, 0)
			}
			switch random.IntN(6) {
			case 0, 1: // a payment, sometimes of more than is due
				amount := 1 + random.Int64N(1000)
				m.Paid, kept = m.Paid+amount, kept+amount
			case 2, 3: // a refund, out of goodwill or owed again
				amount := random.Int64N(kept + 1)
				if random.IntN(2) == 0 {
					lowers := min(max(amount-state.Overpaid(price, m, now), 0), owes)
					require.Equal(t, max(kept-owes, 0), state.Overpaid(price, m, now))
					m.Lowered += lowers
					if state.Fee != nil {
						m.LoweredFee, owes = m.LoweredFee+lowers, owes-lowers
					} else {
						discount += lowers
					}
				}
				m.Refunded, kept = m.Refunded+amount, kept-amount
			case 4: // a move to another price
				if state.Fee == nil {
					price = 1 + random.Int64N(1000)
				}
			case 5: // the end, after which what is too much comes back
				if state.Fee == nil && random.IntN(3) == 0 {
					fee := 1 + random.Int64N(price)
					state, owes = State{Status: []Status{Cancelled, NoShow}[random.IntN(2)], Fee: &fee}, min(fee, owes)
				}
				if back := max(kept-owes, 0); state.Fee != nil {
					m.Refunded, kept = m.Refunded+back, kept-back
				}
			}
			if state.Fee == nil {
				owes = max(price-discount, 0)
			}
			want := [3]int64{max(owes-kept, 0), max(min(deposit, owes)-kept, 0), max(kept-owes, 0)}
			require.Equal(t, want,
				[3]int64{state.Due(price, m, now), state.DepositDue(deposit, price, m, now),
					state.Overpaid(price, m, now)},
				"seed %d: %+v %+v", seed, state, m)
		}
	}
}
