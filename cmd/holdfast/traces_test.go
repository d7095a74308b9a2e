package main

import (
	"bytes"
	"encoding/hex"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	traces "go.opentelemetry.io/proto/otlp/trace/v1"
)

const (
	tracedName, tracedEmail = "Wilhelmina Quux-Traced", "wilhelmina.quux@example.com"
	waitsInDatabase         = `SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'advisory' AND datname = current_database()`
)

// tracedServer is a server whose traces, provider calls, webhooks and emails are watched.
type tracedServer struct {
	*proc

	till      till
	collector *collector
	shop      shop
	mail      *mailServer
	payments  chan http.Header // of calls of the provider that charge
	webhooks  chan http.Header
}

func startTraced(t *testing.T) *tracedServer {
	t.Helper()
	s := &tracedServer{
		till: newTill(t), collector: startCollector(t), mail: startMailServer(t),
		payments: make(chan http.Header, 10), webhooks: make(chan http.Header, 100),
	}
	sandboxURL, err := url.Parse(s.till.sandbox.URL())
	require.NoError(t, err)
	forward := httputil.NewSingleHostReverseProxy(sandboxURL)
	watched := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v1/charges" && r.Method == http.MethodPost {
			s.payments <- r.Header.Clone()
		}
		forward.ServeHTTP(w, r)
	}))
	t.Cleanup(watched.Close)
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter,
		r *http.Request) {
		s.webhooks <- r.Header.Clone()
	}))
	t.Cleanup(receiver.Close)
	s.proc = start(t, newDir(t), append(s.till.env(s.till.database),
		"HOLDFAST_SANDBOX_URL="+watched.URL, "HOLDFAST_PROVIDER_TIMEOUT=20s", "HOLDFAST_SMTP_URL="+s.mail.url,
		"HOLDFAST_TENANT_EMAIL_FROM=mail@platform.example",
		"HOLDFAST_WEBHOOK_ALLOW=127.0.0.0/8", "HOLDFAST_LOG_LEVEL=debug", "HOLDFAST_LOCK_TIMEOUT=1m",
		"OTEL_EXPORTER_OTLP_ENDPOINT="+s.collector.url, "OTEL_EXPORTER_OTLP_HEADERS=x-collector-key=a%20key",
		"OTEL_TRACES_SAMPLER=parentbased_always_on", "OTEL_SERVICE_NAME=bookings",
		"OTEL_RESOURCE_ATTRIBUTES=deployment.environment.name=test")...)
	s.shop = newShop(t, s.proc)
	a, err := s.send(http.MethodPatch, "/v1/tenant", s.shop.key, "", map[string]any{
		"email": map[string]any{"from": map[string]any{"name": "The Shop", "email": "office@shop.example"}},
	})
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, a.status, "%s", a)
	a, err = s.send(http.MethodPost, "/v1/webhook-endpoints", s.shop.key, "endpoint",
		map[string]any{"url": receiver.URL + "/secret-path?secret-query", "types": []string{"booking.created"}})
	require.NoError(t, err)
	require.Equal(t, http.StatusCreated, a.status, "%s", a)
	return s
}

// request sends a request with further headers.
func (s *tracedServer) request(t *testing.T, method, path, key string, body any, headers map[string]string) answer {
	t.Helper()
	client := &http.Client{Timeout: waitLimit, Transport: headerTransport(headers)}
	a, err := sendTo(client, s.url, method, path, s.shop.key, key, body)
	require.NoError(t, err)
	return a
}

// headerTransport adds headers to requests.
type headerTransport map[string]string

func (h headerTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	for name, value := range h {
		r.Header.Set(name, value)
	}
	return http.DefaultTransport.RoundTrip(r)
}

func (s *tracedServer) order(at time.Time) map[string]any {
	return map[string]any{
		"service_id": s.shop.service, "starts_at": at.Format(time.RFC3339),
		"customer": map[string]any{"name": tracedName, "email": tracedEmail},
	}
}

// logged returns the lines of the log with a trace's id.
func (s *tracedServer) logged(trace string) []string {
	var lines []string
	for line := range strings.Lines(s.log()) {
		if strings.Contains(line, " trace_id="+trace+" ") {
			lines = append(lines, line)
		}
	}
	return lines
}

func traceOf(s *traces.Span) string { return hex.EncodeToString(s.GetTraceId()) }

// A booking waits for a lock, is paid, delivered and confirmed by email: all of it stands in traces, and nothing of the
// customer does.
func TestTraces_Booking_ShowWhereItsTimeWent(t *testing.T) {
	t.Parallel()
	s := startTraced(t)
	const trace, caller = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
	at := slot(0, 10)
	release := holdDate(t, s.till.database, s.shop, at)
	booked := make(chan answer, 1)
	go func() {
		booked <- s.request(t, http.MethodPost, "/v1/bookings?unknown-secret=1", "hidden-key-1", s.order(at), nil)
		booked <- s.request(t, http.MethodPost, "/v1/bookings", "hidden-key", s.order(at), map[string]string{
			"traceparent": "00-" + trace + "-" + caller + "-01", "tracestate": "vendor=hidden-state",
			"baggage": "user=hidden-baggage",
		})
	}()
	refused := <-booked
	require.Equal(t, http.StatusUnprocessableEntity, refused.status, "%s", refused)
	eventually(t, func() bool { return query[int](t, s.till.database, waitsInDatabase)[0] == 1 })
	release()
	a := <-booked
	require.Equal(t, http.StatusCreated, a.status, "%s", a)
	delivered := <-s.webhooks
	s.mail.await(t, tracedEmail, 1)
	paid := s.request(t, http.MethodPost, "/v1/bookings/"+a.id()+"/payments", "hidden-payment",
		map[string]any{"kind": "balance", "payment_method": "pm_ok"}, nil)
	require.Equal(t, http.StatusCreated, paid.status, "%s", paid)
	charged := <-s.payments
	require.Zero(t, query[int](t, s.till.database, "SELECT count(*) FROM scheduled_events WHERE status = 'failed'")[0])
	s.stop(t)

	spans := s.collector.trace(trace)
	root := spans.only(t, "POST /v1/bookings")
	require.Equal(t, caller, hex.EncodeToString(root.GetParentSpanId()))
	require.Equal(t, traces.Span_SPAN_KIND_SERVER, root.GetKind())
	found := attributesOf(root.GetAttributes())
	require.Equal(t, map[string]string{
		"http.request.method": "POST", "http.route": "/v1/bookings", "http.response.status_code": "201",
		"holdfast.tenant.id": s.shop.tenant.String(),
	}, found)
	// The group of the tenant's dates tries the lock, which is held; the group of the date waits for it.
	below := spans.below(root)
	require.Equal(t, []string{"admission", "group commit", "group commit"}, slices.DeleteFunc(below.names(), func(name string) bool {
		return name == "wait for the idempotency key" || strings.HasPrefix(name, "database: read") ||
			name == "wait for a connection"
	}), "%v", below.names())
	groups := below.named("group commit")
	tried := spans.below(groups[0])
	require.Equal(t, []string{"wait in the tenant's queue", "wait for a connection", "database: begin and read"},
		tried.names())
	require.Equal(t, "0", attributesOf(tried[2].GetAttributes())["holdfast.lock.granted"])
	waited := spans.below(groups[1])
	require.Equal(t, []string{"wait in the queues of the locks", "wait for a connection", "database: begin and read",
		"database: write and commit"}, waited.names())
	begin, commit := waited[2], waited[3]
	found = attributesOf(begin.GetAttributes())
	require.Equal(t, "date", found["holdfast.lock.kind"])
	require.Equal(t, "postgresql", found["db.system.name"])
	require.Contains(t, found["holdfast.db.statements"], "wait for the lock; ")
	require.True(t, strings.HasSuffix(attributesOf(commit.GetAttributes())["holdfast.db.statements"], "; commit"))
	wait := spans.below(begin).only(t, "wait for the locks in the database")
	require.Positive(t, took(wait))
	require.LessOrEqual(t, took(wait), took(begin))
	require.LessOrEqual(t, begin.GetEndTimeUnixNano(), commit.GetStartTimeUnixNano())

	lines := s.logged(trace)
	require.NotEmpty(t, lines)
	require.Contains(t, lines[len(lines)-1], " msg=request ")
	require.Contains(t, lines[len(lines)-1], " span_id="+hex.EncodeToString(root.GetSpanId()))

	t.Run("a payment's call carries traceparent", func(t *testing.T) {
		match := regexp.MustCompile(`^00-([0-9a-f]{32})-([0-9a-f]{16})-01$`).FindStringSubmatch(charged.Get("Traceparent"))
		require.NotNil(t, match, "%v", charged)
		require.Empty(t, charged.Get("Tracestate"))
		spans := s.collector.trace(match[1])
		spans.only(t, "POST /v1/bookings/:id/payments")
		call := spans.only(t, "call the payment provider")
		require.Equal(t, "sandbox charge succeeded",
			attributesOf(call.GetAttributes())["holdfast.payment.provider"]+" "+
				attributesOf(call.GetAttributes())["holdfast.payment.operation"]+" "+
				""+attributesOf(call.GetAttributes())["holdfast.payment.result"])
		exchange := spans.below(call).only(t, "POST")
		require.Equal(t, match[2], hex.EncodeToString(exchange.GetSpanId()))
	})
	t.Run("an attempt delivers the webhook, which carries no traceparent", func(t *testing.T) {
		require.Empty(t, delivered.Values("Traceparent"))
		attempts := s.collector.named("attempt webhook.delivery")
		require.Len(t, attempts, 1)
		spans := s.collector.trace(traceOf(attempts[0]))
		post := spans.below(attempts[0]).only(t, "deliver the webhook")
		require.Equal(t, "200", attributesOf(post.GetAttributes())["http.response.status_code"])
		require.Equal(t, "completed", attributesOf(attempts[0].GetAttributes())["holdfast.event.outcome"])
		lines := s.logged(traceOf(attempts[0]))
		require.NotEmpty(t, lines)
		require.Contains(t, lines[0], ` msg="scheduled event" `)
	})
	t.Run("an attempt sends the email", func(t *testing.T) {
		attempts := s.collector.named("attempt message.email")
		require.NotEmpty(t, attempts)
		s.collector.trace(traceOf(attempts[0])).below(attempts[0]).only(t, "send the email")
	})
	t.Run("what a customer or a tenant wrote is not recorded", func(t *testing.T) {
		for _, secret := range []string{
			tracedName, "Wilhelmina", tracedEmail, "wilhelmina", s.shop.key, a.code(), "hidden-", "unknown-secret",
			"secret-path",
			"secret-query",
			"pm_ok", paySandboxKey, at.Format(time.RFC3339), testAdminKey,
		} {
			require.False(t, bytes.Contains(s.collector.bytes, []byte(secret)), "%q is in a span", secret)
		}
	})
	require.Equal(t, "a key", s.collector.headers.Get("X-Collector-Key"))
	resource := attributesOf(s.collector.resource)
	require.Equal(t, []string{"bookings", "test"},
		[]string{resource["service.name"], resource["deployment.environment.name"]})
	for _, name := range []string{"GET /readyz", "GET /metrics", "GET /healthz"} {
		require.Empty(t, s.collector.named(name))
	}
}

// The first two requests hold both places of the date's queue. The next two are one group, which waits behind them.
func TestTraces_RequestsThatShareATransaction_LinkToTheOneThatHasItsBatches(t *testing.T) {
	t.Parallel()
	s := startTraced(t)
	release := holdDate(t, s.till.database, s.shop, slot(0, 10))
	answers := make(chan answer, 4)
	inGroups := regexp.MustCompile(`(?m)^holdfast_group_requests (\d+)$`)
	for i := range 4 {
		go func() {
			answers <- s.request(t, http.MethodPost, "/v1/bookings", "key-"+strconv.Itoa(i), s.order(slot(0, 10+i)),
				nil)
		}()
		eventually(t, func() bool {
			a, err := s.proc.send(http.MethodGet, "/metrics", "", "", nil)
			require.NoError(t, err)
			match := inGroups.FindSubmatch(a.body)
			return len(match) > 1 && string(match[1]) == strconv.Itoa(i+1) &&
				query[int](t, s.till.database, waitsInDatabase)[0] == min(i+1, 2)
		})
	}
	release()
	for range 4 {
		a := <-answers
		require.Equal(t, http.StatusCreated, a.status, "%s", a)
	}
	s.stop(t)
	var linked []*traces.Span
	for _, span := range s.collector.named("group commit") {
		if len(span.GetLinks()) > 0 {
			linked = append(linked, span)
		}
	}
	require.Len(t, linked, 1)
	require.Equal(t, "2", attributesOf(linked[0].GetAttributes())["holdfast.group.size"])
	require.Empty(t, s.collector.trace(traceOf(linked[0])).named("database: write and commit"))
	to := linked[0].GetLinks()[0]
	spans := s.collector.trace(hex.EncodeToString(to.GetTraceId()))
	commit := spans.only(t, "database: write and commit")
	require.Equal(t, to.GetSpanId(), commit.GetParentSpanId())
}

func TestTraces_HostileHeaders_BreakNoRequest(t *testing.T) {
	t.Parallel()
	s := startTraced(t)
	for i, value := range []string{
		"", "x", "00", strings.Repeat("0", 5000), "00-" + strings.Repeat("0", 32) + "-00f067aa0ba902b7-01",
		"00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
		"ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
		"00-4BF92F3577B34DA6A3CE929D0E0E4736-00F067AA0BA902B7-01",
		"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-zz",
		"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more",
		"99-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-ff-more",
	} {
		a := s.request(t, http.MethodPost, "/v1/bookings", "key-"+strconv.Itoa(i), s.order(slot(i, 9)),
			map[string]string{
				"traceparent": value, "tracestate": strings.Repeat("a=b,", 500) + "=,,;",
				"baggage": "é=%zz;;," + strings.Repeat("k=v,", 500),
			})
		require.Equal(t, http.StatusCreated, a.status, "%q: %s", value, a)
	}
	s.stop(t)
}

func TestTraces_NoCollector_LogHasNoTraceAndProviderNoTraceparent(t *testing.T) {
	t.Parallel()
	p := start(t, filledDir(t))
	s := newShop(t, p)
	s.mustBook(t, p, "key", slot(0, 9))
	a, err := p.send(http.MethodGet, "/metrics", "", "", nil)
	require.NoError(t, err)
	require.Contains(t, string(a.body), "\nholdfast_trace_spans_dropped_total 0\n")
	p.stop(t)
	require.Contains(t, p.log(), " route=/v1/bookings ")
	require.NotContains(t, p.log(), "trace_id")
}

func TestTraces_SettingsThatCannotBeUsed_AreRefusedAtStart(t *testing.T) {
	t.Parallel()
	for setting, expected := range map[string]string{
		"OTEL_EXPORTER_OTLP_ENDPOINT=collector:4317":  "OTEL_EXPORTER_OTLP_ENDPOINT (--otlp-endpoint): expected a URL",
		"OTEL_EXPORTER_OTLP_HEADERS=hunter2":          "OTEL_EXPORTER_OTLP_HEADERS (--otlp-headers): expected name=value pairs",
		"OTEL_EXPORTER_OTLP_HEADERS=a=hunter2%0ab:c":  "OTEL_EXPORTER_OTLP_HEADERS (--otlp-headers): expected name=value pairs",
		"OTEL_TRACES_SAMPLER=jaeger_remote":           "OTEL_TRACES_SAMPLER (--traces-sampler): expected always_on",
		"OTEL_TRACES_SAMPLER_ARG=1.5":                 "OTEL_TRACES_SAMPLER_ARG (--traces-sampler-arg): expected 0 or 0.000001 to 1",
		"OTEL_RESOURCE_ATTRIBUTES=deployment,hunter2": "OTEL_RESOURCE_ATTRIBUTES (--resource-attributes): expected name=value pairs",
	} {
		p, code := run(t, newDir(t), []string{setting}, "serve")
		require.Equal(t, 2, code, "%s", p.log())
		require.Contains(t, p.log(), expected)
		require.NotContains(t, p.log(), "hunter2")
	}
}
