package workload

import "net/http"

// read reads a booking, its balance, or its payments.
type read struct{ kind, suffix string }

// Kind says what is read.
func (o read) Kind() string { return o.kind }

// Next chooses a booking.
func (o read) Next(c *Client) *Request {
	b := c.Tenant.Booking(c.Random, anyBooking)
	if b == nil {
		return nil
	}
	return &Request{Method: http.MethodGet, Path: "/v1/bookings/" + b.ID + o.suffix, Subject: b}
}

// Learn remembers the version of a booking.
func (o read) Learn(_ *Client, r *Request, a Answer) {
	if o.suffix == "" {
		r.Subject.learnVersion(a)
	}
}
