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

// Learn has nothing to learn.
func (o read) Learn(*Client, *Request, Answer) {}
