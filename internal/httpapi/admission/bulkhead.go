package admission

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/problem"
)

// Clients that aren't tenants. No tenant has these ids.
var (
	// Unauthenticated is every client whose API key has to be looked up first.
	Unauthenticated = uuid.Nil
	// Providers deliver webhooks.
	Providers = uuid.Max
)

// activeWindow is for how long a tenant counts as active after it has sent a request.
const activeWindow = time.Second

// bulkhead bounds the requests at work and the queued requests, in all and for each client, so that the overload of one
// client leaves permits for the others. A client is a tenant, or one of those above.
//
// A request at work takes permits, by what it may cost: most take one.
//
// Clients are served round robin. In its round, a client's queued requests go to work together, so that bookings can
// share a transaction: the more requests are queued, the less each of them costs.
type bulkhead struct {
	maxWorking   int
	maxQueued    int
	queueTimeout time.Duration
	// perRound is how many permits the requests of one round may take; a request that takes more has a round of its
	// own.
	perRound int
	// activeCost is how many permits of its tenant's share a request at work takes for each of its permits while other
	// tenants are active: they must not wait for processors and connections.
	activeCost int
	metrics    bulkheadMetrics
	refusals   map[string][]*problem.Document // of requests that are shed, by reason

	mu        sync.Mutex
	free      int // permits
	queued    int
	clients   map[uuid.UUID]*client
	scheduled []*client  // clients with queued requests, in the order of their rounds
	latest    [2]arrival // of the tenant that came last, and of another one
}

// arrival is when a tenant sent a request.
type arrival struct {
	tenant uuid.UUID
	at     time.Time
}

// client is a client that has requests in the bulkhead. It is forgotten with its last request.
type client struct {
	free      int       // permits of its share
	queue     []*permit // requests whose bodies have arrived, in the order in which they came
	scheduled bool      // it is among the bulkhead's scheduled clients
	queued    int       // requests in the queue, and requests whose bodies are still arriving
	users     int       // requests in the bulkhead
}

func newBulkhead(l Limits, perRound, activeCost int, m bulkheadMetrics) *bulkhead {
	return &bulkhead{
		maxWorking:   l.MaxWorking,
		maxQueued:    l.MaxQueued,
		queueTimeout: l.QueueTimeout,
		perRound:     perRound,
		activeCost:   activeCost,
		metrics:      m,
		refusals:     refusals(),
		free:         l.MaxWorking,
		clients:      make(map[uuid.UUID]*client),
	}
}

// permit is what a request has of a bulkhead: first it is queued, then at work.
type permit struct {
	from      *bulkhead
	id        uuid.UUID
	client    *client
	cost      int           // permits that it takes at work
	shareCost int           // permits of its client's share that it takes at work
	started   chan struct{} // closed when it is at work, if it had to wait
	working   bool
}

// enqueue gives a request a position in the queue, or problem.Overloaded if the queue is full or the client has its
// share of it. At work the request takes cost permits, or all that its client may have if these are fewer. A tenant
// without a request here gets a position even in a full queue: other tenants filled it.
func (b *bulkhead) enqueue(id uuid.UUID, cost int) (*permit, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	c := b.clients[id]
	switch {
	case b.queued >= b.maxQueued && (c != nil || id == Unauthenticated):
		return nil, b.shed(shedQueueFull)
	case c != nil && c.queued >= shareOf(id, b.maxQueued):
		return nil, b.shed(shedShareFull)
	case c == nil:
		c = &client{free: shareOf(id, b.maxWorking)}
		b.clients[id] = c
	}
	b.queued++
	c.queued++
	c.users++
	b.metrics.waiting.Inc()
	most := shareOf(id, b.maxWorking)
	return &permit{from: b, id: id, client: c, cost: min(cost, most), shareCost: min(cost*b.shareFactor(id), most)}, nil
}

// shareFactor notes that a client is active, and returns how many permits of its share a request takes for each permit.
// Only tenants count as active: anybody can send requests without a valid key. The bulkhead's lock must be held.
func (b *bulkhead) shareFactor(id uuid.UUID) int {
	if id == Unauthenticated || id == Providers {
		return 1
	}
	now := time.Now()
	if b.latest[0].tenant != id {
		b.latest[1] = b.latest[0]
	}
	b.latest[0] = arrival{id, now}
	if now.Sub(b.latest[1].at) > activeWindow {
		return 1
	}
	return b.activeCost
}

// shareOf returns how many of all permits a client may have: half, so that some are left for others; unauthenticated
// ones, whose keys may be anything, an eighth.
func shareOf(id uuid.UUID, all int) int {
	if id == Unauthenticated {
		return max(all/8, 1)
	}
	return max(all/2, 1)
}

// acquire returns when the request is at work. Errors: problem.Overloaded when that takes too long; ctx's when it ends
// first.
func (p *permit) acquire(ctx context.Context) error {
	b := p.from
	if err := ctx.Err(); err != nil {
		return b.gaveUp(err)
	}
	if b.startOrQueue(p) {
		return nil
	}
	began := time.Now()
	defer func() { b.metrics.wait.Observe(time.Since(began).Seconds()) }()
	limited, cancel := context.WithTimeout(ctx, b.queueTimeout)
	defer cancel()
	select {
	case <-p.started:
		return nil
	case <-limited.Done():
	}
	switch withdrawn := b.withdraw(p); {
	case ctx.Err() != nil:
		return b.gaveUp(ctx.Err())
	case withdrawn:
		return b.shed(shedTimeout)
	}
	return nil // it was started at the deadline
}

// startOrQueue puts a request to work, or into its client's queue. It reports whether the request is at work.
func (b *bulkhead) startOrQueue(p *permit) (working bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.scheduled) == 0 && len(p.client.queue) == 0 && p.cost <= b.free && p.shareCost <= p.client.free {
		b.start(p)
		return true
	}
	p.client.queue = append(p.client.queue, p)
	b.dispatch(p.client)
	if !p.working {
		p.started = make(chan struct{})
	}
	return p.working
}

// withdraw takes a request out of its client's queue, and reports whether it was still there.
func (b *bulkhead) withdraw(p *permit) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	i := slices.Index(p.client.queue, p)
	if i < 0 {
		return false
	}
	p.client.queue = slices.Delete(p.client.queue, i, i+1)
	return true
}

// dispatch schedules a client with queued requests, and puts requests of the first scheduled clients to work as long as
// there are permits: a round waits until there are enough for all of it. The bulkhead's lock must be held.
func (b *bulkhead) dispatch(c *client) {
	b.schedule(c)
	for len(b.scheduled) > 0 {
		next := b.scheduled[0]
		n, permits := next.ready(b.perRound)
		if permits > b.free {
			return
		}
		b.scheduled = slices.Delete(b.scheduled, 0, 1)
		next.scheduled = false
		for _, p := range next.queue[:n] {
			b.start(p)
		}
		next.queue = slices.Delete(next.queue, 0, n)
		if n > 0 { // else it waits for permits of its share, and is scheduled again when one is free
			b.schedule(next)
		}
	}
}

// schedule puts a client with queued requests behind the scheduled clients. The bulkhead's lock must be held.
func (b *bulkhead) schedule(c *client) {
	if !c.scheduled && len(c.queue) > 0 {
		c.scheduled = true
		b.scheduled = append(b.scheduled, c)
	}
}

// ready returns how many of the client's requests can go to work in one round, and how many permits they take: the
// first, and those behind it that fit into most permits.
func (c *client) ready(most int) (n, permits int) {
	left := c.free
	for _, p := range c.queue {
		if p.shareCost > left || n > 0 && permits+p.cost > most {
			break
		}
		n++
		permits += p.cost
		left -= p.shareCost
	}
	return n, permits
}

// start puts a request to work. The bulkhead's lock must be held.
func (b *bulkhead) start(p *permit) {
	b.dequeue(p)
	b.free -= p.cost
	p.client.free -= p.shareCost
	b.metrics.working.Inc()
	p.working = true
	if p.started != nil {
		close(p.started)
	}
}

// leave gives back what the request holds.
func (p *permit) leave() {
	b, c := p.from, p.client
	b.mu.Lock()
	defer b.mu.Unlock()
	if p.working {
		b.free += p.cost
		c.free += p.shareCost
		b.metrics.working.Dec()
	} else {
		b.dequeue(p)
	}
	c.users--
	if c.users == 0 {
		delete(b.clients, p.id)
	}
	if len(b.scheduled) > 0 || len(c.queue) > 0 {
		b.dispatch(c)
	}
}

// dequeue takes a request out of the queue. The bulkhead's lock must be held.
func (b *bulkhead) dequeue(p *permit) {
	b.queued--
	p.client.queued--
	b.metrics.waiting.Dec()
}

func (b *bulkhead) shed(reason string) error {
	b.metrics.shed[reason].Inc()
	refusals := b.refusals[reason]
	return refusals[rand.IntN(len(refusals))] //nolint:gosec // G404: which of three waits a client is told is no secret
}

// gaveUp counts a request whose wait deadline is over, and not one whose client has gone.
func (b *bulkhead) gaveUp(err error) error {
	if errors.Is(err, errOutOfTime) {
		b.metrics.shed[shedDeadline].Inc()
	}
	return err
}

// refusals returns the responses to requests that are shed, by reason. An overload sends more of them than of all other
// responses, so they are prepared. Their waits spread clients that come again over some seconds.
func refusals() map[string][]*problem.Document {
	prepared := make(map[string][]*problem.Document)
	for reason, detail := range map[string]string{
		shedQueueFull: "Too many requests wait already. Nothing was written.",
		shedShareFull: "Too many requests of yours wait already. Nothing was written.",
		shedTimeout:   "Waiting for others took too long. Nothing was written.",
	} {
		for after := time.Second; after <= 3*time.Second; after += time.Second {
			prepared[reason] = append(prepared[reason],
				problem.DocumentOf(problem.New(problem.Overloaded, detail).Retry(after)).Prepare())
		}
	}
	return prepared
}
