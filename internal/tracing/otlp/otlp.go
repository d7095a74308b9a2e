// Package otlp sends spans to an OpenTelemetry collector, over OTLP and HTTP. It is the only package that knows
// OpenTelemetry's SDK.
//
// A collector that is away costs requests nothing: spans wait in a bounded queue, and those for which there is no room
// are dropped and counted.
package otlp

import (
	"context"
	"fmt"
	"log/slog"
	"net/url"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
	"go.opentelemetry.io/otel/trace"
	"golang.org/x/time/rate"

	"holdfast/internal/tracing"
)

const (
	// maxPending bounds the spans that wait to be sent, some two kilobytes each.
	maxPending = 4096
	// batchDelay is how long spans wait for others to be sent with them.
	batchDelay = 2 * time.Second
	// flushTimeout bounds how long Close waits for the collector.
	flushTimeout = 5 * time.Second
	// warnEvery is the least time between two lines of the log about a collector that takes no spans.
	warnEvery = time.Minute
)

// Config says where traces go, and which.
type Config struct {
	// Endpoint is the collector's URL, without /v1/traces. Empty: nothing is traced.
	Endpoint string
	// Headers are sent with each export, for example a key.
	Headers map[string]string
	// Sampler is one that IsSampler knows, Ratio the share of traces for those that need one.
	Sampler string
	Ratio   float64
	// Service and Version name the server in its spans; Attributes are further attributes of it, which win.
	Service, Version string
	Attributes       map[string]string
	// Metrics registers the number of spans that were dropped; Logger receives warnings.
	Metrics prometheus.Registerer
	Logger  *slog.Logger
}

// samplers are those of the specification's OTEL_TRACES_SAMPLER.
var samplers = map[string]func(ratio float64) sdk.Sampler{
	"always_on":                func(float64) sdk.Sampler { return sdk.AlwaysSample() },
	"always_off":               func(float64) sdk.Sampler { return sdk.NeverSample() },
	"traceidratio":             sdk.TraceIDRatioBased,
	"parentbased_always_on":    func(float64) sdk.Sampler { return sdk.ParentBased(sdk.AlwaysSample()) },
	"parentbased_always_off":   func(float64) sdk.Sampler { return sdk.ParentBased(sdk.NeverSample()) },
	"parentbased_traceidratio": func(ratio float64) sdk.Sampler { return sdk.ParentBased(sdk.TraceIDRatioBased(ratio)) },
}

// IsSampler reports whether there is a sampler with a name.
func IsSampler(name string) bool { return samplers[name] != nil }

// Traces makes and sends spans. A nil *Traces traces nothing.
type Traces struct {
	provider *sdk.TracerProvider
	log      *slog.Logger
}

// Open begins to trace. It connects to nothing yet. It returns nil without an endpoint, and then starts no goroutine.
func Open(ctx context.Context, cfg Config) (*Traces, error) {
	dropped := promauto.With(cfg.Metrics).NewCounter(prometheus.CounterOpts{
		Name: "holdfast_trace_spans_dropped_total",
		Help: "Spans of traces that were dropped: the collector took too few of them, or none.",
	})
	if cfg.Endpoint == "" {
		return nil, nil
	}
	sampler, known := samplers[cfg.Sampler]
	if !known {
		return nil, fmt.Errorf("the sampler %q of traces is unknown", cfg.Sampler)
	}
	address, err := url.JoinPath(cfg.Endpoint, "v1", "traces")
	if err != nil {
		return nil, fmt.Errorf("read the collector's URL: %w", err)
	}
	options := []otlptracehttp.Option{otlptracehttp.WithEndpointURL(address)}
	if len(cfg.Headers) > 0 {
		options = append(options, otlptracehttp.WithHeaders(cfg.Headers))
	}
	sender, err := otlptracehttp.New(ctx, options...)
	if err != nil {
		return nil, fmt.Errorf("open the exporter of traces: %w", err)
	}
	q := &queue{dropped: dropped, log: cfg.Logger, warn: &rate.Sometimes{Interval: warnEvery}}
	q.SpanProcessor = sdk.NewBatchSpanProcessor(exporter{SpanExporter: sender, queue: q},
		sdk.WithMaxQueueSize(maxPending), sdk.WithBatchTimeout(batchDelay))
	described, err := describe(cfg)
	if err != nil {
		return nil, err
	}
	return &Traces{log: cfg.Logger, provider: sdk.NewTracerProvider(
		sdk.WithSampler(sampler(cfg.Ratio)), sdk.WithResource(described), sdk.WithSpanProcessor(q),
	)}, nil
}

// describe returns what the spans say of the server.
func describe(cfg Config) (*resource.Resource, error) {
	attributes := []attribute.KeyValue{
		semconv.ServiceName(cfg.Service), semconv.ServiceVersion(cfg.Version),
		semconv.ServiceInstanceID(uuid.NewString()),
	}
	for name, value := range cfg.Attributes {
		attributes = append(attributes, attribute.String(name, value)) // of two with one name the last one counts
	}
	r, err := resource.Merge(resource.Default(), resource.NewWithAttributes(semconv.SchemaURL, attributes...))
	if err != nil {
		return nil, fmt.Errorf("describe the server in traces: %w", err)
	}
	return r, nil
}

// Tracer returns what begins traces, nil if nothing is traced.
func (t *Traces) Tracer() trace.Tracer {
	if t == nil {
		return nil
	}
	return t.provider.Tracer(tracing.Scope)
}

// Logger returns log with the ids of traces in its lines, log itself if nothing is traced.
func (t *Traces) Logger(log *slog.Logger) *slog.Logger {
	if t == nil {
		return log
	}
	return slog.New(tracing.LogHandler(log.Handler()))
}

// Close sends the spans that wait, for a few seconds at most.
func (t *Traces) Close() {
	if t == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), flushTimeout)
	defer cancel()
	if err := t.provider.Shutdown(ctx); err != nil {
		t.log.Warn("the last spans of traces were not sent", "error", err)
	}
}

// queue counts the spans that wait to be sent, and drops those for which there is no room. The SDK's own queue drops
// too, but doesn't say how many.
type queue struct {
	sdk.SpanProcessor

	pending atomic.Int64
	dropped prometheus.Counter
	log     *slog.Logger
	warn    *rate.Sometimes
}

// OnEnd is called with each span that ends.
func (q *queue) OnEnd(s sdk.ReadOnlySpan) {
	if q.pending.Add(1) > maxPending {
		q.pending.Add(-1)
		q.dropped.Inc()
		return
	}
	q.SpanProcessor.OnEnd(s)
}

// exporter sends spans, and takes them off the queue whether or not the collector took them.
type exporter struct {
	sdk.SpanExporter

	queue *queue
}

func (e exporter) ExportSpans(ctx context.Context, spans []sdk.ReadOnlySpan) error {
	err := e.SpanExporter.ExportSpans(ctx, spans)
	e.queue.pending.Add(-int64(len(spans)))
	if err != nil {
		e.queue.dropped.Add(float64(len(spans)))
		e.queue.warn.Do(func() {
			e.queue.log.Warn("the collector takes no traces, so spans are dropped; this line comes at most once a minute", "error", err)
		})
	}
	return nil // else the SDK would write each error to the standard error output
}
