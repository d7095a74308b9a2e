package workload

import (
	"fmt"
	"net/http"
	"time"
)

// block takes hours of a resource of a shaped service without a booking.
type block struct{}

// Kind is "block".
func (block) Kind() string { return "block" }

// Next blocks half an hour at a time that clients want to book, half of the times also where bookings stand.
func (block) Next(c *Client) *Request {
	s := c.Tenant.anyService(c.Random, true)
	_, value := s.when(c.Random, c.Tenant.Location, c.Elapsed())
	begins, err := time.Parse(time.RFC3339, value)
	if err != nil { // the service has no slots
		date, _ := time.ParseInLocation(time.DateOnly, value, c.Tenant.Location)
		begins = date.Add(18 * time.Hour)
	}
	return &Request{Method: http.MethodPost, Path: "/v1/blocks", Body: map[string]any{
		"resource_id": s.Resources[c.Random.IntN(len(s.Resources))], "starts_at": begins.Format(time.RFC3339),
		"ends_at": begins.Add(30 * time.Minute).Format(time.RFC3339), "reason": fmt.Sprintf("client %d", c.ID),
		"force": c.Random.IntN(2) == 0,
	}}
}

// Learn has nothing to learn.
func (block) Learn(*Client, *Request, Answer) {}
