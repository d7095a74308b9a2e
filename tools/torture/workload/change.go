package workload

import (
	"net/http"
	"time"
)

// change cancels, completes a booking or marks it as no-show, whoever made it.
type change struct {
	name string
	// suits says what it is mostly done to.
	suits func(*Booking) bool
}

// Kind is the change's name in the API.
func (o change) Kind() string { return o.name }

// Next chooses a booking.
func (o change) Next(c *Client) *Request {
	b := c.Tenant.Booking(c.Random, o.suits)
	if b == nil {
		return nil
	}
	return &Request{Method: http.MethodPost, Path: "/v1/bookings/" + b.ID + "/" + o.name, Subject: b,
		IfMatch: b.match(c.Random)}
}

// Learn remembers the version. What a booking allows is the server's to say.
func (o change) Learn(_ *Client, r *Request, a Answer) { r.Subject.learnVersion(a) }

func held(b *Booking) bool { return b.Status == "held" }

func begun(b *Booking) bool { return !b.StartsAt.After(time.Now()) }
