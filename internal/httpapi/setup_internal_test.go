package httpapi

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/gin-gonic/gin"
	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"holdfast/internal/httpapi/edge"
	"holdfast/internal/httpapi/guides"
	"holdfast/internal/operation"
	"holdfast/internal/problem"
)

// patient is how long what happens by itself may take on a busy machine.
const patient = 30 * time.Second

// testServer is the API with a few routes of the test's own in place of its resources, on a real listener.
type testServer struct {
	addr     string
	url      string
	http     *http.Server
	api      *API
	routes   *gin.RouterGroup
	registry *prometheus.Registry
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

type thingBody struct {
	Name     string         `json:"name" minLength:"2" maxLength:"10" pattern:"^[a-z]+$"`
	Kind     string         `json:"kind,omitempty" enum:"date,slot"`
	Size     int64          `json:"size,omitempty" minimum:"1" maximum:"9223372036854775807"`
	Customer *thingCustomer `json:"customer,omitempty"`
	Tags     []string       `json:"tags,omitempty" maxItems:"2" uniqueItems:"true"`
	Metadata map[string]any `json:"metadata,omitempty"`
}

type thingCustomer struct {
	Email string `json:"email" format:"email"`
	Day   string `json:"day,omitempty" format:"date"`
	ID    string `json:"id,omitempty" format:"uuid"`
}

type thingInput struct {
	ID   uuid.UUID `path:"id" format:"uuid"`
	Body thingBody
}

type listInput struct {
	From  string `query:"from" required:"true" format:"date"`
	Limit int    `query:"limit" minimum:"1" maximum:"200" default:"50"`
	Key   string `header:"Idempotency-Key" maxLength:"5"`
}

type thingOutput struct {
	Body struct {
		Seen string `json:"seen"`
	}
}

// newTestServer serves test routes. setup may change the HTTP server and add gin routes before it starts.
func newTestServer(t *testing.T, setup ...func(*testServer)) *testServer {
	t.Helper()
	s := &testServer{registry: prometheus.NewRegistry(), log: new(lockedBuffer)}
	log := slog.New(slog.NewJSONHandler(s.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	e := edge.New(log, s.registry, nil)
	e.ServeOperations(edge.Operations{Metrics: s.registry})
	s.api = &API{currents: make(map[string]current), Edge: e, huma: newHuma(e, "1.2.3")}
	serveDescription(e, s.api)
	guides.Serve(e, "test")
	registerTestRoutes(s.api)
	s.routes = e.Routes("/", edge.NoTenant)
	s.http = edge.NewHTTPServer(e.Engine(), log)
	for _, f := range setup {
		f(s)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	s.addr = l.Addr().String()
	s.url = "http://" + s.addr
	served := make(chan error, 1)
	go func() { served <- s.http.Serve(edge.Listener(l)) }()
	t.Cleanup(func() {
		require.NoError(t, s.http.Close())
		require.ErrorIs(t, <-served, http.ErrServerClosed)
	})
	return s
}

func registerTestRoutes(a *API) {
	register(a, route{op: operation.Operation{Name: "thing-put"}, method: http.MethodPost, path: "/v1/things/{id}",
		key: noKey},
		func(ctx context.Context, in *thingInput) (*thingOutput, error) {
			edge.SetTenant(ctx, uuid.MustParse("11111111-1111-7111-8111-111111111111"))
			if in.ID == uuid.Nil {
				return nil, problem.New(problem.NotFound, "No thing with this id, not that it matters.")
			}
			out := new(thingOutput)
			out.Body.Seen = string(edge.RawBody(ctx))
			return out, nil
		})
	register(a, route{op: operation.Operation{Name: "thing-list"}, method: http.MethodGet, path: "/v1/things",
		key: noKey},
		func(context.Context, *listInput) (*thingOutput, error) { return new(thingOutput), nil })
	register(a, route{op: operation.Operation{Name: "thing-confirm"}, method: http.MethodPost,
		path: "/v1/things/{id}/confirm", key: noKey},
		func(ctx context.Context, _ *struct {
			ID uuid.UUID `path:"id" format:"uuid"`
		}) (*thingOutput, error) {
			out := new(thingOutput)
			out.Body.Seen = string(edge.RawBody(ctx))
			return out, nil
		})
	slow := route{op: operation.Operation{Name: "slow"}, method: http.MethodPost, path: "/v1/slow", key: noKey}
	op := slow.operation()
	op.BodyReadTimeout = 20 * time.Millisecond
	op.Middlewares = huma.Middlewares{func(ctx huma.Context, next func(huma.Context)) { a.handle(ctx, slow, next) }}
	huma.Register(a.huma, op, func(ctx context.Context, _ *struct{ Body thingBody }) (*thingOutput, error) {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(2 * time.Second):
			return new(thingOutput), nil
		}
	})
	register(a, route{op: operation.Operation{Name: "fail"}, method: http.MethodGet, path: "/v1/fail/{how}",
		key: noKey},
		func(_ context.Context, in *struct {
			How string `path:"how"`
		}) (*thingOutput, error) {
			return nil, testFailure(in.How)
		})
}

// request sends one request and returns its answer with the body read.
func (s *testServer) request(t *testing.T, method, path, body string, headers ...string) answer {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, s.url+path, strings.NewReader(body))
	require.NoError(t, err)
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	return do(t, req)
}

type answer struct {
	status int
	header http.Header
	body   string
}

func do(t *testing.T, req *http.Request) answer {
	t.Helper()
	client := &http.Client{
		Transport:     &http.Transport{DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	res, err := client.Do(req)
	require.NoError(t, err)
	return answerOf(t, res)
}

func answerOf(t *testing.T, res *http.Response) answer {
	t.Helper()
	defer func() { require.NoError(t, res.Body.Close()) }()
	body, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	return answer{res.StatusCode, res.Header, string(body)}
}

// requireProblem checks everything that holds for every problem document and returns it.
func requireProblem(t *testing.T, a answer, status int, code problem.Code) problem.Document {
	t.Helper()
	require.Equal(t, status, a.status, a.body)
	require.Equal(t, "application/problem+json", a.header.Get("Content-Type"))
	require.NotEmpty(t, a.header.Get("Request-Id"))
	require.Equal(t, "nosniff", a.header.Get("X-Content-Type-Options"))
	var d problem.Document
	require.NoError(t, json.Unmarshal([]byte(a.body), &d), a.body)
	require.Equal(t, code, d.Code, a.body)
	require.Equal(t, status, d.Status)
	require.Equal(t, "/docs/errors#"+string(code), d.Type)
	require.NotEmpty(t, d.Title)
	require.NotEmpty(t, d.Detail)
	return d
}
