package edge

import (
	"context"
	"net/http"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
	"go.opentelemetry.io/otel/trace"

	"holdfast/internal/tracing"
)

// startSpan begins the span of a request, below the span that the header traceparent names. Requests of machines that
// ask how the server is doing have none.
func (e *Edge) startSpan(ctx context.Context, c *gin.Context) (context.Context, tracing.Span) {
	if e.tracer == nil || isOperational(c) {
		return ctx, tracing.Span{}
	}
	return tracing.Root(tracing.FromRequest(ctx, c.Request.Header), e.tracer, Route(c), trace.SpanKindServer)
}

// endSpan ends the span of a request that is answered, unless it has ended. It never has headers, bodies, paths or
// query strings.
func (r *request) endSpan(c *gin.Context) {
	span := r.span
	if !span.Recording() {
		return
	}
	r.span = tracing.Span{}
	defer span.End()
	method, route, status := methodLabel(c.Request.Method), Route(c), c.Writer.Status()
	span.Name(method + " " + route)
	span.Set(semconv.HTTPRequestMethodKey.String(method), semconv.HTTPRoute(route),
		semconv.HTTPResponseStatusCode(status))
	if r.tenant != uuid.Nil {
		span.Set(tracing.TenantID.String(r.tenant.String()))
	}
	code := ""
	if r.problem != nil {
		code = string(r.problem.Code)
	}
	switch {
	case status >= http.StatusInternalServerError:
		span.Fail(code)
	case code != "": // the client's error, and none of the server's
		span.Set(semconv.ErrorTypeKey.String(code))
	}
}
