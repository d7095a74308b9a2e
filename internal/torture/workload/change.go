package workload

import "net/http"

// change confirms, cancels, completes a booking or marks it as no-show, whoever made it.
type change struct{ name string }

// Kind is the change's name in the API.
func (o change) Kind() string { return o.name }

// Next chooses a booking.
func (o change) Next(c *Client) *Request {
	b := c.Tenant.Booking(c.Random)
	if b == nil {
		return nil
	}
	return &Request{Method: http.MethodPost, Path: "/v1/bookings/" + b.ID + "/" + o.name, Subject: b}
}

// Learn has nothing to learn: what a booking allows is the server's to say.
func (o change) Learn(*Client, *Request, Answer) {}
