package edge

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"holdfast/internal/problem"
	"holdfast/internal/tracing"
)

// request is what the edge learns about a request. It is in the request's context, and only the request's goroutine
// uses it.
type request struct {
	id          string
	tenant      uuid.UUID
	operator    string // who acts for the tenant
	body        []byte
	received    bool // the body is read
	arrivals    *arrivals
	operational bool // a machine asks all the time how the server is doing
	problem     *problem.Document
	start       time.Time
	answered    time.Duration // until a stream began
	span        tracing.Span
}

type requestKey struct{}

// of returns what is known of the request with this context. Outside a request it is empty, and what is noted is lost.
func of(ctx context.Context) *request {
	if r, ok := ctx.Value(requestKey{}).(*request); ok {
		return r
	}
	return new(request)
}

// RequestID returns the id that the response carries as Request-Id, empty outside a request.
func RequestID(ctx context.Context) string { return of(ctx).id }

// RawBody returns the request's body as it came, nil if it had none or if it isn't read yet.
func RawBody(ctx context.Context) []byte { return of(ctx).body }

// Tenant returns the tenant that SetTenant gave, uuid.Nil without one.
func Tenant(ctx context.Context) uuid.UUID { return of(ctx).tenant }

// SetTenant sets on whose behalf the request runs, for the log.
func SetTenant(ctx context.Context, tenant uuid.UUID) { of(ctx).tenant = tenant }

// SetOperator sets the name of the operator who acts for the tenant, for the log.
func SetOperator(ctx context.Context, name string) { of(ctx).operator = name }

// BeginStream notes that the response is a stream that begins now. For the metrics and the trace, the request has taken
// until now.
func BeginStream(c *gin.Context) {
	r := of(c.Request.Context())
	r.answered = time.Since(r.start)
	r.endSpan(c)
}

// NoteProblem keeps the problem of the response, for log and metrics.
func NoteProblem(ctx context.Context, d *problem.Document) { of(ctx).problem = d }

// requestIDFrom takes over the client's id if it is 1 to 128 visible ASCII characters, and makes one if not.
func requestIDFrom(sent string) string {
	invisible := func(r rune) bool { return r <= ' ' || r > '~' }
	if sent != "" && len(sent) <= 128 && !strings.ContainsFunc(sent, invisible) {
		return sent
	}
	return newRequestID()
}

func newRequestID() string { return uuid.Must(uuid.NewV7()).String() }

// Bearer returns the key of a request. With several Authorization headers it returns none, because proxies differ in
// which one they use.
func Bearer(h http.Header) (key string, ok bool) {
	headers := h.Values("Authorization")
	if len(headers) != 1 {
		return "", false
	}
	scheme, key, _ := strings.Cut(headers[0], " ")
	if !strings.EqualFold(scheme, "Bearer") { // RFC 9110, section 11.1: whatever its case
		return "", false
	}
	return key, true
}
