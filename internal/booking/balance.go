package booking

import (
	"time"

	"holdfast/internal/store"
)

// Balance is what moved for a booking, in minor units of its currency. A refund that is on its way counts as if it had succeeded, until it
// is declined.
type Balance struct {
	// Paid is what was captured, Refunded what was returned of it, and Returning what is on its way back.
	Paid, Refunded, Returning int64
	// Lowered is by how much the refunds lower what the booking owes.
	Lowered int64
}

// BalanceOf returns a booking's money as it is added up of its payments.
func BalanceOf(sum store.BalanceSum) Balance {
	return Balance{Paid: sum.Paid, Refunded: sum.Refunded, Returning: sum.Returning, Lowered: sum.Lowered}
}

// Kept is what was captured and neither returned nor is on its way back.
func (m Balance) Kept() int64 { return m.Paid - m.Refunded - m.Returning }

// Owed returns what the booking owes at now of an amount, which is its price or its deposit: all of it, at most the fee of a booking that
// ended by one, less what refunds lower it by, and nothing if the booking takes no money. Every other rule of a booking's money follows
// from it.
func (s State) Owed(amount int64, m Balance, now time.Time) int64 {
	if s.CheckPayable(now) != nil {
		return 0
	}
	if s.Fee != nil {
		amount = min(amount, *s.Fee)
	}
	return max(amount-m.Lowered, 0)
}

// Due returns what is still to pay at now of an amount, which is the booking's price or its deposit, in minor units.
func (s State) Due(amount int64, m Balance, now time.Time) int64 {
	return max(s.Owed(amount, m, now)-m.Kept(), 0)
}

// Overpaid returns what is kept at now beyond what the booking owes of its price, in minor units. It is zero for a booking that was
// cancelled without a fee: there the tenant decides what is refunded.
func (s State) Overpaid(price int64, m Balance, now time.Time) int64 {
	if s.Status == Cancelled && s.Fee == nil {
		return 0
	}
	return max(m.Kept()-s.Owed(price, m, now), 0)
}
