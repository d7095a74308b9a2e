package edge

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gin-gonic/gin"

	"holdfast/internal/problem"
)

// drainer ends a server's work in steps: announce, so that load balancers send requests elsewhere; refuse, so that no
// request begins; wait, until those that began are answered.
type drainer struct {
	announced atomic.Bool // /readyz fails while requests are still served

	draining context.Context //nolint:containedctx // it ends with refuse, not with a call
	drain    context.CancelFunc

	mu      sync.RWMutex // orders begin's Add before wait's Wait
	refused bool
	active  sync.WaitGroup
}

func (d *drainer) init() { d.draining, d.drain = context.WithCancel(context.Background()) }

// refuse answers every request from now on with shutting_down.
func (d *drainer) refuse() {
	d.announced.Store(true)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.refused = true
	d.drain()
}

// wait returns when no request that began is left, or with ctx's error. Call refuse first.
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

// begin counts a request in, or reports false once refuse was called.
func (d *drainer) begin() bool {
	d.mu.RLock()
	defer d.mu.RUnlock()
	if d.refused {
		return false
	}
	d.active.Add(1)
	return true
}

// track is the middleware that counts requests under way, and refuses new ones once the server drains.
func (d *drainer) track(c *gin.Context) {
	if !d.begin() {
		c.Header("Connection", "close") // the next connection may reach another instance
		WriteProblem(c, problem.New(problem.ShuttingDown,
			"This server is shutting down. Nothing was written.").Retry(time.Second))
		return
	}
	defer d.active.Done()
	if d.announced.Load() {
		c.Header("Connection", "close") // a client that keeps its connection would stay here until it is refused
	}
	c.Next()
}
