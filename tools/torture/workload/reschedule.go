package workload

import (
	"fmt"
	"net/http"
)

// reschedule moves a booking, whoever made it, to another time, service or resource, or changes its party.
type reschedule struct{}

// Kind is "reschedule".
func (reschedule) Kind() string { return "reschedule" }

// Next chooses a booking.
func (reschedule) Next(c *Client) *Request {
	b := c.Tenant.Booking(c.Random, anyBooking)
	if b == nil {
		return nil
	}
	return &Request{
		Method: http.MethodPost, Path: "/v1/bookings/" + b.ID + "/reschedule", Body: c.move(b), Subject: b,
		IfMatch: b.match(c.Random),
	}
}

// move returns the body of a request that mostly moves a booking of a service to another one of the dates or slots that
// all clients want.
func (c *Client) move(b *Booking) map[string]any {
	body := map[string]any{"price": []string{"keep", "quote"}[c.Random.IntN(2)]}
	s := c.Tenant.service(b.Service)
	if oneInFour(c.Random) {
		s = c.Tenant.anyService(c.Random, c.workload.cfg.OnlyShaped)
		body["service_id"] = s.ID
	}
	// Another request may have moved the booking to another service: what isn't named is the server's to know.
	if body["service_id"] != nil || !oneInFour(c.Random) {
		s.setWhen(body, c.Random, c.Tenant.Location, c.Elapsed())
	}
	if body["service_id"] != nil || oneInFour(c.Random) {
		body["party_size"] = 1 + c.Random.IntN(min(maxParty, s.Capacity))
	}
	named := s.Resources[c.Random.IntN(len(s.Resources))]
	switch {
	case !oneInFour(c.Random):
	case c.Random.IntN(2) == 0:
		body["any_resource"] = true
	case len(s.Skippers) > 0:
		body["resource_ids"] = []string{named, s.Skippers[c.Random.IntN(len(s.Skippers))]}
	default:
		body["resource_id"] = named
	}
	return body
}

// Learn remembers the version.
func (reschedule) Learn(_ *Client, r *Request, a Answer) { r.Subject.learnVersion(a) }

// longestExtension is the longest extension of a hold in minutes; some of them are shorter than what the hold still
// has.
const longestExtension = 2

// extend extends a hold.
type extend struct{}

// Kind is "extend".
func (extend) Kind() string { return "extend" }

// Next chooses a booking, mostly one that was held when it was made.
func (extend) Next(c *Client) *Request {
	b := c.Tenant.Booking(c.Random, held)
	if b == nil {
		return nil
	}
	return &Request{
		Method: http.MethodPost, Path: "/v1/bookings/" + b.ID + "/extend",
		Body:    map[string]any{"hold_minutes": 1 + c.Random.IntN(longestExtension)},
		Subject: b, IfMatch: b.match(c.Random),
	}
}

// Learn remembers the version.
func (extend) Learn(_ *Client, r *Request, a Answer) { r.Subject.learnVersion(a) }

// amend changes a booking's metadata, and with them in one request often where it is or what it costs, and for a hold
// how long it lasts and whether it is confirmed. The note in the metadata is this request's alone: PATCH has no
// idempotency key, so that the note tells what became of the request.
type amend struct{}

// Kind is "amend".
func (amend) Kind() string { return "amend" }

// Next chooses a booking.
func (amend) Next(c *Client) *Request {
	b := c.Tenant.Booking(c.Random, anyBooking)
	if b == nil {
		return nil
	}
	body := map[string]any{}
	if !oneInFour(c.Random) {
		body = c.move(b)
	}
	if held(b) && c.Random.IntN(2) == 0 {
		body["status"] = "confirmed"
		if b.anonymous != oneInFour(c.Random) {
			body["customer"] = customer(c.Random)
		}
	}
	if held(b) && oneInFour(c.Random) {
		body["hold_minutes"] = 1 + c.Random.IntN(longestExtension)
	}
	c.notes++
	body["metadata"] = map[string]any{"client": c.ID, "note": fmt.Sprintf("c%d-note-%d", c.ID, c.notes)}
	return &Request{Method: http.MethodPatch, Path: "/v1/bookings/" + b.ID, Body: body, Subject: b,
		IfMatch: b.match(c.Random)}
}

// Learn remembers the version.
func (amend) Learn(_ *Client, r *Request, a Answer) { r.Subject.learnVersion(a) }
