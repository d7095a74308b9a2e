package main

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"holdfast/internal/booking"
	"holdfast/internal/catalog"
	"holdfast/internal/change"
	"holdfast/internal/customer"
	"holdfast/internal/event"
	"holdfast/internal/httpapi"
	"holdfast/internal/httpapi/edge"
	"holdfast/internal/idempotency"
	"holdfast/internal/person"
	"holdfast/internal/settings"
	"holdfast/internal/store"
	"holdfast/internal/tenant"
	"holdfast/internal/wallet"
)

// closeGrace is how long connections may stay open after the last request is answered.
const closeGrace = time.Second

// heapReserve is memory, in bytes, that is never touched and so takes none of the machine's. The garbage collector runs when the heap has
// doubled, and counts it: a server with little in memory collects a few times less often, and uses at most as much memory more. See "Before
// and after" in docs/benchmarks.md.
const heapReserve = 64 << 20

type serveCmd struct{}

// Run serves until ctx ends, then drains the requests and stops the database.
func (serveCmd) Run(ctx context.Context, c *Config) error {
	reserve := make([]byte, heapReserve)
	defer runtime.KeepAlive(reserve)
	log := c.logger()
	slog.SetDefault(log)
	db, err := openDatabase(ctx, c, log)
	if err != nil {
		return err
	}
	defer db.close()
	if err := store.Migrate(ctx, db.direct, log); err != nil {
		return err
	}
	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	traces, err := c.openTraces(ctx, registry, log)
	if err != nil {
		return err
	}
	defer traces.Close()
	log = traces.Logger(log)
	st, err := store.Open(ctx, store.Config{
		URL: db.url, DirectURL: db.direct, MaxConns: c.DatabaseConns, LockTimeout: c.LockTimeout, CommitTimeout: c.CommitTimeout,
		Metrics: registry, Logger: log,
	})
	if err != nil {
		return err
	}
	defer st.Close()
	if err := st.Preflight(ctx); err != nil {
		return err
	}
	adminKey, err := c.adminKey()
	if err != nil {
		return err
	}
	locks, closeLocks, err := openLocks(ctx, db.direct, log)
	if err != nil {
		return err
	}
	defer closeLocks()
	if c.Demo && c.Provider == "" {
		c.Provider = providerSandbox
	}
	c.warnOfProvider(log)
	providers, err := c.openProviders(log)
	if err != nil {
		return err
	}
	defer providers.close()
	sender, err := c.openSender()
	if err != nil {
		return err
	}
	bookings, tenants, changes := booking.NewService(st), tenant.NewService(st), change.NewService(st)
	payments := c.payments(st, bookings, providers, registry, log)
	tenantSettings := settings.NewService(st)
	messages, err := c.messages(st, tenantSettings, sender)
	if err != nil {
		return err
	}
	webhooks, err := c.webhooks(st, changes, log)
	if err != nil {
		return err
	}
	wallets := wallet.NewService(st)
	cleanup := idempotency.NewCleanup(st, c.cleanup(registry, log))
	api := httpapi.New(httpapi.Config{
		AdminKey: adminKey, Limits: c.limits(), Logger: log, MetricsAddr: c.MetricsAddr, Ready: st.Ready, Registry: registry,
		Version: version, Tracer: traces.Tracer(),
		Warning: cleanup.Warning,
	}, httpapi.Services{
		Guard:    idempotency.NewGuard(st),
		Bookings: bookings, Catalog: catalog.NewService(st), Customers: customer.NewService(st), Changes: changes, Locks: locks,
		Messages: messages,
		Payments: payments, Persons: person.NewService(st), Settings: tenantSettings, Tenants: tenants,
		ScheduledEvents: event.NewService(st), Wallets: wallets, Webhooks: webhooks,
	})

	listener, err := net.Listen("tcp", c.Addr)
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	kinds := append(c.messageKinds(messages, sender, "http://"+listener.Addr().String()),
		bookings.HoldExpiry(), payments.Resolution(), payments.EndedBooking(), wallets.CreditExpiry(), webhooks.DeliveryKind())
	if err := event.CheckKinds(kinds...); err != nil {
		return err
	}
	server := edge.NewHTTPServer(api.Edge.Engine(), log)
	failed := make(chan error, 2)
	go func() { failed <- server.Serve(edge.LimitListener(listener, c.MaxConnections)) }()
	stopMetrics, err := listenForMetrics(c, registry, log, failed)
	if err != nil {
		return err
	}
	defer stopMetrics()
	providers.sendWebhooksTo("http://" + listener.Addr().String())
	defer inBackground(ctx, cleanup.Run)()
	worker := event.NewWorker(st, event.Config{Metrics: registry, Logger: log, Tracer: traces.Tracer(), Jobs: append(event.Retention(st, c.ChangeRetention,
		c.EventRetention),
		event.Relay(st),
		event.Job{Name: "record the use of API keys", Every: time.Minute, Run: tenants.RecordUses},
		event.Job{Name: "delete tenants", Every: 10 * time.Second, Run: tenants.Deletion()},
		event.Job{Name: "wake the streams of events", Every: time.Minute, Woken: store.WakeFeed, Run: changes.Wake},
	)}, kinds...)
	defer inBackground(ctx, worker.Run)()
	defer inBackground(ctx, giveMemoryBack)()
	log.Info("serving", "addr", listener.Addr().String(), "version", version)
	if c.Demo {
		if err := seedDemo(ctx, c, st, api.Services, "http://"+listener.Addr().String()); err != nil && ctx.Err() == nil {
			return err
		}
	}

	select {
	case err := <-failed:
		return fmt.Errorf("serve: %w", err)
	case <-ctx.Done():
	}
	log.Info("shutting down")
	api.Edge.Announce()
	time.Sleep(c.AnnounceDelay)
	draining, cancel := context.WithTimeout(context.Background(), c.ShutdownTimeout)
	defer cancel()
	if err := api.Edge.Drain(draining); err != nil {
		log.Warn("requests were cut off", "error", err)
		return server.Close()
	}
	return closeServer(draining, server)
}

// closeServer closes a server that has answered all that it accepted: the answers' last bytes may be on their way. Left to itself, Shutdown
// waits five seconds for connections on which nothing was ever sent, such as browsers open in advance.
func closeServer(ctx context.Context, server *http.Server) error {
	ctx, cancel := context.WithTimeout(ctx, closeGrace)
	defer cancel()
	if server.Shutdown(ctx) != nil {
		return server.Close()
	}
	return nil
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

// giveMemoryBack gives back what starting took, and what the workers' first work took, which lasts longer on a busy machine.
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
