package workload

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"time"

	"holdfast/tools/torture/history"
)

// guests is how many customers there are; few, so that several clients make one at the same time.
const guests = 12

// maxParty is the largest party.
const maxParty = 4

// customer returns one of the guests.
func customer(random *rand.Rand) map[string]any {
	guest := map[string]any{"name": "Guest", "email": fmt.Sprintf("guest-%d@example.com", random.IntN(guests))}
	if oneInFour(random) {
		// the customer is filled in or, with update_customer, updated
		guest["phone"] = fmt.Sprintf("+49 30 %d", random.IntN(guests))
	}
	return guest
}

// create books a date or a slot, or holds it for a minute.
type create struct{ hold bool }

// Kind is "create" or "hold".
func (o create) Kind() string {
	if o.hold {
		return "hold"
	}
	return "create"
}

// Next requests one of the few dates or slots that all clients want.
func (o create) Next(c *Client) *Request {
	s := c.Tenant.anyService(c.Random, c.workload.cfg.OnlyShaped)
	body := map[string]any{"service_id": s.ID, "metadata": map[string]any{"client": c.ID},
		"customer":        customer(c.Random),
		"update_customer": oneInFour(c.Random)}
	s.setWhen(body, c.Random, c.Tenant.Location, c.Elapsed())
	if s.Capacity > 1 {
		body["party_size"] = 1 + c.Random.IntN(maxParty)
	}
	if o.hold {
		body["hold_minutes"] = 1
		if oneInFour(c.Random) {
			delete(body, "customer") // who is given when the hold is confirmed
			delete(body, "update_customer")
		}
	}
	return &Request{Method: http.MethodPost, Path: "/v1/bookings", Body: body}
}

// Learn remembers the booking.
func (o create) Learn(c *Client, _ *Request, a Answer) {
	var made struct {
		ID, Status     string
		Service        string    `json:"service_id"`
		StartsAt       time.Time `json:"starts_at"`
		Price, Version int64
		Customer       *struct{}
	}
	if a.Outcome == history.Done && json.Unmarshal(a.Body, &made) == nil {
		c.Tenant.Remember(&Booking{
			ID:        made.ID,
			Status:    made.Status,
			Service:   made.Service,
			StartsAt:  made.StartsAt,
			Price:     made.Price,
			version:   made.Version,
			anonymous: made.Customer == nil,
		})
	}
}
