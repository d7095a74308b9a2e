package workload

import (
	"encoding/json"
	"net/http"

	"holdfast/tools/torture/history"
)

// payFromWallet pays for a booking from a wallet: alone, or with a card for what the wallet can't pay.
type payFromWallet struct{ card bool }

// Kind is "pay-wallet" or "pay-wallet-card".
func (o payFromWallet) Kind() string {
	if o.card {
		return "pay-wallet-card"
	}
	return "pay-wallet"
}

// Next chooses a booking, a wallet, and mostly an amount that the wallet may have.
func (o payFromWallet) Next(c *Client) *Request {
	const most = 1000
	b := c.Tenant.Booking(c.Random, anyBooking)
	if b == nil {
		return nil
	}
	w := c.Tenant.anyWallet(c.Random)
	body := map[string]any{"kind": "amount", "amount": 1 + c.Random.Int64N(most), "wallet_id": w.ID}
	if oneInFour(c.Random) {
		body["kind"] = []string{"deposit", "balance"}[c.Random.IntN(2)]
		delete(body, "amount")
	}
	if o.card {
		body["payment_method"] = method(c.Random)
		if oneInFour(c.Random) {
			body["wallet_amount"] = 1 + c.Random.Int64N(most)
		}
	}
	return &Request{Method: http.MethodPost, Path: "/v1/bookings/" + b.ID + "/payments", Body: body, Subject: b,
		Wallet: w}
}

// Learn remembers the payment, and its hold: clients try to end it, which only the payment may.
func (payFromWallet) Learn(c *Client, r *Request, a Answer) {
	pay{}.Learn(c, r, a)
	var paid struct {
		ID           string
		WalletAmount int64 `json:"wallet_amount"`
	}
	if a.Outcome == history.Done && json.Unmarshal(a.Body, &paid) == nil && paid.WalletAmount > 0 {
		r.Wallet.addHold(walletHold{paid.ID, paid.WalletAmount})
	}
}
