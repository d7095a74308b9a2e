package admission

import (
	"cmp"
	"time"
)

// Defaults of Limits.
const (
	// WorkingPerConnection is how many requests should be at work for each database connection: enough that those that
	// wait for a lock, or for one another's commit, leave no connection idle.
	WorkingPerConnection = 4
	defaultWorking       = 64
	waitingPerWorking    = 16
	// permitsPerTurn is how many permits the requests of a tenant take that go to work in one turn: enough for most of what a
	// transaction saves when they share it, few enough that waiting for so many permits wastes little.
	permitsPerTurn = 4
	defaultWait    = time.Second
)

// Limits bound what the API does at once. They hold once for all requests but those that call the payment provider, and once for these.
type Limits struct {
	// Working is how many requests may be at work. Requests that may cost much count several times. A tenant's may be half of
	// it, and an eighth while other tenants send requests too, payments and refunds excepted; both rounded down, but at least
	// one. Default 64.
	Working int
	// Waiting is how many requests may wait to be at work, or be on their way in. A tenant's may be half of it. Default
	// sixteen times Working.
	Waiting int
	// Wait is how long a request waits to be at work at most. Default 1 s.
	Wait time.Duration
	// Rate is how many requests a second an API key may send in the long run; zero or less sets no limit.
	Rate float64
	// Burst is how many requests an API key may send at once. Default Rate, rounded up.
	Burst int
}

func (l Limits) withDefaults() Limits {
	if l.Working <= 0 {
		l.Working = defaultWorking
	}
	if l.Waiting <= 0 {
		l.Waiting = waitingPerWorking * l.Working
	}
	l.Wait = cmp.Or(max(l.Wait, 0), defaultWait)
	return l
}
