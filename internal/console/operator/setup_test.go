package operator_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"
	"golang.org/x/net/html/atom"

	"holdfast/internal/app"
	"holdfast/internal/app/apptest"
	"holdfast/internal/console/operator"
	"holdfast/internal/db/dbtest"
	"holdfast/internal/httpapi"
	"holdfast/internal/httpapi/admission"
	"holdfast/internal/pages/pagetest"
	"holdfast/internal/tenant"
	"holdfast/internal/user"
)

const adminKey = apptest.AdminKey

// hostile is a text that would run a script on a page that showed it as it is.
const hostile = `"><script>alert(1)</script><img src=x onerror=alert(1)>'{{7*7}}`

type object = map[string]any

// server is a server with the operator's console and the tenants' consoles.
type server struct {
	url      string
	database string
	sql      *pgxpool.Pool
	api      *httpapi.API
	users    *user.Service
	tenants  *tenant.Service
	registry *prometheus.Registry
	sampler  *operator.Sampler
}

// newServer serves until the test ends.
func newServer(t testing.TB) *server {
	t.Helper()
	return newServerWith(t, dbtest.Database(t), adminKey)
}

// newServerWith is newServer on a database that other servers may have too, with an admin key.
func newServerWith(t testing.TB, database, key string) *server {
	t.Helper()
	registry := prometheus.NewRegistry() // the console shows the figures that tests make up
	sampler := operator.NewSampler(registry, slog.New(slog.DiscardHandler))
	served := apptest.Serve(t, apptest.Options{Database: database, Configure: func(c *app.Config) {
		c.AdminKey, c.Sender, c.Sampler = key, nil, sampler
		c.Limits = admission.Limits{VisitorRate: 1000, VisitorBurst: 1000}
	}})
	return &server{
		url:      served.URL,
		database: database,
		sql:      served.SQL,
		api:      served.API,
		users:    served.Users,
		tenants:  served.Tenants,
		registry: registry,
		sampler:  sampler,
	}
}

// signIn sends the form that signs in.
func (s *server) signIn(t testing.TB, v *pagetest.Visitor, key string) *pagetest.Page {
	t.Helper()
	return v.Open(t, s.url+"/operator/sign-in").Form(t, "Sign in").With("admin_key", key).With("name",
		"Ada, support").Submit(t)
}

// signedIn returns the first page of an operator who signs in without JavaScript.
func (s *server) signedIn(t testing.TB) *pagetest.Page {
	t.Helper()
	p := s.signIn(t, pagetest.NewVisitor(t), adminKey)
	require.Equal(t, http.StatusOK, p.Status, p.Text())
	require.Equal(t, "Tenants", p.Heading())
	return p
}

// at opens a page of the operator's console for somebody who has opened another one.
func (s *server) at(t testing.TB, p *pagetest.Page, below string) *pagetest.Page {
	t.Helper()
	return p.By.Open(t, s.url+"/operator"+below)
}

// post sends a form as it is.
func (s *server) post(t testing.TB, p *pagetest.Page, below string, form url.Values) *pagetest.Page {
	t.Helper()
	return p.By.Send(t, http.MethodPost, s.url+"/operator"+below, form)
}

// tokenOf returns what every form of the sign-in that shows a page has.
func tokenOf(t testing.TB, p *pagetest.Page) url.Values {
	t.Helper()
	for _, n := range p.All(atom.Input) {
		if pagetest.Attribute(n, "name") == "token" {
			return url.Values{"token": {pagetest.Attribute(n, "value")}, "key": {uuid.NewString()}}
		}
	}
	require.Fail(t, "no form has a token")
	return nil
}

// addTenant makes a tenant and returns its id and its API key.
func (s *server) addTenant(t testing.TB, slug, name string) (id uuid.UUID, key string) {
	t.Helper()
	status, made := s.call(t, http.MethodPost, "/admin/v1/tenants", adminKey, object{
		"slug": slug, "name": name, "time_zone": "Europe/Berlin", "currency": "EUR",
	})
	require.Equal(t, http.StatusCreated, status, "%v", made)
	return uuid.MustParse(made["id"].(string)), made["api_key"].(string)
}

// call sends a request to the API.
func (s *server) call(t testing.TB, method, path, key string, body object) (status int, answer object) {
	t.Helper()
	var encoded []byte
	if body != nil {
		var err error
		encoded, err = json.Marshal(body)
		require.NoError(t, err)
	}
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
	_ = json.NewDecoder(response.Body).Decode(&answer)
	return response.StatusCode, answer
}

// status returns what the API says of a tenant's status.
func (s *server) status(t testing.TB, id uuid.UUID) string {
	t.Helper()
	status, found := s.call(t, http.MethodGet, "/admin/v1/tenants/"+id.String(), adminKey, nil)
	require.Equal(t, http.StatusOK, status)
	return found["status"].(string)
}

// exec changes the database behind the server's back.
func (s *server) exec(t testing.TB, sql string, args ...any) {
	t.Helper()
	_, err := s.sql.Exec(t.Context(), sql, args...)
	require.NoError(t, err)
}

// hold takes a lock until the test ends, in a transaction of its own.
func (s *server) hold(t testing.TB, key int64) {
	t.Helper()
	tx, err := s.sql.Begin(t.Context())
	require.NoError(t, err)
	t.Cleanup(func() { _ = tx.Rollback(context.Background()) })
	_, err = tx.Exec(t.Context(), "SELECT pg_advisory_xact_lock($1)", key)
	require.NoError(t, err)
}

// wait has a transaction wait for a lock until the test ends, and returns once it waits.
func (s *server) wait(t testing.TB, key int64) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	waited := make(chan struct{})
	go func() {
		defer close(waited)
		_, _ = s.sql.Exec(ctx, "SELECT pg_advisory_xact_lock($1)", key)
	}()
	t.Cleanup(func() {
		stop()
		<-waited
	})
	require.Eventually(t, func() bool {
		var n int
		err := s.sql.QueryRow(t.Context(), `SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
			AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`).Scan(&n)
		return err == nil && n > 0
	}, 30*time.Second, 20*time.Millisecond)
}
