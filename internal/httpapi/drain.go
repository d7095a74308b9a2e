package httpapi

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gin-gonic/gin"

	"holdfast/internal/problem"
)

// drainer ends a server's work in steps: announce, so that load balancers look elsewhere; refuse, so that no
// new work begins; wait, until the work that was accepted is done. The zero value accepts work.
type drainer struct {
	announced atomic.Bool

	mu      sync.RWMutex // orders admit's Add before wait's Wait
	refused bool
	active  sync.WaitGroup
}

// announce makes /readyz fail while requests are still served.
func (d *drainer) announce() { d.announced.Store(true) }

// announcing reports whether announce or refuse was called.
func (d *drainer) announcing() bool { return d.announced.Load() }

// refuse answers every request from now on with shutting_down.
func (d *drainer) refuse() {
	d.announce()
	d.mu.Lock()
	defer d.mu.Unlock()
	d.refused = true
}

// wait returns when no admitted request is left, or with ctx's error. Call refuse first.
func (d *drainer) wait(ctx context.Context) error {
	idle := make(chan struct{})
	go func() {
		d.active.Wait()
		close(idle)
	}()
	select {
	case <-idle:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (d *drainer) admit() bool {
	d.mu.RLock()
	defer d.mu.RUnlock()
	if d.refused {
		return false
	}
	d.active.Add(1)
	return true
}

// middleware admits requests. Those that tell how the server is doing always pass.
func (d *drainer) middleware(c *gin.Context) {
	if operational(c.FullPath()) {
		return
	}
	if !d.admit() {
		c.Header("Connection", "close") // the next connection may reach another instance
		writeProblem(c, problem.New(problem.ShuttingDown, "This server is shutting down. Nothing was written.").Retry(time.Second))
		return
	}
	defer d.active.Done()
	c.Next()
}
