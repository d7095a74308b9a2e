package httpapi

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"runtime/debug"
	"strings"
	"syscall"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"holdfast/internal/problem"
)

// requestState is what the edge learns about a request on its way. It lives in the request's context and is
// used by the request's goroutine only.
type requestState struct {
	id       string
	tenant   uuid.UUID
	body     []byte
	received bool // the body is read
	problem  *problem.Document
}

type requestStateKey struct{}

func stateOf(ctx context.Context) *requestState {
	s, _ := ctx.Value(requestStateKey{}).(*requestState)
	return s
}

// requestID returns the id that the answer carries as Request-Id, empty outside a request.
func requestID(ctx context.Context) string {
	if s := stateOf(ctx); s != nil {
		return s.id
	}
	return ""
}

// setTenant says on whose behalf the request runs, for the log.
func setTenant(ctx context.Context, tenant uuid.UUID) {
	if s := stateOf(ctx); s != nil {
		s.tenant = tenant
	}
}

// rawBody returns the request's body as it came, nil if it had none.
func rawBody(ctx context.Context) []byte {
	if s := stateOf(ctx); s != nil {
		return s.body
	}
	return nil
}

// noteProblem keeps the problem that a request is answered with, for log and metrics.
func noteProblem(ctx context.Context, d *problem.Document) {
	if s := stateOf(ctx); s != nil {
		s.problem = d
	}
}

// requestIDFrom takes over the client's id if it is 1 to 128 visible ASCII characters, and makes one if not.
func requestIDFrom(sent string) string {
	invisible := func(r rune) bool { return r <= ' ' || r > '~' }
	if sent != "" && len(sent) <= 128 && !strings.ContainsFunc(sent, invisible) {
		return sent
	}
	return newRequestID()
}

func newRequestID() string {
	id, err := uuid.NewV7()
	if err != nil {
		return "unknown" // no randomness; the request itself may still succeed
	}
	return id.String()
}

// instrument gives each request its id and state, and logs and counts it when it is answered, however that
// comes about. The log never holds headers, bodies or query strings.
func instrument(log *slog.Logger, m *metrics) gin.HandlerFunc {
	return func(c *gin.Context) {
		start := time.Now()
		state := &requestState{id: requestIDFrom(c.GetHeader("Request-Id"))}
		c.Request = c.Request.WithContext(context.WithValue(c.Request.Context(), requestStateKey{}, state))
		c.Header("Request-Id", state.id)
		m.inFlight.Inc()
		defer func() {
			m.inFlight.Dec()
			took := time.Since(start)
			m.observe(c, took)
			logAnswer(log, c, state, took)
		}()
		c.Next()
	}
}

func logAnswer(log *slog.Logger, c *gin.Context, state *requestState, took time.Duration) {
	status := c.Writer.Status()
	level := slog.LevelInfo
	switch {
	case state.problem != nil && (state.problem.Code == problem.Overloaded || state.problem.Code == problem.RateLimited):
		level = slog.LevelDebug // a storm's lines would cost more than its answers; metrics count them, and see admit
	case status >= http.StatusInternalServerError && status != http.StatusServiceUnavailable:
		level = slog.LevelError
	case status == http.StatusServiceUnavailable:
		level = slog.LevelWarn
	case operational(c.FullPath()):
		level = slog.LevelDebug
	}
	ctx := c.Request.Context()
	if !log.Enabled(ctx, level) {
		return
	}
	attrs := []slog.Attr{
		slog.String("method", c.Request.Method),
		slog.String("route", routeOf(c)),
		slog.Int("status", status),
		slog.Int("bytes", max(c.Writer.Size(), 0)),
		slog.Duration("duration", took),
		slog.String("request_id", state.id),
	}
	if state.tenant != uuid.Nil {
		attrs = append(attrs, slog.String("tenant_id", state.tenant.String()))
	}
	if p := state.problem; p != nil {
		attrs = append(attrs, slog.String("code", string(p.Code)))
		if status >= http.StatusInternalServerError {
			attrs = append(attrs, slog.String("error", p.Error()))
		}
	}
	log.LogAttrs(ctx, level, "request", attrs...)
}

// recoverPanics answers a panic with internal_error. When the answer has already begun it cuts the
// connection, so that the client can't take half an answer for a whole one.
func recoverPanics(log *slog.Logger, m *metrics) gin.HandlerFunc {
	return func(c *gin.Context) {
		defer recovered(c, log, m)
		c.Next()
	}
}

// recovered is what recoverPanics defers.
func recovered(c *gin.Context, log *slog.Logger, m *metrics) {
	v := recover()
	if v == nil {
		return
	}
	err, _ := v.(error)
	if errors.Is(err, http.ErrAbortHandler) || clientGone(err) { // huma panics when it can't write
		panic(http.ErrAbortHandler)
	}
	m.panics.Inc()
	log.LogAttrs(c.Request.Context(), slog.LevelError, "panic",
		slog.String("route", routeOf(c)),
		slog.String("request_id", requestID(c.Request.Context())),
		slog.Any("panic", v),
		slog.String("stack", string(debug.Stack())))
	if c.Writer.Written() {
		panic(http.ErrAbortHandler)
	}
	for _, name := range []string{"Content-Length", "ETag", "Location"} {
		c.Writer.Header().Del(name)
	}
	writeProblem(c, fmt.Errorf("panic: %v", v))
}

func clientGone(err error) bool {
	return errors.Is(err, syscall.EPIPE) || errors.Is(err, syscall.ECONNRESET) || errors.Is(err, os.ErrDeadlineExceeded)
}

// secureHeaders keeps browsers from guessing media types and anybody from keeping answers of the API.
func secureHeaders(c *gin.Context) {
	c.Header("X-Content-Type-Options", "nosniff")
	if path := c.Request.URL.Path; strings.HasPrefix(path, "/v1") || strings.HasPrefix(path, "/admin") {
		c.Header("Cache-Control", "no-store")
	}
}

// notFound and methodNotAllowed answer what no route answers.
func notFound(c *gin.Context) {
	writeProblem(c, problem.New(problem.NotFound, ""))
}

func methodNotAllowed(c *gin.Context) {
	writeProblem(c, problem.New(problem.MethodNotAllowed, "The method is not allowed here; Allow lists those that are."))
}
