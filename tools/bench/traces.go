package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"
)

// tracedRatios are the shares of the traces that servers record beside one that traces nothing.
var tracedRatios = []float64{0.01, 1}

// compareTraces measures bookings on a server that traces nothing and on servers that trace, in turns, on one database.
// The collector is in this process and reads what it is sent.
func (b *bench) compareTraces(ctx context.Context, rounds int) (*comparison, error) {
	collector, err := startCollector()
	if err != nil {
		return nil, err
	}
	defer collector.stop()
	if err := b.server.Stop(startLimit); err != nil { // so that all servers have the same start
		return nil, fmt.Errorf("stop the server: %w", err)
	}
	start := func(name string, settings ...string) (*server, error) {
		dir := filepath.Join(b.dir, name)
		if err := os.Mkdir(dir, 0o700); err != nil {
			return nil, fmt.Errorf("make a directory: %w", err)
		}
		return startServer(ctx, dir, b.binary, b.database.url, settings...)
	}
	off, err := start("off")
	if err != nil {
		return nil, err
	}
	b.server = off
	defer func() { b.server = off }()
	c := &comparison{
		ratios: "a server that traces to one that doesn't", rounds: rounds, duration: b.duration,
		machine: describeMachine(ctx, b.database.version, ""),
	}
	all, err := b.entries(ctx)
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all,
		func(e entry) bool { return e.level != atHTTP || e.scenario != manyTenants && e.scenario != hotDate })
	on := func(s *server, e entry) func(context.Context) (measurement, error) {
		return func(ctx context.Context) (measurement, error) {
			b.server = s
			return e.run(ctx)
		}
	}
	var servers []*server
	defer func() {
		for _, s := range servers {
			_ = s.Stop(startLimit)
		}
	}()
	for _, ratio := range tracedRatios {
		share := strconv.FormatFloat(ratio, 'g', -1, 64)
		traced, err := start("traced-"+share, "OTEL_EXPORTER_OTLP_ENDPOINT="+collector.url,
			"OTEL_TRACES_SAMPLER=parentbased_traceidratio",
			"OTEL_TRACES_SAMPLER_ARG="+share)
		if err != nil {
			return nil, err
		}
		servers = append(servers, traced)
		for _, e := range all {
			c.entries = append(c.entries, &compared{
				scenario: fmt.Sprintf("%s, %g%% traced", e.scenario, 100*ratio), measureBase: on(off, e),
				measureThis: on(traced, e),
			})
		}
	}
	return c.measure(ctx, b.out)
}

// traceCollector takes spans and forgets them.
type traceCollector struct {
	url    string
	server *http.Server
}

func startCollector() (*traceCollector, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen for traces: %w", err)
	}
	c := &traceCollector{url: "http://" + listener.Addr().String(), server: &http.Server{
		ReadHeaderTimeout: time.Minute,
		Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			_,
				_ = io.Copy(io.Discard, r.Body)
		}),
	}}
	go func() { _ = c.server.Serve(listener) }()
	return c, nil
}

func (c *traceCollector) stop() { _ = c.server.Close() }
