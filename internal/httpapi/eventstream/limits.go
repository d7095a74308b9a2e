package eventstream

import (
	"cmp"
	"sync"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/change"
	"holdfast/internal/httpapi/edge"
	"holdfast/internal/problem"
)

// readsOfStreams is how many streams read at once, so that connections are left for requests.
const readsOfStreams = 4

// Limits bound the streams of events.
type Limits struct {
	// PerTenant and Total are how many streams may be open. Default 32 of a tenant, 512 in all.
	PerTenant, Total int
	// Life is how long a stream lasts; its client connects again. Default 1 h.
	Life time.Duration
	// Heartbeat is how often a line is sent if nothing happens. Default 15 s.
	Heartbeat time.Duration
	// CheckKey is how long the API key counts as valid before it is checked again. Default 30 s.
	CheckKey time.Duration
	// Poll is how often the feed is read although nobody said that there are new events. Default 2 s.
	Poll time.Duration
	// WriteTimeout is how long a client may take to receive what is sent. Default 10 s.
	WriteTimeout time.Duration
}

func (l Limits) withDefaults() Limits {
	l.PerTenant, l.Total = cmp.Or(l.PerTenant, 32), cmp.Or(l.Total, 512)
	l.Life, l.Heartbeat, l.CheckKey = cmp.Or(l.Life, time.Hour), cmp.Or(l.Heartbeat, 15*time.Second),
		cmp.Or(l.CheckKey, 30*time.Second)
	l.Poll, l.WriteTimeout = cmp.Or(l.Poll, 2*time.Second), cmp.Or(l.WriteTimeout, 10*time.Second)
	return l
}

// Streams are the streams of events that are open on a server. They are safe for use by several goroutines.
type Streams struct {
	limits  Limits
	changes *change.Service
	edge    *edge.Edge
	reading chan struct{} // a permit for each read under way

	mu       sync.Mutex
	all      int
	byTenant map[uuid.UUID]int
}

// New returns Streams of which none is open. A stream learns from changes that there is news, and ends when the edge
// drains.
func New(l Limits, changes *change.Service, e *edge.Edge) *Streams {
	return &Streams{
		limits:   l.withDefaults(),
		changes:  changes,
		edge:     e,
		reading:  make(chan struct{}, readsOfStreams),
		byTenant: make(map[uuid.UUID]int),
	}
}

// acquire takes a permit for a stream. Call release when it ends. Errors: problem.Overloaded.
func (s *Streams) acquire(tenant uuid.UUID) (release func(), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.all >= s.limits.Total || s.byTenant[tenant] >= s.limits.PerTenant {
		return nil, problem.New(problem.Overloaded, "Too many streams of events are open.").Retry(5 * time.Second)
	}
	s.all++
	s.byTenant[tenant]++
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.all--
		if s.byTenant[tenant]--; s.byTenant[tenant] == 0 {
			delete(s.byTenant, tenant)
		}
	}, nil
}
