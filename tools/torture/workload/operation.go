package workload

// Operation is something that clients do. To add one, write a file with a type and put it into Operations.
type Operation interface {
	// Kind names it in the history and in the report.
	Kind() string
	// Next returns the request of a client that does it now, nil where there is nothing to do it to.
	Next(c *Client) *Request
	// Learn gets each answer, those of repeated requests included.
	Learn(c *Client, r *Request, a Answer)
}

// Share is how often an operation is chosen: Weight out of the sum of all weights.
type Share struct {
	Operation
	Weight int
}

// Operations is what clients do.
func Operations() []Share {
	return []Share{
		{create{}, 22},
		{create{hold: true}, 16},
		{confirm{}, 12},
		{change{"cancel", anyBooking}, 13},
		{change{"complete", begun}, 3},
		{change{"no-show", begun}, 2},
		{reschedule{}, 10},
		{extend{}, 4},
		{amend{}, 8},
		{block{}, 2},
		{pay{}, 14},
		{payFromWallet{}, 4},
		{payFromWallet{card: true}, 6},
		{refund{}, 6},
		{cancelPayment{}, 3},
		{visitHold{}, 6},
		{visitPay{}, 6},
		{visitConfirm{}, 2},
		{read{kind: "read"}, 5},
		{read{kind: "balance", suffix: "/balance"}, 3},
		{read{kind: "payments", suffix: "/payments"}, 2},
		{availability{}, 3},
		{changeWallet{"wallet-credit", "credits", 2000}, 8},
		{changeWallet{"wallet-debit", "debits", 1200}, 5},
		{changeWallet{"wallet-hold", "holds", 800}, 4},
		{endWalletHold{"wallet-capture", "capture"}, 3},
		{endWalletHold{"wallet-release", "release"}, 2},
		{transfer{}, 8},
		{readWallet{}, 4},
	}
}
