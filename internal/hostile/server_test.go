package hostile_test

import (
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"testing"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"holdfast/internal/booking"
	"holdfast/internal/catalog"
	"holdfast/internal/change"
	"holdfast/internal/console"
	"holdfast/internal/console/operator"
	"holdfast/internal/customer"
	"holdfast/internal/email"
	"holdfast/internal/event"
	"holdfast/internal/httpapi"
	"holdfast/internal/httpapi/admission"
	"holdfast/internal/httpapi/edge"
	"holdfast/internal/idempotency"
	"holdfast/internal/lockview"
	"holdfast/internal/message"
	"holdfast/internal/pages"
	"holdfast/internal/payment"
	"holdfast/internal/payment/sandbox"
	"holdfast/internal/person"
	"holdfast/internal/settings"
	"holdfast/internal/store"
	"holdfast/internal/store/storetest"
	"holdfast/internal/tenant"
	"holdfast/internal/user"
	"holdfast/internal/wallet"
	"holdfast/internal/webhook"
)

const (
	adminKey      = "the-admin-key-of-the-hostile-tests"
	sandboxSecret = "the-sandbox-secret-of-the-hostile-tests"
)

// publicURL is where people reach the server, as it believes.
const publicURL = "http://booking.example.com"

// server is the API and the pages with their payment provider, on a database of its own.
type server struct {
	address  string
	routes   gin.RoutesInfo
	registry *prometheus.Registry
	sql      *pgxpool.Pool
	payments *payment.Service
	store    *store.Store
	tokens   *booking.Links
	users    *user.Service

	unsubscribing *email.Unsubscriber
}

// newServer serves the API and the pages until the test ends.
func newServer(t testing.TB, limits ...admission.Limits) *server {
	t.Helper()
	database := storetest.Database(t)
	st := storetest.Open(t, store.Config{URL: database, MaxConns: 4, LockTimeout: time.Minute})
	provider, err := sandbox.Start(sandbox.Config{
		File: filepath.Join(t.TempDir(), "sandbox.db"), Key: sandboxSecret, WebhookSecret: sandboxSecret,
		SlowDelay: 20 * time.Millisecond,
	})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, provider.Close()) })
	bookings, tenantSettings := booking.NewService(st), settings.NewService(st)
	s := &server{sql: storetest.SQL(t, database), store: st, payments: payment.NewService(st, payment.Config{
		Bookings:    bookings,
		Provider:    sandbox.NewClient(sandbox.ClientConfig{URL: provider.URL(), Key: sandboxSecret, WebhookSecret: sandboxSecret}),
		CallTimeout: silence, AbsentAfter: silence,
	})}
	unsubscribing, err := email.NewUnsubscriber(make([]byte, 32))
	require.NoError(t, err)
	links, err := booking.NewLinks(make([]byte, 32), publicURL)
	require.NoError(t, err)
	feed := change.NewService(st)
	s.tokens, s.users = links, user.NewService(st, user.Config{PublicURL: publicURL})
	guard, catalogs, tenants := idempotency.NewGuard(st), catalog.NewService(st), tenant.NewService(st)
	registry := prometheus.NewRegistry()
	s.registry, s.unsubscribing = registry, unsubscribing
	locks := lockview.NewService(storetest.Open(t, store.Config{URL: database, MaxConns: 1}), slog.New(slog.DiscardHandler))
	api := httpapi.New(
		httpapi.Config{
			AdminKey: adminKey,
			Ready:    st.Ready,
			Registry: registry,
			Version:  "1.2.3",
			Limits:   append(limits, admission.Limits{})[0],
		},
		httpapi.Services{
			Guard:    guard,
			Bookings: bookings, Catalog: catalogs, Customers: customer.NewService(st), Persons: person.NewService(st),
			Tenants:         tenants,
			ScheduledEvents: event.NewService(st), Links: links,
			Payments: s.payments,
			Messages: message.NewService(st, tenantSettings, unsubscribing, links, true), Settings: tenantSettings,
			Changes:  feed,
			Wallets:  wallet.NewService(st),
			Users:    s.users,
			Webhooks: webhook.NewService(st, feed, webhook.Config{}, nil),
			Locks:    locks,
		},
	)
	pages.Serve(api.Edge, pages.Config{PublicURL: publicURL, Admission: api.Admission(), SendsEmail: true}, pages.Services{
		Guard: guard, Bookings: bookings, Catalog: catalogs, Links: links, Payments: s.payments, Settings: tenantSettings, Tenants: tenants,
	})
	console.Serve(api.Edge, console.Config{
		PublicURL: publicURL, Admission: api.Admission(), SendsEmail: true, CheckBody: httpapi.CheckBody,
	}, console.Services{
		Guard: guard, Bookings: bookings, Catalog: catalogs, Changes: feed, Customers: api.Customers, Links: links, Messages: api.Messages,
		Payments: s.payments, Persons: api.Persons, ScheduledEvents: api.ScheduledEvents, Settings: tenantSettings, Tenants: tenants,
		Users: s.users, Wallets: api.Wallets, Webhooks: api.Webhooks,
	})
	operator.Serve(api.Edge, operator.Config{
		AdminKey: adminKey, PublicURL: publicURL, Admission: api.Admission(), CheckBody: httpapi.CheckBody, Export: api.WriteExport,
		Sampler: operator.NewSampler(registry, slog.New(slog.DiscardHandler)),
	}, operator.Services{Guard: guard, Locks: locks, Payments: s.payments, Tenants: tenants, Users: s.users})
	s.routes = api.Edge.Engine().Routes()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	s.address = l.Addr().String()
	served := make(chan error, 1)
	h := edge.NewHTTPServer(api.Edge.Engine(), slog.New(slog.DiscardHandler))
	go func() { served <- h.Serve(edge.Listener(l)) }()
	t.Cleanup(func() {
		require.NoError(t, h.Close())
		require.ErrorIs(t, <-served, http.ErrServerClosed)
	})
	return s
}

// silence is how long the server waits for a provider that doesn't answer.
const silence = 300 * time.Millisecond
