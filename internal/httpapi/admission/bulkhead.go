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

// bulkhead bounds the requests at work and the waiting requests, in all and for each client, so that the overload of one client
// leaves places for the others. A client is a tenant, or one of those above.
//
// A request at work takes permits, by what it may cost: most take one.
//
// Clients have turns. Requests of one client that wait at the same time go to work together, so that bookings can share a
// transaction: the more requests wait, the less each of them costs.
type bulkhead struct {
	working int
	waiting int
	wait    time.Duration
	// perTurn is how many permits the requests of one turn may take; a request that takes more has a turn of its own.
	perTurn int
	// activeCost is how many of its tenant's places a request at work takes for each of its permits while other tenants are
	// active: they must not wait for processors and connections.
	activeCost int
	metrics    bulkheadMetrics
	refusals   map[string][]*problem.Document // of requests that are shed, by reason

	mu      sync.Mutex
	free    int // permits
	queued  int
	clients map[uuid.UUID]*client
	waiters []*client  // clients that wait for their turn
	latest  [2]arrival // of the tenant that came last, and of another one
}

// arrival is when a tenant sent a request.
type arrival struct {
	tenant uuid.UUID
	at     time.Time
}

// client is a client that has requests in the bulkhead. It is forgotten with its last request.
type client struct {
	free    int       // of its places at work
	waiting []*permit // requests whose bodies have arrived, in the order in which they came
	waits   bool      // it is among the bulkhead's waiters
	queued  int       // requests that wait, and requests whose bodies are still arriving
	users   int       // requests in the bulkhead
}

func newBulkhead(l Limits, perTurn, activeCost int, m bulkheadMetrics) *bulkhead {
	return &bulkhead{
		working: l.Working, waiting: l.Waiting, wait: l.Wait, perTurn: perTurn, activeCost: activeCost, metrics: m, refusals: refusals(),
		free: l.Working, clients: make(map[uuid.UUID]*client),
	}
}

// permit is a request's place in a bulkhead: first in the queue, then at work.
type permit struct {
	from   *bulkhead
	id     uuid.UUID
	client *client
	cost   int           // permits that it takes at work
	places int           // of its client's places that it takes at work
	turn   chan struct{} // closed when it is at work, if it had to wait
	works  bool
}

// enqueue gives a request a place in the queue, or problem.Overloaded if the queue is full or the client has its share of
// it. At work the request takes cost permits, or all that its client may have if these are fewer. A tenant without a request here
// gets a place even in a full queue: other tenants filled it.
func (b *bulkhead) enqueue(id uuid.UUID, cost int) (*permit, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	c := b.clients[id]
	switch {
	case b.queued >= b.waiting && (c != nil || id == Unauthenticated):
		return nil, b.shed(shedQueueFull)
	case c != nil && c.queued >= share(id, b.waiting):
		return nil, b.shed(shedShareFull)
	case c == nil:
		c = &client{free: share(id, b.working)}
		b.clients[id] = c
	}
	b.queued++
	c.queued++
	c.users++
	b.metrics.waiting.Inc()
	most := share(id, b.working)
	return &permit{from: b, id: id, client: c, cost: min(cost, most), places: min(cost*b.placesPerPermit(id), most)}, nil
}

// placesPerPermit notes that a client is active, and returns how many of its places a request takes for each permit. Only tenants
// count as active: anybody can send requests without a valid key. The bulkhead's lock must be held.
func (b *bulkhead) placesPerPermit(id uuid.UUID) int {
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

// share is how many of so many places a client may have: half, so that there is always room for others; unauthenticated ones,
// whose keys may be anything, an eighth.
func share(id uuid.UUID, places int) int {
	if id == Unauthenticated {
		return max(places/8, 1)
	}
	return max(places/2, 1)
}

// wait returns when the request is at work. Errors: problem.Overloaded when that
// takes too long; ctx's when it ends first.
func (p *permit) wait(ctx context.Context) error {
	b := p.from
	if err := ctx.Err(); err != nil {
		return b.gaveUp(err)
	}
	if b.acquire(p) {
		return nil
	}
	began := time.Now()
	defer func() { b.metrics.wait.Observe(time.Since(began).Seconds()) }()
	limited, cancel := context.WithTimeout(ctx, b.wait)
	defer cancel()
	select {
	case <-p.turn:
		return nil
	case <-limited.Done():
	}
	switch withdrawn := b.withdraw(p); {
	case ctx.Err() != nil:
		return b.gaveUp(ctx.Err())
	case withdrawn:
		return b.shed(shedTimeout)
	}
	return nil // its turn came at the deadline
}

// acquire puts a request at work, or among its client's waiting ones. It reports whether the request is at work.
func (b *bulkhead) acquire(p *permit) (works bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.waiters) == 0 && len(p.client.waiting) == 0 && p.cost <= b.free && p.places <= p.client.free {
		b.start(p)
		return true
	}
	p.client.waiting = append(p.client.waiting, p)
	b.takeTurns(p.client)
	if !p.works {
		p.turn = make(chan struct{})
	}
	return p.works
}

// withdraw ends the waiting of a request, and reports whether it still waited.
func (b *bulkhead) withdraw(p *permit) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	i := slices.Index(p.client.waiting, p)
	if i < 0 {
		return false
	}
	p.client.waiting = slices.Delete(p.client.waiting, i, i+1)
	return true
}

// takeTurns puts a client with waiting requests among the waiters, and puts requests of the first waiters to work as long as there
// are places: a turn waits until there are enough for all of it. The bulkhead's lock must be held.
func (b *bulkhead) takeTurns(c *client) {
	b.await(c)
	for len(b.waiters) > 0 {
		next := b.waiters[0]
		n, permits := next.ready(b.perTurn)
		if permits > b.free {
			return
		}
		b.waiters = slices.Delete(b.waiters, 0, 1)
		next.waits = false
		for _, p := range next.waiting[:n] {
			b.start(p)
		}
		next.waiting = slices.Delete(next.waiting, 0, n)
		if n > 0 { // else it waits for places of its own, and comes again when one is free
			b.await(next)
		}
	}
}

// await puts a client with waiting requests at the end of the waiters. The bulkhead's lock must be held.
func (b *bulkhead) await(c *client) {
	if !c.waits && len(c.waiting) > 0 {
		c.waits = true
		b.waiters = append(b.waiters, c)
	}
}

// ready is how many of the client's requests can go to work in one turn, and how many permits they take: the first, and those
// behind it that find room within most permits.
func (c *client) ready(most int) (n, permits int) {
	left := c.free
	for _, p := range c.waiting {
		if p.places > left || n > 0 && permits+p.cost > most {
			break
		}
		n++
		permits += p.cost
		left -= p.places
	}
	return n, permits
}

// start puts a request to work. The bulkhead's lock must be held.
func (b *bulkhead) start(p *permit) {
	b.dequeue(p)
	b.free -= p.cost
	p.client.free -= p.places
	b.metrics.working.Inc()
	p.works = true
	if p.turn != nil {
		close(p.turn)
	}
}

// leave gives back what the request holds.
func (p *permit) leave() {
	b, c := p.from, p.client
	b.mu.Lock()
	defer b.mu.Unlock()
	if p.works {
		b.free += p.cost
		c.free += p.places
		b.metrics.working.Dec()
	} else {
		b.dequeue(p)
	}
	c.users--
	if c.users == 0 {
		delete(b.clients, p.id)
	}
	if len(b.waiters) > 0 || len(c.waiting) > 0 {
		b.takeTurns(c)
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
			prepared[reason] = append(prepared[reason], problem.DocumentOf(problem.New(problem.Overloaded, detail).Retry(after)).Prepare())
		}
	}
	return prepared
}
