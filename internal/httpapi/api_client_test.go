package httpapi_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/problem"
	"holdfast/internal/testtime"
)

// client calls the API with one key.
type client struct {
	*apiServer
	key    string
	tenant uuid.UUID
}

func (s *apiServer) admin() client { return client{apiServer: s, key: adminKey} }

// newTenant returns a client of a new tenant.
func (s *apiServer) newTenant(t testingT, timeZone string) client {
	t.Helper()
	a := s.admin().post(t, "/admin/v1/tenants", object{
		"slug": "t-" + uuid.NewString(), "name": "Harbour Tours", "time_zone": timeZone, "currency": "EUR",
	})
	require.Equal(t, http.StatusCreated, a.status, a.body)
	return client{apiServer: s, key: a.text(t, "api_key"), tenant: a.id(t)}
}

// setup returns a server with one tenant in Berlin.
func setup(t testing.TB) client {
	t.Helper()
	return newServer(t).newTenant(t, "Europe/Berlin")
}

// answer is what the server answered.
type answer struct {
	status int
	header http.Header
	body   string
}

// send sends a request: a string as it is, anything else as JSON. A POST has a new Idempotency-Key unless the
// headers, in pairs, say otherwise; an empty value removes a header.
func (c client) send(t testingT, method, path string, body any, headers ...string) answer {
	t.Helper()
	var raw []byte
	switch b := body.(type) {
	case nil:
	case string:
		raw = []byte(b)
	default:
		var err error
		raw, err = json.Marshal(b)
		require.NoError(t, err)
	}
	req, err := http.NewRequestWithContext(t.Context(), method, c.url, bytes.NewReader(raw))
	require.NoError(t, err)
	// The path goes out as it is written here: cleaning it up is what the server must not rely on.
	path, query, _ := strings.Cut(path, "?")
	req.URL.Opaque, req.URL.RawQuery = "//"+req.URL.Host+path, query
	req.Header.Set("Authorization", "Bearer "+c.key)
	if method == http.MethodPost {
		req.Header.Set("Idempotency-Key", uuid.NewString())
	}
	if len(raw) > 0 {
		req.Header.Set("Content-Type", "application/json")
	}
	seen := make(map[string]bool)
	for i := 0; i < len(headers); i += 2 {
		if !seen[headers[i]] {
			req.Header.Del(headers[i])
		}
		seen[headers[i]] = true
		if headers[i+1] != "" {
			req.Header.Add(headers[i], headers[i+1])
		}
	}
	res, err := c.http.Do(req)
	require.NoError(t, err, "%s %s", method, path)
	defer func() { require.NoError(t, res.Body.Close()) }()
	got, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	return answer{status: res.StatusCode, header: res.Header, body: string(got)}
}

// raw sends bytes on a connection of their own.
func (s *apiServer) raw(t testingT, text string) answer {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
	require.NoError(t, err)
	defer func() { require.NoError(t, conn.Close()) }()
	require.NoError(t, conn.SetDeadline(testtime.Now().Add(soon)))
	_, err = io.WriteString(conn, text)
	require.NoError(t, err)
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	require.NoError(t, err)
	defer func() { require.NoError(t, res.Body.Close()) }()
	got, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	return answer{status: res.StatusCode, header: res.Header, body: string(got)}
}

func (c client) get(t testingT, path string, headers ...string) answer {
	t.Helper()
	return c.send(t, http.MethodGet, path, nil, headers...)
}

func (c client) post(t testingT, path string, body any, headers ...string) answer {
	t.Helper()
	return c.send(t, http.MethodPost, path, body, headers...)
}

func (c client) put(t testingT, path string, body any, headers ...string) answer {
	t.Helper()
	return c.send(t, http.MethodPut, path, body, headers...)
}

func (c client) delete(t testingT, path string) answer {
	t.Helper()
	return c.send(t, http.MethodDelete, path, nil)
}

// read decodes the answer's body.
func (a answer) read(t testingT, into any) {
	t.Helper()
	require.NoError(t, json.Unmarshal([]byte(a.body), into), a.body)
}

// field returns a field of the answer's body, nil without one.
func (a answer) field(t testingT, name string) any {
	t.Helper()
	var body object
	a.read(t, &body)
	return body[name]
}

// text returns a field that must be a text.
func (a answer) text(t testingT, name string) string {
	t.Helper()
	text, ok := a.field(t, name).(string)
	require.True(t, ok, "%s in %s", name, a.body)
	return text
}

// id returns the body's id.
func (a answer) id(t testingT) uuid.UUID {
	t.Helper()
	id, err := uuid.Parse(a.text(t, "id"))
	require.NoError(t, err)
	return id
}

// created requires a 201 whose Location leads to what was made, and returns the id.
func (c client) created(t testingT, a answer) uuid.UUID {
	t.Helper()
	require.Equal(t, http.StatusCreated, a.status, a.body)
	id := a.id(t)
	require.True(t, strings.HasSuffix(a.header.Get("Location"), "/"+id.String()), a.header)
	return id
}

func (c client) newResource(t testingT, capacity int) uuid.UUID {
	t.Helper()
	return c.created(t, c.post(t, "/v1/resources", object{"name": "Boat", "capacity": capacity}))
}

func (c client) setHours(t testingT, resource uuid.UUID, hours object) {
	t.Helper()
	a := c.put(t, "/v1/resources/"+resource.String()+"/hours", hours)
	require.Equal(t, http.StatusOK, a.status, a.body)
}

// newService makes a service that can be booked for ten years; with changes what is said about it.
func (c client) newService(t testingT, kind string, with object, resources ...uuid.UUID) uuid.UUID {
	t.Helper()
	body := object{"name": "Tour", "kind": kind, "resource_ids": resources, "booking_window_days": 3650, "price": 0}
	if kind == "slot" {
		body["duration_minutes"] = 60
	}
	for name, value := range with {
		if body[name] = value; value == nil {
			delete(body, name)
		}
	}
	return c.created(t, c.post(t, "/v1/services", body))
}

// newBlock blocks dates of a resource, both included.
func (c client) newBlock(t testingT, resource uuid.UUID, from, to civil.Date) uuid.UUID {
	t.Helper()
	return c.created(t, c.post(t, "/v1/blocks",
		object{"resource_id": resource.String(), "from": from.String(), "to": to.String()}))
}

func (c client) newClosure(t testingT, resource *uuid.UUID, from, to civil.Date) uuid.UUID {
	t.Helper()
	body := object{"from": from.String(), "to": to.String(), "reason": "Winter"}
	if resource != nil {
		body["resource_id"] = resource.String()
	}
	return c.created(t, c.post(t, "/v1/closures", body))
}

// bookingOf asks for a booking by a customer of its own; when is a civil.Date or a time.
func bookingOf(service uuid.UUID, when any, with ...object) object {
	body := object{
		"service_id": service.String(),
		"customer":   object{"name": "Ada Lovelace", "email": uuid.NewString()[:13] + "@example.com"},
	}
	switch w := when.(type) {
	case civil.Date:
		body["date"] = w.String()
	case time.Time:
		body["starts_at"] = w.Format(time.RFC3339)
	case string:
		body["starts_at"] = w
	}
	for _, more := range with {
		for name, value := range more {
			body[name] = value
		}
	}
	return body
}

// book makes a booking that must succeed.
func (c client) book(t testingT, service uuid.UUID, when any, with ...object) answer {
	t.Helper()
	a := c.post(t, "/v1/bookings", bookingOf(service, when, with...))
	require.Equal(t, http.StatusCreated, a.status, a.body)
	return a
}

// refused tries to make a booking that must be refused.
func (c client) refused(t testingT, status int, code problem.Code, service uuid.UUID, when any, with ...object,
) problemDocument {
	t.Helper()
	return requireProblem(t, c.post(t, "/v1/bookings", bookingOf(service, when, with...)), status, code)
}
