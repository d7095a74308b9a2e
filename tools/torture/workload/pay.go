package workload

import (
	"encoding/json"
	"math/rand/v2"
	"net/http"

	"holdfast/tools/torture/history"
)

// pay takes a booking's deposit, its balance, or an amount, which may be too much.
type pay struct{}

// Kind is "pay".
func (pay) Kind() string { return "pay" }

// Next chooses a booking and one of the sandbox's payment methods.
func (pay) Next(c *Client) *Request {
	b := c.Tenant.Booking(c.Random, anyBooking)
	if b == nil {
		return nil
	}
	body := map[string]any{"kind": []string{"deposit", "balance", "amount"}[c.Random.IntN(3)],
		"payment_method": method(c.Random)}
	if body["kind"] == "amount" {
		body["amount"] = 1 + c.Random.Int64N(b.Price/2)
	}
	return &Request{Method: http.MethodPost, Path: "/v1/bookings/" + b.ID + "/payments", Body: body, Subject: b}
}

// Learn remembers the payment, to refund or to cancel it.
func (pay) Learn(_ *Client, r *Request, a Answer) {
	var paid struct{ ID, Status string }
	if a.Outcome != history.Done || json.Unmarshal(a.Body, &paid) != nil {
		return
	}
	switch paid.Status {
	case "succeeded":
		r.Subject.AddPayment(paid.ID)
	case "processing":
		r.Subject.SetWaiting(paid.ID)
	}
}

// method chooses a payment method of docs/sandbox.md. The customer of pm_requires_action never comes.
func method(random *rand.Rand) string {
	const hundred = 100
	switch n := random.IntN(hundred); {
	case n < 60:
		return "pm_ok"
	case n < 68:
		return "pm_declined"
	case n < 72:
		return "pm_insufficient_funds"
	case n < 80:
		return "pm_timeout_charged"
	case n < 86:
		return "pm_timeout_not_charged"
	case n < 90:
		return "pm_slow"
	case n < 95:
		return "pm_requires_action"
	default:
		return "pm_refund_fails"
	}
}
