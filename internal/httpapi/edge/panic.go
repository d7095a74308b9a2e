package edge

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"runtime/debug"
	"syscall"

	"github.com/gin-gonic/gin"
)

// Recover, deferred, answers a panic with internal_error. When the response has already begun it cuts the connection, so that the
// client can't take half a response for a whole one. A goroutine that works for a request defers it too, for the log to have the
// stack of the panic.
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
