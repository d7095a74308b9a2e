package tracing_test

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"holdfast/internal/tracing"
)

// tracerOf returns a tracer with a sampler, and what it recorded.
func tracerOf(sampler sdk.Sampler) (trace.Tracer, *tracetest.SpanRecorder) {
	recorder := tracetest.NewSpanRecorder()
	return sdk.NewTracerProvider(sdk.WithSampler(sampler), sdk.WithSpanProcessor(recorder)).Tracer(tracing.Scope),
		recorder
}

// statement is what a batch or a wait does with its span.
func statement(ctx context.Context) {
	ctx, span := tracing.StartClient(ctx, "database: read")
	defer span.End()
	_, wait := tracing.Start(ctx, "wait for a connection")
	wait.FailWith(context.Canceled)
	wait.Link(span)
	wait.End()
	_ = tracing.Of(ctx).In(ctx)
}

//nolint:paralleltest // allocations of other tests would count
func TestStart_NothingRecorded_AllocatesNothing(t *testing.T) {
	never, _ := tracerOf(sdk.NeverSample())
	unsampled, span := tracing.Root(t.Context(), never, "request", trace.SpanKindServer)
	require.False(t, span.Recording())
	for what, ctx := range map[string]context.Context{"off": t.Context(), "not sampled": unsampled} {
		require.Zero(t, testing.AllocsPerRun(100, func() { statement(ctx) }), what)
	}
	require.Zero(t, testing.AllocsPerRun(100,
		func() { _, _ = tracing.Root(t.Context(), nil, "request", trace.SpanKindServer) }))
	require.Zero(t, testing.AllocsPerRun(100, func() { _ = tracing.Detached(context.Background()) }))
}

func TestStart_ParentIsRecorded_IsItsChild(t *testing.T) {
	t.Parallel()
	always, recorder := tracerOf(sdk.AlwaysSample())
	ctx, root := tracing.Root(t.Context(), always, "request", trace.SpanKindServer)
	statement(ctx)
	root.End()
	ended := recorder.Ended()
	require.Len(t, ended, 3)
	require.Equal(t, ended[2].SpanContext().SpanID(), ended[1].Parent().SpanID())
	require.Equal(t, ended[1].SpanContext().SpanID(), ended[0].Parent().SpanID())
	require.Equal(t, "cancelled", ended[0].Status().Description)
}

func TestTransport_NotSampled_SendsTraceparentWithoutTheFlag(t *testing.T) {
	t.Parallel()
	never, recorder := tracerOf(sdk.NeverSample())
	var sent http.Header
	client := tracing.Transport(roundTrip(func(r *http.Request) { sent = r.Header }))
	for _, c := range []struct {
		ctx      context.Context //nolint:containedctx // a case of the table
		expected string
	}{{t.Context(), "^$"}, {first(tracing.Root(t.Context(), never, "request", trace.SpanKindServer)),
		"^00-[0-9a-f]{32}-[0-9a-f]{16}-00$"}} {
		request, err := http.NewRequestWithContext(c.ctx, http.MethodPost, "http://provider.example/", http.NoBody)
		require.NoError(t, err)
		response, err := client.RoundTrip(request)
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		require.Regexp(t, c.expected, sent.Get("traceparent"))
		require.Empty(t, request.Header, "the caller's request is unchanged")
	}
	require.Empty(t, recorder.Ended())
}

func first(ctx context.Context, _ tracing.Span) context.Context { return ctx }

type roundTrip func(*http.Request)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) {
	f(r)
	return &http.Response{StatusCode: http.StatusOK, Body: http.NoBody}, nil
}

func TestFromRequest_TwoTraceparents_NeitherCounts(t *testing.T) {
	t.Parallel()
	const parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
	span := func(h http.Header) trace.SpanContext {
		return trace.SpanContextFromContext(tracing.FromRequest(t.Context(), h))
	}
	one := span(http.Header{"Traceparent": {parent}, "Tracestate": {"vendor=anything"}})
	require.True(t, one.IsSampled())
	require.Zero(t, one.TraceState().Len(), "tracestate isn't read")
	require.False(t, span(http.Header{"Traceparent": {parent, parent}}).IsValid())
}

func TestLogHandler_ContextHasATrace_AddsItsIDs(t *testing.T) {
	t.Parallel()
	always, _ := tracerOf(sdk.AlwaysSample())
	var out bytes.Buffer
	log := slog.New(tracing.LogHandler(slog.NewTextHandler(&out, nil))).With("a", 1)
	log.InfoContext(t.Context(), "without")
	require.NotContains(t, out.String(), "trace_id")
	ctx, span := tracing.Root(t.Context(), always, "request", trace.SpanKindServer)
	defer span.End()
	ids := trace.SpanContextFromContext(ctx)
	log.InfoContext(tracing.Detached(ctx), "with")
	require.Contains(t, out.String(), "trace_id="+ids.TraceID().String()+" span_id="+ids.SpanID().String())
}
