package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// balancer knows which servers are ready, as a load balancer that asks /readyz.
type balancer struct {
	mu    sync.Mutex
	all   []*server
	ready atomic.Pointer[[]*server]
}

// readyPoll is the pause between two questions whether a server is ready.
const readyPoll = 50 * time.Millisecond

// add adds a server that serves.
func (b *balancer) add(s *server) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.all = append(b.all, s)
	b.setReady(b.all)
}

func (b *balancer) setReady(servers []*server) {
	servers = slices.Clone(servers)
	b.ready.Store(&servers)
}

// run asks all servers again and again, until ctx ends. A server that isn't ready gets no more requests.
func (b *balancer) run(ctx context.Context) error {
	for ctx.Err() == nil {
		b.mu.Lock()
		b.all = slices.DeleteFunc(b.all, func(s *server) bool {
			c := client{addr: s.addr}
			defer c.close()
			status, err := c.send(ctx, get("/readyz", ""))
			return ctx.Err() == nil && (err != nil || status != http.StatusOK)
		})
		b.setReady(b.all)
		b.mu.Unlock()
		select {
		case <-ctx.Done():
		case <-time.After(readyPoll):
		}
	}
	return nil
}

// pick returns the n-th of the servers that are ready, or nil.
func (b *balancer) pick(n int) *server {
	ready := *b.ready.Load()
	if len(ready) == 0 {
		return nil
	}
	return ready[n%len(ready)]
}

// upgradeRequest is one request that a client sent.
type upgradeRequest struct {
	phase        int // in which it was sent
	server, name string
	took         time.Duration
	failure      string // empty for the expected answer
}

// upgradeClient sends requests one after the other. It never repeats one.
type upgradeClient struct {
	*upgrade
	number   int
	clients  map[*server]*client
	body     bytes.Buffer
	due      time.Time // of the next request
	requests []upgradeRequest
	told     map[string]string // the status of each booking, by the last answer
	over     <-chan struct{}
}

func newUpgradeClient(u *upgrade, number int) *upgradeClient {
	return &upgradeClient{upgrade: u, number: number, clients: map[*server]*client{}, told: map[string]string{}}
}

// run sends requests until over is closed.
func (c *upgradeClient) run(ctx context.Context, over <-chan struct{}) {
	c.over = over
	defer func() {
		for _, connection := range c.clients {
			connection.close()
		}
	}()
	c.due = time.Now().Add(time.Duration(c.number) * upgradePace / upgradeClients)
	for n := c.number; !c.ended(ctx); n++ {
		c.visit(ctx, n)
	}
}

func (c *upgradeClient) ended(ctx context.Context) bool {
	select {
	case <-c.over:
		return true
	default:
		return ctx.Err() != nil
	}
}

// upgradeBooking is what a client reads of a booking.
type upgradeBooking struct {
	ID      string `json:"id"`
	Status  string `json:"status"`
	Version int    `json:"version"`
}

func (b *upgradeBooking) path() string { return "/v1/bookings/" + b.ID }

func (b *upgradeBooking) ifMatch() string { return `If-Match: "` + strconv.Itoa(b.Version) + `"` }

// visit is what one customer does: looks for a date, books or holds, and then confirms, pays or cancels. The n-th visits of a client differ.
// A failed request ends the visit.
func (c *upgradeClient) visit(ctx context.Context, n int) {
	s := c.catalog[rand.IntN(len(c.catalog))]
	day := time.Now().UTC().AddDate(0, 0, 1+rand.IntN(300))
	from, to := day.Format(time.DateOnly), day.AddDate(0, 0, 6).Format(time.DateOnly)
	held, pays, cancels := n%2 == 0, n%4 == 0 || n%4 == 1 || n%8 == 3, n%4 >= 2
	hold := ""
	if held {
		hold = `,"hold_minutes":15`
	}
	order := fmt.Sprintf(`{"service_id":%q,"starts_at":"%sT%02d:00:00Z","customer":{"name":"Ada Lovelace","email":"customer-%d@example.com"}%s}`,
		s.id, from, rand.IntN(24), rand.IntN(c.customers()), hold)
	var b upgradeBooking
	ok := c.send(ctx, "availability", http.StatusOK, get("/v1/services/"+s.id+"/availability?from="+from+"&to="+to, s.apiKey), nil) &&
		c.send(ctx, "list", http.StatusOK, get("/v1/bookings?limit=20&from="+from, s.apiKey), nil) &&
		c.send(ctx, "create", http.StatusCreated, post("/v1/bookings", s.apiKey, anyKey(), []byte(order)), &b)
	if ok && held {
		ok = c.send(ctx, "confirm", http.StatusOK, post(b.path()+"/confirm", s.apiKey, anyKey(), nil, b.ifMatch()), &b)
	}
	if ok && pays {
		ok = c.send(ctx, "pay", http.StatusCreated,
			post(b.path()+"/payments", s.apiKey, anyKey(), []byte(`{"kind":"balance","payment_method":"pm_ok"}`)), nil)
	}
	if ok = ok && c.send(ctx, "read", http.StatusOK, get(b.path(), s.apiKey), &b); ok && cancels {
		c.send(ctx, "cancel", http.StatusOK, post(b.path()+"/cancel", s.apiKey, anyKey(), nil, b.ifMatch()), &b)
	}
}

// send sends a request when it is due, reads the booking of the answer into b unless that is nil, and reports whether the answer was the
// expected one.
func (c *upgradeClient) send(ctx context.Context, name string, want int, request []byte, b *upgradeBooking) bool {
	select {
	case <-c.over:
		return false
	case <-ctx.Done():
		return false
	case <-time.After(time.Until(c.due)):
	}
	start := time.Now()
	c.due = start.Add(upgradePace)
	r := upgradeRequest{phase: int(c.phaseNow.Load()), name: name}
	s := c.balancer.pick(len(c.requests))
	if s == nil {
		r.failure = "no server is ready"
		c.requests = append(c.requests, r)
		return false
	}
	connection := c.clients[s]
	if connection == nil {
		connection = &client{addr: s.addr, body: &c.body}
		c.clients[s] = connection
	}
	status, err := connection.send(ctx, request)
	r.server, r.took = s.name, time.Since(start)
	switch {
	case err != nil && ctx.Err() != nil:
		return false
	case err != nil:
		r.failure = err.Error()
	case status != want:
		r.failure = fmt.Sprintf("%d: %.300s", status, c.body.Bytes())
	case b != nil:
		if err := json.Unmarshal(c.body.Bytes(), b); err != nil {
			r.failure = fmt.Sprintf("%d with no booking: %s: %.300s", status, err, c.body.Bytes())
			break
		}
		c.told[b.ID] = b.Status
	}
	c.requests = append(c.requests, r)
	return r.failure == ""
}
