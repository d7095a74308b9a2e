package tracing

import (
	"context"
	"errors"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
	"go.opentelemetry.io/otel/trace"

	"holdfast/internal/problem"
)

// Scope is the name of the instrumentation scope of all spans.
const Scope = "holdfast"

// Span is a span that is recorded. The zero Span records nothing, and each of its methods does nothing.
type Span struct{ span trace.Span }

// Root begins a span where work comes in. Its parent is the span of ctx, if there is one, which may be that of a caller
// elsewhere. A nil tracer begins none, and returns ctx.
func Root(ctx context.Context, tracer trace.Tracer, name string, kind trace.SpanKind) (context.Context, Span) {
	if tracer == nil {
		return ctx, Span{}
	}
	ctx, span := tracer.Start(ctx, name, trace.WithSpanKind(kind))
	if !span.IsRecording() { // ctx has the ids of the trace nevertheless
		return ctx, Span{}
	}
	return ctx, Span{span}
}

// Start begins a span of the server's own work below the recorded span of ctx. Without one it returns ctx and allocates
// nothing.
func Start(ctx context.Context, name string) (context.Context, Span) {
	return start(ctx, name, trace.SpanKindInternal, time.Time{})
}

// StartClient is Start for what another process does: the database, a provider, a mail server.
func StartClient(ctx context.Context, name string) (context.Context, Span) {
	return start(ctx, name, trace.SpanKindClient, time.Time{})
}

// StartAt is Start for a span that began at a time.
func StartAt(ctx context.Context, name string, at time.Time) (context.Context, Span) {
	return start(ctx, name, trace.SpanKindInternal, at)
}

func start(ctx context.Context, name string, kind trace.SpanKind, at time.Time) (context.Context, Span) {
	parent := trace.SpanFromContext(ctx)
	if !parent.IsRecording() {
		return ctx, Span{}
	}
	options := []trace.SpanStartOption{trace.WithSpanKind(kind)}
	if !at.IsZero() {
		options = append(options, trace.WithTimestamp(at))
	}
	ctx, span := parent.TracerProvider().Tracer(Scope).Start(ctx, name, options...)
	return ctx, Span{span}
}

// Of returns the recorded span of a context, the zero Span without one.
func Of(ctx context.Context) Span {
	if span := trace.SpanFromContext(ctx); span.IsRecording() {
		return Span{span}
	}
	return Span{}
}

// Recording reports whether the span is recorded. Ask before you make attributes: making them costs something.
func (s Span) Recording() bool { return s.span != nil }

// In returns ctx with the span, so that spans begin below it.
func (s Span) In(ctx context.Context) context.Context {
	if s.span == nil {
		return ctx
	}
	return trace.ContextWithSpan(ctx, s.span)
}

// Name gives the span another name.
func (s Span) Name(name string) {
	if s.span != nil {
		s.span.SetName(name)
	}
}

// Set sets attributes.
func (s Span) Set(attributes ...attribute.KeyValue) {
	if s.span != nil {
		s.span.SetAttributes(attributes...)
	}
}

// Link links the span to another one, without which it can't be understood.
func (s Span) Link(to Span) {
	if s.span != nil && to.span != nil {
		s.span.AddLink(trace.Link{SpanContext: to.span.SpanContext()})
	}
}

// Fail says that the span's work failed, by a code of few possible values.
func (s Span) Fail(code string) {
	if s.span != nil {
		s.span.SetStatus(codes.Error, code)
		s.span.SetAttributes(semconv.ErrorTypeKey.String(code))
	}
}

// FailWith is Fail with the code of an error; nil is no failure. The error's text isn't recorded: it may have what a
// tenant wrote.
func (s Span) FailWith(err error) {
	if s.span == nil || err == nil {
		return
	}
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		s.Fail("timeout")
	case errors.Is(err, context.Canceled):
		s.Fail("cancelled")
	default:
		s.Fail(string(problem.CodeOf(err)))
	}
}

// End ends the span.
func (s Span) End() {
	if s.span != nil {
		s.span.End()
	}
}

// EndAt ends the span at a time.
func (s Span) EndAt(at time.Time) {
	if s.span != nil {
		s.span.End(trace.WithTimestamp(at))
	}
}
