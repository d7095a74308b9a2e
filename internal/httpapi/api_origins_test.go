package httpapi_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/httpapi/admission"
	"holdfast/internal/problem"
)

const harbour = "https://www.harbour.example"

// opensTo lists the origins of a tenant's website.
func (c client) opensTo(t testingT, origins ...string) {
	t.Helper()
	a := c.patch(t, "/v1/tenant", object{"website": object{"origins": origins}})
	require.Equal(t, http.StatusOK, a.status, a.body)
}

// readableBy returns which origin's page may read an answer, empty for none.
func (a answer) readableBy() string { return a.header.Get("Access-Control-Allow-Origin") }

func TestOrigins_PageOfTheWebsite_ReadsTheAnswers(t *testing.T) {
	t.Parallel()
	c := setup(t)
	c.opensTo(t, harbour, "http://localhost:5173")
	service, website := c.newService(t, "date", nil, c.newResource(t, 10)), c.visitor(t)
	for _, origin := range []string{harbour, "http://localhost:5173"} {
		made := website.post(t, holds, object{"service_id": service.String(), "date": future(0).String()}, "Origin",
			origin)
		for name, a := range map[string]answer{
			"a list": website.get(t, "/v1/services", "Origin", origin), "a hold": made,
			"what isn't there": website.get(t, holdPath(uuid.New()), "Origin", origin),
			"what is refused":  website.post(t, holds, object{}, "Origin", origin),
			"what is forbidden, on a page of the website": website.post(t, "/v1/quotes",
				object{"booking_id": uuid.NewString()}, "Origin", origin),
		} {
			require.Equal(t, origin, a.readableBy(), name)
			require.Contains(t, a.header.Values("Vary"), "Origin", name)
			exposed := a.header.Get("Access-Control-Expose-Headers")
			for _, header := range []string{"ETag", "Location", "Retry-After", "Request-Id", "RateLimit",
				"Idempotent-Replayed"} {
				require.Contains(t, exposed, header)
			}
			require.Empty(t, a.header.Get("Access-Control-Allow-Credentials"))
		}
		require.Equal(t, http.StatusCreated, made.status, made.body)
	}
	a := website.get(t, "/v1/services")
	require.Equal(t, http.StatusOK, a.status, "a request that no page sends is served")
	require.Empty(t, a.readableBy())
}

func TestOrigins_PageOfAnotherWebsite_IsRefusedBeforeAnythingIsDone(t *testing.T) {
	t.Parallel()
	c := setup(t)
	c.opensTo(t, harbour)
	website, neighbour := c.visitor(t), c.newTenant(t, "UTC")
	neighbour.opensTo(t, "https://neighbour.example")
	body := object{"service_id": c.newService(t, "date", nil, c.newResource(t, 1)).String(), "date": future(0).String()}
	before := c.tables(t)
	for _, origins := range [][]string{
		{"https://neighbour.example"}, {"null"}, {"http://www.harbour.example"}, {harbour + ":8443"}, {harbour + "/"},
		{"*"},
		{"https://evil.example", harbour}, {harbour, harbour}, {strings.ToUpper(harbour)}, {harbour + ".evil.example"},
	} {
		var headers []string
		for _, origin := range origins {
			headers = append(headers, "Origin", origin)
		}
		for _, a := range []answer{website.post(t, holds, body, headers...),
			website.get(t, "/v1/services", headers...)} {
			d := requireProblem(t, a, http.StatusForbidden, problem.Forbidden)
			require.Contains(t, d.Detail, "website.origins", origins)
			require.Empty(t, a.readableBy(), origins)
		}
	}
	require.Equal(t, before, c.tables(t))
}

func TestOrigins_OtherKeys_AreForNoPage(t *testing.T) {
	t.Parallel()
	c := setup(t)
	c.opensTo(t, harbour)
	reader, _ := c.withScopes(t, "catalog", "hold", "read")
	for _, other := range []client{c, reader} {
		for _, origin := range []string{harbour, "https://evil.example"} {
			a := other.get(t, "/v1/services", "Origin", origin)
			require.Equal(t, http.StatusOK, a.status, "an Origin doesn't matter to a key that is for servers")
			require.Empty(t, a.readableBy())
		}
	}
	a := c.admin().get(t, "/v1/services", "Holdfast-Tenant", c.tenant.String(), "Holdfast-Actor", "Ada", "Origin",
		harbour)
	require.Equal(t, http.StatusOK, a.status, a.body)
	require.Empty(t, a.readableBy())
}

func TestOrigins_Changed_HoldAtOnceOnTheServerThatWasAsked(t *testing.T) {
	t.Parallel()
	c := setup(t)
	website := c.visitor(t)
	requireProblem(t, website.get(t, "/v1/services", "Origin", harbour), http.StatusForbidden, problem.Forbidden)
	c.opensTo(t, harbour)
	require.Equal(t, harbour, website.get(t, "/v1/services", "Origin", harbour).readableBy())
	require.Equal(t, []any{harbour}, c.get(t, "/v1/tenant").field(t, "website").(object)["origins"])
	require.Equal(t, http.StatusOK, c.patch(t, "/v1/tenant", object{"website": nil}).status)
	requireProblem(t, website.get(t, "/v1/services", "Origin", harbour), http.StatusForbidden, problem.Forbidden)
	require.Equal(t, []any{}, c.get(t, "/v1/tenant").field(t, "website").(object)["origins"])
}

func TestOrigins_RefusedBeforeTheKeyIsKnown_AnyPageReadsWhy(t *testing.T) {
	t.Parallel()
	c := setup(t)
	c.opensTo(t, harbour)
	website := c.visitor(t)
	for name, key := range map[string]string{"none": "", "rubbish": "x",
		"unknown": website.key[:len(website.key)-4] + "AAAA"} {
		a := client{apiServer: c.apiServer, key: key}.get(t, "/v1/services", "Origin", "https://evil.example")
		requireProblem(t, a, http.StatusUnauthorized, problem.Unauthenticated)
		require.Equal(t, "*", a.readableBy(), name)
		a = client{apiServer: c.apiServer, key: key}.get(t, "/v1/bookings", "Origin", "https://evil.example")
		requireProblem(t, a, http.StatusUnauthorized, problem.Unauthenticated)
		require.Empty(t, a.readableBy(), "no page has a key for it")
	}
	require.Empty(t, client{apiServer: c.apiServer}.get(t, "/v1/services").readableBy(), "no page asks")
}

func TestOrigins_RateLimited_IsReadByPagesOfTheWebsiteOnly(t *testing.T) {
	t.Parallel()
	s := newLimitedServer(t, admission.Limits{VisitorRate: 0.001, VisitorBurst: 1})
	c := s.newTenant(t, "UTC")
	c.opensTo(t, harbour)
	website := c.visitor(t)
	require.Equal(t, http.StatusOK, website.get(t, "/v1/services", "Origin", harbour).status)
	for origin, readable := range map[string]string{harbour: harbour, "https://evil.example": ""} {
		a := website.get(t, "/v1/services", "Origin", origin)
		requireProblem(t, a, http.StatusTooManyRequests, problem.RateLimited)
		require.NotEmpty(t, a.header.Get("Retry-After"))
		require.Equal(t, readable, a.readableBy())
	}
}

func TestPreflight_RoutesOfPublishableKeys_AreAnsweredWithoutAKey(t *testing.T) {
	t.Parallel()
	c := setup(t)
	preflight := func(path string) answer {
		return c.send(t, http.MethodOptions, path, nil, "Authorization", "", "Origin", "https://anyone.example",
			"Access-Control-Request-Method", "POST", "Access-Control-Request-Headers", "authorization,idempotency-key")
	}
	needed, checked := c.scopes(t), 0
	for _, op := range c.operations(t) {
		path := strings.NewReplacer("{id}", uuid.NewString(), "{payment_id}", uuid.NewString()).Replace(op.path)
		if scope := needed[op.id]; scope != "catalog" && scope != "hold" {
			continue
		}
		checked++
		a := preflight(path)
		require.Equal(t, http.StatusNoContent, a.status, op.id)
		require.Empty(t, a.body)
		require.Equal(t, "*", a.readableBy(), op.id)
		require.Contains(t, a.header.Get("Access-Control-Allow-Methods"), op.method)
		for _, header := range []string{"Authorization", "Content-Type", "Idempotency-Key", "If-Match", "Prefer"} {
			require.Contains(t, a.header.Get("Access-Control-Allow-Headers"), header)
		}
		require.Equal(t, "7200", a.header.Get("Access-Control-Max-Age"))
		require.Empty(t, a.header.Get("Access-Control-Allow-Credentials"))
		plain := c.send(t, http.MethodOptions, path, nil)
		require.Equal(t, http.StatusNoContent, plain.status)
		require.Contains(t, plain.header.Get("Allow"), op.method)
		require.Empty(t, plain.readableBy(), "it is no preflight")
	}
	require.Equal(t, 15, checked)
	for _, path := range []string{"/v1/bookings", "/v1/tenant", "/v1/api-keys"} {
		a := preflight(path)
		requireProblem(t, a, http.StatusMethodNotAllowed, problem.MethodNotAllowed)
		require.Empty(t, a.readableBy())
	}
}

func TestSettings_Origins_AreWrittenAsBrowsersSendThem(t *testing.T) {
	t.Parallel()
	c := setup(t)
	for origin, ok := range map[string]bool{
		harbour: true, "https://harbour.example:8443": true, "https://xn--hfen-loa.example": true,
		"https://192.0.2.1": true,
		"https://localhost": true, "http://localhost": true, "http://localhost:5173": true,
		"http://127.0.0.1:80800": false,
		"http://127.0.0.1:8080":  true, "http://localhost.": false, "http://localhost.evil.example": false,
		"http://127.0.0.2":           false,
		"http://www.harbour.example": false, "https://*.harbour.example": false, "*": false, "null": false, "": false,
		"https://": false, "https://www.harbour.example/": false, "https://www.harbour.example/book": false,
		"https://www.harbour.example?": false, "https://www.harbour.example#": false,
		"https://me@www.harbour.example":  false,
		"https://www.harbour.example:443": false, "http://localhost:80": false, "https://harbour.example:": false,
		"https://harbour.example:0": false, "https://harbour.example:08443": false, "HTTPS://harbour.example": false,
		"https://Harbour.example": false, "https://häfen.example": false, "ftp://harbour.example": false,
		"file://":             false,
		"www.harbour.example": false, "\thttps://harbour.example": false, "https://harbour.example\n": false,
		"https://-harbour.example": false, "https://harbour..example": false,
		"https://" + strings.Repeat("a", 300): false,
	} {
		a := c.patch(t, "/v1/tenant", object{"website": object{"origins": []string{origin}}})
		if ok {
			require.Equal(t, http.StatusOK, a.status, "%q: %s", origin, a.body)
			continue
		}
		d := requireProblem(t, a, http.StatusUnprocessableEntity, problem.ValidationFailed)
		require.NotEmpty(t, d.field("website.origins[0]"), origin)
	}
	many := make([]string, 21)
	for i := range many {
		many[i] = fmt.Sprintf("https://h%d.example", i)
	}
	c.opensTo(t, many[:20]...)
	d := requireProblem(t, c.patch(t, "/v1/tenant", object{"website": object{"origins": many}}),
		http.StatusUnprocessableEntity,
		problem.ValidationFailed)
	require.Equal(t, "too_long", d.field("website.origins"))
	d = requireProblem(t, c.patch(t, "/v1/tenant", object{"website": object{"origins": []string{harbour, harbour}}}),
		http.StatusUnprocessableEntity, problem.ValidationFailed)
	require.Equal(t, "duplicate", d.field("website.origins[1]"))
}
