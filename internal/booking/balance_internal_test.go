package booking

import (
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
		"nothing paid":                  {confirmed, Balance{}, 1000, 300, 0, Unpaid},
		"all paid":                      {confirmed, Balance{Paid: 1000}, 0, 0, 0, Paid},
		"goodwill":                      {confirmed, Balance{Paid: 1000, Refunded: 200, Lowered: 200}, 0, 0, 0, Paid},
		"goodwill on its way":           {confirmed, Balance{Paid: 1000, Returning: 200, Lowered: 200}, 0, 0, 0, Paid},
		"owed again":                    {confirmed, Balance{Paid: 1000, Refunded: 200}, 200, 0, 0, DepositPaid},
		"owed again, on its way":        {confirmed, Balance{Paid: 1000, Returning: 200}, 200, 0, 0, DepositPaid},
		"goodwill, then owed again":     {confirmed, Balance{Paid: 1000, Refunded: 500, Lowered: 200}, 300, 0, 0, DepositPaid},
		"goodwill of the deposit":       {confirmed, Balance{Paid: 300, Refunded: 100, Lowered: 100}, 700, 0, 0, DepositPaid},
		"goodwill of all":               {confirmed, Balance{Paid: 1000, Refunded: 1000, Lowered: 1000}, 0, 0, 0, Refunded},
		"too much":                      {confirmed, Balance{Paid: 1500}, 0, 0, 500, Paid},
		"too much, on its way back":     {confirmed, Balance{Paid: 1500, Returning: 500}, 0, 0, 0, Paid},
		"too much, half of it back":     {confirmed, Balance{Paid: 1500, Refunded: 200}, 0, 0, 300, Paid},
		"fee, kept":                     {fee(Cancelled, 400), Balance{Paid: 400}, 0, 0, 0, DepositPaid},
		"fee, too much":                 {fee(NoShow, 400), Balance{Paid: 1000}, 0, 0, 600, Paid},
		"fee, goodwill of it":           {fee(Cancelled, 400), Balance{Paid: 400, Refunded: 150, Lowered: 150}, 0, 0, 0, DepositPaid},
		"fee, of it owed again":         {fee(Cancelled, 400), Balance{Paid: 400, Refunded: 150}, 150, 50, 0, PartlyPaid},
		"waived":                        {fee(Cancelled, 0), Balance{Paid: 1000}, 0, 0, 1000, Paid},
		"cancelled, the tenant decides": {State{Status: Cancelled}, Balance{Paid: 1000}, 0, 0, 0, Paid},
		"no show without a fee":         {State{Status: NoShow}, Balance{Paid: 1000, Refunded: 300, Lowered: 300}, 0, 0, 0, Paid},
		"expired":                       {State{Status: Expired}, Balance{Paid: 300}, 0, 0, 300, DepositPaid},
		"lapsed, on its way back by itself": {State{Status: Held, HoldExpiresAt: &now}, Balance{Paid: 300, Returning: 300}, 0, 0, 0,
			Refunded},
		"confirmed after an earlier refund":  {confirmed, Balance{Paid: 300, Refunded: 300}, 1000, 300, 0, Refunded},
		"lowered by more than the deposit":   {confirmed, Balance{Paid: 1000, Refunded: 900, Lowered: 900}, 0, 0, 0, Paid},
		"lowered by more than the new price": {fee(Cancelled, 100), Balance{Paid: 1000, Refunded: 900, Lowered: 900}, 0, 0, 100, Paid},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := [3]int64{test.state.Due(1000, test.money, now), test.state.Due(300, test.money, now),
				test.state.Overpaid(1000, test.money, now)}
			require.Equal(t, [3]int64{test.due, test.depositDue, test.overpaid}, got)
			require.Equal(t, test.paymentState, paymentState(1000, 300, test.money))
		})
	}
}
