package workload

import (
	"math/rand/v2"
	"net/http"
)

// cancelPayment ends a payment that waits for its customer, or did.
type cancelPayment struct{}

// Kind is "cancel-payment".
func (cancelPayment) Kind() string { return "cancel-payment" }

// Next chooses a booking with such a payment, or now and then with one that succeeded.
func (cancelPayment) Next(c *Client) *Request {
	b := c.Tenant.Booking(c.Random, func(b *Booking) bool { return b.Waiting() != "" })
	if b == nil {
		return nil
	}
	payment := b.Waiting()
	if other := b.Payment(c.Random); other != "" && oneInFour(c.Random) {
		payment = other
	}
	return &Request{Method: http.MethodPost, Path: "/v1/payments/" + payment + "/cancel", Subject: b}
}

// Learn has nothing to learn.
func (cancelPayment) Learn(*Client, *Request, Answer) {}

func oneInFour(random *rand.Rand) bool { return random.IntN(4) == 0 }
