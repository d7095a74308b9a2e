package check

// walletProvider is the provider of payments from wallets and of their refunds.
const walletProvider = "wallet"

// payerOf is the request for the payment or refund that an entry belongs to, nil without one.
func (c *checker) payerOf(e *WalletEntry) *request {
	p := c.payment[e.Payment]
	if p != nil && p.CardPayment != "" {
		p = c.payment[p.CardPayment]
	}
	if p == nil || p.Tenant != e.Tenant || p.Key == "" {
		return nil
	}
	return c.byKey[scopedKey{p.Tenant, p.Key}]
}

// walletPayments checks that each payment from a wallet, and each refund to one, is one entry, in one commit, and that
// a wallet pays beside a card exactly if the card pays.
func (c *checker) walletPayments() {
	entries := map[string][]*WalletEntry{} // by payment
	for i := range c.end.Entries {
		e := &c.end.Entries[i]
		if e.Payment == "" {
			continue
		}
		p := c.payment[e.Payment]
		switch {
		case p == nil || p.Tenant != e.Tenant || p.Wallet != e.Wallet || p.Booking != e.Booking:
			c.violate(RuleMoney, c.moverOf(e),
				"the entry %d (%s) of the wallet %s is of the payment %s, which isn't there, or of another wallet or booking", e.Version,
				e.Type, e.Wallet, e.Payment)
		case e.Type == "held" || e.Type == "released":
			if p.Provider == walletProvider || e.Hold != p.ID {
				c.violate(RuleMoney, c.moverOf(e), "the entry %d (%s) of the wallet %s isn't of a payment by card",
					e.Version, e.Type,
					e.Wallet)
			}
		default:
			entries[p.ID] = append(entries[p.ID], e)
			if p.Provider != walletProvider || p.Status != succeeded {
				c.violate(RuleMoney, c.moverOf(e),
					"the entry %d (%s) of the wallet %s is of the payment %s, which is %s by %s", e.Version,
					e.Type, e.Wallet, p.ID,
					p.Status, p.Provider)
			}
		}
	}
	parts, refunded := map[string]int64{}, map[string]int64{} // by payment by card
	for i := range c.end.Payments {
		p := &c.end.Payments[i]
		if p.RefundOf != "" && p.Status == succeeded {
			refunded[p.RefundOf] += p.Amount
		}
		if p.Provider != walletProvider || p.Status != succeeded {
			continue
		}
		want := "paid"
		switch {
		case p.RefundOf != "":
			want = "refunded"
		case p.CardPayment != "":
			want = "captured"
			parts[p.CardPayment] += p.Amount
		}
		list := entries[p.ID]
		switch {
		case len(list) != 1:
			c.violate(RuleMoney, c.payers(p), "the payment %s of %d from the wallet %s has %d entries", p.ID, p.Amount,
				p.Wallet, len(list))
		case list[0].Type != want || list[0].Amount != p.Amount || want == "captured" && list[0].Hold != p.CardPayment:
			c.violate(RuleMoney, c.payers(p), "the payment %s of %d from the wallet %s has the entry %+v", p.ID,
				p.Amount, p.Wallet,
				*list[0])
		case list[0].WrittenBy != p.WrittenBy && !p.PayerChanged:
			c.violate(RuleMoney, c.payers(p),
				"the payment %s from the wallet %s wasn't written in the commit of its entry %d", p.ID,
				p.Wallet, list[0].Version)
		}
	}
	for i := range c.end.Payments {
		p := &c.end.Payments[i]
		if p.Provider == walletProvider || p.Status != succeeded && p.Status != declined {
			continue
		}
		if p.WalletAmount != parts[p.ID] || p.Status == declined && p.WalletAmount != 0 {
			c.violate(RuleMoney, c.payers(p),
				"the payment %s by card is %s, with %d from a wallet beside it, and the wallet paid %d", p.ID,
				p.Status, p.WalletAmount,
				parts[p.ID])
		}
		if c.paysPart[p.ID] && p.Status == succeeded && p.WalletAmount == 0 && refunded[p.ID] != p.Amount &&
			p.Method != keepsRefunds {
			c.violate(RuleMoney, c.payers(p),
				"the wallet's part beside the payment %s of %d by card was given back, and %d of the card's part", p.ID,
				p.Amount,
				refunded[p.ID])
		}
	}
}
