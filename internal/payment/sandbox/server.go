package sandbox

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"
)

// Config configures a sandbox. Only File and Key are required.
type Config struct {
	// Addr is the listening address. Default 127.0.0.1:0, any free port.
	Addr string
	// File is the journal; it is created if it doesn't exist. Only one server at a time can open it.
	File string
	// Key is the clients' bearer token.
	Key string
	// WebhookURL is where events are sent. Empty: none are sent until SetWebhook.
	WebhookURL string
	// WebhookSecret signs the events.
	WebhookSecret string
	// WebhookBackoff is the wait after a failed delivery; it doubles up to 30 s. Default 1 s.
	WebhookBackoff time.Duration
	// KeyLifetime is how long an idempotency key is remembered from its first use. Default DefaultKeyLifetime.
	KeyLifetime time.Duration
	// SlowDelay is the duration of a charge by pm_slow. Default 3 s.
	SlowDelay time.Duration
	// Now is the clock of charges, refunds, transactions and keys. Webhooks and faults use the system's clock. Default
	// time.Now.
	Now func() time.Time
	// Logger may be nil.
	Logger *slog.Logger
}

// DefaultKeyLifetime is the default of Config.KeyLifetime.
const DefaultKeyLifetime = 24 * time.Hour

const (
	defaultBackoff = time.Second
	defaultSlow    = 3 * time.Second
	headerTimeout  = 5 * time.Second
	readTimeout    = 15 * time.Second
	idleTimeout    = 2 * time.Minute
	closeGrace     = time.Second
	downGrace      = 50 * time.Millisecond
	retryListening = 20 * time.Millisecond
)

// Server is a running sandbox.
type Server struct {
	addr     string
	cfg      Config
	closing  context.Context // done when the server is being closed
	handler  http.Handler
	log      *slog.Logger
	journal  *journal
	faults   faults
	running  sync.Map // the idempotency keys whose first request is running
	webhooks *webhooks
	// release frees the address, which is reserved until Close; nil if it isn't.
	release func()

	stop       context.CancelFunc
	background sync.WaitGroup

	mu      sync.Mutex
	http    *http.Server // nil while it is down
	restart *time.Timer
}

// Start opens the journal and serves until Close. Everything acknowledged before is available again, and pending events
// are delivered.
//
// Errors: the file can't be opened or another server has it open; the address is in use.
func Start(cfg Config) (*Server, error) {
	if cfg.Key == "" {
		return nil, errors.New("sandbox: a key is needed")
	}
	cfg.Addr = cmp.Or(cfg.Addr, "127.0.0.1:0")
	cfg.KeyLifetime = cmp.Or(cfg.KeyLifetime, DefaultKeyLifetime)
	cfg.SlowDelay = cmp.Or(cfg.SlowDelay, defaultSlow)
	cfg.WebhookBackoff = cmp.Or(cfg.WebhookBackoff, defaultBackoff)
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	journal, err := openJournal(cfg.File)
	if err != nil {
		return nil, err
	}
	closing, stop := context.WithCancel(context.Background())
	listener, release, err := listen(closing, cfg.Addr)
	if err != nil {
		stop()
		return nil, errors.Join(fmt.Errorf("listen for the sandbox: %w", err), journal.close())
	}
	s := &Server{
		addr:     listener.Addr().String(),
		cfg:      cfg,
		closing:  closing,
		log:      cfg.Logger,
		journal:  journal,
		stop:     stop,
		webhooks: newWebhooks(cfg),
		release:  release,
	}
	s.handler = s.routes()
	s.listen(listener)
	s.background.Go(func() { s.deliverWebhooks(closing) })
	return s, nil
}

// URL returns the API's address, such as "http://127.0.0.1:40123". It stays the same while the server is down.
func (s *Server) URL() string { return "http://" + s.addr }

// SetWebhook changes where events are sent, pending ones included. Empty stops them.
func (s *Server) SetWebhook(url string) {
	s.webhooks.url.Store(&url)
	s.webhooks.wakeUp()
}

// Inject adds a fault. It returns an error for an invalid fault.
func (s *Server) Inject(f Fault) error {
	if err := f.check(); err != nil {
		return err
	}
	if f.Kind == Down {
		s.stopServing(f.For)
		return nil
	}
	s.faults.add(f)
	return nil
}

// ClearFaults removes all faults. A server that is down comes up.
func (s *Server) ClearFaults() {
	s.faults.clear()
	s.resumeServing()
}

// Close stops serving and delivering. Orders that wait, such as those of pm_slow, are not executed.
func (s *Server) Close() error {
	s.stop()
	s.mu.Lock()
	running := s.http
	s.http = nil
	if s.restart != nil {
		s.restart.Stop()
	}
	s.mu.Unlock()
	if running != nil {
		shutDown(running, closeGrace)
	}
	if s.release != nil {
		s.release()
		s.release = nil
	}
	s.background.Wait()
	s.webhooks.client.CloseIdleConnections()
	return s.journal.close()
}

// listen begins to serve on a listener. It is called with mu locked, or by Start.
func (s *Server) listen(listener net.Listener) {
	// No write timeout: some methods respond only after the client has disconnected.
	server := &http.Server{
		Handler: s.handler, ReadHeaderTimeout: headerTimeout, ReadTimeout: readTimeout, IdleTimeout: idleTimeout,
		ErrorLog: slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
	}
	s.http = server
	s.background.Go(func() {
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			s.log.Error("the sandbox stopped serving", "error", err)
		}
	})
}

// shutDown closes a server. After the grace period it also closes open connections.
func shutDown(server *http.Server, grace time.Duration) {
	ctx, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	if server.Shutdown(ctx) != nil {
		_ = server.Close()
	}
}

// stopServing refuses connections for d.
func (s *Server) stopServing(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closing.Err() != nil {
		return
	}
	s.webhooks.pause(true)
	if s.http != nil {
		shutDown(s.http, downGrace)
		s.http = nil
		if s.release == nil {
			s.log.Warn("the sandbox's address is free while it is down", "addr", s.addr)
		}
	} else {
		s.restart.Stop()
	}
	s.restart = time.AfterFunc(d, s.resumeServing)
}

// resumeServing serves again on the same address.
func (s *Server) resumeServing() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.http != nil || s.closing.Err() != nil {
		return
	}
	s.restart.Stop()
	listener, err := new(net.ListenConfig).Listen(s.closing, "tcp", s.addr)
	if err != nil { // another process uses the port
		s.restart = time.AfterFunc(retryListening, s.resumeServing)
		return
	}
	s.listen(listener)
	s.webhooks.pause(false)
}
