package pages_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"holdfast/internal/app"
	"holdfast/internal/app/apptest"
	"holdfast/internal/booking"
	"holdfast/internal/db"
	"holdfast/internal/db/dbtest"
	"holdfast/internal/httpapi/admission"
	"holdfast/internal/pages/pagetest"
)

const (
	adminKey = apptest.AdminKey
	// patient is how long what happens by itself may take on a busy machine.
	patient = 30 * time.Second
	poll    = 20 * time.Millisecond
)

// site is a server with one tenant that has a booking page.
type site struct {
	url      string
	key      string // API key of the tenant
	slug     string
	sql      *pgxpool.Pool
	database string
	links    *booking.Links
	bookings *booking.Service
	store    *db.DB
	proxy    *dbtest.Proxy // nil unless round trips are counted
	log      *lockedBuffer
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

type object = map[string]any

// newSite serves the API and the pages until the test ends, for a tenant in Berlin. page is what the settings say of
// the booking page besides that it is there.
func newSite(t testing.TB, page object) *site {
	t.Helper()
	return newLimitedSite(t, page, admission.Limits{})
}

// newLimitedSite is newSite with limits.
func newLimitedSite(t testing.TB, page object, limits admission.Limits) *site {
	t.Helper()
	return serveSite(t, page, limits, false)
}

// serveSite serves a site. If it is counted, it has one connection to the database, through a proxy.
func serveSite(t testing.TB, page object, limits admission.Limits, counted bool) *site {
	t.Helper()
	log := new(lockedBuffer)
	served := apptest.Serve(t, apptest.Options{
		Counted: counted, Webhooks: true, Log: slog.New(slog.NewJSONHandler(log, nil)),
		Configure: func(c *app.Config) { c.Limits = limits },
	})
	s := &site{
		url:      served.URL,
		slug:     "harbour",
		sql:      served.SQL,
		database: served.Database,
		links:    served.Links,
		bookings: served.Bookings,
		store:    served.DB(),
		proxy:    served.Proxy,
		log:      log,
	}
	s.addTenant(t, page)
	return s
}

// addTenant makes the site's tenant.
func (s *site) addTenant(t testing.TB, page object) {
	t.Helper()
	made := s.call(t, http.MethodPost, "/admin/v1/tenants", adminKey, object{
		"slug": s.slug, "name": "Harbour Tours", "time_zone": "Europe/Berlin", "currency": "EUR",
	})
	s.key = made["api_key"].(string)
	all := object{"enabled": true}
	for name, value := range page {
		all[name] = value
	}
	s.set(t, object{"booking_page": all, "email": object{"from": object{"email": "booking@harbour.example"}}})
}

// set changes the tenant's settings. What was read before may be shown for some seconds more, so tests set before they
// read.
func (s *site) set(t testing.TB, change object) {
	t.Helper()
	s.call(t, http.MethodPatch, "/v1/tenant", s.key, change)
}

// call sends a request to the API and returns the object that it answers with.
func (s *site) call(t testing.TB, method, path, key string, body object) object {
	t.Helper()
	status, answer := s.try(t, method, path, key, body)
	require.Less(t, status, http.StatusBadRequest, "%v", answer)
	return answer
}

func (s *site) try(t testing.TB, method, path, key string, body object) (status int, answer object) {
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
	require.NoError(t, json.NewDecoder(response.Body).Decode(&answer))
	return response.StatusCode, answer
}

// resource makes a resource that is open from 9 to 17 and returns its id.
func (s *site) resource(t testing.TB, name string, capacity int) string {
	t.Helper()
	id := s.call(t, http.MethodPost, "/v1/resources", s.key, object{"name": name, "capacity": capacity})["id"].(string)
	weekly := []object{}
	for _, day := range []string{"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"} {
		weekly = append(weekly, object{"weekday": day, "opens": "09:00", "closes": "17:00"})
	}
	s.call(t, http.MethodPut, "/v1/resources/"+id+"/hours", s.key, object{"weekly": weekly})
	return id
}

// service makes a service and returns its id.
func (s *site) service(t testing.TB, spec object) string {
	t.Helper()
	return s.call(t, http.MethodPost, "/v1/services", s.key, spec)["id"].(string)
}

// tour makes a service of one hour for up to capacity people, which costs 45 EUR a person; more is what else it has.
func (s *site) tour(t testing.TB, capacity int, more object) string {
	t.Helper()
	spec := object{
		"name": "Harbour tour", "kind": "slot", "resource_ids": []string{s.resource(t, "Boat", capacity)},
		"duration_minutes": 60,
		"price":            4500, "price_per": "unit", "booking_window_days": 365,
	}
	for name, value := range more {
		spec[name] = value
	}
	return s.service(t, spec)
}

// booked returns the tenant's bookings.
func (s *site) booked(t testing.TB) (list []object) {
	t.Helper()
	for _, one := range s.call(t, http.MethodGet, "/v1/bookings", s.key, nil)["data"].([]any) {
		list = append(list, one.(object))
	}
	return list
}

// visitor is a visitor of the site.
type visitor struct {
	*pagetest.Visitor

	site *site
}

func (s *site) visitor(t testing.TB) *visitor {
	t.Helper()
	return &visitor{pagetest.NewVisitor(t), s}
}

// book opens the booking page, or what is below it.
func (v *visitor) book(t testing.TB, below string) *pagetest.Page {
	t.Helper()
	return v.Open(t, v.site.url+"/book/"+v.site.slug+below)
}

// fill fills in who books.
func fill(t testing.TB, p *pagetest.Page, button string) *pagetest.Form {
	t.Helper()
	return p.Form(t, button).With("name", "Ada Lovelace").With("email", "ada@example.com")
}

// slotQuery is the query of a date, with a party.
func slotQuery(date fmt.Stringer, party int) string {
	return fmt.Sprintf("?date=%s&party=%d", date, party)
}
