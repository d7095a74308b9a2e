package httpapi_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"holdfast/internal/problem"
)

// oddities are values that have broken parsers, databases and calendars.
var oddities = []any{
	nil, true, "", "x", "null", "0000-00-00", "0000-01-01", "9999-12-31", "infinity", "-infinity", "2027-03-28T02:30:00+01:00",
	"9999-12-31T23:59:59-23:59", "0000-01-01T00:00:00+23:59", "2027-07-01T10:00:00+24:00", "2027-06-30T23:59:60Z",
	"24:00", "24:01", "Local", "UTC", "Etc/GMT+12", "XXX", "XTS", "\u2028", "\U0010ffff", "\ufeff", "İ@example.com", "%s%n", "'; --",
	strings.Repeat("x", 10_000), strings.Repeat("é", 200),
	-1, 0, 1, 1<<31 - 1, 1 << 31, -1 << 31, 1<<53 + 1, number("9223372036854775807"), number("9223372036854775808"),
	number("-0"), number("1.0"), number("1e2"), number("1e-400000"), number("1e400"), number("0.1"),
	[]any{}, []any{nil}, []any{[]any{}}, object{}, object{"": ""}, object{"a": object{"a": object{}}},
}

// damaged changes a body up to twice, and returns it as text that may be damaged too.
func damaged(t *rapid.T, body object) string {
	if body == nil && !rarely(t, "a body where none belongs") {
		return ""
	}
	if body == nil {
		return rapid.SampledFrom([]string{"{}", " ", "null", "[]", `{"a":1}`, "{", "\x00", `""`}).Draw(t, "body")
	}
	for range rapid.SampledFrom([]int{0, 0, 0, 1, 1, 2}).Draw(t, "changes") {
		all := paths(body)
		if len(all) == 0 {
			break
		}
		path := rapid.SampledFrom(all).Draw(t, "path")
		switch rapid.IntRange(0, 4).Draw(t, "change") {
		case 0:
			body = without(body, path)
		case 1:
			body = with(body, path, valueAt(body, rapid.SampledFrom(all).Draw(t, "other")))
		case 2:
			body = with(body, path, []any{valueAt(body, path)})
		default:
			body = with(body, path, rapid.SampledFrom(oddities).Draw(t, "value"))
		}
	}
	raw, err := json.Marshal(body)
	require.NoError(t, err)
	return damagedText(t, raw)
}

// damagedText damages the text of a body or a query, or leaves it.
func damagedText(t *rapid.T, raw []byte) string {
	if len(raw) == 0 {
		return ""
	}
	at := rapid.IntRange(0, len(raw)-1).Draw(t, "at")
	switch rapid.IntRange(0, 23).Draw(t, "damage") {
	case 16:
		return string(raw[:at])
	case 17:
		raw[at] ^= byte(1 << rapid.IntRange(0, 7).Draw(t, "bit"))
	case 18:
		raw = slices.Insert(raw, at, rapid.SliceOfN(rapid.Byte(), 1, 4).Draw(t, "bytes")...)
	case 19:
		until := min(len(raw), at+rapid.IntRange(1, 40).Draw(t, "length"))
		raw = slices.Insert(raw, at, raw[at:until]...)
	case 20:
		until := min(len(raw), at+rapid.IntRange(1, 10).Draw(t, "length"))
		raw = slices.Delete(raw, at, until)
	}
	return string(raw)
}

// rarely draws true about once in twenty times. rapid draws small numbers more often than others.
func rarely(t *rapid.T, what string) bool { return rapid.IntRange(0, 15).Draw(t, what) == 11 }

// caller sends requests made from the OpenAPI document to a tenant that has one of everything.
type caller struct {
	fixture
	description *description
	codes       map[problem.Code]int
	known       map[string][]string // ids by the last word of the path that lists them
	cursors     map[string][]string // by the path of the list
}

// newCaller returns a caller with a tenant of its own.
func newCaller(t testingT, s *apiServer, d *description) *caller {
	t.Helper()
	c := &caller{fixture: newFixture(t, s.newTenant(t, "Europe/Berlin")), description: d, codes: s.codes(t), cursors: make(map[string][]string)}
	c.known = map[string][]string{
		"api-keys": {c.apiKey.String()}, "bookings": {c.booking.String(), c.hold.String()}, "closures": {c.closure.String()},
		"customers": {c.customer.String()}, "payments": {c.payment.String()}, "resources": {c.resource.String()},
		"services": {c.slots.String(), c.dates.String()}, "tenants": {c.tenant.String()},
	}
	return c
}

// id draws an id of a kind: mostly one that is there.
func (c *caller) id(t *rapid.T, kind string) string {
	switch {
	case rarely(t, "unknown id"):
		return uuid.NewString()
	case rarely(t, "no id"):
		return rapid.SampledFrom([]string{uuid.Nil.String(), "x", "%00", "%ff", "..", "%2e%2e", "a%2Fb", "%20", strings.Repeat("a", 3000)}).Draw(t, "no id")
	case rarely(t, "id of another kind"):
		kind = rapid.SampledFrom([]string{"bookings", "customers", "payments", "resources", "services", "tenants"}).Draw(t, "kind")
	}
	return rapid.SampledFrom(c.known[kind]).Draw(t, kind)
}

// request sends one request that the document describes, valid or nearly, and checks the answer.
func (c *caller) request(t *rapid.T, operations []described) {
	op := rapid.SampledFrom(operations).Draw(t, "operation")
	path := op.pathOf(func(kind string) string { return c.id(t, kind) })
	if query := c.query(t, op); query != "" {
		path += "?" + query
	}
	sender := c.client
	if strings.HasPrefix(op.path, "/admin/") {
		sender = c.admin()
	}
	body, headers := damaged(t, c.body(t, op)), c.headers(t, op)
	a := sender.send(t, op.method, path, body, headers...)
	c.requireAnswer(t, op, path, a)
	switch {
	case a.status == http.StatusCreated:
		c.remember(t, a)
	case a.status >= http.StatusBadRequest:
		requireKnownProblem(t, a, c.codes)
	case strings.Contains(a.body, `"next_cursor"`):
		c.cursors[op.path] = append(c.cursors[op.path], a.text(t, "next_cursor"))
	}
	// Administrators' answers hold API keys, which are shown once.
	if a.status == http.StatusCreated && sender == c.client && rapid.IntRange(0, 3).Draw(t, "repeat") == 0 {
		again := sender.send(t, op.method, path, body, headers...)
		require.Equal(t, "true", again.header.Get("Idempotent-Replayed"))
		require.Equal(t, []any{a.status, a.body, a.header.Get("Location"), a.header.Get("Etag")},
			[]any{again.status, again.body, again.header.Get("Location"), again.header.Get("Etag")})
	}
}

// requireAnswer requires that the document describes the answer.
func (c *caller) requireAnswer(t *rapid.T, op described, path string, a answer) {
	require.Less(t, a.status, http.StatusInternalServerError, "%s %s: %s", op.method, path, a.body)
	c.description.requireDescribed(t, op, a)
	require.NotEmpty(t, a.header.Get("Request-Id"))
	switch a.status {
	case http.StatusUnauthorized:
		require.Equal(t, "Bearer", a.header.Get("Www-Authenticate"))
	case http.StatusNoContent:
		require.Empty(t, a.body)
	}
	if strings.HasSuffix(op.path, ".pdf") && a.status == http.StatusOK {
		require.True(t, strings.HasPrefix(a.body, "%PDF-"))
	}
}

// remember keeps the id of what was made.
func (c *caller) remember(t *rapid.T, a answer) {
	path := strings.Split(a.header.Get("Location"), "/")
	require.Greater(t, len(path), 2, "what was made is somewhere")
	kind := path[len(path)-2]
	require.Contains(t, c.known, kind)
	if list := c.known[kind]; !slices.Contains(list, a.text(t, "id")) {
		c.known[kind] = append(list, a.text(t, "id"))
	}
	require.Equal(t, path[len(path)-1], a.text(t, "id"))
}

// query draws some of an operation's query parameters, and sometimes damages them.
func (c *caller) query(t *rapid.T, op described) string {
	query := url.Values{}
	for _, p := range op.parameters("query") {
		if !p.required && rapid.Bool().Draw(t, "without "+p.name) {
			continue
		}
		value := c.meant(t, p.name, p.example(rapid.Int64().Draw(t, "seed")))
		if p.name == "cursor" {
			value = rapid.SampledFrom(append(c.cursors[op.path], "")).Draw(t, p.name)
		}
		switch {
		case rarely(t, "odd "+p.name):
			value = rapid.SampledFrom(oddities).Draw(t, "value")
		case rarely(t, "twice "+p.name):
			query.Add(p.name, fmt.Sprint(value))
		case rarely(t, "not even "+p.name):
			continue
		}
		query.Add(p.name, fmt.Sprint(value))
	}
	if rarely(t, "unknown parameter") {
		query.Add("x", "1")
	}
	text := query.Encode()
	return strings.Map(func(r rune) rune { // what can't stand in a request line at all
		if r <= ' ' || r == 0x7f || r == '#' {
			return '+'
		}
		return r
	}, damagedText(t, []byte(text)))
}

// alternatives are fields of which a request has the first or the others.
var alternatives = [][2][]string{{{"customer"}, {"customer_id"}}, {{"date"}, {"starts_at"}}, {{"closed"}, {"opens", "closes"}}}

// body draws a body that the document's schema makes, about things that are there; nil for an operation without one.
func (c *caller) body(t *rapid.T, op described) object {
	body := op.example(rapid.Int64().Draw(t, "seed"), !rarely(t, "required fields only"))
	if body == nil {
		return nil
	}
	for _, path := range paths(body) {
		name, named := path[len(path)-1].(string)
		if !named || valueAt(body, path) == nil {
			continue // an element of a list, or gone with its alternative
		}
		for _, pair := range alternatives {
			other := append(slices.Clone(path[:len(path)-1]), pair[1][0])
			if pair[0][0] != name || valueAt(body, other) == nil || rarely(t, "all of "+name) {
				continue
			}
			for _, gone := range pair[rapid.IntRange(0, 1).Draw(t, "without "+name)] {
				body = without(body, append(slices.Clone(path[:len(path)-1]), gone))
			}
		}
		if made := valueAt(body, path); made != nil {
			body = with(body, path, c.meant(t, name, made))
		}
	}
	if _, books := body["service_id"]; books && !rarely(t, "any service") {
		body["service_id"] = c.slots.String()
		if _, whole := body["date"]; whole {
			body["service_id"] = c.dates.String()
		}
		body["resource_id"] = c.resource.String()
	}
	return body
}

// meant returns a value for a field that means something here, or the one that the document's schema made.
func (c *caller) meant(t *rapid.T, name string, made any) any {
	day := func(low, high int) string { return future(rapid.IntRange(low, high).Draw(t, name)).String() }
	number := func(low, high int) any { return rapid.IntRange(low, high).Draw(t, name) }
	switch name {
	case "service_id", "resource_id", "customer_id":
		return c.id(t, strings.TrimSuffix(name, "_id")+"s")
	case "resource_ids":
		return []any{c.id(t, "resources")}
	case "date":
		return day(0, 3000)
	case "from":
		return day(0, 20)
	case "to":
		return day(20, 60)
	case "starts_at":
		return at(future(rapid.IntRange(0, 2000).Draw(t, name)), rapid.IntRange(0, 23).Draw(t, "hour"), 0).Format("2006-01-02T15:04:05Z07:00")
	case "email":
		return fmt.Sprint(number(0, 20)) + "@example.com"
	case "slug":
		return "t-" + uuid.NewString()
	case "party_size":
		return number(1, 6)
	case "amount":
		return number(1, 5000)
	case "min_lead_minutes":
		return number(0, 10)
	case "booking_window_days":
		return number(3000, 3650)
	case "time_zone":
		return rapid.SampledFrom([]string{"Europe/Berlin", "UTC", "Pacific/Apia", "America/Nuuk", "Nowhere/Land", "right/Europe/Berlin", "posix/UTC", "Factory", "localtime"}).Draw(t, name)
	case "payment_method":
		return rapid.SampledFrom([]string{"pm_ok", "pm_ok", "pm_ok", "pm_declined", "pm_insufficient_funds", "pm_requires_action", "pm_refund_fails"}).Draw(t, name)
	}
	return made
}

// headers draws what a request has besides a path and a body.
func (c *caller) headers(t *rapid.T, op described) []string {
	var headers []string
	odd := func(name string, values ...string) {
		if rarely(t, "odd "+name) {
			headers = append(headers, name, rapid.SampledFrom(values).Draw(t, name))
		}
	}
	for _, p := range op.parameters("header") {
		switch p.name {
		case "Idempotency-Key":
			key := rapid.SampledFrom([]string{uuid.NewString(), uuid.NewString(), uuid.NewString(), uuid.NewString(), "k1", "k2"}).Draw(t, p.name)
			headers = append(headers, p.name, key)
			odd(p.name, "", "k1", strings.Repeat("k", 256), "é", "\x80")
		case "If-Match":
			headers = append(headers, p.name, rapid.SampledFrom([]string{"", "", "", "*", `"1"`, `"2"`, `W/"1"`, `"`, ",", "\x80", strings.Repeat("a", 1001)}).Draw(t, p.name))
		case "Prefer":
			odd(p.name, "wait=30", "wait=60, respond-async", "wait=0", "wait=-1", "wait=99999999999999999999", `wait="`, ";", "\xff")
		default:
			require.Fail(t, "a header that nobody draws", p.name)
		}
	}
	odd("Authorization", "", "Bearer", "Bearer ", "Bearer "+adminKey, "Bearer "+c.key+"x", "Basic "+c.key, "bearer "+c.key, "\xff")
	odd("Content-Type", "", "text/plain", "application/json; charset=utf-8", "application/json; charset=latin1", "application/json,application/json", ";")
	odd("Accept", "", "text/html", "application/json;q=0", "application/xml, */*;q=0.1", "image/*", "*/*", "\xff")
	odd("Content-Encoding", "gzip", "identity", "br,gzip", "\xff")
	odd("Request-Id", "r", strings.Repeat("r", 200), "\xff", " ")
	odd("X-Http-Method-Override", "DELETE")
	odd("If-None-Match", "*", `"1"`)
	odd("Range", "bytes=0-1")
	odd("If-Modified-Since", "Fri, 20 Nov 2037 00:00:00 GMT")
	return headers
}

func requireKnownProblem(t testingT, a answer, codes map[problem.Code]int) {
	t.Helper()
	var d struct{ Code problem.Code }
	a.read(t, &d)
	require.Contains(t, codes, d.Code, a.body)
	requireProblem(t, a, codes[d.Code], d.Code)
}

// callsPerTenant is how many sequences of requests a tenant sees before it is closed on most dates.
const callsPerTenant = 50

// anyRequests returns the property that any few requests are answered as the OpenAPI document says.
func anyRequests(t testingT, s *apiServer, d *description) func(*rapid.T) {
	t.Helper()
	var c *caller
	calls := 0
	return func(t *rapid.T) {
		if calls%callsPerTenant == 0 {
			c = newCaller(t, s, d)
		}
		calls++
		c.known["bookings"] = []string{c.booking.String(), c.hold.String()}
		hold := c.post(t, "/v1/bookings", bookingOf(c.dates, future(rapid.IntRange(0, 3000).Draw(t, "day")), object{"hold_minutes": 60}))
		if hold.status == http.StatusCreated { // the date may have been closed since
			c.remember(t, hold)
		}
		for range rapid.IntRange(1, 10).Draw(t, "requests") {
			c.request(t, d.operations)
		}
	}
}

func TestAnyRequests_AreAnsweredAsTheDescriptionSays(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	rapid.Check(t, anyRequests(t, s, newDescription(t, s)))
}

// FuzzAPI does the same with what the fuzzer finds to lead to new code. Each eight bytes of an input are one choice.
func FuzzAPI(f *testing.F) {
	random := rand.NewChaCha8([32]byte{})
	for range 10 {
		seed := make([]byte, 8<<10)
		_, _ = random.Read(seed) // never fails
		f.Add(seed)
	}
	s := newServer(f)
	f.Fuzz(rapid.MakeFuzz(anyRequests(f, s, newDescription(f, s))))
}

func TestAnyReads_AreAnsweredAsTheDescriptionSaysAndWriteNothing(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	d := newDescription(t, s)
	var reads []described
	for _, op := range d.operations {
		if op.method == http.MethodGet {
			reads = append(reads, op)
		}
	}
	require.NotEmpty(t, reads)
	c := newCaller(t, s, d)
	before := c.tables(t)
	rapid.Check(t, func(t *rapid.T) {
		for range 5 {
			c.request(t, reads)
		}
	})
	require.Equal(t, before, c.tables(t), "reading wrote something")
}
