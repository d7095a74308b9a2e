package admission

import (
	"log/slog"
	"strconv"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/time/rate"

	"holdfast/internal/httpapi/edge"
	"holdfast/internal/problem"
	"holdfast/internal/tenant"
)

// Class says what a request mostly waits for.
type Class int

const (
	// General is every request that is not of another class.
	General Class = iota
	// Provider is a request that waits for the payment provider, with no database connection. Other requests must not wait
	// for it.
	Provider
)

// Request is a request that asks to be admitted.
type Request struct {
	// Client is the tenant that sends it, as far as is known without asking the database; Unauthenticated or Providers.
	Client uuid.UUID
	// Key is the API key, for the rate limit. It counts if Client is a tenant.
	Key   tenant.KeyID
	Class Class
	// Cost is how many permits it takes at work.
	Cost int
}

// Admission decides which requests are worked on, and when. It is safe for concurrent use.
type Admission struct {
	edge     *edge.Edge
	general  *bulkhead
	payments *bulkhead
	rates    *rateLimiter
	workers  workerPool
	metrics  *metrics
	log      *slog.Logger
	logged   *rate.Sometimes
}

// New returns an admission. Its metrics are registered with registry; nil registers none.
func New(l Limits, e *edge.Edge, log *slog.Logger, registry prometheus.Registerer) *Admission {
	l = l.withDefaults()
	m := newMetrics(registry)
	return &Admission{
		edge: e, general: newBulkhead(l, permitsPerTurn, WorkingPerConnection, m.of("general")), payments: newBulkhead(l, 1, 1, m.of("payments")),
		rates: newRateLimiter(l), workers: newWorkerPool(), metrics: m, log: log, logged: &rate.Sometimes{Interval: 10 * time.Second},
	}
}

// Serve runs work when the request's turn comes, or refuses the request: before its body is read if the queue is full, and before
// anything is written or stored in any case.
func (a *Admission) Serve(c *gin.Context, r Request, work func()) {
	arrived := time.Now()
	if r.Client != Unauthenticated && r.Client != Providers && !a.TakeToken(c, r.Key) {
		return
	}
	if wait, ok := preferredWait(c.Request.Header); ok && r.Client != Providers {
		ctx, stop := withWaitDeadline(c.Request.Context(), arrived.Add(wait))
		defer stop()
		c.Request = c.Request.WithContext(ctx)
		c.Header("Preference-Applied", "wait="+strconv.Itoa(int(wait.Seconds())))
	}
	into := a.general
	if r.Class == Provider {
		into = a.payments
	}
	p, err := into.enqueue(r.Client, r.Cost)
	if err != nil {
		a.refuse(c, err)
		return
	}
	defer p.leave()
	if err := edge.ReceiveBody(c); err != nil {
		edge.WriteProblem(c, err)
		return
	}
	if err := p.wait(c.Request.Context()); err != nil {
		a.refuse(c, err)
		return
	}
	a.workers.do(func() {
		defer a.edge.Recover(c) // here the stack still shows where the panic comes from
		work()
	})
}

// TakeToken takes a token of an API key, or refuses the request and reports false. Serve does so for a tenant that is known; for
// another client, call it once the key is known to be valid: a bucket belongs to a tenant.
func (a *Admission) TakeToken(c *gin.Context, key tenant.KeyID) bool {
	err := a.rates.take(key, c.Writer.Header())
	if err != nil {
		a.metrics.limited.Inc()
		edge.WriteProblem(c, err)
	}
	return err == nil
}

// refuse answers a request that isn't worked on. The log has a line now and then while requests are shed.
func (a *Admission) refuse(c *gin.Context, err error) {
	if problem.Is(err, problem.Overloaded) {
		ctx := c.Request.Context()
		a.logged.Do(func() {
			a.log.LogAttrs(ctx, slog.LevelWarn, "requests are shed; this line comes at most every ten seconds",
				slog.String("reason", err.Error()), slog.String("route", edge.Route(c)), slog.String("request_id", edge.RequestID(ctx)),
				slog.String("tenant_id", edge.Tenant(ctx).String()))
		})
	}
	edge.WriteProblem(c, err)
}
