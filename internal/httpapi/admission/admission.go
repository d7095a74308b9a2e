package admission

import (
	"context"
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
	"holdfast/internal/tracing"
)

// Request is a request that asks to be admitted.
type Request struct {
	// Client is the tenant that sends it, as far as is known without asking the database; Unauthenticated or Providers.
	Client uuid.UUID
	// Key is the API key, for the rate limit. It counts if Client is a tenant; zero for a request without one.
	Key tenant.KeyID
	// Own says that the tenant's own application sends it, with a key that no visitor has. Its body may arrive while it
	// is queued. Any other request is queued when its body has arrived: anybody could fill the queue with bodies that
	// don't.
	Own bool
	// CallsProvider: the request waits for the payment provider, with no database connection. Other requests must not
	// wait for it.
	CallsProvider bool
	// Cost is how many permits it takes at work.
	Cost int
}

// Admission decides which requests are worked on, and when. It is safe for concurrent use.
type Admission struct {
	general  *bulkhead
	payments *bulkhead
	rates    *rateLimiter[tenant.KeyID]
	visitors *rateLimiter[visitor]
	// addresses counts what an address sends of which no tenant is known.
	addresses *rateLimiter[visitor]
	holds     *rateLimiter[visitor]
	stock     *rateLimiter[visitor]
	pays      *rateLimiter[visitor]
	signIns   *rateLimiter[visitor]
	metrics   *metrics
	log       *slog.Logger
	logged    *rate.Sometimes
}

// New returns an admission. Its metrics are registered with registry; nil registers none.
func New(l Limits, log *slog.Logger, registry prometheus.Registerer) *Admission {
	l = l.withDefaults()
	m := newMetrics(registry)
	return &Admission{
		general:   newBulkhead(l, permitsPerRound, WorkingPerConnection, m.bulkhead("general")),
		payments:  newBulkhead(l, 1, 1, m.bulkhead("payments")),
		rates:     newRateLimiter[tenant.KeyID](l.keys()),
		visitors:  newRateLimiter[visitor](l.visitors()),
		addresses: newRateLimiter[visitor](l.addresses()),
		holds:     newRateLimiter[visitor](l.holds()),
		stock:     newRateLimiter[visitor](l.visitorStock()),
		pays:      newRateLimiter[visitor](l.visitorPayments()),
		signIns:   newRateLimiter[visitor](signIns()),
		metrics:   m,
		log:       log,
		logged:    &rate.Sometimes{Interval: 10 * time.Second},
	}
}

// Admit returns when the request may be worked on, and has received its body by then. Call leave when the work is done.
// A request that isn't admitted is refused before anything is written or stored. If the queue is full, a request with a
// tenant's own key is refused before its body is read. Of a request that anybody may send, take the visitor's token
// first, or that of its address.
//
// Errors: problem.RateLimited, problem.Overloaded; those of edge.ReceiveBody; the context's error.
func (a *Admission) Admit(c *gin.Context, r Request) (leave func(), err error) {
	arrived := time.Now()
	_, span := tracing.Start(c.Request.Context(), "admission")
	defer func() {
		span.FailWith(err)
		span.End()
	}()
	if r.Client != Unauthenticated && r.Client != Providers && r.Key != (tenant.KeyID{}) {
		if err := a.TakeToken(c, r.Key); err != nil {
			return nil, err
		}
	}
	stop := func() {}
	if wait, ok := PreferredTime(c.Request.Header, "wait"); ok && r.Client != Providers {
		var ctx context.Context
		ctx, stop = withWaitDeadline(c.Request.Context(), arrived.Add(wait))
		c.Request = c.Request.WithContext(ctx)
		c.Header("Preference-Applied", "wait="+strconv.Itoa(int(wait.Seconds())))
	}
	into := a.general
	if r.CallsProvider {
		into = a.payments
	}
	if !r.Own {
		if err := edge.ReceiveBody(c); err != nil {
			stop()
			return nil, err
		}
	}
	p, err := into.enqueue(r.Client, r.Cost)
	if err != nil {
		stop()
		a.logShed(c, err)
		return nil, err
	}
	giveBack := func() {
		p.leave()
		stop()
	}
	defer func() { // also after a panic
		if leave == nil {
			giveBack()
		}
	}()
	if err := edge.ReceiveOwnBody(c); err != nil { // any other body was received above
		return nil, err
	}
	if err := p.acquire(c.Request.Context()); err != nil {
		a.logShed(c, err)
		return nil, err
	}
	return giveBack, nil
}

// TakeToken takes a token of an API key, or returns problem.RateLimited. Admit does so for a tenant that is known; for
// another client, call it once the key is known to be valid: a bucket belongs to a tenant.
func (a *Admission) TakeToken(c *gin.Context, key tenant.KeyID) error {
	err := a.rates.take(key, c.Writer.Header())
	if err != nil {
		a.metrics.limited.Inc()
	}
	return err
}

// logShed logs now and then that requests are shed.
func (a *Admission) logShed(c *gin.Context, err error) {
	if !problem.Is(err, problem.Overloaded) {
		return
	}
	ctx := c.Request.Context()
	a.logged.Do(func() {
		a.log.LogAttrs(ctx, slog.LevelWarn,
			"overloaded: requests are refused with 503; this line comes at most every ten seconds",
			slog.String("reason", err.Error()), slog.String("route", edge.Route(c)),
			slog.String("request_id", edge.RequestID(ctx)),
			slog.String("tenant_id", edge.Tenant(ctx).String()))
	})
}
