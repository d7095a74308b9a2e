package workload

// Operation is something that clients do. To add one, write a file with a type and put it into Operations.
type Operation interface {
	// Kind names it in the history and in the report.
	Kind() string
	// Next returns the request of a client that does it now, nil where there is nothing to do it to.
	Next(c *Client) *Request
	// Learn is told of each answer, those of repeated requests included.
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
		{change{"confirm", held}, 12},
		{change{"cancel", anyBooking}, 13},
		{change{"complete", begun}, 3},
		{change{"no-show", begun}, 2},
		{pay{}, 16},
		{refund{}, 6},
		{cancelPayment{}, 3},
		{read{kind: "read"}, 5},
		{read{kind: "balance", suffix: "/balance"}, 3},
		{read{kind: "payments", suffix: "/payments"}, 2},
		{availability{}, 3},
	}
}
