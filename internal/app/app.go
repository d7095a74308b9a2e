package app

import (
	"cmp"
	"log/slog"
	"net/netip"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/trace"

	"holdfast/internal/booking"
	"holdfast/internal/catalog"
	"holdfast/internal/change"
	"holdfast/internal/console"
	"holdfast/internal/console/operator"
	"holdfast/internal/customer"
	"holdfast/internal/db"
	"holdfast/internal/email"
	"holdfast/internal/event"
	"holdfast/internal/httpapi"
	"holdfast/internal/httpapi/admission"
	"holdfast/internal/httpapi/edge"
	"holdfast/internal/httpapi/eventstream"
	"holdfast/internal/httpapi/schema"
	"holdfast/internal/idempotency"
	"holdfast/internal/lockview"
	"holdfast/internal/message"
	"holdfast/internal/pages"
	"holdfast/internal/payment"
	"holdfast/internal/person"
	"holdfast/internal/settings"
	"holdfast/internal/tenant"
	"holdfast/internal/usecase"
	"holdfast/internal/user"
	"holdfast/internal/wallet"
	"holdfast/internal/webhook"
)

// Config is what all cells of a server have in common. What is registered for a cell, such as metrics, is in Cell.
type Config struct {
	// AdminKey opens the admin API and the operator's console; empty closes both.
	AdminKey string
	// PublicURL is where people reach the server: links begin with it.
	PublicURL string
	// LinkKey signs the links to unsubscribe and to bookings.
	LinkKey []byte
	// Version is the server's.
	Version string
	// MetricsAddr is where /metrics is served; empty means with everything else.
	MetricsAddr string
	// TrustedProxies are the networks whose X-Forwarded-For is believed; see edge.Edge.TrustProxies.
	TrustedProxies []netip.Prefix
	Limits         admission.Limits
	Streams        eventstream.Limits
	OIDC           console.OIDC
	// Sender sends emails from the addresses of Senders; nil sends none.
	Sender  email.Sender
	Senders email.Senders
	// Payments are all but Bookings, Metrics and Logger, which are the app's own.
	Payments payment.Config
	Webhooks webhook.Config
	// Cleanup is all but Metrics and Logger, which are the app's own.
	Cleanup idempotency.CleanupConfig
	// ChangeRetention and EventRetention are how long changes and scheduled events are kept.
	ChangeRetention, EventRetention time.Duration
	// Registry has the metrics of the process, which /metrics shows; nil shows none. Sampler has the last hour of them,
	// for the operator's console.
	Registry *prometheus.Registry
	Sampler  *operator.Sampler
	// Tracer begins the traces of requests and events; nil begins none.
	Tracer trace.Tracer
}

// Cell is the database that an app is for.
type Cell struct {
	// Name is the cell's, and Names are those of all cells of the server; empty for a server with one cell.
	Name  string
	Names []string
	// DB is the database. Locks shows the locks there, on a connection of its own.
	DB    *db.DB
	Locks *lockview.Service
	// Slugs makes slugs unique over all cells; nil for one cell.
	Slugs tenant.Slugs
	// Registerer receives the metrics, with the cell's name if it has one; nil drops them.
	Registerer prometheus.Registerer
	// Log receives the errors that no caller sees; nil discards them.
	Log *slog.Logger
}

// App serves the tenants of one database. It is safe for concurrent use.
type App struct {
	usecase.All
	// API is the HTTP API. Its edge serves the pages and the consoles, too.
	API *httpapi.API

	cfg     Config
	cell    Cell
	cleanup *idempotency.Cleanup
}

// New makes the use cases on a cell's database, and what serves them. It starts no work in the background: see
// App.Work.
func New(cfg Config, of Cell) (*App, error) {
	of.Log = cmp.Or(of.Log, slog.New(slog.DiscardHandler))
	a := &App{cfg: cfg, cell: of}
	if err := a.makeUseCases(); err != nil {
		return nil, err
	}
	a.serve()
	return a, nil
}

// makeUseCases makes every use case once.
func (a *App) makeUseCases() error {
	cfg, st := a.cfg, a.cell.DB
	links, err := booking.NewLinks(cfg.LinkKey, cfg.PublicURL)
	if err != nil {
		return err
	}
	unsubscriber, err := email.NewUnsubscriber(cfg.LinkKey)
	if err != nil {
		return err
	}
	a.All = usecase.All{
		Bookings:        booking.NewService(st),
		Catalog:         catalog.NewService(st),
		Changes:         change.NewService(st, usecase.TypesOfChanges()),
		Customers:       customer.NewService(st),
		Guard:           idempotency.NewGuard(st),
		Links:           links,
		Locks:           a.cell.Locks,
		Persons:         person.NewService(st),
		ScheduledEvents: event.NewService(st),
		Settings:        settings.NewService(st),
		Tenants:         tenant.NewService(st),
		Wallets:         wallet.NewService(st),
		Users: user.NewService(st,
			user.Config{PublicURL: cfg.PublicURL, Sender: cfg.Sender, Senders: cfg.Senders}),
	}
	a.Settings.SendAs(cfg.Senders)
	if a.cell.Slugs != nil {
		a.Tenants.ShareSlugs(a.cell.Slugs)
	}
	a.Messages = message.NewService(st, a.Settings, unsubscriber, links, cfg.Sender != nil)
	cfg.Payments.Bookings, cfg.Payments.Metrics, cfg.Payments.Logger = a.Bookings, a.cell.Registerer, a.cell.Log
	a.Payments = payment.NewService(st, cfg.Payments)
	a.Webhooks = webhook.NewService(st, a.Changes, cfg.Webhooks, a.cell.Log)
	cfg.Cleanup.Metrics, cfg.Cleanup.Logger = a.cell.Registerer, a.cell.Log
	a.cleanup = idempotency.NewCleanup(st, cfg.Cleanup)
	return nil
}

// serve makes the routes of the API, of the pages and of the consoles.
func (a *App) serve() {
	api := httpapi.Config{
		AdminKey:       a.cfg.AdminKey,
		Limits:         a.cfg.Limits,
		Logger:         a.cell.Log,
		MetricsAddr:    a.cfg.MetricsAddr,
		Registry:       a.cfg.Registry,
		Registerer:     a.cell.Registerer,
		Version:        a.cfg.Version,
		Streams:        a.cfg.Streams,
		Tracer:         a.cfg.Tracer,
		TrustedProxies: a.cfg.TrustedProxies,
	}
	if a.cell.DB != nil {
		api.Ready, api.Warning = readiness(a.cell.DB), a.cleanup.Warning
	}
	a.API = httpapi.New(api, a.All)
	e, admits, sendsEmail := a.API.Edge, a.API.Admission(), a.cfg.Sender != nil
	pages.Serve(e, pages.Config{PublicURL: a.cfg.PublicURL, Admission: admits, SendsEmail: sendsEmail}, a.All)
	console.Serve(e, console.Config{
		PublicURL: a.cfg.PublicURL, Admission: admits, SendsEmail: sendsEmail, CheckBody: schema.CheckBody,
		OIDC: a.cfg.OIDC,
	}, a.All)
	operator.Serve(e, operator.Config{
		AdminKey:  a.cfg.AdminKey,
		PublicURL: a.cfg.PublicURL,
		Admission: admits,
		CheckBody: schema.CheckBody,
		Export:    a.API.WriteExport,
		Sampler:   a.cfg.Sampler,
		Cells:     a.cell.Names,
		Cell:      a.cell.Name,
	}, a.All)
}

// Edge answers requests, announces the end of the server, and drains it.
func (a *App) Edge() *edge.Edge { return a.API.Edge }

// DB is the app's database.
func (a *App) DB() *db.DB { return a.cell.DB }
