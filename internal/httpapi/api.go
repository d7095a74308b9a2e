package httpapi

import (
	"cmp"
	"context"
	"log/slog"
	"net/netip"
	"sync"

	"github.com/danielgtaylor/huma/v2"
	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/trace"

	"holdfast/internal/httpapi/admission"
	"holdfast/internal/httpapi/edge"
	"holdfast/internal/httpapi/eventstream"
	"holdfast/internal/httpapi/guides"
	"holdfast/internal/usecase"
)

// Config says how the API is served.
type Config struct {
	// AdminKey opens /admin; empty closes it.
	AdminKey string
	// Limits bound what the API does at once.
	Limits admission.Limits
	// Logger receives the access log and the errors that no caller sees; nil discards both.
	Logger *slog.Logger
	// MetricsAddr is where /metrics is served; empty means with everything else.
	MetricsAddr string
	// Ready reports whether requests can be served, and what a commit waits for, for /readyz; nil means always.
	Ready func(context.Context) (commits string, err error)
	// Warning returns what an operator has to mend although requests are served, for /readyz; empty, or nil, says
	// nothing.
	Warning func() string
	// Registry receives the metrics and is what /metrics shows; nil shows none.
	Registry *prometheus.Registry
	// Registerer receives the metrics instead of Registry; nil means Registry.
	Registerer prometheus.Registerer
	// Streams bound the streams of events.
	Streams eventstream.Limits
	// Tracer begins the traces of requests; nil begins none.
	Tracer trace.Tracer
	// TrustedProxies are the networks whose X-Forwarded-For is believed; see edge.Edge.TrustProxies.
	TrustedProxies []netip.Prefix
	// Version is the server's, as the API's description tells it.
	Version string
}

// API is Holdfast's HTTP API.
type API struct {
	usecase.All
	// Edge answers requests, announces the end of the server, and drains it.
	Edge *edge.Edge

	adminKey  string
	admission *admission.Admission
	workers   workerPool
	streams   *eventstream.Streams
	huma      huma.API
	currents  map[string]current // by the path that shows them
	// websiteMethods are the methods, by path, of the routes that publishable keys can use.
	websiteMethods map[string][]string
	buffers        sync.Pool // *[]byte, in which availability is written
}

// Admission is what decides which requests are worked on, for other handlers of the same work.
func (a *API) Admission() *admission.Admission { return a.admission }

// New returns the API of the given use cases.
func New(cfg Config, use usecase.All) *API {
	cfg.Logger = cmp.Or(cfg.Logger, slog.New(slog.DiscardHandler))
	registry := cfg.registerer()
	e := newEdge(cfg, registry)
	a := &API{
		currents:       make(map[string]current),
		websiteMethods: make(map[string][]string),
		All:            use,
		adminKey:       cfg.AdminKey,
		Edge:           e,
		admission:      admission.New(cfg.Limits, cfg.Logger, registry),
		workers:        newWorkerPool(),
		streams:        eventstream.New(cfg.Streams, use.Changes, e),
		huma:           newHuma(e, cfg.Version),
	}
	serveDescription(e, a)
	guides.Serve(e, cfg.Version)
	a.routeBookings()
	a.routeHolds()
	a.routeQuotes()
	a.routeCustomers()
	a.routeHistories()
	a.routePayments()
	a.routeReceipts()
	a.routeEvents()
	a.routeScheduledEvents()
	a.routeServices()
	a.routeResources()
	a.routeClosures()
	a.routeBlocks()
	a.routeTenants()
	a.routeAPIKeys()
	a.routeUsers()
	for _, of := range []func(route) route{ofTenant, ofOperator} {
		a.routeWebhookEndpoints(of)
		a.routeDeliveries(of)
	}
	a.routeDeliveriesOfBookings()
	a.routeWallets()
	a.routeSettings()
	a.routeTenantHours()
	a.routeLogo()
	a.routeUnsubscribe()
	a.routeLocks()
	a.routeOperatorEvents()
	a.routeOperatorPayments()
	a.routePreflights()
	return a
}

// registerer returns what receives the metrics, nil for none.
func (cfg Config) registerer() prometheus.Registerer {
	switch {
	case cfg.Registerer != nil:
		return cfg.Registerer
	case cfg.Registry != nil:
		return cfg.Registry
	}
	return nil
}

func newEdge(cfg Config, registry prometheus.Registerer) *edge.Edge {
	operations := edge.Operations{Ready: cfg.Ready, Warning: cfg.Warning}
	if cfg.MetricsAddr == "" {
		operations.Metrics = cfg.Registry
	}
	e := edge.New(cfg.Logger, registry, cfg.Tracer)
	e.TrustProxies(cfg.TrustedProxies)
	e.ServeOperations(operations)
	return e
}

// NewFront returns what a server with several cells answers itself: health, metrics and documentation. It has no use
// cases.
func NewFront(cfg Config) *edge.Edge {
	cfg.Logger = cmp.Or(cfg.Logger, slog.New(slog.DiscardHandler))
	e := newEdge(cfg, cfg.registerer())
	serveDescription(e, New(Config{Version: cfg.Version}, usecase.All{}))
	guides.Serve(e, cfg.Version)
	return e
}
