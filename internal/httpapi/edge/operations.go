package edge

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"holdfast/internal/problem"
)

// StartPath is the path of the page to which people are led from the root of the server.
const StartPath = "/start"

// Operations say how the server is doing.
type Operations struct {
	// Ready reports whether requests can be served, and what a commit waits for, for /readyz; nil means always.
	Ready func(context.Context) (commits string, err error)
	// Warning returns what an operator has to mend although requests are served, for /readyz; empty, or nil, says
	// nothing.
	Warning func() string
	// Metrics are what /metrics shows; nil leaves the route out.
	Metrics *prometheus.Registry
}

// isOperational reports whether a request is for one of the routes of ServeOperations.
func isOperational(c *gin.Context) bool {
	switch c.FullPath() {
	case "/healthz", "/readyz", "/metrics":
		return true
	}
	return false
}

// ServeOperations adds /healthz, /readyz and /metrics. They need no key, are answered while the server drains, and are
// logged at debug level only, because machines ask all the time.
func (e *Edge) ServeOperations(o Operations) {
	routes := e.engine.Group("", func(c *gin.Context) { of(c.Request.Context()).operational = true }, CheckRequest)
	routes.GET("/healthz", func(c *gin.Context) { c.JSON(http.StatusOK, gin.H{"status": "ok"}) })
	routes.GET("/readyz", func(c *gin.Context) {
		c.Header("Cache-Control", "no-store")
		if e.drain.announced.Load() {
			WriteProblem(c, problem.New(problem.ShuttingDown, "This server is shutting down.").Retry(time.Second))
			return
		}
		response := gin.H{"status": "ready"}
		if o.Ready != nil {
			commits, err := o.Ready(c.Request.Context())
			if err != nil {
				if known := (*problem.Error)(nil); !errors.As(err, &known) {
					err = problem.Wrap(err, problem.DatabaseUnavailable,
						"The database can't be reached.").Retry(time.Second)
				}
				WriteProblem(c, err)
				return
			}
			response["commits"] = commits
		}
		if o.Warning != nil {
			if warning := o.Warning(); warning != "" {
				response["warning"] = warning
			}
		}
		c.JSON(http.StatusOK, response)
	})
	if o.Metrics != nil {
		routes.GET("/metrics", gin.WrapH(MetricsHandler(o.Metrics)))
	}
}

// MetricsHandler serves a registry's metrics at any path, for an address of their own.
func MetricsHandler(registry *prometheus.Registry) http.Handler {
	return promhttp.HandlerFor(registry, promhttp.HandlerOpts{})
}
