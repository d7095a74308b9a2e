package workload

import (
	"fmt"
	"net/http"
)

// availability reads what is free on the dates that are sold.
type availability struct{}

// Kind is "availability".
func (availability) Kind() string { return "availability" }

// Next chooses a service and one of its dates.
func (availability) Next(c *Client) *Request {
	s := c.Tenant.anyService(c.Random, c.workload.cfg.OnlyShaped)
	_, value := s.when(c.Random, c.Tenant.Location, c.Elapsed())
	date := value[:len("2006-01-02")]
	return &Request{Method: http.MethodGet,
		Path: fmt.Sprintf("/v1/services/%s/availability?from=%s&to=%s", s.ID, date, date)}
}

// Learn has nothing to learn.
func (availability) Learn(*Client, *Request, Answer) {}
