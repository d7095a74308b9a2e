package workload

import "net/http"

// refund returns a payment, whole or in part.
type refund struct{}

// Kind is "refund".
func (refund) Kind() string { return "refund" }

// Next chooses a payment that succeeded.
func (refund) Next(c *Client) *Request {
	b := c.Tenant.Booking(c.Random, (*Booking).paid)
	if b == nil {
		return nil
	}
	payment := b.Payment(c.Random)
	if payment == "" {
		return nil
	}
	body := map[string]any{}
	if c.Random.IntN(2) == 0 {
		body["amount"] = 1 + c.Random.Int64N(b.Price/2)
	}
	return &Request{Method: http.MethodPost, Path: "/v1/payments/" + payment + "/refunds", Body: body, Subject: b}
}

// Learn has nothing to learn.
func (refund) Learn(*Client, *Request, Answer) {}
