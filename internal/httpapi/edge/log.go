package edge

import (
	"log/slog"
	"net/http"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"holdfast/internal/problem"
)

// logRequest logs a request that is answered. The log never holds headers, bodies or query strings.
func logRequest(log *slog.Logger, c *gin.Context, r *request, took time.Duration) {
	status := c.Writer.Status()
	level := slog.LevelInfo
	switch {
	case r.problem != nil && (r.problem.Code == problem.Overloaded || r.problem.Code == problem.RateLimited):
		level = slog.LevelDebug // in an overload the lines would cost more than the responses; metrics count them
	case status >= http.StatusInternalServerError && status != http.StatusServiceUnavailable:
		level = slog.LevelError
	case status == http.StatusServiceUnavailable:
		level = slog.LevelWarn
	case r.operational:
		level = slog.LevelDebug
	}
	ctx := c.Request.Context()
	if !log.Enabled(ctx, level) {
		return
	}
	attrs := []slog.Attr{
		slog.String("method", c.Request.Method),
		slog.String("route", Route(c)),
		slog.Int("status", status),
		slog.Int("bytes", max(c.Writer.Size(), 0)),
		slog.Duration("duration", took),
		slog.String("request_id", r.id),
	}
	if r.tenant != uuid.Nil {
		attrs = append(attrs, slog.String("tenant_id", r.tenant.String()))
	}
	if r.operator != "" {
		attrs = append(attrs, slog.String("operator", r.operator))
	}
	if p := r.problem; p != nil {
		attrs = append(attrs, slog.String("code", string(p.Code)))
		if status >= http.StatusInternalServerError {
			attrs = append(attrs, slog.String("error", p.Error()))
		}
	}
	log.LogAttrs(ctx, level, "request", attrs...)
}
