package console_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"holdfast/internal/booking"
	"holdfast/internal/catalog"
	"holdfast/internal/change"
	"holdfast/internal/console"
	"holdfast/internal/customer"
	"holdfast/internal/email"
	"holdfast/internal/event"
	"holdfast/internal/httpapi"
	"holdfast/internal/httpapi/edge"
	"holdfast/internal/idempotency"
	"holdfast/internal/message"
	"holdfast/internal/pages"
	"holdfast/internal/pages/pagetest"
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
	adminKey = "the-admin-key-of-these-tests"
	secret   = "the-sandbox-secret-of-these-tests"
	linkKey  = "the-key-of-the-links-of-these-tests"
	// patient is how long what happens by itself may take on a busy machine.
	patient = 30 * time.Second
	poll    = 20 * time.Millisecond
)

type object = map[string]any

// business is a server with one tenant, which has a console.
type business struct {
	url   string
	key   string // API key of the tenant
	id    uuid.UUID
	sql   *pgxpool.Pool
	store *store.Store
	proxy *storetest.Proxy // nil unless round trips are counted
	users *user.Service
	kinds []event.Kind
	mail  *mailbox
	log   *lockedBuffer
}

// mailbox keeps the emails that are sent.
type mailbox struct {
	mu   sync.Mutex
	list []email.Message
	fail error // what the next emails end with
}

// Send keeps an email.
func (m *mailbox) Send(_ context.Context, message email.Message) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.fail != nil {
		return m.fail
	}
	m.list = append(m.list, message)
	return nil
}

// all returns the emails so far.
func (m *mailbox) all() []email.Message {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.list)
}

// lockedBuffer is a log that several requests write to.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// newBusiness serves the API and the console until the test ends, for the tenant harbour in Berlin.
func newBusiness(t testing.TB) *business {
	t.Helper()
	return newBusinessWith(t, noOIDC)
}

func noOIDC(string) console.OIDC { return console.OIDC{} }

// newBusinessWith is newBusiness with a provider at which people sign in. It is told where the server will be.
func newBusinessWith(t testing.TB, of func(url string) console.OIDC) *business {
	t.Helper()
	return serveBusiness(t, of, false)
}

// serveBusiness serves a business. If it is counted, it has one connection to the database, through a proxy.
func serveBusiness(t testing.TB, of func(url string) console.OIDC, counted bool) *business {
	t.Helper()
	provider, err := sandbox.Start(sandbox.Config{File: filepath.Join(t.TempDir(), "sandbox.db"), Key: secret, WebhookSecret: secret})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, provider.Close()) })
	database := storetest.Database(t)
	s := &business{sql: storetest.SQL(t, database), log: new(lockedBuffer), mail: new(mailbox)}
	connect := store.Config{URL: database, MaxConns: 8, LockTimeout: time.Minute}
	if counted {
		s.proxy = storetest.NewProxy(t, database)
		connect.URL, connect.MaxConns = s.proxy.URL, 1
	}
	s.store = storetest.Open(t, connect)
	unsubscribing, err := email.NewUnsubscriber([]byte(linkKey))
	require.NoError(t, err)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	s.url = "http://" + l.Addr().String()
	links, err := booking.NewLinks([]byte(linkKey), s.url)
	require.NoError(t, err)
	bookings, changes, guard := booking.NewService(s.store), change.NewService(s.store), idempotency.NewGuard(s.store)
	tenantSettings, catalogs, tenants := settings.NewService(s.store), catalog.NewService(s.store), tenant.NewService(s.store)
	s.users = user.NewService(s.store, user.Config{
		PublicURL: s.url, Sender: s.mail, Senders: email.Senders{Tenants: "mail@platform.example"},
	})
	s.kinds = []event.Kind{s.users.Email()}
	payments := payment.NewService(s.store, payment.Config{
		Provider: sandbox.NewClient(sandbox.ClientConfig{URL: provider.URL(), Key: secret, WebhookSecret: secret}), Bookings: bookings,
	})
	api := httpapi.New(httpapi.Config{AdminKey: adminKey, Logger: slog.New(slog.NewJSONHandler(s.log, nil))}, httpapi.Services{
		Guard: guard, Bookings: bookings, Catalog: catalogs, Customers: customer.NewService(s.store), Persons: person.NewService(s.store),
		Changes: changes, ScheduledEvents: event.NewService(s.store), Links: links, Payments: payments, Settings: tenantSettings,
		Messages: message.NewService(s.store, tenantSettings, unsubscribing, links, true), Tenants: tenants, Users: s.users,
		Wallets: wallet.NewService(s.store), Webhooks: webhook.NewService(s.store, changes, webhook.Config{}, nil),
	})
	pages.Assets.Serve(api.Edge)
	console.Serve(api.Edge, console.Config{
		PublicURL: s.url, Admission: api.Admission(), SendsEmail: true, CheckBody: httpapi.CheckBody, OIDC: of(s.url),
	}, console.Services{
		Guard: guard, Bookings: bookings, Catalog: catalogs, Changes: changes, Customers: api.Customers, Links: links,
		Messages: api.Messages, Payments: payments, Persons: api.Persons, ScheduledEvents: api.ScheduledEvents, Settings: tenantSettings,
		Tenants: tenants, Users: s.users, Wallets: api.Wallets, Webhooks: api.Webhooks,
	})
	server := edge.NewHTTPServer(api.Edge.Engine(), slog.New(slog.DiscardHandler))
	served := make(chan error, 1)
	go func() { served <- server.Serve(edge.Listener(l)) }()
	t.Cleanup(func() {
		require.NoError(t, server.Close())
		require.ErrorIs(t, <-served, http.ErrServerClosed)
	})
	t.Cleanup(func() {
		if t.Failed() {
			t.Log(s.log.String())
		}
	})
	provider.SetWebhook(s.url + "/webhooks/sandbox")
	s.key, s.id = s.addTenant(t, "harbour")
	return s
}

// addTenant makes a tenant that sends emails, and returns its API key and its id.
func (s *business) addTenant(t testing.TB, slug string) (key string, id uuid.UUID) {
	t.Helper()
	made := s.call(t, http.MethodPost, "/admin/v1/tenants", adminKey, object{
		"slug": slug, "name": "Harbour Tours", "time_zone": "Europe/Berlin", "currency": "EUR",
	})
	key = made["api_key"].(string)
	s.call(t, http.MethodPatch, "/v1/tenant", key, object{"email": object{"from": object{"email": "booking@harbour.example"}}})
	return key, uuid.MustParse(made["id"].(string))
}

// call sends a request to the API and returns the object that it answers with.
func (s *business) call(t testing.TB, method, path, key string, body object) object {
	t.Helper()
	status, answer := s.try(t, method, path, key, body)
	require.Less(t, status, http.StatusBadRequest, "%v", answer)
	return answer
}

func (s *business) try(t testing.TB, method, path, key string, body object) (status int, answer object) {
	t.Helper()
	encoded, err := json.Marshal(body)
	require.NoError(t, err)
	r, err := http.NewRequestWithContext(t.Context(), method, s.url+path, bytes.NewReader(encoded))
	require.NoError(t, err)
	r.Header.Set("Authorization", "Bearer "+key)
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	r.Header.Set("Idempotency-Key", uuid.NewString())
	response, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusNoContent {
		require.NoError(t, json.NewDecoder(response.Body).Decode(&answer))
	}
	return response.StatusCode, answer
}

// work runs a worker of the kinds until the test ends.
func (s *business) work(t testing.TB) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	worker := event.NewWorker(s.store, event.Config{Logger: slog.New(slog.DiscardHandler)}, s.kinds...)
	go func() {
		defer close(done)
		worker.Run(ctx)
	}()
	t.Cleanup(func() {
		stop()
		<-done
	})
}

// user makes a user and returns the id.
func (s *business) user(t testing.TB, name string, role user.Role) uuid.UUID {
	t.Helper()
	made := s.call(t, http.MethodPost, user.Path, s.key, object{"email": name + "@harbour.example", "name": name, "role": role})
	return uuid.MustParse(made["id"].(string))
}

// link makes a link that signs a user in.
func (s *business) link(t testing.TB, id uuid.UUID) string {
	t.Helper()
	link, err := s.users.NewLink(t.Context(), tenant.Tenant{ID: s.id, Slug: "harbour"}, id, user.LinkTime)
	require.NoError(t, err)
	return link
}

// signedIn returns the first page of a person who signs in without JavaScript.
func (s *business) signedIn(t testing.TB, name string, role user.Role) *pagetest.Page {
	t.Helper()
	v := pagetest.NewVisitor(t)
	p := v.Open(t, s.link(t, s.user(t, name, role))).Press(t, "Sign in")
	require.Equal(t, http.StatusOK, p.Status)
	return p
}

// at opens a page of the console for somebody who has opened another one.
func (s *business) at(t testing.TB, p *pagetest.Page, below string) *pagetest.Page {
	t.Helper()
	return p.By.Open(t, s.url+"/console/harbour"+below)
}

// linkIn returns the link of the console that an email has.
func linkIn(t testing.TB, m email.Message) string {
	t.Helper()
	found := regexp.MustCompile(`http://\S+/enter/\S+`).FindString(m.Text)
	require.NotEmpty(t, found, m.Text)
	return found
}

// resource makes a resource that is open from 9 to 17 and returns its id.
func (s *business) resource(t testing.TB, name string, capacity int) string {
	t.Helper()
	id := s.call(t, http.MethodPost, "/v1/resources", s.key, object{"name": name, "capacity": capacity})["id"].(string)
	weekly := []object{}
	for _, day := range []string{"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"} {
		weekly = append(weekly, object{"weekday": day, "opens": "09:00", "closes": "17:00"})
	}
	s.call(t, http.MethodPut, "/v1/resources/"+id+"/hours", s.key, object{"weekly": weekly})
	return id
}

// tour makes a service of one hour on boats, each for up to ten people, which costs 45 EUR a person; more is what else it has.
func (s *business) tour(t testing.TB, more object) string {
	t.Helper()
	spec := object{
		"name": "Harbour tour", "kind": "slot", "resource_ids": []string{s.resource(t, "Boat 1", 10), s.resource(t, "Boat 2", 10)},
		"duration_minutes": 60, "price": 4500, "price_per": "unit", "booking_window_days": 365,
	}
	for name, value := range more {
		spec[name] = value
	}
	return s.call(t, http.MethodPost, "/v1/services", s.key, spec)["id"].(string)
}

// book books a time of a service for two people, and returns the booking.
func (s *business) book(t testing.TB, service string, at time.Time) object {
	t.Helper()
	return s.call(t, http.MethodPost, "/v1/bookings", s.key, object{
		"service_id": service, "starts_at": at.Format(time.RFC3339), "party_size": 2,
		"customer": object{"name": "Grace Hopper", "email": "grace@example.com", "phone": "+49 40 1234"},
	})
}

// booking returns a booking as it is now.
func (s *business) booking(t testing.TB, id any) object {
	t.Helper()
	return s.call(t, http.MethodGet, "/v1/bookings/"+id.(string), s.key, nil)
}

// exec changes the database behind the server's back.
func (s *business) exec(t testing.TB, sql string, args ...any) {
	t.Helper()
	_, err := s.sql.Exec(t.Context(), sql, args...)
	require.NoError(t, err)
}

// count returns the number that a query returns.
func (s *business) count(t testing.TB, sql string, args ...any) (n int) {
	t.Helper()
	require.NoError(t, s.sql.QueryRow(t.Context(), sql, args...).Scan(&n))
	return n
}

// text returns the text that a query returns.
func (s *business) text(t testing.TB, sql string, args ...any) (text string) {
	t.Helper()
	require.NoError(t, s.sql.QueryRow(t.Context(), sql, args...).Scan(&text))
	return text
}

// cookieOf returns the secret of the browser that shows a page.
func cookieOf(t testing.TB, s *business, p *pagetest.Page) string {
	t.Helper()
	at, err := url.Parse(s.url + "/console/harbour")
	require.NoError(t, err)
	for _, c := range p.By.Client.Jar.Cookies(at) {
		if c.Name == "holdfast_console" {
			return c.Value
		}
	}
	require.Fail(t, "the browser has no secret")
	return ""
}

// tenantOf is a tenant as far as links need it.
func tenantOf(id uuid.UUID, slug string) tenant.Tenant { return tenant.Tenant{ID: id, Slug: slug} }

// formatted returns a whole number of a JSON document as a form has it.
func formatted(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }

// browser returns a tab in which a person has signed in.
func (s *business) browser(t testing.TB, d pagetest.Device, role user.Role) *pagetest.Browser {
	t.Helper()
	b := pagetest.NewBrowser(t, d)
	b.Open(t, s.link(t, s.user(t, "ada", role)))
	b.Press(t, "Sign in")
	b.Await(t, "Today")
	return b
}
