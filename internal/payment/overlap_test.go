package payment_test

import (
	"strings"
	"sync"
	"testing"

	"holdfast/internal/db"
	"holdfast/internal/db/dbtest"
	"holdfast/internal/payment"
)

// gate holds a process back before it runs a statement for the first time, until it is opened.
type gate struct {
	open    func()
	opened  chan struct{}
	reached chan struct{}
}

func newGate(t testing.TB) *gate {
	t.Helper()
	g := &gate{opened: make(chan struct{}), reached: make(chan struct{})}
	g.open = sync.OnceFunc(func() { close(g.opened) })
	t.Cleanup(g.open) // a failed test must not wait for the process
	return g
}

// hold waits at the gate.
func (g *gate) hold() {
	close(g.reached)
	<-g.opened
}

// gatedProcess returns the use cases of a process that stops at the gate before it runs the named statement for the
// first time. The database gets what rewrite makes of its statements, if it isn't nil.
func (b *testBundle) gatedProcess(t testing.TB, statement string, rewrite func(string) string,
	change ...func(*payment.Config),
) (*payment.Service, *gate) {
	t.Helper()
	proxy := dbtest.NewProxy(t, b.url)
	g := newGate(t)
	hold := sync.OnceFunc(g.hold)
	proxy.Rewrite = rewrite
	proxy.Before = func(sql string) {
		if strings.HasPrefix(sql, "-- name: "+statement+" ") {
			hold()
		}
	}
	return b.processOn(t, db.Config{URL: proxy.URL, MaxConns: 4}, change...), g
}

// overlap runs two requests of two processes, which stop at their gates before they write. When the first one has read
// and is about to write, the second one begins. When that one is about to write too, waits for a lock, or has ended,
// both go on. overlap returns their errors.
func (b *testBundle) overlap(t testing.TB, gates [2]*gate, requests [2]func() error) (errs [2]error) {
	t.Helper()
	var done [2]chan struct{}
	start := func(i int) {
		done[i] = make(chan struct{})
		go func() {
			defer close(done[i])
			errs[i] = requests[i]()
		}()
	}
	start(0)
	within(t, gates[0].reached)
	start(1)
	eventually(t, func() bool { return closed(gates[1].reached) || closed(done[1]) || b.waitingForLocks(t) > 0 })
	gates[0].open()
	gates[1].open()
	within(t, done[0])
	within(t, done[1])
	return errs
}

// waitingForLocks returns how many sessions of the database wait for a lock.
func (b *testBundle) waitingForLocks(t testing.TB) int {
	t.Helper()
	return b.count(t, `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`)
}

func closed(done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	default:
		return false
	}
}
