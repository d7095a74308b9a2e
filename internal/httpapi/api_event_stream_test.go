package httpapi_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/internal/db"
	"holdfast/internal/event"
	"holdfast/internal/httpapi/admission"
	"holdfast/internal/problem"
)

// stream is an open stream of events.
type stream struct {
	answer
	lines *bufio.Reader
	close func()
	last  string // id
}

// openStream asks for a stream. The stream is nil if the server refuses.
func (c client) openStream(t *testing.T, query string, headers ...string) (*stream, answer) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.url+"/v1/events?"+query, nil)
	require.NoError(t, err)
	req.Header.Set("Authorization", "Bearer "+c.key)
	req.Header.Set("Accept", "text/event-stream")
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := c.http.Transport.RoundTrip(req)
	require.NoError(t, err)
	a := answer{status: resp.StatusCode, header: resp.Header}
	if resp.StatusCode != http.StatusOK {
		body, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
		a.body = string(body)
		return nil, a
	}
	return &stream{answer: a, lines: bufio.NewReader(resp.Body), close: func() {
		cancel()
		_ = resp.Body.Close()
	}}, a
}

// stream opens a stream, which must succeed.
func (c client) stream(t *testing.T, query string, headers ...string) *stream {
	t.Helper()
	s, a := c.openStream(t, query, headers...)
	require.Equal(t, http.StatusOK, a.status, a.body)
	require.Equal(t, "text/event-stream", a.header.Get("Content-Type"))
	return s
}

// block reads the lines up to an empty one, by their field.
func (s *stream) block() (map[string]string, error) {
	block := make(map[string]string)
	for {
		line, err := s.lines.ReadString('\n')
		if err != nil {
			return nil, err
		}
		if line = strings.TrimSuffix(line, "\n"); line == "" {
			if block["id"] != "" {
				s.last = block["id"]
			}
			return block, nil
		}
		name, value, _ := strings.Cut(line, ":")
		block[name] = strings.TrimPrefix(value, " ")
	}
}

// next reads the next event.
func (s *stream) next(t *testing.T) (e fedEvent) {
	t.Helper()
	defer time.AfterFunc(soon, s.close).Stop() // heartbeats go on for ever
	for {
		b, err := s.block()
		require.NoError(t, err)
		if b["data"] == "" {
			continue // a heartbeat
		}
		require.NoError(t, json.Unmarshal([]byte(b["data"]), &e))
		require.Equal(t, e.Type, b["event"])
		require.NotEmpty(t, b["id"])
		return e
	}
}

// requireEnd requires that the server ends the stream.
func (s *stream) requireEnd(t *testing.T) {
	t.Helper()
	defer time.AfterFunc(soon, s.close).Stop()
	for {
		if _, err := s.block(); err != nil {
			require.ErrorIs(t, err, io.EOF)
			return
		}
	}
}

func TestEventStream_ClientThatConnectsAgain_MissesNothingAndGetsNothingTwice(t *testing.T) {
	t.Parallel()
	c := setup(t)
	service := c.newService(t, "slot", nil, c.newResource(t, 9))
	first := c.book(t, service, at(future(0), 10, 0)).id(t)
	s := c.stream(t, "types=booking.*")
	require.Equal(t, first, s.next(t).Subject.ID)
	second := c.book(t, service, at(future(0), 11, 0)).id(t)
	require.Equal(t, second, s.next(t).Subject.ID)
	s.close()
	third := c.book(t, service, at(future(0), 12, 0)).id(t)
	again := c.stream(t, "types=booking.*&after="+c.events(t, "after=latest").NextCursor, "Last-Event-ID", s.last)
	e := again.next(t)
	require.Equal(t, third, e.Subject.ID)
	require.Equal(t, "booking.created", e.Type)
	page := c.events(t, "types=booking.*&after="+s.last)
	require.Equal(t, []fedEvent{e}, page.Data, "a cursor is valid in both forms")
}

func TestEventStream_FromLatest_ShowsWhatHappensNext(t *testing.T) {
	t.Parallel()
	c := setup(t)
	c.newCustomer(t)
	c.allEvents(t, 2, "")
	s := c.stream(t, "types=booking.*&after=latest")
	b, err := s.block()
	require.NoError(t, err)
	require.NotEmpty(t, b["id"], "the client has a cursor at once")
	id := c.newCustomer(t)
	require.Equal(t, id, s.next(t).Subject.ID)
}

func TestEventStream_WokenByTheStore_ReadsAtOnce(t *testing.T) {
	t.Parallel()
	c := setup(t)
	s := c.stream(t, "types=booking.*")
	worker := event.NewWorker(c.store,
		event.Config{Jobs: []event.Job{{Name: "wake", Every: time.Hour, Woken: db.WakeFeed,
			Run: c.api.Changes.Wake}}})
	ctx, cancel := context.WithCancel(t.Context())
	stopped := make(chan struct{})
	go func() { worker.Run(ctx); close(stopped) }()
	id := c.newCustomer(t)
	require.Equal(t, id, s.next(t).Subject.ID)
	news := c.api.Changes.News()
	c.newCustomer(t)
	<-news
	cancel()
	<-stopped
}

func TestEventStream_NothingHappens_HasHeartbeatsWithItsPlace(t *testing.T) {
	t.Parallel()
	c := setup(t)
	s := c.stream(t, "types=payment.*")
	c.newCustomer(t)
	var cursor string
	for range 3 {
		b, err := s.block()
		require.NoError(t, err)
		require.Contains(t, b, "", "a comment")
		require.NotContains(t, b, "data")
		cursor = b["id"]
		require.NotEmpty(t, cursor)
	}
	require.Empty(t, c.events(t, "types=payment.*&after="+cursor).Data)
}

func TestEventStream_RevokedKey_Ends(t *testing.T) {
	t.Parallel()
	c := setup(t)
	keys := "/admin/v1/tenants/" + c.tenant.String() + "/api-keys"
	made := c.admin().post(t, keys, nil)
	other := client{apiServer: c.apiServer, key: made.text(t, "api_key"), tenant: c.tenant}
	s, staying := other.stream(t, ""), c.stream(t, "types=booking.*")
	c.admin().delete(t, keys+"/"+made.id(t).String())
	s.requireEnd(t)
	id := c.newCustomer(t)
	require.Equal(t, id, staying.next(t).Subject.ID)
}

func TestEventStream_KeyThatMayNotReadAnyMore_Ends(t *testing.T) {
	t.Parallel()
	c := setup(t)
	other, id := c.withScopes(t, "read")
	s, staying := other.stream(t, ""), c.stream(t, "types=booking.*")
	require.Equal(t, http.StatusOK, c.patch(t, ownKeys+"/"+id.String(), object{"scopes": []any{"book"}}).status)
	s.requireEnd(t)
	require.Equal(t, c.newCustomer(t), staying.next(t).Subject.ID)
}

func TestEventStream_ServerThatDrains_EndsItFirst(t *testing.T) {
	t.Parallel()
	c := setup(t)
	s := c.stream(t, "types=booking.*")
	c.api.Edge.Announce()
	id := c.newCustomer(t)
	require.Equal(t, id, s.next(t).Subject.ID, "it goes on while the end is announced")
	ctx, cancel := context.WithTimeout(t.Context(), soon)
	defer cancel()
	require.NoError(t, c.api.Edge.Drain(ctx))
	s.requireEnd(t)
	_, refused := c.openStream(t, "")
	requireProblem(t, refused, http.StatusServiceUnavailable, problem.ShuttingDown)
}

func TestEventStream_TooManyOfATenant_AreRefusedAsOverloaded(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	a, b := s.newTenant(t, "UTC"), s.newTenant(t, "UTC")
	one, two := a.stream(t, ""), a.stream(t, "")
	_, refused := a.openStream(t, "")
	requireProblem(t, refused, http.StatusServiceUnavailable, problem.Overloaded)
	require.NotEmpty(t, refused.header.Get("Retry-After"))
	theirs := b.stream(t, "")
	_, refused = b.openStream(t, "")
	requireProblem(t, refused, http.StatusServiceUnavailable, problem.Overloaded)
	require.Equal(t, http.StatusOK, a.get(t, "/v1/events").status, "pages are not streams")
	one.close()
	require.Eventually(t, func() bool {
		opened, _ := a.openStream(t, "")
		return opened != nil
	}, soon, time.Millisecond, "its permit is free when a stream has ended")
	two.close()
	theirs.close()
}

func TestEventStream_ManyOpen_TakeNoPlacesOfRequests(t *testing.T) {
	t.Parallel()
	c := newLimitedServer(t, admission.Limits{MaxWorking: 1, MaxQueued: 1}).newTenant(t, "UTC")
	c.stream(t, "")
	c.stream(t, "", "Prefer", "wait=1")
	c.newCustomer(t)
}

func TestEventStream_ClientThatDoesNotRead_IsDropped(t *testing.T) {
	t.Parallel()
	c := setup(t)
	// More than the buffers of a connection hold.
	_, err := c.sql.Exec(t.Context(), `
		INSERT INTO changes (tenant_id, change_id, type, subject_type, subject_id, version, notice, occurred_at, data)
		SELECT $1, gen_random_uuid(), 'booking.created', 'booking', gen_random_uuid(), 1, true, now(), json_build_object('a', repeat('x',
			200000))
		FROM generate_series(1, 200)`, c.tenant)
	require.NoError(t, err)
	conn, err := net.Dial("tcp", strings.TrimPrefix(c.url, "http://"))
	require.NoError(t, err)
	defer func() { _ = conn.Close() }()
	_, err = io.WriteString(conn,
		"GET /v1/events HTTP/1.1\r\nHost: x\r\nAccept: text/event-stream\r\nAuthorization: Bearer "+c.key+
			"\r\n\r\n")
	require.NoError(t, err)
	require.Eventually(t, func() bool { return c.metrics(t)["holdfast_http_requests_in_flight"] > 1 }, soon,
		time.Millisecond)
	require.Eventually(t, func() bool { return c.metrics(t)["holdfast_http_requests_in_flight"] == 1 }, soon,
		time.Millisecond)
}

func TestEventStream_Compression_IsNotUsed(t *testing.T) {
	t.Parallel()
	c := setup(t)
	c.newCustomer(t)
	s := c.stream(t, "", "Accept-Encoding", "gzip")
	require.Empty(t, s.header.Get("Content-Encoding"))
	require.Equal(t, "no-store", s.header.Get("Cache-Control"))
	s.next(t)
}

func TestEventStream_AskedForWithHEAD_IsAPageWithoutABody(t *testing.T) {
	t.Parallel()
	c := setup(t)
	a := c.send(t, http.MethodHead, "/v1/events", nil, "Accept", "text/event-stream")
	require.Equal(t, http.StatusOK, a.status)
	require.Empty(t, a.body)
}

func TestEvents_CursorBeforeDeletedEvents_Is410InBothForms(t *testing.T) {
	t.Parallel()
	c := setup(t)
	before := c.events(t, "after=latest").NextCursor
	c.newCustomer(t)
	c.allEvents(t, 2, "")
	_, err := c.sql.Exec(t.Context(), "UPDATE changes SET occurred_at = occurred_at - '31 days'::interval")
	require.NoError(t, err)
	for _, job := range append([]event.Job{event.Relay(c.store)},
		event.Retention(c.store, 30*24*time.Hour, 30*24*time.Hour)...) {
		_, err = job.Run(t.Context())
		require.NoError(t, err)
	}
	requireProblem(t, c.get(t, "/v1/events?after="+before), http.StatusGone, problem.CursorExpired)
	_, refused := c.openStream(t, "", "Last-Event-ID", before)
	requireProblem(t, refused, http.StatusGone, problem.CursorExpired)
	require.Empty(t, c.events(t, "").Data)
}
