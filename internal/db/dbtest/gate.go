package dbtest

import (
	"sync"
	"testing"
)

// CommitGate keeps the COMMITs of a process back while it is closed, so that a test decides what happens between a
// transaction's reads and its end. Its Wait is the Proxy's BeforeCommit. Until Open, the transaction holds all its
// locks.
type CommitGate struct {
	mu      sync.Mutex
	opened  chan struct{}
	reached bool
}

// NewCommitGate returns a gate that is open. It is opened when the test ends, so that nothing waits for it then.
func NewCommitGate(t testing.TB) *CommitGate {
	t.Helper()
	g := &CommitGate{opened: make(chan struct{})}
	close(g.opened)
	t.Cleanup(g.Open)
	return g
}

// Close has the next COMMITs wait.
func (g *CommitGate) Close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.opened, g.reached = make(chan struct{}), false
}

// Open lets go what waits, and what comes until the next Close.
func (g *CommitGate) Open() {
	g.mu.Lock()
	defer g.mu.Unlock()
	select {
	case <-g.opened:
	default:
		close(g.opened)
	}
}

// Reached reports whether a COMMIT has come since the last Close.
func (g *CommitGate) Reached() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.reached
}

// Wait returns when the gate is open. It never cuts the connection.
func (g *CommitGate) Wait() (cut bool) {
	g.mu.Lock()
	g.reached = true
	opened := g.opened
	g.mu.Unlock()
	<-opened
	return false
}
