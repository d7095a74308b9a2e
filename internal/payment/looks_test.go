package payment_test

import (
	"sync"
	"testing"

	"github.com/google/uuid"
)

// looks notices when two are at one payment at a time.
type looks struct {
	mu    sync.Mutex
	in    map[uuid.UUID]bool
	count int
}

func newLooks() *looks { return &looks{in: make(map[uuid.UUID]bool)} }

func (l *looks) enter(t testing.TB, id uuid.UUID) (leave func()) {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.in[id] {
		t.Errorf("two resolvers are at payment %s at a time", id)
	}
	l.in[id] = true
	l.count++
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.in, id)
	}
}

func (l *looks) total() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.count
}
