package hostile_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/booking"
	"holdfast/internal/email"
	"holdfast/internal/httpapi/admission"
	"holdfast/internal/testtime"
)

// patient is how long what happens by itself may take on a busy machine.
const patient = 30 * time.Second

// Addresses of this machine.
const (
	attacker  = "127.0.0.1"
	bystander = "127.0.0.2"
)

// harbour is a tenant with a booking page on a server of its own.
type harbour struct {
	*server

	id, key, service, booking string
	clients                   map[string]*http.Client // by address
}

func newHarbour(t *testing.T, limits admission.Limits) *harbour {
	t.Helper()
	h := &harbour{server: newServer(t, limits), clients: make(map[string]*http.Client)}
	for _, address := range []string{attacker, bystander} {
		dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(address)}}
		transport := &http.Transport{DialContext: dialer.DialContext}
		t.Cleanup(transport.CloseIdleConnections)
		h.clients[address] = &http.Client{Transport: transport, CheckRedirect: func(*http.Request,
			[]*http.Request) error {
			return http.ErrUseLastResponse
		}}
	}
	made := h.made(t, "/admin/v1/tenants", adminKey,
		object{"slug": "harbour", "name": "Harbour", "time_zone": "UTC", "currency": "EUR"})
	h.id, h.key = made["id"].(string), made["api_key"].(string)
	status, _ := h.send(t, attacker, http.MethodPatch, "/v1/tenant", h.key,
		object{"booking_page": object{"enabled": true}})
	require.Equal(t, http.StatusOK, status)
	resource := h.made(t, "/v1/resources", h.key, object{"name": "Boat", "capacity": 1000})["id"]
	h.service = h.made(t, "/v1/services", h.key, object{
		"name": "Tour", "kind": "date", "resource_ids": []any{resource}, "price": 4500, "booking_window_days": 3650,
	})["id"].(string)
	h.booking = h.book(t)
	return h
}

// send sends a request to the API from an address, with the key unless it is empty.
func (h *harbour) send(t *testing.T, address, method, path, key string, body any) (status int, answered object) {
	t.Helper()
	encoded := []byte{}
	if body != nil {
		var err error
		encoded, err = json.Marshal(body)
		require.NoError(t, err)
	}
	r, err := http.NewRequestWithContext(t.Context(), method, "http://"+h.address+path, bytes.NewReader(encoded))
	require.NoError(t, err)
	r.Header.Set("Idempotency-Key", uuid.NewString())
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	if key != "" {
		r.Header.Set("Authorization", "Bearer "+key)
	}
	response, err := h.clients[address].Do(r)
	require.NoError(t, err)
	defer func() { _ = response.Body.Close() }()
	raw, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	_ = json.Unmarshal(raw, &answered) // nil for a page
	return response.StatusCode, answered
}

func (h *harbour) made(t *testing.T, path, key string, body object) object {
	t.Helper()
	status, answered := h.send(t, attacker, http.MethodPost, path, key, body)
	require.Equal(t, http.StatusCreated, status, answered)
	return answered
}

// book makes a booking with the tenant's own key, and returns its id.
func (h *harbour) book(t *testing.T) string {
	t.Helper()
	return h.made(t, "/v1/bookings", h.key, object{
		"service_id": h.service, "date": testtime.Date(10).String(),
		"customer": object{"name": "Ada", "email": "ada@example.com"},
	})["id"].(string)
}

// see asks for a page.
func (h *harbour) see(t *testing.T, address, path string) (status int) {
	t.Helper()
	status, _ = h.send(t, address, http.MethodGet, path, "", nil)
	return status
}

// wrongKey returns an API key that is well-formed and that nobody has.
func (h *harbour) wrongKey() string {
	return h.key[:len(h.key)-22] + strings.ReplaceAll(uuid.NewString(), "-", "")[:22]
}

// sendHalf sends n requests whose bodies don't arrive as a whole, and returns when the server has begun all of them.
func (h *harbour) sendHalf(t *testing.T, n int, head string) (conns []net.Conn) {
	t.Helper()
	require.Eventually(t, func() bool { // what just ends would be counted twice
		inFlight, _ := h.requests(t)
		return inFlight == 0
	}, patient, 2*time.Millisecond)
	before := h.begun(t)
	for range n {
		conn, err := net.Dial("tcp", h.address)
		require.NoError(t, err)
		t.Cleanup(func() { _ = conn.Close() })
		_, err = io.WriteString(conn, head+"\r\nHost: holdfast\r\nContent-Length: 2\r\n\r\na")
		require.NoError(t, err)
		conns = append(conns, conn)
	}
	require.Eventually(t, func() bool { return h.begun(t)-before >= n }, patient, 2*time.Millisecond)
	return conns
}

// begun returns how many requests the server has begun to answer.
func (h *harbour) begun(t *testing.T) int {
	t.Helper()
	inFlight, answered := h.requests(t)
	return inFlight + answered
}

// requests returns how many requests the server answers, and how many it has answered. One that just ends may be
// counted in both.
func (h *harbour) requests(t *testing.T) (inFlight, answered int) {
	t.Helper()
	families, err := h.registry.Gather()
	require.NoError(t, err)
	for _, family := range families {
		for _, metric := range family.GetMetric() {
			switch family.GetName() {
			case "holdfast_http_requests_in_flight":
				inFlight += int(metric.GetGauge().GetValue())
			case "holdfast_http_request_duration_seconds":
				answered += int(metric.GetHistogram().GetSampleCount())
			}
		}
	}
	return inFlight, answered
}

const formType = "\r\nContent-Type: application/x-www-form-urlencoded"

// halves are the requests of which anybody can send a half, by what they are about.
func (h *harbour) halves(t *testing.T) map[string]string {
	t.Helper()
	link := h.tokens.Token(booking.Link{TenantID: uuid.MustParse(h.id), BookingID: uuid.MustParse(h.booking)})
	leave := h.unsubscribing.Token(email.Subscription{TenantID: uuid.MustParse(h.id), CustomerID: uuid.New()})
	website := h.made(t, "/v1/api-keys", h.key,
		object{"name": "Website", "scopes": []any{"catalog", "hold"}})["api_key"].(string)
	status, _ := h.send(t, attacker, http.MethodGet, "/v1/services", website, nil)
	require.Equal(t, http.StatusOK, status, "the key is known now")
	return map[string]string{
		"a hold on the booking page":        "POST /book/harbour/" + h.service + " HTTP/1.1" + formType,
		"a payment by link":                 "POST /booking/" + link + "/pay HTTP/1.1" + formType,
		"a move by link":                    "POST /booking/" + link + "/move HTTP/1.1" + formType,
		"a sign-in of no tenant":            "POST /console/x/sign-in HTTP/1.1" + formType,
		"a form of nobody who is signed in": "POST /console/harbour/sign-out HTTP/1.1" + formType,
		"the operator's sign-in":            "POST /operator/sign-in HTTP/1.1" + formType,
		"a booking page of no tenant":       "POST /book/nobody/" + h.service + " HTTP/1.1" + formType,
		"a hold with a publishable key": "POST /v1/holds HTTP/1.1\r\nIdempotency-Key: k\r\nAuthorization: Bearer " +
			website,
		"a booking with a wrong key":    "POST /v1/bookings HTTP/1.1\r\nAuthorization: Bearer " + h.wrongKey(),
		"a webhook without a signature": "POST /webhooks/sandbox HTTP/1.1\r\nContent-Type: application/json",
		"the end of emails":             "POST /unsubscribe?token=" + leave + " HTTP/1.1" + formType,
		"a payment of a wrong key's booking": "POST /v1/bookings/" + h.booking +
			"/payments HTTP/1.1\r\nAuthorization: Bearer " + h.wrongKey(),
		"a request that no route answers":     "POST /nothing HTTP/1.1" + formType,
		"a request of the admin API, keyless": "POST /admin/v1/tenants HTTP/1.1",
	}
}

func TestHalfSentRequests_OfEachKind_TakeNothingOfAShare(t *testing.T) {
	t.Parallel()
	// A tenant and the providers have four places in the queue, and all that isn't authenticated has one.
	h := newHarbour(t, admission.Limits{MaxWorking: 8, MaxQueued: 8, QueueTimeout: patient, VisitorRate: 1000,
		VisitorBurst: 1000})
	require.Equal(t, http.StatusOK, h.see(t, bystander, "/book/harbour"))
	for kind, head := range h.halves(t) {
		conns := h.sendHalf(t, 10, head)
		h.book(t)
		fresh := h.made(t, "/v1/api-keys", h.key,
			object{"name": "Fresh", "scopes": []any{"catalog", "read"}})["api_key"].(string)
		status, _ := h.send(t, bystander, http.MethodGet, "/v1/services", fresh, nil)
		require.Equal(t, http.StatusOK, status, "a key that has to be looked up, beside %s", kind)
		status, _ = h.send(t, bystander, http.MethodPost, "/v1/bookings/"+h.booking+"/payments", h.key,
			object{"kind": "amount", "amount": 1, "payment_method": "pm_ok"})
		require.Equal(t, http.StatusCreated, status, "a payment, beside %s", kind)
		status, _ = h.send(t, bystander, http.MethodPost, "/webhooks/sandbox", "", object{})
		require.Equal(t, http.StatusUnauthorized, status, "a webhook, beside %s", kind)
		for _, path := range []string{"/book/harbour", "/console/harbour/sign-in", "/operator/sign-in"} {
			require.Equal(t, http.StatusOK, h.see(t, bystander, path), "%s, beside %s", path, kind)
		}
		for _, conn := range conns {
			require.NoError(t, conn.Close())
		}
	}
}

func TestHalfSentForms_ByTheHundreds_ShutNobodyOut(t *testing.T) {
	t.Parallel()
	h := newHarbour(t, admission.Limits{MaxWorking: 64, MaxQueued: 1024, QueueTimeout: patient, VisitorRate: 0.001,
		VisitorBurst: 50})
	require.Equal(t, http.StatusOK, h.see(t, bystander, "/book/harbour"))
	h.sendHalf(t, 516, "POST /book/harbour/"+h.service+" HTTP/1.1"+formType)
	for range 5 {
		h.book(t)
		require.Equal(t, http.StatusOK, h.see(t, bystander, "/book/harbour"))
	}
	require.Equal(t, http.StatusTooManyRequests, h.see(t, attacker, "/book/harbour"))
}

func TestUnknownSlugs_AreCountedByAddress(t *testing.T) {
	t.Parallel()
	h := newHarbour(t, admission.Limits{QueueTimeout: patient, VisitorRate: 0.001, VisitorBurst: 4})
	require.Equal(t, http.StatusOK, h.see(t, attacker, "/book/harbour"),
		"it is read, which takes a token of the address too")
	for i := range 3 {
		require.Equal(t, http.StatusNotFound, h.see(t, attacker, fmt.Sprint("/book/nobody-", i)))
	}
	for i := range 3 {
		require.Equal(t, http.StatusTooManyRequests, h.see(t, attacker, fmt.Sprint("/book/no-one-", i)))
		require.Equal(t, http.StatusTooManyRequests, h.see(t, attacker, "/console/nobody/sign-in"))
	}
	require.Equal(t, http.StatusNotFound, h.see(t, bystander, "/book/nobody-0"))
	require.Equal(t, http.StatusOK, h.see(t, bystander, "/book/harbour"))
	require.Equal(t, http.StatusOK, h.see(t, attacker, "/healthz"))
}

func TestWrongKeysAndCookies_AreCountedByAddress(t *testing.T) {
	t.Parallel()
	h := newHarbour(t, admission.Limits{QueueTimeout: patient, VisitorRate: 0.001, VisitorBurst: 4})
	services := func(address, key string) int {
		status, _ := h.send(t, address, http.MethodGet, "/v1/services", key, nil)
		return status
	}
	wrong := h.wrongKey()
	for range 100 {
		require.Equal(t, http.StatusUnauthorized, services(attacker, wrong),
			"one that is known to be wrong costs nothing")
	}
	for range 3 {
		require.Equal(t, http.StatusUnauthorized, services(attacker, h.wrongKey()))
	}
	require.Equal(t, http.StatusTooManyRequests, services(attacker, h.wrongKey()))
	require.Equal(t, http.StatusUnauthorized, services(attacker, wrong))
	require.Equal(t, http.StatusUnauthorized, services(bystander, h.wrongKey()))
	require.Equal(t, http.StatusOK, services(attacker, h.key), "the tenant's own key is known")
	h.book(t)
	require.Equal(t, http.StatusTooManyRequests, h.see(t, attacker, "/console/harbour/bookings"))
	for range 3 {
		require.Equal(t, http.StatusSeeOther, h.see(t, bystander, "/console/harbour/bookings"))
	}
	require.Equal(t, http.StatusTooManyRequests, h.see(t, bystander, "/console/harbour/bookings"))
}

func TestKeys_ThatHaveToBeLookedUp_AreNotCounted(t *testing.T) {
	t.Parallel()
	h := newHarbour(t, admission.Limits{QueueTimeout: patient, VisitorRate: 0.001, VisitorBurst: 1})
	fresh := h.made(t, "/v1/api-keys", h.key,
		object{"name": "Fresh", "scopes": []any{"catalog", "read"}})["api_key"].(string)
	statuses := make(chan int, 20)
	for range cap(statuses) {
		go func() {
			status, _ := h.send(t, bystander, http.MethodGet, "/v1/services", fresh, nil)
			statuses <- status
		}()
	}
	for range cap(statuses) {
		require.Equal(t, http.StatusOK, <-statuses)
	}
}
