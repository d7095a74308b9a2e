package app

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"sync"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"

	"holdfast/internal/cell"
	"holdfast/internal/db"
	"holdfast/internal/db/preflight"
	"holdfast/internal/httpapi/admission"
	"holdfast/internal/httpapi/answers"
	"holdfast/internal/lockview"
	"holdfast/internal/tenant"
)

// ServerConfig says which databases a server serves.
type ServerConfig struct {
	Config

	// Cells are the databases: one without a name, or several with names.
	Cells []cell.Spec
	// Connect says how each database is used; its addresses and its metrics are the cell's own.
	Connect db.Config
	// WebhookTenant returns the tenant that a payment provider's webhook is about; an error for one that says nothing.
	WebhookTenant func(provider string, header http.Header, body []byte) (uuid.UUID, error)
	Log           *slog.Logger
}

// Server serves the tenants of one cell or of several. It is safe for concurrent use.
type Server struct {
	cfg     ServerConfig
	edges   edges
	handler http.Handler
	only    *App // of the only cell; nil with several
	stop    func()

	mu         sync.Mutex
	identities map[string]string // names of cells by preflight.Identity
}

// OpenDB opens a database whose requests are answered as the API does.
func OpenDB(ctx context.Context, cfg db.Config) (*db.DB, error) {
	cfg.Answers = answers.Answers{}
	return db.Open(ctx, cfg)
}

// readiness returns what reports whether a database answers, and what its commits wait for.
func readiness(d *db.DB) func(context.Context) (commits string, err error) {
	return func(ctx context.Context) (string, error) { return preflight.Ready(ctx, d) }
}

// NewServer returns a server that isn't open yet.
func NewServer(cfg ServerConfig) *Server {
	return &Server{cfg: cfg, identities: make(map[string]string)}
}

// Check brings the database of a cell to the newest schema and makes the preflight checks. identity names the database
// and schema.
func Check(ctx context.Context, spec cell.Spec, log *slog.Logger) (identity string, err error) {
	if err := preflight.Migrate(ctx, spec.DirectDatabaseURL, log); err != nil {
		return "", err
	}
	st, err := OpenDB(ctx, db.Config{URL: spec.DatabaseURL, DirectURL: spec.DirectDatabaseURL, Logger: log})
	if err != nil {
		return "", err
	}
	defer st.Close()
	if err := preflight.Check(ctx, st); err != nil {
		return "", err
	}
	return preflight.Identity(ctx, st)
}

// check is Check for one of several cells. It refuses a cell that is the same database and schema as another: both
// would be one cell that has two names.
func (s *Server) check(ctx context.Context, spec cell.Spec) error {
	identity, err := Check(ctx, spec, s.cfg.Log)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if other, taken := s.identities[identity]; taken && other != spec.Name {
		return SameCellError(other)
	}
	s.identities[identity] = spec.Name
	return nil
}

// SameCellError says that a cell is the same database and schema as another.
func SameCellError(other string) error {
	return fmt.Errorf("the cell %s is the same database and schema: each cell needs its own", other)
}

// Open has the server answer requests, and do its work in the background, until Close. The only cell of a server must
// have passed Check; of several, each is opened in the background once it passes. url is where the server listens.
// failed receives errors of the background that no retry mends, one for each cell at most.
func (s *Server) Open(ctx context.Context, url string, failed chan<- error) error {
	s.cfg.PublicURL = cmp.Or(s.cfg.PublicURL, url)
	if len(s.cfg.Cells) > 1 {
		return s.openSeveral(ctx, failed)
	}
	a, closeApp, err := s.openCell(ctx, s.cfg.Cells[0], nil)
	if err != nil {
		return err
	}
	stop, err := a.Work(ctx)
	if err != nil {
		closeApp()
		return err
	}
	cell.RegisterMetrics(s.cfg.Registry, nil)
	s.only, s.handler, s.stop = a, a.Edge().Engine(), func() { stop(); closeApp() }
	s.edges.add(a.Edge())
	return nil
}

// openCell opens a cell whose database was checked. Metrics of a cell with a name have the label cell. slugs is nil for
// one cell.
func (s *Server) openCell(
	ctx context.Context, spec cell.Spec, slugs tenant.Slugs,
) (a *App, closeApp func(), err error) {
	cfg, log := s.cfg.Config, s.cfg.Log
	var registerer prometheus.Registerer = cfg.Registry
	if spec.Name != "" {
		registerer, log = cellMetrics(spec.Name, cfg.Registry), log.With("cell", spec.Name)
	}
	connect := s.cfg.Connect
	connect.URL, connect.DirectURL, connect.StandbyURL = spec.DatabaseURL, spec.DirectDatabaseURL, spec.StandbyURL
	connect.MaxConns = cmp.Or(spec.DatabaseConns, connect.MaxConns)
	connect.Metrics, connect.Logger = registerer, log
	cfg.Limits.MaxWorking = cmp.Or(cfg.Limits.MaxWorking, admission.WorkingPerConnection*connect.MaxConns)
	st, err := OpenDB(ctx, connect)
	if err != nil {
		return nil, nil, err
	}
	own, err := OpenDB(ctx, db.Config{URL: spec.DirectDatabaseURL, MaxConns: 1, Logger: log})
	if err != nil {
		st.Close()
		return nil, nil, err
	}
	closeApp = func() { own.Close(); st.Close() }
	if spec.Name == "" { // the gauge of a cell with a name tells also while the cell can't be opened
		registerer.MustRegister(NewReadyGauge(readiness(st)))
	}
	a, err = New(cfg, Cell{
		Name:       spec.Name,
		Names:      s.names(),
		DB:         st,
		Locks:      lockview.NewService(own, log),
		Slugs:      slugs,
		Registerer: registerer,
		Log:        log,
	})
	if err != nil {
		closeApp()
		return nil, nil, err
	}
	return a, closeApp, nil
}

// names returns the names of the cells, none for the only cell.
func (s *Server) names() (names []string) {
	if len(s.cfg.Cells) == 1 {
		return nil
	}
	for _, spec := range s.cfg.Cells {
		names = append(names, spec.Name)
	}
	return names
}

// ServeHTTP answers a request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }

// Only returns the app of the only cell; nil with several cells.
func (s *Server) Only() *App { return s.only }

// Announce makes /readyz fail while requests are still served.
func (s *Server) Announce() { s.edges.announce() }

// Drain refuses new requests and returns when those that run are answered, or with ctx's error.
func (s *Server) Drain(ctx context.Context) error { return s.edges.drain(ctx) }

// Close ends the work in the background and closes the databases. Drain first.
func (s *Server) Close() { s.stop() }

// cellMetrics has a cell's metrics carry its name.
func cellMetrics(name string, registry *prometheus.Registry) prometheus.Registerer {
	return prometheus.WrapRegistererWith(prometheus.Labels{"cell": name}, registry)
}

// NewReadyGauge returns a metric that says what /readyz says of the database. ready runs whenever the metric is read,
// and bounds its time itself.
func NewReadyGauge(ready func(context.Context) (string, error)) prometheus.Collector {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "holdfast_ready",
		Help: "1 if the database answers and commits don't wait for a standby that is away, else 0. " +
			"Asked when the metrics are read.",
	}, func() float64 {
		if _, err := ready(context.Background()); err != nil {
			return 0
		}
		return 1
	})
}
