package httpapi

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/google/uuid"
	"golang.org/x/sync/semaphore"

	"holdfast/internal/problem"
)

// Parties that aren't tenants. No tenant has these ids.
var (
	strangers = uuid.Nil // whose API key has to be looked up first
	providers = uuid.Max // who deliver webhooks
)

// presence is for how long a tenant counts as one that sends requests after it has sent one.
const presence = time.Second

// bulkhead bounds the requests at work and those that wait to be, in all and for each party, so that one party's
// storm leaves places for the others. A party is a tenant, or one of those above.
type bulkhead struct {
	working int
	waiting int
	wait    time.Duration
	// weight is how many of its tenant's places a request at work takes while other tenants send requests too. What a
	// storm may do while nobody else is there would make others wait for processors and connections.
	weight  int64
	metrics bulkheadMetrics
	answers map[string][]*problemDocument // to what is shed, by reason

	places *semaphore.Weighted // first come, first served

	mu      sync.Mutex
	queued  int
	parties map[uuid.UUID]*party
	latest  [2]arrival // of the tenant that came last, and of another one
}

// arrival is when a tenant sent a request.
type arrival struct {
	tenant uuid.UUID
	at     time.Time
}

// party is who has requests in the bulkhead. It is forgotten with its last one.
type party struct {
	places *semaphore.Weighted
	queued int
	users  int
}

func newBulkhead(l Limits, weight int64, m bulkheadMetrics) *bulkhead {
	return &bulkhead{
		working: l.Working, waiting: l.Waiting, wait: l.Wait, weight: weight, metrics: m, answers: shedAnswers(),
		places: semaphore.NewWeighted(int64(l.Working)), parties: make(map[uuid.UUID]*party),
	}
}

// ticket is a request's place in a bulkhead: first one in the queue, then one at work.
type ticket struct {
	from   *bulkhead
	id     uuid.UUID
	party  *party
	weight int64
	holds  bool // as many of the party's places as its weight
	works  bool // and one of all
}

// enqueue gives a request a place in the queue, or problem.Overloaded if the queue is full or the party has its share of
// it. A tenant that has no request here gets a place even in a full queue: that it is full is others' doing.
func (b *bulkhead) enqueue(id uuid.UUID) (*ticket, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	p := b.parties[id]
	switch {
	case b.queued >= b.waiting && (p != nil || id == strangers):
		return nil, b.shed(shedQueueFull)
	case p != nil && p.queued >= share(id, b.waiting):
		return nil, b.shed(shedShareFull)
	case p == nil:
		p = &party{places: semaphore.NewWeighted(int64(share(id, b.working)))}
		b.parties[id] = p
	}
	b.queued++
	p.queued++
	p.users++
	b.metrics.waiting.Inc()
	return &ticket{from: b, id: id, party: p, weight: b.weigh(id)}, nil
}

// weigh takes down that a party is here, and returns how many of its places a request takes. Only tenants make each other
// heavier: anybody can be a stranger. The bulkhead's lock must be held.
func (b *bulkhead) weigh(id uuid.UUID) int64 {
	if id == strangers || id == providers {
		return 1
	}
	now := time.Now()
	if b.latest[0].tenant != id {
		b.latest[1] = b.latest[0]
	}
	b.latest[0] = arrival{id, now}
	if now.Sub(b.latest[1].at) > presence {
		return 1
	}
	return min(b.weight, int64(share(id, b.working)))
}

// share is how many of so many places a party may have: half, so that there is always room for others; strangers, whose
// keys may be anything, an eighth.
func share(id uuid.UUID, places int) int {
	if id == strangers {
		return max(places/8, 1)
	}
	return max(places/2, 1)
}

// work turns the ticket's place in the queue into one at work, when its turn comes. Errors: problem.Overloaded when that
// takes too long; ctx's when it ends first.
func (t *ticket) work(ctx context.Context) error {
	b := t.from
	if err := ctx.Err(); err != nil {
		return b.gaveUp(err)
	}
	if !t.try() {
		began := time.Now()
		limited, cancel := context.WithTimeout(ctx, b.wait)
		defer cancel()
		err := t.queue(limited)
		b.metrics.wait.Observe(time.Since(began).Seconds())
		switch {
		case err == nil:
		case ctx.Err() != nil:
			return b.gaveUp(ctx.Err())
		default:
			return b.shed(shedTimeout)
		}
	}
	t.works = true
	b.mu.Lock()
	t.dequeue()
	b.mu.Unlock()
	b.metrics.working.Inc()
	return nil
}

// try takes a place at work if there is one.
func (t *ticket) try() bool {
	if !t.party.places.TryAcquire(t.weight) {
		return false
	}
	t.holds = true
	return t.from.places.TryAcquire(1)
}

// queue waits for a place at work: first for the party's, which only its own requests can keep it waiting for.
func (t *ticket) queue(ctx context.Context) error {
	if !t.holds {
		if err := t.party.places.Acquire(ctx, t.weight); err != nil {
			return err
		}
		t.holds = true
	}
	return t.from.places.Acquire(ctx, 1)
}

// leave gives back what the ticket holds.
func (t *ticket) leave() {
	b := t.from
	if t.works {
		b.places.Release(1)
		b.metrics.working.Dec()
	}
	if t.holds {
		t.party.places.Release(t.weight)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if !t.works {
		t.dequeue()
	}
	t.party.users--
	if t.party.users == 0 {
		delete(b.parties, t.id)
	}
}

// dequeue takes the ticket out of the queue. The bulkhead's lock must be held.
func (t *ticket) dequeue() {
	t.from.queued--
	t.party.queued--
	t.from.metrics.waiting.Dec()
}

// Why requests are shed, as metrics label it.
const (
	shedDeadline  = "deadline"
	shedQueueFull = "queue_full"
	shedShareFull = "share_full"
	shedTimeout   = "timeout"
)

func (b *bulkhead) shed(reason string) error {
	b.metrics.shed[reason].Inc()
	answers := b.answers[reason]
	return answers[rand.IntN(len(answers))] //nolint:gosec // G404: which of three waits a client is told is no secret
}

// gaveUp counts a request whose client's patience ended; one whose client has gone is nobody's loss.
func (b *bulkhead) gaveUp(err error) error {
	if errors.Is(err, errOutOfTime) {
		b.metrics.shed[shedDeadline].Inc()
	}
	return err
}

// shedAnswers returns the answers to requests that are shed, by reason. There are more of them in a storm than of all
// others, so they are prepared. Those of one reason spread clients that come again over some seconds.
func shedAnswers() map[string][]*problemDocument {
	answers := make(map[string][]*problemDocument)
	for reason, detail := range map[string]string{
		shedQueueFull: "Too many requests wait already. Nothing was written.",
		shedShareFull: "Too many requests of yours wait already. Nothing was written.",
		shedTimeout:   "Waiting for others took too long. Nothing was written.",
	} {
		for after := time.Second; after <= 3*time.Second; after += time.Second {
			answers[reason] = append(answers[reason], toProblem(problem.New(problem.Overloaded, detail).Retry(after)).prepare())
		}
	}
	return answers
}
