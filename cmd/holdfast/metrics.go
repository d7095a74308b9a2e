package main

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"holdfast/internal/httpapi/edge"
)

// newRegistry returns a registry with the metrics of the process: those of Go and of the operating system, and the version.
func newRegistry() *prometheus.Registry {
	registry := prometheus.NewRegistry()
	build := prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "holdfast_build_info", Help: "Always 1; the label is the version that runs.",
		ConstLabels: prometheus.Labels{"version": version},
	})
	build.Set(1)
	registry.MustRegister(build, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return registry
}

// newReadyGauge returns a metric that says what /readyz says of the database. ready runs whenever the metric is read, and bounds its time
// itself.
func newReadyGauge(ready func(context.Context) (string, error)) prometheus.Collector {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "holdfast_ready",
		Help: "1 if the database answers and commits don't wait for a standby that is away, else 0. Asked when the metrics are read.",
	}, func() float64 {
		if _, err := ready(context.Background()); err != nil {
			return 0
		}
		return 1
	})
}

// listenForMetrics serves /metrics on an address of its own if one is configured.
func listenForMetrics(c *Config, registry *prometheus.Registry, log *slog.Logger, failed chan<- error) (stop func(), err error) {
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
