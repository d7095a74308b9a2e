package httpapi_test

import (
	"context"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"holdfast/internal/db"
	"holdfast/internal/httpapi/edge"
	"holdfast/internal/lock"
	"holdfast/internal/problem"
	"holdfast/internal/testtime"
)

// metrics reads /metrics: the value of each series, by its name with its labels.
func (s *apiServer) metrics(t testingT) map[string]float64 {
	t.Helper()
	a := s.admin().get(t, "/metrics", "Authorization", "")
	require.Equal(t, http.StatusOK, a.status)
	values := make(map[string]float64)
	for line := range strings.Lines(a.body) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		series, text, found := strings.Cut(strings.TrimSpace(line), "} ")
		if found {
			series += "}"
		} else {
			series, text, _ = strings.Cut(series, " ")
		}
		value, err := strconv.ParseFloat(text, 64)
		require.NoError(t, err, line)
		values[series] = value
	}
	return values
}

func TestMetrics_TellRequestsLocksPoolReplaysAndConflicts(t *testing.T) {
	t.Parallel()
	c := setup(t)
	before := c.metrics(t)
	require.Contains(t, before, `holdfast_lock_timeouts_total{kind="date"}`, "a rate can be taken before the first")
	service := c.newService(t, "slot", nil, c.newResource(t, 1))
	body := bookingOf(service, at(future(0), 10, 0))
	made := c.post(t, "/v1/bookings", body, "Idempotency-Key", "k")
	c.created(t, made)
	for range 2 {
		c.post(t, "/v1/bookings", body, "Idempotency-Key", "k")
	}
	c.refused(t, conflict, problem.SlotUnavailable, service, at(future(0), 10, 0))
	requireProblem(t, c.post(t, "/v1/bookings/"+made.id(t).String()+"/cancel", nil, "If-Match", `"7"`),
		http.StatusPreconditionFailed,
		problem.VersionMismatch)
	c.get(t, "/v1/bookings/"+made.id(t).String())
	c.get(t, "/nowhere/"+uuid.NewString())
	c.get(t, "/healthz")

	after := c.metrics(t)
	for series, want := range map[string]float64{
		`holdfast_http_request_duration_seconds_count{method="POST",route="/v1/bookings",status="201"}`:            3,
		`holdfast_http_request_duration_seconds_count{method="POST",route="/v1/bookings",status="409"}`:            1,
		`holdfast_http_request_duration_seconds_count{method="POST",route="/v1/bookings/:id/cancel",status="412"}`: 1,
		`holdfast_http_request_duration_seconds_count{method="GET",route="/v1/bookings/:id",status="200"}`:         1,
		`holdfast_http_request_duration_seconds_count{method="GET",route="unmatched",status="404"}`:                1,
		`holdfast_http_requests_in_flight`:                  1, // the one that asks
		`holdfast_lock_timeouts_total{kind="date"}`:         0,
		`holdfast_idempotent_replays_total`:                 2,
		`holdfast_conflicts_total{code="slot_unavailable"}`: 1,
		`holdfast_conflicts_total{code="version_mismatch"}`: 1,
		`holdfast_pool_connections_max`:                     8,
		`holdfast_http_panics_total`:                        0,
		`holdfast_unknown_outcomes_total`:                   0,
	} {
		require.Contains(t, after, series)
		require.InDelta(t, want, after[series], 0, series)
	}
	for _, name := range []string{"holdfast_lock_wait_seconds", "holdfast_lock_hold_seconds"} {
		series := name + `_count{kind="date"}`
		require.InDelta(t, 3, after[series], 0, "%s: a booking and two refusals took locks, replays didn't", series)
		require.Less(t, after[name+`_sum{kind="date"}`], 10.0, "in seconds")
	}
	require.Positive(t, after["holdfast_pool_connections"])
	require.Contains(t, after, "holdfast_pool_connections_in_use")
	require.Contains(t, after, "holdfast_pool_wait_seconds_total")
	require.Greater(t, after[`holdfast_http_request_duration_seconds_sum{method="POST",route="/v1/bookings",status="201"}`], 0.0)
	for series := range after {
		require.NotRegexp(t, `[0-9a-f]{8}-[0-9a-f]{4}-`, series, "an id is no label")
	}
}

func TestHealthAndReadiness_TellWhetherTheDatabaseIsThere(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	c := s.newTenant(t, "Europe/Berlin")
	service := c.newService(t, "date", nil, c.newResource(t, 1))
	for _, path := range []string{"/healthz", "/readyz"} {
		require.Equal(t, http.StatusOK, c.get(t, path, "Authorization", "").status, path)
	}
	s.sql.Close() // or it would be cut off as well

	restore := cutOff(t, s.database)
	require.Equal(t, http.StatusOK, c.get(t, "/healthz").status, "the process is well")
	gone := c.get(t, "/readyz")
	requireProblem(t, gone, http.StatusServiceUnavailable, problem.DatabaseUnavailable)
	require.Equal(t, "1", gone.header.Get("Retry-After"))
	require.NotContains(t, gone.body, "127.0.0.1", "nothing of the database is told")
	body := bookingOf(service, future(0))
	for _, a := range []answer{
		c.get(t, "/v1/bookings"),
		c.post(t, "/v1/bookings", body, "Idempotency-Key", "k"),
		client{apiServer: s, key: c.key}.get(t, "/v1/services/"+service.String()),
	} {
		requireProblem(t, a, http.StatusServiceUnavailable, problem.DatabaseUnavailable)
		require.Equal(t, "1", a.header.Get("Retry-After"))
	}

	restore()
	require.Equal(t, http.StatusOK, c.get(t, "/readyz").status)
	made := c.post(t, "/v1/bookings", body, "Idempotency-Key", "k")
	c.created(t, made)
	require.Empty(t, made.header.Get("Idempotent-Replayed"), "nothing was written when the database was gone")
}

// cutOff ends all connections to a database and lets no new one in until restore is called.
func cutOff(t *testing.T, database string) (restore func()) {
	t.Helper()
	u, err := url.Parse(database)
	require.NoError(t, err)
	name := strings.TrimPrefix(u.Path, "/")
	u.Path = "/postgres"
	conn, err := pgx.Connect(t.Context(), u.String())
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, conn.Close(context.Background())) })
	allow := func(allowed string) {
		_, err := conn.Exec(t.Context(),
			"ALTER DATABASE "+pgx.Identifier{name}.Sanitize()+" WITH ALLOW_CONNECTIONS "+allowed)
		require.NoError(t, err)
	}
	allow("false")
	_, err = conn.Exec(t.Context(), "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1", name)
	require.NoError(t, err)
	return func() { allow("true") }
}

func TestLockTimeout_Is503AndWritesNothingAndLeavesTheKeyFree(t *testing.T) {
	t.Parallel()
	c := newServer(t, func(cfg *db.Config) { cfg.LockTimeout = 200 * time.Millisecond }).newTenant(t, "Europe/Berlin")
	resource := c.newResource(t, 10)
	service := c.newService(t, "date", nil, resource)
	hold := c.book(t, service, future(0), object{"hold_minutes": 60}).id(t)
	closure := c.newClosure(t, nil, future(0).AddDays(-1), future(0).AddDays(-1))

	tx, err := c.sql.Begin(t.Context())
	require.NoError(t, err)
	t.Cleanup(func() { _ = tx.Rollback(context.Background()) }) // or the pool would wait for it
	for i := range 2 {                                          // the date and the one before it
		keys, err := lock.Dates(c.tenant, lock.Date(future(-i)))
		require.NoError(t, err)
		_, err = tx.Exec(t.Context(), "SELECT pg_advisory_xact_lock($1)", keys.Keys()[0].ID())
		require.NoError(t, err)
	}
	before := c.tables(t)
	booking := bookingOf(service, future(0))
	requests := []struct {
		name, method, path string
		body               any
		status             int
	}{
		{"create", http.MethodPost, "/v1/bookings", booking, http.StatusCreated},
		{"confirm", http.MethodPost, "/v1/bookings/" + hold.String() + "/confirm", nil, http.StatusOK},
		{"close", http.MethodPost, "/v1/closures", object{"from": future(0).String(), "to": future(3).String()},
			http.StatusCreated},
		{"open", http.MethodPost, "/v1/closures/" + closure.String() + "/archive", nil, http.StatusOK},
	}
	for _, r := range requests {
		start := testtime.Now()
		a := c.send(t, r.method, r.path, r.body, "Idempotency-Key", r.name)
		requireProblem(t, a, http.StatusServiceUnavailable, problem.LockTimeout)
		require.Equal(t, "1", a.header.Get("Retry-After"), r.name)
		// A little less than the setting: PostgreSQL gets what the process hasn't waited yet, in whole milliseconds.
		require.Greater(t, testtime.Now().Sub(start), 150*time.Millisecond, r.name)
		require.Equal(t, before, c.tables(t), r.name)
	}
	require.InDelta(t, len(requests), c.metrics(t)[`holdfast_lock_timeouts_total{kind="date"}`], 0)
	// Whoever needs no lock, or another one, isn't kept waiting.
	require.True(t, c.on(t, service, future(0)).Available)
	require.Equal(t, http.StatusOK, c.get(t, "/v1/bookings/"+hold.String()).status)
	c.book(t, service, future(4))
	other := c.newTenant(t, "Europe/Berlin")
	other.book(t, other.newService(t, "date", nil, other.newResource(t, 1)), future(0))

	require.NoError(t, tx.Rollback(t.Context()))
	for _, r := range requests {
		a := c.send(t, r.method, r.path, r.body, "Idempotency-Key", r.name)
		require.Equal(t, r.status, a.status, "%s: %s", r.name, a.body)
		require.Empty(t, a.header.Get("Idempotent-Replayed"), r.name)
	}
}

func TestDescription_IsOpenAPI31WithExamples(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	a := s.admin().get(t, "/openapi.json", "Authorization", "")
	require.Equal(t, http.StatusOK, a.status)
	require.Equal(t, "application/openapi+json", a.header.Get("Content-Type"))
	require.Equal(t, "3.1.0", a.text(t, "openapi"))
	require.Equal(t, "1.2.3", a.field(t, "info").(object)["version"])
	yaml := s.admin().get(t, "/openapi.yaml", "Authorization", "")
	require.Equal(t, http.StatusOK, yaml.status)
	require.Contains(t, yaml.body, "openapi: 3.1.0")

	var document object
	a.read(t, &document)
	resolve := func(schema object) object {
		for {
			ref, ok := schema["$ref"].(string)
			if !ok {
				return schema
			}
			schema = valueAt(document, parts(strings.TrimPrefix(ref, "#/"))).(object)
		}
	}
	// A text needs an example unless its schema already says what it can be.
	var missing []string
	seen := 0
	var look func(where string, schema object)
	look = func(where string, schema object) {
		schema = resolve(schema)
		if items, ok := schema["items"].(object); ok && schema["examples"] == nil {
			look(where+"[]", items)
		}
		properties, _ := schema["properties"].(object)
		for name, p := range properties {
			look(where+"."+name, p.(object))
		}
		text := schema["type"] == "string"
		if types, ok := schema["type"].([]any); ok {
			text = types[0] == "string"
		}
		if text && schema["enum"] == nil && schema["format"] != "uuid" {
			seen++
			if schema["examples"] == nil && schema["example"] == nil {
				missing = append(missing, where)
			}
		}
	}
	for path, methods := range document["paths"].(object) {
		for method, o := range methods.(object) {
			op := o.(object)
			require.NotEmpty(t, op["summary"], "%s %s", method, path)
			require.NotEmpty(t, op["security"], "%s %s", method, path)
			if body, ok := op["requestBody"].(object); ok {
				look(op["operationId"].(string), valueAt(body, parts("content/application~1json/schema")).(object))
			}
			for _, p := range listOf(op["parameters"]) {
				parameter := resolve(p.(object))
				if parameter["required"] == true && parameter["in"] != "path" && parameter["example"] == nil &&
					parameter["schema"].(object)["examples"] == nil {
					missing = append(missing, method+" "+path+" "+parameter["name"].(string))
				}
			}
		}
	}
	require.Greater(t, seen, 15)
	require.Empty(t, missing, "request fields without an example")
}

func listOf(v any) []any {
	list, _ := v.([]any)
	return list
}

// parts splits a JSON pointer.
func parts(pointer string) []any {
	var list []any
	for part := range strings.SplitSeq(pointer, "/") {
		list = append(list, strings.ReplaceAll(part, "~1", "/"))
	}
	return list
}

var (
	reference = regexp.MustCompile(`(?:src|href|url)\s*[=:(]\s*["']([^"'#][^"']*)["']`)
	elsewhere = regexp.MustCompile(`["'(](?:https?:)?//[a-z]`)
)

func TestDocs_AreServedWithoutAnyOtherHost(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	get := func(path string) answer { return s.admin().get(t, path, "Authorization", "") }
	for _, path := range []string{"/docs", "/docs/reference", "/docs/errors"} {
		page := get(path)
		require.Equal(t, http.StatusOK, page.status, path)
		require.Contains(t, page.header.Get("Content-Type"), "text/html")
		require.NotRegexp(t, elsewhere, page.body, path)
		policy := page.header.Get("Content-Security-Policy")
		require.Contains(t, policy, "default-src 'none'")
		require.NotContains(t, policy, "http")
		require.NotContains(t, policy, "*")
	}
	references := reference.FindAllStringSubmatch(get("/docs/reference").body, -1)
	require.Greater(t, len(references), 2, "scripts, styles and the description")
	for _, r := range references {
		require.True(t, strings.HasPrefix(r[1], "/"), r[1])
		require.Equal(t, http.StatusOK, get(r[1]).status, r[1])
	}
	require.Contains(t, get("/docs/reference").body, "/openapi.json")
	// The type of every problem leads to its explanation.
	a := get("/v1/bookings")
	where, fragment, found := strings.Cut(a.text(t, "type"), "#")
	require.True(t, found)
	require.Contains(t, get(where).body, `id="`+fragment+`"`)
}

func TestRoot_LeadsABrowserToTheStart_AndTellsOtherClientsWhatIsWhere(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	get := func(path, accept string) answer { return s.admin().get(t, path, "Authorization", "", "Accept", accept) }
	page := get("/", "text/html,application/xhtml+xml")
	require.Equal(t, http.StatusSeeOther, page.status)
	require.Equal(t, edge.StartPath, page.header.Get("Location"))
	require.Contains(t, page.header.Values("Vary"), "Accept")
	for _, accept := range []string{"*/*", "application/json"} {
		a := get("/", accept)
		require.Equal(t, http.StatusOK, a.status, a.body)
		require.Equal(t, "application/json; charset=utf-8", a.header.Get("Content-Type"))
		require.Contains(t, a.header.Values("Vary"), "Accept")
		var root map[string]string
		a.read(t, &root)
		require.Equal(t, []string{"Holdfast", "1.2.3"}, []string{root["name"], root["version"]})
		delete(root, "name")
		delete(root, "version")
		require.ElementsMatch(t, []string{"docs", "errors", "health", "openapi", "reference"},
			slices.Collect(maps.Keys(root)))
		for name, path := range root {
			require.Equal(t, http.StatusOK, get(path, accept).status, name)
		}
	}
}
