package payment_test

import (
	"sync"
	"testing"

	"github.com/google/uuid"
)

// exclusiveAccess fails the test if two resolvers work on one payment at the same time.
type exclusiveAccess struct {
	mu      sync.Mutex
	active  map[uuid.UUID]bool
	entered int
}

func newExclusiveAccess() *exclusiveAccess { return &exclusiveAccess{active: make(map[uuid.UUID]bool)} }

func (l *exclusiveAccess) enter(t testing.TB, id uuid.UUID) (leave func()) {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.active[id] {
		t.Errorf("two resolvers work on payment %s at the same time", id)
	}
	l.active[id] = true
	l.entered++
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.active, id)
	}
}

func (l *exclusiveAccess) enteredCount() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.entered
}

// currentCount returns on how many payments resolvers work now.
func (l *exclusiveAccess) currentCount() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.active)
}
