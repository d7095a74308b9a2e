package app_test

import (
	"encoding/json"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"holdfast/internal/app"
	"holdfast/internal/app/apptest"
	"holdfast/internal/booking"
	"holdfast/internal/cell"
	"holdfast/internal/console"
	"holdfast/internal/console/operator"
	"holdfast/internal/db"
	"holdfast/internal/db/dbtest"
	"holdfast/internal/email"
	"holdfast/internal/httpapi/edge"
	"holdfast/internal/payment/sandbox"
)

// patient is how long what happens in the background may take on a busy machine.
const patient = time.Minute

// oidc is a provider that can't be reached.
var oidc = console.OIDC{Issuer: "http://127.0.0.1:1", ClientID: "id", ClientSecret: "secret"}

// cells is a server with the cells one and two, and a tenant in two.
type cells struct {
	url      string
	registry *prometheus.Registry
	tenant   uuid.UUID
	key      string
	// params are values of what stands in paths and queries, by name.
	params map[string]string
}

// route is a route of a server with one cell.
type route struct {
	method, path string
	source       edge.TenantSource
}

func serveCells(t *testing.T) *cells {
	t.Helper()
	c := &cells{registry: prometheus.NewRegistry()}
	cfg := app.ServerConfig{
		Cells: []cell.Spec{cellOn(t, "one"), cellOn(t, "two")}, Log: slog.New(slog.DiscardHandler),
		Connect:       db.Config{MaxConns: 4, LockTimeout: time.Minute, CommitTimeout: time.Minute},
		WebhookTenant: func(string, http.Header, []byte) (uuid.UUID, error) { return c.tenant, nil },
	}
	cfg.AdminKey, cfg.LinkKey, cfg.Registry = apptest.AdminKey, []byte(apptest.LinkKey), c.registry
	cfg.Sampler = operator.NewSampler(c.registry, cfg.Log)
	cfg.OIDC = oidc
	cfg.Payments.Provider = sandbox.NewClient(sandbox.ClientConfig{
		URL: "http://127.0.0.1:1", Key: "key", WebhookSecret: "secret",
	})
	s := app.NewServer(cfg)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	c.url = "http://" + l.Addr().String()
	failed := make(chan error, 2)
	require.NoError(t, s.Open(t.Context(), c.url, failed))
	t.Cleanup(s.Close)
	apptest.Listen(t, l, s)
	require.Eventually(t, func() bool {
		return c.send(t, http.MethodGet, "/readyz").StatusCode == http.StatusOK
	}, patient, 10*time.Millisecond)
	require.Empty(t, failed)

	var made struct {
		ID  uuid.UUID `json:"id"`
		Key string    `json:"api_key"`
	}
	r := c.request(t, http.MethodPost, "/admin/v1/tenants",
		`{"slug": "harbour", "name": "Harbour Tours", "time_zone": "Europe/Berlin", "currency": "EUR"}`)
	r.Header.Set(cell.Header, "two")
	response, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	defer func() { _ = response.Body.Close() }()
	require.Equal(t, http.StatusCreated, response.StatusCode)
	require.NoError(t, json.NewDecoder(response.Body).Decode(&made))
	c.tenant, c.key = made.ID, made.Key
	links, err := booking.NewLinks([]byte(apptest.LinkKey), c.url)
	require.NoError(t, err)
	unsubscriber, err := email.NewUnsubscriber([]byte(apptest.LinkKey))
	require.NoError(t, err)
	c.params = map[string]string{
		"slug": "harbour", "provider": "sandbox",
		"link":        links.Token(booking.Link{TenantID: c.tenant, BookingID: uuid.New()}),
		"unsubscribe": unsubscriber.Token(email.Subscription{TenantID: c.tenant, CustomerID: uuid.New()}),
	}
	return c
}

func cellOn(t *testing.T, name string) cell.Spec {
	t.Helper()
	database := dbtest.Database(t)
	return cell.Spec{Name: name, DatabaseURL: database, DirectDatabaseURL: database}
}

func (c *cells) request(t *testing.T, method, path, body string) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, c.url+path, strings.NewReader(body))
	require.NoError(t, err)
	key := c.key
	if strings.HasPrefix(path, "/admin/") {
		key = apptest.AdminKey
	}
	r.Header.Set("Authorization", "Bearer "+key)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Idempotency-Key", uuid.NewString())
	return r
}

func (c *cells) send(t *testing.T, method, path string) *http.Response {
	t.Helper()
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	r := c.request(t, method, path, "{}")
	if strings.HasPrefix(path, "/admin/") && !strings.Contains(path, c.tenant.String()) {
		r.Header.Set(cell.Header, "two")
	}
	response, err := client.Do(r)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	return response
}

// served returns how often a route was served, by the cell; empty is the server itself.
func (c *cells) served(t *testing.T, r route) map[string]uint64 {
	t.Helper()
	families, err := c.registry.Gather()
	require.NoError(t, err)
	counts := make(map[string]uint64)
	for _, family := range families {
		if family.GetName() != "holdfast_http_request_duration_seconds" {
			continue
		}
		for _, metric := range family.GetMetric() {
			labels := make(map[string]string)
			for _, label := range metric.GetLabel() {
				labels[label.GetName()] = label.GetValue()
			}
			if labels["route"] == r.path && labels["method"] == r.method {
				counts[labels["cell"]] += metric.GetHistogram().GetSampleCount()
			}
		}
	}
	return counts
}

// path returns a path of a route that is about the tenant of the cell two.
func (c *cells) path(r route) string {
	segments := strings.Split(r.path, "/")
	for i, segment := range segments {
		name := strings.TrimLeft(segment, ":*")
		switch value, known := c.params[name]; {
		case name == segment:
		case known:
			segments[i] = value
		case name == "token" && r.source == edge.FromLink:
			segments[i] = c.params["link"]
		case name == "id" && r.source != edge.FromKey && strings.Contains(r.path, "/tenants/:id"):
			segments[i] = c.tenant.String()
		default:
			segments[i] = uuid.NewString()
		}
	}
	query := url.Values{}
	if value, found := map[edge.TenantSource][2]string{
		edge.FromOperatorPage: {"cell", "two"}, edge.FromState: {"state", "harbour.state"},
		edge.FromUnsubscribeToken: {"token", c.params["unsubscribe"]},
	}[r.source]; found {
		query.Set(value[0], value[1])
	}
	return strings.Join(segments, "/") + "?" + query.Encode()
}

func TestServer_WithTwoCells_ServesEachRouteInTheTenantsCell(t *testing.T) {
	t.Parallel()
	c := serveCells(t)
	one := apptest.Serve(t, apptest.Options{Configure: func(c *app.Config) { c.OIDC = oidc }}).Edge()
	for _, found := range one.Engine().Routes() {
		source, _ := one.TenantSources().Lookup(found.Path)
		r := route{found.Method, found.Path, source}
		where := "two"
		if source == edge.NoTenant || r.path == "/console" {
			where = "" // the server itself
		}
		before := c.served(t, r)
		c.send(t, r.method, c.path(r))
		require.Eventually(t, func() bool { return c.served(t, r)[where] == before[where]+1 }, patient,
			time.Millisecond, "%s %s is served in the cell %q", r.method, r.path, where)
	}
}
