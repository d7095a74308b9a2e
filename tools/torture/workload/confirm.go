package workload

import "net/http"

// confirm confirms a hold, whoever made it. Mostly it gives the customer of a hold that was made without one, and now
// and then another customer.
type confirm struct{}

// Kind is "confirm".
func (confirm) Kind() string { return "confirm" }

// Next chooses a booking, mostly one that was held when it was made.
func (confirm) Next(c *Client) *Request {
	b := c.Tenant.Booking(c.Random, held)
	if b == nil {
		return nil
	}
	r := &Request{Method: http.MethodPost, Path: "/v1/bookings/" + b.ID + "/confirm", Subject: b,
		IfMatch: b.match(c.Random)}
	if b.anonymous != oneInFour(c.Random) {
		r.Body = map[string]any{"customer": customer(c.Random)}
	}
	return r
}

// Learn remembers the version.
func (confirm) Learn(_ *Client, r *Request, a Answer) { r.Subject.learnVersion(a) }
