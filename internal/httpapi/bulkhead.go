package httpapi

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

// Parties that aren't tenants. No tenant has these ids.
var (
	strangers = uuid.Nil // whose API key has to be looked up first
	providers = uuid.Max // who deliver webhooks
)

// presence is for how long a tenant counts as one that sends requests after it has sent one.
const presence = time.Second

// bulkhead bounds the requests at work and those that wait to be, in all and for each party, so that one party's
// storm leaves places for the others. A party is a tenant, or one of those above.
//
// A request at work takes permits, by what it may cost: most take one.
//
// Parties have turns. Requests of one that wait at the same time go to work together, so that bookings can share a
// transaction: the more wait, the less each of them costs.
type bulkhead struct {
	working int
	waiting int
	wait    time.Duration
	// together is how many permits the requests of one turn may take; a request that takes more has a turn of its own.
	together int
	// weight is how many of its tenant's places a request at work takes for each of its permits while other tenants send
	// requests too. What a storm may do while nobody else is there would make others wait for processors and connections.
	weight  int
	metrics bulkheadMetrics
	answers map[string][]*problem.Document // to what is shed, by reason

	mu      sync.Mutex
	free    int // permits
	queued  int
	parties map[uuid.UUID]*party
	line    []*party   // that wait for their turn
	latest  [2]arrival // of the tenant that came last, and of another one
}

// arrival is when a tenant sent a request.
type arrival struct {
	tenant uuid.UUID
	at     time.Time
}

// party is who has requests in the bulkhead. It is forgotten with its last one.
type party struct {
	free    int       // of its places at work
	waiting []*ticket // that have all they need but places, in the order in which they came
	inLine  bool
	queued  int // those in waiting, and those whose bodies are on their way in
	users   int
}

func newBulkhead(l Limits, together, weight int, m bulkheadMetrics) *bulkhead {
	return &bulkhead{
		working: l.Working, waiting: l.Waiting, wait: l.Wait, together: together, weight: weight, metrics: m, answers: shedAnswers(),
		free: l.Working, parties: make(map[uuid.UUID]*party),
	}
}

// ticket is a request's place in a bulkhead: first one in the queue, then one at work.
type ticket struct {
	from   *bulkhead
	id     uuid.UUID
	party  *party
	cost   int           // permits that it takes at work
	weight int           // of its party's places that it takes at work
	turn   chan struct{} // closed when it is at work, if it had to wait for that
	works  bool
}

// enqueue gives a request a place in the queue, or problem.Overloaded if the queue is full or the party has its share of
// it. At work the request will take cost permits, or all that its party may have if these are fewer. A tenant that has no request here gets a place even in a full queue: that it is full is others' doing.
func (b *bulkhead) enqueue(id uuid.UUID, cost int) (*ticket, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	p := b.parties[id]
	switch {
	case b.queued >= b.waiting && (p != nil || id == strangers):
		return nil, b.shed(shedQueueFull)
	case p != nil && p.queued >= share(id, b.waiting):
		return nil, b.shed(shedShareFull)
	case p == nil:
		p = &party{free: share(id, b.working)}
		b.parties[id] = p
	}
	b.queued++
	p.queued++
	p.users++
	b.metrics.waiting.Inc()
	most := share(id, b.working)
	return &ticket{from: b, id: id, party: p, cost: min(cost, most), weight: min(cost*b.weigh(id), most)}, nil
}

// weigh takes down that a party is here, and returns how many of its places a request takes for each permit. Only tenants make each other
// heavier: anybody can be a stranger. The bulkhead's lock must be held.
func (b *bulkhead) weigh(id uuid.UUID) int {
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
	return b.weight
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
	if b.lineUp(t) {
		return nil
	}
	began := time.Now()
	defer func() { b.metrics.wait.Observe(time.Since(began).Seconds()) }()
	limited, cancel := context.WithTimeout(ctx, b.wait)
	defer cancel()
	select {
	case <-t.turn:
		return nil
	case <-limited.Done():
	}
	switch withdrawn := b.withdraw(t); {
	case ctx.Err() != nil:
		return b.gaveUp(ctx.Err())
	case withdrawn:
		return b.shed(shedTimeout)
	}
	return nil // its turn came just then
}

// lineUp lets a ticket wait for its turn, and reports whether that has come at once.
func (b *bulkhead) lineUp(t *ticket) (works bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	t.party.waiting = append(t.party.waiting, t)
	b.takeTurns(t.party)
	if !t.works {
		t.turn = make(chan struct{})
	}
	return t.works
}

// withdraw lets a ticket wait no longer, and reports whether it still waited.
func (b *bulkhead) withdraw(t *ticket) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	i := slices.Index(t.party.waiting, t)
	if i < 0 {
		return false
	}
	t.party.waiting = slices.Delete(t.party.waiting, i, i+1)
	return true
}

// takeTurns puts a party in the line if it has requests that wait, and lets the parties at its head send theirs to work as long
// as there are places: a turn waits until there are enough for all of it. The bulkhead's lock must be held.
func (b *bulkhead) takeTurns(p *party) {
	b.getInLine(p)
	for len(b.line) > 0 {
		next := b.line[0]
		n, permits := next.ready(b.together)
		if permits > b.free {
			return
		}
		b.line = slices.Delete(b.line, 0, 1)
		next.inLine = false
		for _, t := range next.waiting[:n] {
			b.start(t)
		}
		next.waiting = slices.Delete(next.waiting, 0, n)
		if n > 0 { // else it waits for places of its own, and comes again when one is free
			b.getInLine(next)
		}
	}
}

// getInLine puts a party at the line's end. The bulkhead's lock must be held.
func (b *bulkhead) getInLine(p *party) {
	if !p.inLine && len(p.waiting) > 0 {
		p.inLine = true
		b.line = append(b.line, p)
	}
}

// ready is how many of the party's requests can go to work in one turn, and how many permits they take: the first, and those
// behind it that find room within most permits.
func (p *party) ready(most int) (n, permits int) {
	left := p.free
	for _, t := range p.waiting {
		if t.weight > left || n > 0 && permits+t.cost > most {
			break
		}
		n++
		permits += t.cost
		left -= t.weight
	}
	return n, permits
}

// start lets a ticket go to work. The bulkhead's lock must be held.
func (b *bulkhead) start(t *ticket) {
	b.dequeue(t)
	b.free -= t.cost
	t.party.free -= t.weight
	b.metrics.working.Inc()
	t.works = true
	if t.turn != nil {
		close(t.turn)
	}
}

// leave gives back what the ticket holds.
func (t *ticket) leave() {
	b, p := t.from, t.party
	b.mu.Lock()
	defer b.mu.Unlock()
	if t.works {
		b.free += t.cost
		p.free += t.weight
		b.metrics.working.Dec()
	} else {
		b.dequeue(t)
	}
	p.users--
	if p.users == 0 {
		delete(b.parties, t.id)
	}
	b.takeTurns(p)
}

// dequeue takes a ticket out of the queue. The bulkhead's lock must be held.
func (b *bulkhead) dequeue(t *ticket) {
	b.queued--
	t.party.queued--
	b.metrics.waiting.Dec()
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
func shedAnswers() map[string][]*problem.Document {
	answers := make(map[string][]*problem.Document)
	for reason, detail := range map[string]string{
		shedQueueFull: "Too many requests wait already. Nothing was written.",
		shedShareFull: "Too many requests of yours wait already. Nothing was written.",
		shedTimeout:   "Waiting for others took too long. Nothing was written.",
	} {
		for after := time.Second; after <= 3*time.Second; after += time.Second {
			answers[reason] = append(answers[reason], problem.DocumentOf(problem.New(problem.Overloaded, detail).Retry(after)).Prepare())
		}
	}
	return answers
}
