package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"runtime"
	"runtime/debug"
	"time"

	"holdfast/internal/app"
	"holdfast/internal/httpapi/edge"
)

// closeGrace is how long connections may stay open after the last request is answered.
const closeGrace = time.Second

// heapReserve is memory, in bytes, that is never touched and so takes none of the machine's. The garbage collector runs
// when the heap has doubled, and counts it: a server with little in memory collects a few times less often, and uses at
// most as much memory more. See "Before and after" in docs/benchmarks.md.
const heapReserve = 64 << 20

// startPercent is the growth of the heap, in percent of it and of heapReserve, after which the garbage collector runs
// while the server starts. What stays for good would else lie between what starting leaves behind, and hold its pages.
const startPercent = 5

type serveCmd struct{}

// Run serves until ctx ends, then drains the requests and stops the database.
func (serveCmd) Run(ctx context.Context, c *Config) error {
	reserve := make([]byte, heapReserve)
	defer runtime.KeepAlive(reserve)
	servePercent := debug.SetGCPercent(startPercent)
	log := c.logger()
	slog.SetDefault(log)
	if c.Demo && c.Cells != "" {
		return unusableError{errors.New("--demo has one cell: unset HOLDFAST_CELLS")}
	}
	local, specs, err := openDatabases(ctx, c, log)
	if err != nil {
		return err
	}
	defer local.close()
	registry := newRegistry()
	traces, err := c.openTraces(ctx, registry, log)
	if err != nil {
		return err
	}
	defer traces.Close()
	log = traces.Logger(log)
	if len(specs) == 1 { // with several, those whose databases can be used serve
		if _, err := app.Check(ctx, specs[0], log); err != nil {
			return err
		}
	}
	if c.Demo && c.Provider == "" {
		c.Provider = providerSandbox
	}
	providers, err := c.openProviders(log)
	if err != nil {
		return err
	}
	defer providers.close()
	cfg, err := c.server(specs, providers, registry, traces.Tracer(), log)
	if err != nil {
		return err
	}
	served := app.NewServer(cfg)
	c.warnOfProvider(log)
	listener, err := net.Listen("tcp", c.Addr)
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	url := "http://" + listener.Addr().String()
	failed := make(chan error, 2+len(specs))
	if err := served.Open(ctx, url, failed); err != nil {
		_ = listener.Close()
		return err
	}
	defer served.Close()
	debug.SetGCPercent(servePercent)
	server := edge.NewHTTPServer(served, log)
	bounded := edge.LimitListener(listener, edge.ConnectionLimits{
		Most: c.MaxConnections, Proxies: cfg.TrustedProxies, Log: log,
	})
	go func() { failed <- server.Serve(bounded) }()
	stopMetrics, err := listenForMetrics(c, registry, log, failed)
	if err != nil {
		return err
	}
	defer stopMetrics()
	providers.sendWebhooksTo(url)
	defer inBackground(ctx, giveMemoryBack)()
	defer inBackground(ctx, cfg.Sampler.Run)()
	log.Info("serving", "addr", listener.Addr().String(), "version", version)
	if c.Demo {
		if err := seedDemo(ctx, c, served.Only(), url); err != nil && ctx.Err() == nil {
			return err
		}
	}

	select {
	case err := <-failed:
		return fmt.Errorf("serve: %w", err)
	case <-ctx.Done():
	}
	log.Info("shutting down")
	served.Announce()
	time.Sleep(c.AnnounceDelay)
	draining, cancel := context.WithTimeout(context.Background(), c.ShutdownTimeout)
	defer cancel()
	if err := served.Drain(draining); err != nil {
		log.Warn("requests were cut off", "error", err)
		return server.Close()
	}
	return closeServer(draining, server)
}

// closeServer closes a server that has answered all that it accepted: the answers' last bytes may be on their way. Left
// to itself, Shutdown waits five seconds for connections on which nothing was ever sent, such as browsers open in
// advance.
func closeServer(ctx context.Context, server *http.Server) error {
	ctx, cancel := context.WithTimeout(ctx, closeGrace)
	defer cancel()
	if server.Shutdown(ctx) != nil {
		return server.Close()
	}
	return nil
}

// giveMemoryBack gives back what starting took, and what the workers' first work took, which lasts longer on a busy
// machine.
func giveMemoryBack(ctx context.Context) {
	for _, pause := range []time.Duration{0, 10 * time.Second, time.Minute, time.Minute} {
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
			debug.FreeOSMemory()
		}
	}
}
