package edge

import (
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
)

const (
	// failuresInRow is how many requests of a tenant in a row must fail for it to count as failing.
	failuresInRow = 5
	// failingFor is how long after its last failed request a tenant still counts.
	failingFor = 10 * time.Minute
	// maxFailing bounds the tenants that are remembered.
	maxFailing = 10_000
)

// failingTenants knows the tenants whose last requests all failed with a 5xx. Metrics by tenant would be too many; that
// there is such a tenant is one figure, and the log names it. It costs a request nothing while none fails.
type failingTenants struct {
	any atomic.Bool // somebody is remembered

	mu    sync.Mutex
	known map[uuid.UUID]failures
}

type failures struct {
	inRow int
	last  time.Time
}

// note takes over how a request of a tenant was answered. A refusal says neither that the tenant is served nor that it
// isn't.
func (f *failingTenants) note(tenant uuid.UUID, status int, now time.Time) {
	failed := status >= http.StatusInternalServerError
	if tenant == uuid.Nil || !failed && (status >= http.StatusBadRequest || !f.any.Load()) {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	one, there := f.known[tenant]
	switch {
	case !failed:
		delete(f.known, tenant)
	case there || len(f.known) < maxFailing:
		if f.known == nil {
			f.known = make(map[uuid.UUID]failures)
		}
		f.known[tenant] = failures{inRow: one.inRow + 1, last: now}
	}
	f.any.Store(len(f.known) > 0)
}

// count returns how many tenants get nothing but failures.
func (f *failingTenants) count(now time.Time) (n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for tenant, one := range f.known {
		switch {
		case now.Sub(one.last) > failingFor:
			delete(f.known, tenant)
		case one.inRow >= failuresInRow:
			n++
		}
	}
	f.any.Store(len(f.known) > 0)
	return n
}
