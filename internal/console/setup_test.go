package console_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"holdfast/internal/app"
	"holdfast/internal/app/apptest"
	"holdfast/internal/console"
	"holdfast/internal/db"
	"holdfast/internal/db/dbtest"
	"holdfast/internal/email"
	"holdfast/internal/event"
	"holdfast/internal/pages/pagetest"
	"holdfast/internal/tenant"
	"holdfast/internal/user"
)

const (
	adminKey = apptest.AdminKey
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
	store *db.DB
	proxy *dbtest.Proxy // nil unless round trips are counted
	users *user.Service
	kinds []event.Kind
	mail  *apptest.Mailbox
	log   *lockedBuffer

	served *apptest.Server
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
	log := new(lockedBuffer)
	served := apptest.Serve(t, apptest.Options{
		Counted: counted, Webhooks: true, Log: slog.New(slog.NewJSONHandler(log, nil)),
		Configure: func(c *app.Config) { c.OIDC = of(c.PublicURL) },
	})
	t.Cleanup(func() {
		if t.Failed() {
			t.Log(log.String())
		}
	})
	s := &business{
		url:    served.URL,
		sql:    served.SQL,
		store:  served.DB(),
		proxy:  served.Proxy,
		users:  served.Users,
		kinds:  []event.Kind{served.Users.Email()},
		mail:   served.Mail,
		log:    log,
		served: served,
	}
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
	s.call(t, http.MethodPatch, "/v1/tenant", key,
		object{"email": object{"from": object{"email": "booking@harbour.example"}}})
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
	s.served.WorkOn(t, s.kinds...)
}

// user makes a user and returns the id.
func (s *business) user(t testing.TB, name string, role user.Role) uuid.UUID {
	t.Helper()
	made := s.call(t, http.MethodPost, user.Path, s.key,
		object{"email": name + "@harbour.example", "name": name, "role": role})
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

// tour makes a service of one hour on boats, each for up to ten people, which costs 45 EUR a person; more is what else
// it has.
func (s *business) tour(t testing.TB, more object) string {
	t.Helper()
	spec := object{
		"name": "Harbour tour", "kind": "slot",
		"resource_ids":     []string{s.resource(t, "Boat 1", 10), s.resource(t, "Boat 2", 10)},
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
