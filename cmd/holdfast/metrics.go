package main

import (
	"fmt"
	"log/slog"
	"net"
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"holdfast/internal/httpapi/edge"
)

// newRegistry returns a registry with the metrics of the process: those of Go and of the operating system, and the
// version.
func newRegistry() *prometheus.Registry {
	registry := prometheus.NewRegistry()
	build := prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "holdfast_build_info", Help: "Always 1; the label is the version that runs.",
		ConstLabels: prometheus.Labels{"version": version},
	})
	build.Set(1)
	registry.MustRegister(build, collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return registry
}

// listenForMetrics serves /metrics on an address of its own if one is configured.
func listenForMetrics(c *Config, registry *prometheus.Registry, log *slog.Logger, failed chan<- error,
) (stop func(), err error) {
	if c.MetricsAddr == "" {
		return func() {}, nil
	}
	listener, err := net.Listen("tcp", c.MetricsAddr)
	if err != nil {
		return nil, fmt.Errorf("listen for metrics: %w", err)
	}
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", edge.MetricsHandler(registry))
	server := edge.NewHTTPServer(mux, log)
	go func() { failed <- server.Serve(edge.Listener(listener)) }()
	return func() { _ = server.Close() }, nil
}
