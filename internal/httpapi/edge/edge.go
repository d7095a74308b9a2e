package edge

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"os"
	"runtime/debug"
	"syscall"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/trace"
)

// Edge is the router with what every request passes, whatever its route.
type Edge struct {
	engine  *gin.Engine
	routes  *gin.RouterGroup
	sources TenantSources
	drain   drainer
	arrives arrivals
	log     *slog.Logger
	metrics *metrics
	tracer  trace.Tracer
}

// New returns an edge without routes. Its metrics are registered with registry; nil registers none. tracer begins the
// traces of requests; nil begins none.
func New(log *slog.Logger, registry prometheus.Registerer, tracer trace.Tracer) *Edge {
	gin.SetMode(gin.ReleaseMode) // else gin prints every route to stdout
	e := &Edge{engine: gin.New(), sources: make(TenantSources), log: log, metrics: newMetrics(registry), tracer: tracer}
	e.drain.init()
	e.engine.HandleMethodNotAllowed = true
	e.engine.RedirectTrailingSlash = false
	e.engine.RedirectFixedPath = false
	// An escaped slash belongs to its segment: POST /v1/bookings/x%2Fcancel cancels nothing.
	e.engine.UseRawPath = true
	e.engine.UnescapePathValues = true
	e.engine.RemoteIPHeaders = []string{"X-Forwarded-For"}
	e.TrustProxies(nil)
	e.engine.Use(e.observe)
	e.engine.NoRoute(e.drain.track, refused, NotFound)
	e.engine.NoMethod(e.drain.track, methodNotAllowed)
	e.routes = e.engine.Group("", e.drain.track)
	return e
}

// TrustProxies says from which networks X-Forwarded-For is believed. The address of a client is that of its connection.
// If that is a proxy's, it is the last address of the header that isn't a proxy's. A header that can't be read changes
// nothing. Call it before the first request.
func (e *Edge) TrustProxies(networks []netip.Prefix) {
	texts := make([]string, len(networks))
	for i, n := range networks {
		texts[i] = n.String()
	}
	_ = e.engine.SetTrustedProxies(texts) // fails only for networks that can't be parsed
}

// Engine returns the router.
func (e *Edge) Engine() *gin.Engine { return e.engine }

// Announce makes /readyz fail while requests are still served.
func (e *Edge) Announce() { e.drain.announced.Store(true) }

// Drain refuses new requests and returns when those that run are answered, or with ctx's error.
func (e *Edge) Drain(ctx context.Context) error {
	e.drain.refuse()
	return e.drain.wait(ctx)
}

// Draining returns a context that ends when the server begins to drain. A response that would go on for long ends then.
func (e *Edge) Draining() context.Context { return e.drain.draining }

// observe gives a request its id, and logs and counts it when it is answered, also after a panic.
func (e *Edge) observe(c *gin.Context) {
	start := time.Now()
	r := &request{id: requestIDFrom(c.GetHeader("Request-Id")), start: start, arrivals: &e.arrives}
	ctx := context.WithValue(c.Request.Context(), requestKey{}, r)
	ctx, r.span = e.startSpan(ctx, c)
	c.Request = c.Request.WithContext(ctx)
	c.Header("Request-Id", r.id)
	c.Header("X-Content-Type-Options", "nosniff") // browsers must not guess media types
	e.metrics.inFlight.Inc()
	defer func() {
		e.metrics.inFlight.Dec()
		took := time.Since(start)
		e.metrics.observe(c, r, cmp.Or(r.answered, took))
		r.endSpan(c)
		logRequest(e.log, c, r, took)
	}()
	defer e.Recover(c)
	c.Next()
}

// Recover answers a panic with internal_error; defer it. When the response has already begun it cuts the connection, so
// that the client can't take an incomplete response for a complete one. A goroutine that works for a request defers it
// too, for the log to have the stack of the panic.
func (e *Edge) Recover(c *gin.Context) {
	v := recover()
	if v == nil {
		return
	}
	err, _ := v.(error)
	if errors.Is(err, http.ErrAbortHandler) || clientGone(err) { // huma panics when it can't write
		panic(http.ErrAbortHandler)
	}
	e.metrics.panics.Inc()
	e.log.LogAttrs(c.Request.Context(), slog.LevelError, "panic",
		slog.String("route", Route(c)),
		slog.String("request_id", RequestID(c.Request.Context())),
		slog.Any("panic", v),
		slog.String("stack", string(debug.Stack())))
	if c.Writer.Written() {
		panic(http.ErrAbortHandler)
	}
	for _, name := range []string{"Content-Length", "ETag", "Location"} {
		c.Writer.Header().Del(name)
	}
	WriteProblem(c, fmt.Errorf("panic: %v", v))
}

func clientGone(err error) bool {
	return errors.Is(err, syscall.EPIPE) || errors.Is(err, syscall.ECONNRESET) || errors.Is(err, os.ErrDeadlineExceeded)
}
