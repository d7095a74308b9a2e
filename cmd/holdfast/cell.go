package main

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net/netip"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	oteltrace "go.opentelemetry.io/otel/trace"

	"holdfast/internal/booking"
	"holdfast/internal/catalog"
	"holdfast/internal/cell"
	"holdfast/internal/change"
	"holdfast/internal/console"
	"holdfast/internal/console/operator"
	"holdfast/internal/customer"
	"holdfast/internal/email"
	"holdfast/internal/event"
	"holdfast/internal/httpapi"
	"holdfast/internal/httpapi/admission"
	"holdfast/internal/idempotency"
	"holdfast/internal/pages"
	"holdfast/internal/person"
	"holdfast/internal/settings"
	"holdfast/internal/store"
	"holdfast/internal/tenant"
	"holdfast/internal/wallet"
)

// cellServer opens cells: it has what all cells of a process share.
type cellServer struct {
	config    *Config
	adminKey  string
	providers *providers
	sender    email.Sender
	links     *booking.Links
	proxies   []netip.Prefix // those of HOLDFAST_TRUSTED_PROXIES
	registry  *prometheus.Registry
	sampler   *operator.Sampler
	names     []string         // of the cells; none without HOLDFAST_CELLS
	tracer    oteltrace.Tracer // nil if nothing is traced
	log       *slog.Logger

	mu     sync.Mutex
	places map[string]string // names of cells by store.Store.Place
}

// openedCell is a cell that can serve. Without HOLDFAST_CELLS there is one, without a name.
type openedCell struct {
	server     *cellServer
	registerer prometheus.Registerer
	store      *store.Store
	api        *httpapi.API
	cleanup    *idempotency.Cleanup
	kinds      func(url string) []event.Kind
	close      func()
	log        *slog.Logger
}

// check brings a cell's database to the newest schema and makes the preflight checks.
func (s *cellServer) check(ctx context.Context, spec cell.Spec) error {
	if err := store.Migrate(ctx, spec.DirectDatabaseURL, s.log); err != nil {
		return err
	}
	st, err := store.Open(ctx, store.Config{URL: spec.DatabaseURL, DirectURL: spec.DirectDatabaseURL, Logger: s.log})
	if err != nil {
		return err
	}
	defer st.Close()
	if err := st.Preflight(ctx); err != nil {
		return err
	}
	place, err := st.Place(ctx)
	if err != nil {
		return err
	}
	return s.claim(place, spec.Name)
}

// claim returns an error if another cell of the server is the same database and schema: both would be one cell that has two names.
func (s *cellServer) claim(place, name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if other, taken := s.places[place]; taken && other != name {
		return sameCellError(other)
	}
	if s.places == nil {
		s.places = make(map[string]string)
	}
	s.places[place] = name
	return nil
}

func sameCellError(other string) error {
	return fmt.Errorf("the cell %s is the same database and schema: each cell needs its own", other)
}

// open makes the use cases and the API of a cell whose database was checked. Metrics of a cell with a name have the label cell. slugs is
// as for tenant.Service.ShareSlugs, nil for one cell. url is where the server listens.
func (s *cellServer) open(ctx context.Context, spec cell.Spec, slugs tenant.Slugs, url string) (*openedCell, error) {
	c, log := s.config, s.log
	var registry prometheus.Registerer = s.registry
	if spec.Name != "" {
		registry, log = cellMetrics(spec.Name, s.registry), log.With("cell", spec.Name)
	}
	conns := c.DatabaseConns
	if spec.DatabaseConns > 0 {
		conns = spec.DatabaseConns
	}
	st, err := store.Open(ctx, store.Config{
		URL: spec.DatabaseURL, DirectURL: spec.DirectDatabaseURL, StandbyURL: spec.StandbyURL, MaxConns: conns,
		LockTimeout: c.LockTimeout, CommitTimeout: c.CommitTimeout, Metrics: registry, Logger: log,
	})
	if err != nil {
		return nil, err
	}
	if spec.Name == "" { // the gauge of a cell with a name tells also while it can't be opened
		registry.MustRegister(newReadyGauge(st.Ready))
	}
	locks, closeLocks, err := openLocks(ctx, spec.DirectDatabaseURL, log)
	if err != nil {
		st.Close()
		return nil, err
	}
	o := &openedCell{server: s, registerer: registry, store: st, log: log, close: func() { closeLocks(); st.Close() }}
	bookings, tenants, changes := booking.NewService(st), tenant.NewService(st), change.NewService(st)
	if slugs != nil {
		tenants.ShareSlugs(slugs)
	}
	payments := c.payments(st, bookings, s.providers, registry, log)
	tenantSettings := settings.NewService(st)
	tenantSettings.SendAs(c.senders())
	messages, err := c.messages(st, tenantSettings, s.links, s.sender)
	if err != nil {
		o.close()
		return nil, err
	}
	webhooks, err := c.webhooks(st, changes, log)
	if err != nil {
		o.close()
		return nil, err
	}
	wallets, users := wallet.NewService(st), c.users(st, s.sender, url)
	o.cleanup = idempotency.NewCleanup(st, c.cleanup(registry, log))
	limits := c.limits()
	if c.MaxConcurrency == 0 {
		limits.MaxWorking = admission.WorkingPerConnection * conns
	}
	guard, catalogs := idempotency.NewGuard(st), catalog.NewService(st)
	o.api = httpapi.New(httpapi.Config{
		AdminKey: s.adminKey, Limits: limits, Logger: log, MetricsAddr: c.MetricsAddr, Ready: st.Ready, Registry: s.registry,
		Registerer: registry, Version: version, Tracer: s.tracer, Warning: o.cleanup.Warning, TrustedProxies: s.proxies,
	}, httpapi.Services{
		Guard:    guard,
		Bookings: bookings, Catalog: catalogs, Customers: customer.NewService(st), Changes: changes, Locks: locks,
		Messages: messages,
		Links:    s.links,
		Payments: payments, Persons: person.NewService(st), Settings: tenantSettings, Tenants: tenants,
		ScheduledEvents: event.NewService(st), Users: users, Wallets: wallets, Webhooks: webhooks,
	})
	pages.Serve(o.api.Edge, pages.Config{
		PublicURL: cmp.Or(c.PublicURL, url), Admission: o.api.Admission(), SendsEmail: s.sender != nil,
	}, pages.Services{
		Guard: guard, Bookings: bookings, Catalog: catalogs, Links: s.links, Payments: payments, Settings: tenantSettings, Tenants: tenants,
	})
	console.Serve(o.api.Edge, console.Config{
		PublicURL: cmp.Or(c.PublicURL, url), Admission: o.api.Admission(), SendsEmail: s.sender != nil,
		CheckBody: httpapi.CheckBody,
		OIDC: console.OIDC{
			Issuer: c.OIDCIssuer, ClientID: c.OIDCClientID, ClientSecret: c.OIDCClientSecret, TrustEmail: c.OIDCTrustEmail,
		},
	}, console.Services{
		Guard: guard, Bookings: bookings, Catalog: catalogs, Changes: changes, Customers: o.api.Customers, Links: s.links,
		Messages: messages,
		Payments: payments, Persons: o.api.Persons, ScheduledEvents: o.api.ScheduledEvents, Settings: tenantSettings, Tenants: tenants,
		Users: users, Wallets: wallets, Webhooks: webhooks,
	})
	operator.Serve(o.api.Edge, operator.Config{
		AdminKey: s.adminKey, PublicURL: cmp.Or(c.PublicURL, url), Admission: o.api.Admission(), CheckBody: httpapi.CheckBody,
		Export: o.api.WriteExport, Sampler: s.sampler, Cells: s.names, Cell: spec.Name,
	}, operator.Services{Guard: guard, Locks: locks, Payments: payments, Tenants: tenants, Users: users})
	o.kinds = func(url string) []event.Kind {
		return append(c.messageKinds(messages, users, s.sender, url),
			bookings.HoldExpiry(), payments.Resolution(), payments.EndedBooking(), wallets.CreditExpiry(), webhooks.DeliveryKind())
	}
	return o, nil
}

// work runs the worker and the cleanup of the cell until the returned function is called, which waits for their end. url is where the
// server listens.
func (o *openedCell) work(ctx context.Context, url string) (stop func(), err error) {
	c := o.server.config
	kinds := o.kinds(url)
	if err := event.CheckKinds(kinds...); err != nil {
		return nil, err
	}
	worker := event.NewWorker(o.store, event.Config{Metrics: o.registerer, Logger: o.log, Tracer: o.server.tracer, Jobs: append(
		event.Retention(o.store, c.ChangeRetention, c.EventRetention),
		event.Relay(o.store),
		event.Job{Name: "record the use of API keys", Every: time.Minute, Run: o.api.Tenants.RecordUses},
		event.Job{Name: "delete tenants", Every: 10 * time.Second, Run: o.api.Tenants.Deletion()},
		event.Job{Name: "wake the streams of events", Every: time.Minute, Woken: store.WakeFeed, Run: o.api.Changes.Wake},
	)}, kinds...)
	stopCleanup, stopWorker := inBackground(ctx, o.cleanup.Run), inBackground(ctx, worker.Run)
	return func() { stopWorker(); stopCleanup() }, nil
}

// cellMetrics has a cell's metrics carry its name.
func cellMetrics(name string, registry prometheus.Registerer) prometheus.Registerer {
	return prometheus.WrapRegistererWith(prometheus.Labels{"cell": name}, registry)
}

const (
	// firstRetry and longestRetry are the pauses between tries to open a cell whose database can't be used.
	firstRetry   = time.Second
	longestRetry = 30 * time.Second
)

// openCells opens each cell as soon as its database can be used, until ctx ends, and has it served. A cell whose database is away keeps no
// other one from serving. failed gets errors that no retry mends. The returned function waits for the end and closes the cells.
func (s *cellServer) openCells(ctx context.Context, specs []cell.Spec, cells *cell.Cells, url string, opened func(*openedCell),
	failed chan<- error,
) (stop func()) {
	// A cell stays open while the last requests are answered, which is after ctx has ended.
	open, closeAll := context.WithCancel(context.WithoutCancel(ctx))
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	for _, spec := range specs {
		cellMetrics(spec.Name, s.registry).MustRegister(newReadyGauge(func(ctx context.Context) (string, error) {
			return cells.ReadyIn(ctx, spec.Name)
		}))
		running.Go(func() {
			if !s.await(ctx, spec, func() { cells.NotOpened(spec.Name) }) {
				return
			}
			o, err := s.open(ctx, spec, cells.Slugs(spec.Name), url)
			if err != nil {
				failed <- err
				return
			}
			defer o.close()
			stopWork, err := o.work(ctx, url)
			if err != nil {
				failed <- err
				return
			}
			defer stopWork()
			opened(o)
			cells.Open(ctx, spec.Name, o.store, o.api.Edge.Engine(), o.store.Ready)
			o.log.Info("the cell serves")
			<-open.Done()
		})
	}
	return func() {
		cancel()
		closeAll()
		running.Wait()
	}
}

// await returns true when the cell's database can be used, and false when ctx ends first. It calls failed when it couldn't be.
func (s *cellServer) await(ctx context.Context, spec cell.Spec, failed func()) bool {
	for pause := firstRetry; ; pause = min(2*pause, longestRetry) {
		err := s.check(ctx, spec)
		if err == nil {
			return true
		}
		if ctx.Err() != nil {
			return false
		}
		failed()
		s.log.Error("the cell can't be opened; trying again", "cell", spec.Name, "error", err, "in", pause)
		select {
		case <-ctx.Done():
			return false
		case <-time.After(pause):
		}
	}
}
