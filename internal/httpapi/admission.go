package httpapi

import (
	"cmp"
	"log/slog"
	"strconv"
	"strings"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"
	"golang.org/x/time/rate"

	"holdfast/internal/problem"
	"holdfast/internal/tenant"
)

// Defaults of Limits.
const (
	// WorkingPerConnection is how many requests should be at work for each database connection: enough that those that
	// wait for a lock, or for one another's commit, leave no connection idle.
	WorkingPerConnection = 4
	defaultWorking       = 64
	waitingPerWorking    = 16
	// together is how many permits the requests of a tenant take that go to work in one turn: enough for most of what a
	// transaction saves when they share it, few enough that waiting for so many permits wastes none to speak of.
	together    = 4
	defaultWait = time.Second
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

// admission decides which requests are worked on, and when.
type admission struct {
	general  *bulkhead
	payments *bulkhead // wait for the provider, with no connection: others must not wait for them
	rates    *rateLimiter
	costs    costs
	workers  crew
	metrics  *metrics
	log      *slog.Logger
	logged   *rate.Sometimes
}

func newAdmission(l Limits, log *slog.Logger, m *metrics) admission {
	l = l.withDefaults()
	return admission{
		general: newBulkhead(l, together, WorkingPerConnection, m.of("general")), payments: newBulkhead(l, 1, 1, m.of("payments")), rates: newRateLimiter(l),
		costs: make(costs), workers: newCrew(), metrics: m, log: log, logged: &rate.Sometimes{Interval: 10 * time.Second},
	}
}

// admit lets a request pass when its turn comes, or refuses it: before its key is looked up, before its body is read if the
// queue is full, and before anything is written or stored in any case. Those of operators, and those that need no database,
// always pass.
func (a *API) admit(c *gin.Context) {
	arrived := time.Now()
	by := caller{party: providers}
	switch route := c.FullPath(); {
	case strings.HasPrefix(route, "/v1/"):
		var err error
		if by, err = a.callerOf(c); err != nil {
			a.refuse(c, err)
			return
		}
		if wait, ok := preferredWait(c.Request.Header); ok {
			ctx, stop := withPatience(c.Request.Context(), arrived.Add(wait))
			defer stop()
			c.Request = c.Request.WithContext(ctx)
			c.Header("Preference-Applied", "wait="+strconv.Itoa(int(wait.Seconds())))
		}
	case strings.HasPrefix(route, webhooksPath):
	default:
		return
	}
	into := a.general
	if callsProvider(c) {
		into = a.payments
	}
	turn, err := into.enqueue(by.party, a.costs.of(c))
	if err != nil {
		a.refuse(c, err)
		return
	}
	defer turn.leave()
	if err := receiveBody(c); err != nil {
		writeProblem(c, err)
		return
	}
	if err := turn.work(c.Request.Context()); err != nil {
		a.refuse(c, err)
		return
	}
	a.workers.do(func() {
		defer recovered(c, a.log, a.metrics) // here the stack still tells where the panic comes from
		a.work(c, by)
	})
}

// work answers a request whose turn has come.
func (a *API) work(c *gin.Context, by caller) {
	if by.party == strangers {
		// Its bucket is its tenant's business only once the key is known to be one.
		if a.authenticate(c); !c.IsAborted() {
			if err := a.takeToken(c, by.key); err != nil {
				a.refuse(c, err)
			}
		}
	}
	c.Next()
}

// caller is who sends a request, as far as can be told without asking the database.
type caller struct {
	party uuid.UUID
	key   tenant.KeyID
}

// callerOf returns who sends a request. Errors: problem.Unauthenticated without an API key; problem.RateLimited.
func (a *API) callerOf(c *gin.Context) (caller, error) {
	bearer, _ := bearerOf(c)
	key, of, err := a.Tenants.Recognize(bearer)
	if err != nil || of == uuid.Nil {
		return caller{party: strangers, key: key}, err
	}
	setTenant(c.Request.Context(), of)
	return caller{party: of, key: key}, a.takeToken(c, key)
}

func (a *admission) takeToken(c *gin.Context, key tenant.KeyID) error {
	err := a.rates.take(key, c.Writer.Header())
	if err != nil {
		a.metrics.limited.Inc()
	}
	return err
}

// refuse answers a request that isn't worked on, and tells the log now and then that there are such.
func (a *admission) refuse(c *gin.Context, err error) {
	if problem.Is(err, problem.Overloaded) {
		a.logged.Do(func() {
			a.log.LogAttrs(c.Request.Context(), slog.LevelWarn, "requests are shed; this line comes at most every ten seconds",
				slog.String("reason", err.Error()), slog.String("route", routeOf(c)), slog.String("request_id", requestID(c.Request.Context())),
				slog.String("tenant_id", stateOf(c.Request.Context()).tenant.String()))
		})
	}
	writeProblem(c, err)
}
