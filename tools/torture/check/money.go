package check

import (
	"slices"
	"time"

	"holdfast/internal/payment"
)

const (
	succeeded = "succeeded"
	declined  = "declined"
	// keepsRefunds is the sandbox's method whose refunds are declined: money that came too late can't be returned.
	keepsRefunds = "pm_refund_fails"
	// longestLapse is how long a hold past its expiry may stay held.
	longestLapse = 30 * time.Second
)

// money checks payments against the provider's journal, against the bookings' prices, and against what clients were
// answered.
func (c *checker) money() {
	refunded := map[string]int64{} // by payment
	for i := range c.end.Payments {
		p := &c.end.Payments[i]
		if p.RefundOf != "" && p.Status == succeeded {
			refunded[p.RefundOf] += p.Amount
		}
	}
	c.journal()
	c.owners()
	kept := map[string]int64{} // by booking
	stuck := map[string]bool{}
	for _, p := range c.payment {
		if p.RefundOf != "" {
			if of := c.payment[p.RefundOf]; of == nil || of.Booking != p.Booking || of.Tenant != p.Tenant ||
				of.Status != succeeded {
				c.violate(RuleMoney, nil,
					"the refund %s returns %s, which isn't a payment of its booking that succeeded", p.ID, p.RefundOf)
			}
			continue
		}
		stuck[p.Booking] = stuck[p.Booking] || p.Method == keepsRefunds
		b := c.booking[p.Booking]
		if b == nil || b.Tenant != p.Tenant {
			c.violate(RuleMoney, c.payers(p), "the payment %s is of the booking %s, which isn't there", p.ID, p.Booking)
			continue
		}
		if p.Currency != b.Currency {
			c.violate(RuleMoney, c.payers(p), "the payment %s is in %s and its booking in %s", p.ID, p.Currency,
				b.Currency)
		}
		if p.Status != succeeded {
			continue
		}
		kept[p.Booking] += p.Amount - refunded[p.ID]
		if refunded[p.ID] > p.Amount {
			c.violate(RuleMoney, c.payers(p), "%d of the payment %s was returned, and %d was paid", refunded[p.ID],
				p.ID, p.Amount)
		}
		if why := c.unwanted(p, b); why != "" && refunded[p.ID] != p.Amount && p.Method != keepsRefunds {
			c.violate(RuleMoney, c.payers(p),
				"the payment %s of %d %s was captured although %s, and %d of it was returned", p.ID, p.Amount,
				p.Currency, why, refunded[p.ID])
		}
	}
	for id, amount := range kept {
		// What was paid before a move to a lower price is the surplus that the tenant may refund.
		b, highest := c.booking[id], c.highestPrice(id)
		if amount > highest && !stuck[id] {
			c.violate(RuleMoney, nil, "%d %s was kept for the booking %s, whose price was at most %d", amount,
				b.Currency, id, highest)
		}
	}
	c.paymentAnswers()
}

// highestPrice is the most that a booking cost at any time, in minor units.
func (c *checker) highestPrice(booking string) (highest int64) {
	for _, st := range c.stays[booking] {
		highest = max(highest, st.Price)
	}
	return highest
}

// journal compares our payments with the provider's journal, to the minor unit.
func (c *checker) journal() {
	moved := map[string]payment.ProviderTransaction{}
	for _, m := range c.end.Movements {
		id := m.Reference.ID.String()
		if before, twice := moved[id]; twice {
			c.violate(RuleMoney, nil, "%s moved twice at the provider: as %s and as %s", id, before.ProviderID,
				m.ProviderID)
			continue
		}
		moved[id] = m
		p := c.payment[id]
		switch {
		case p == nil || p.Tenant != m.Reference.TenantID.String():
			c.violate(RuleMoney, nil, "the provider moved %d %s as %s for %s, which isn't ours", m.Amount, m.Currency,
				m.ProviderID, id)
		case p.Status != succeeded:
			c.violate(RuleMoney, c.payers(p), "%s is %s here, and the provider moved %d %s as %s for it", id, p.Status,
				m.Amount,
				m.Currency, m.ProviderID)
		case p.Amount != m.Amount || p.Currency != m.Currency || p.ProviderID != m.ProviderID ||
			(p.RefundOf != "") != m.Refund:
			c.violate(RuleMoney, c.payers(p), "the provider moved %d %s as %s (refund: %t) for %s, which is %+v here",
				m.Amount, m.Currency,
				m.ProviderID, m.Refund, id, *p)
		}
	}
	for id, p := range c.payment {
		if _, ok := moved[id]; p.Status == succeeded && p.Provider != walletProvider && !ok {
			c.violate(RuleMoney, c.payers(p), "%s succeeded here, and the provider moved nothing for it: %+v", id, *p)
		}
	}
}

// owners checks that each payment that wasn't made by ourselves is one request's, and each request's only one.
func (c *checker) owners() {
	of := map[scopedKey]*Payment{}
	for i := range c.end.Payments {
		p := &c.end.Payments[i]
		// a wallet's part belongs to the payment by card beside it: see walletPayments
		if p.Automatic || p.CardPayment != "" {
			continue
		}
		key := scopedKey{p.Tenant, p.Key}
		if before := of[key]; before != nil {
			c.violate(RuleMoney, c.payers(p), "the key %q made the payments %s and %s", p.Key, before.ID, p.ID)
		}
		of[key] = p
		if r := c.byKey[key]; r == nil || !r.moves() {
			c.violate(RuleUnasked, nil, "no client requested the payment %s with the key %q", p.ID, p.Key)
		}
		// An open payment is unsettled; that is reported once.
		if k := c.stored[key]; k == nil {
			c.violate(RuleMoney, c.payers(p), "the payment %s has no stored key", p.ID)
		}
	}
}

// unwanted says why a payment that succeeded must be returned in whole, and is empty for one that may be kept.
func (c *checker) unwanted(p *Payment, b *Booking) string {
	if k := c.stored[scopedKey{p.Tenant, p.Key}]; k != nil && k.Status != nil && *k.Status == 402 {
		return "its request was answered that no money was taken"
	}
	over := (b.Status == "held" || b.Status == "expired") && b.HoldExpiresAt != nil &&
		!p.UpdatedAt.Before(*b.HoldExpiresAt)
	if over {
		return "its booking's hold had expired"
	}
	if b.Status == "expired" || b.Status == "cancelled" && b.HoldExpiresAt != nil && !c.confirmed(b) {
		return "its booking's hold ended"
	}
	// Cancelling and recording a payment don't exclude each other: only what became known after the cancellation was
	// answered is certain to be late.
	for _, r := range c.requests {
		if from, _ := c.clock.window(p.UpdatedAt); r.is("cancel") && r.subject == b.ID && r.happened() &&
			from > r.returned {
			return "its booking was cancelled"
		}
	}
	return ""
}

// confirmed reports whether a hold was confirmed.
func (c *checker) confirmed(b *Booking) bool {
	return slices.ContainsFunc(c.requests,
		func(r *request) bool { return r.is("confirm") && r.subject == b.ID && r.happened() })
}

// paymentAnswers compares the answers to payments with the stored payments.
func (c *checker) paymentAnswers() {
	for _, r := range c.requests {
		if !r.moves() {
			continue
		}
		for _, op := range r.tries {
			got := read[answer](op.Response)
			id := got.ID
			if op.Status == 402 {
				id = got.PaymentID
			}
			if op.Status/100 != 2 && op.Status != 402 {
				continue
			}
			p := c.payment[id]
			switch {
			case p == nil || p.Tenant != r.tenant:
				c.violate(RuleLost, []int64{op.ID}, "the payment %s of the key %q was answered and isn't there", id,
					r.key)
			case p.Key != r.key:
				c.violate(RuleAnswer, []int64{op.ID}, "the key %q was answered with the payment %s of the key %q",
					r.key, id, p.Key)
			case op.Status == 201 && (p.Status != succeeded || p.Amount != got.Amount || got.status() != succeeded):
				c.violate(RuleMoney, []int64{op.ID}, "the key %q was answered that %d was paid, and the payment is %+v",
					r.key, got.Amount,
					*p)
			}
		}
	}
}

// payers are the operations that requested a payment.
func (c *checker) payers(p *Payment) []int64 {
	if r := c.byKey[scopedKey{p.Tenant, p.Key}]; r != nil {
		return r.ids()
	}
	return nil
}

// unsettled reports what was left open.
func (c *checker) unsettled() {
	for i := range c.end.Payments {
		if p := &c.end.Payments[i]; p.Status != succeeded && p.Status != declined {
			c.violate(RuleUnsettled, c.payers(p), "the payment %s is still %s", p.ID, p.Status)
		}
	}
	for id, k := range c.stored {
		if k.Status != nil {
			continue
		}
		var ids []int64
		if r := c.byKey[id]; r != nil {
			ids = r.ids()
		}
		c.violate(RuleUnsettled, ids, "the key %q has no answer yet", id.key)
	}
	for i := range c.end.Bookings {
		// A hold that has just lapsed is marked within seconds.
		if b := &c.end.Bookings[i]; b.Status == "held" && c.end.Now.Sub(*b.HoldExpiresAt) > longestLapse {
			c.violate(RuleUnsettled, nil, "the hold %s ended at %s and is still held at %s", b.ID, b.HoldExpiresAt,
				c.end.Now)
		}
	}
	for _, what := range c.end.Left {
		c.violate(RuleUnsettled, nil, "%s", what)
	}
}
