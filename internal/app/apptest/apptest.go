// Package apptest serves whole servers for tests, as the command serve does, on databases of the tests' own.
package apptest

import (
	"cmp"
	"context"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"holdfast/internal/app"
	"holdfast/internal/console/operator"
	"holdfast/internal/db"
	"holdfast/internal/db/dbtest"
	"holdfast/internal/email"
	"holdfast/internal/event"
	"holdfast/internal/httpapi/edge"
	"holdfast/internal/lockview"
	"holdfast/internal/payment/sandbox"
)

const (
	// AdminKey is the admin key of all servers.
	AdminKey = "the-admin-key-of-these-tests"
	// SandboxSecret is the key of the sandbox and the secret of its webhooks.
	SandboxSecret = "the-sandbox-secret-of-these-tests"
	// LinkKey signs links.
	LinkKey = "the-key-of-the-links-of-these-tests"
)

// Options say how a server differs from others; the zero value is a server on a database of its own.
type Options struct {
	// Database is one that other servers may use, too. Empty makes one.
	Database string
	// Provider is a payment provider that other servers may use, too. Nil starts one.
	Provider *sandbox.Server
	// Sandbox changes how the provider that is started differs from others.
	Sandbox func(*sandbox.Config)
	// Webhooks has the provider send its webhooks to this server.
	Webhooks bool
	// Connect changes how the database is used: by eight connections, and locks are waited for a minute, as machines
	// are busy.
	Connect func(*db.Config)
	// Counted has the server use one connection through a proxy, which counts round trips.
	Counted bool
	// Configure changes the server. What isn't said is that of the command serve.
	Configure func(*app.Config)
	// Log receives the log; nil discards it.
	Log *slog.Logger
}

// Server is a server that listens on a loopback address until its test ends.
type Server struct {
	*app.App

	URL      string
	Database string
	SQL      *pgxpool.Pool // sees the database as its owner does
	Proxy    *dbtest.Proxy // nil unless the server is counted
	Sandbox  *sandbox.Server
	Registry *prometheus.Registry
	Mail     *Mailbox
}

// Serve serves until the test ends. No work is done in the background: see Server.WorkOn.
func Serve(t testing.TB, o Options) *Server {
	t.Helper()
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	s := &Server{Database: o.Database, Sandbox: o.Provider, Registry: prometheus.NewRegistry(), Mail: new(Mailbox)}
	if s.Sandbox == nil {
		s.Sandbox = startSandbox(t, o.Sandbox)
	}
	if s.Database == "" {
		s.Database = dbtest.Database(t)
	}
	s.SQL = dbtest.SQL(t, s.Database)
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	s.URL = "http://" + l.Addr().String()
	connect := db.Config{URL: s.Database, MaxConns: 8, LockTimeout: time.Minute, Metrics: s.Registry}
	if o.Counted {
		s.Proxy = dbtest.NewProxy(t, s.Database)
		connect.URL, connect.MaxConns = s.Proxy.URL, 1
	}
	if o.Connect != nil {
		o.Connect(&connect)
	}
	cfg := app.Config{
		AdminKey:  AdminKey,
		LinkKey:   []byte(LinkKey),
		PublicURL: s.URL,
		Version:   "1.2.3",
		Registry:  s.Registry,
		Sampler:   operator.NewSampler(s.Registry, o.Log),
		Sender:    s.Mail,
		Senders:   email.Senders{Tenants: "mail@platform.example"},
	}
	cfg.Payments.Provider = sandbox.NewClient(sandbox.ClientConfig{
		URL: s.Sandbox.URL(), Key: SandboxSecret, WebhookSecret: SandboxSecret,
	})
	if o.Configure != nil {
		o.Configure(&cfg)
	}
	own := dbtest.Open(t, db.Config{URL: s.Database, MaxConns: 1})
	s.App, err = app.New(cfg, app.Cell{
		DB: dbtest.Open(t, connect), Locks: lockview.NewService(own, o.Log), Registerer: s.Registry, Log: o.Log,
	})
	require.NoError(t, err)
	Listen(t, l, s.Edge().Engine())
	if o.Webhooks {
		s.Sandbox.SetWebhook(s.URL + "/webhooks/sandbox")
	}
	return s
}

func startSandbox(t testing.TB, configure func(*sandbox.Config)) *sandbox.Server {
	t.Helper()
	cfg := sandbox.Config{
		File: filepath.Join(t.TempDir(), "sandbox.db"), Key: SandboxSecret, WebhookSecret: SandboxSecret,
	}
	if configure != nil {
		configure(&cfg)
	}
	provider, err := sandbox.Start(cfg)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, provider.Close()) })
	return provider
}

// Listen has a handler answer what comes to a listener until the test ends.
func Listen(t testing.TB, l net.Listener, handler http.Handler) {
	t.Helper()
	server := edge.NewHTTPServer(handler, slog.New(slog.DiscardHandler))
	served := make(chan error, 1)
	go func() { served <- server.Serve(edge.Listener(l)) }()
	t.Cleanup(func() {
		require.NoError(t, server.Close())
		require.ErrorIs(t, <-served, http.ErrServerClosed)
	})
}

// WorkOn runs a worker of some kinds of events until the test ends.
func (s *Server) WorkOn(t testing.TB, kinds ...event.Kind) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	worker := event.NewWorker(s.DB(), event.Config{Logger: slog.New(slog.DiscardHandler)}, kinds...)
	go func() {
		defer close(done)
		worker.Run(ctx)
	}()
	t.Cleanup(func() {
		stop()
		<-done
	})
}

// Mailbox keeps the emails that a server sends. It is safe for concurrent use.
type Mailbox struct {
	mu   sync.Mutex
	list []email.Message
	fail error
}

// Send keeps an email, or returns the error that Fail has set.
func (m *Mailbox) Send(_ context.Context, message email.Message) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.fail != nil {
		return m.fail
	}
	m.list = append(m.list, message)
	return nil
}

// Fail has the next emails end with an error; nil has them sent again.
func (m *Mailbox) Fail(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.fail = err
}

// All returns the emails so far.
func (m *Mailbox) All() []email.Message {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.list)
}
