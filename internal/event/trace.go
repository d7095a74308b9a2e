package event

import (
	"context"
	"errors"

	"go.opentelemetry.io/otel/trace"

	"holdfast/internal/problem"
	"holdfast/internal/tracing"
)

// startAttempt begins the trace of an attempt. It has no link to the request that planned the event: the row doesn't
// keep its span.
func startAttempt(ctx context.Context, tracer trace.Tracer, kind string) (context.Context, tracing.Span) {
	ctx, span := tracing.Root(ctx, tracer, "attempt", trace.SpanKindConsumer)
	if span.Recording() {
		span.Name("attempt " + kind)
	}
	return ctx, span
}

// endAttempt ends the span of an attempt with what came of it, before that is recorded.
func endAttempt(span tracing.Span, a attempt) {
	if !span.Recording() {
		return
	}
	outcome := string(a.result.status)
	switch known := (*problem.Error)(nil); {
	case a.err == nil && a.result.alreadyRecorded:
		outcome = NoticeRecorded
	case a.err == nil && outcome == "":
		outcome = string(Completed)
	case a.err == nil:
	case errors.As(a.err, &known):
		outcome = string(Failed)
		span.Fail(string(known.Code))
	default:
		outcome = string(Failed)
		span.Fail("attempt_failed")
	}
	span.Set(tracing.TenantID.String(a.event.TenantID.String()), tracing.EventID.String(a.event.ID.String()),
		tracing.EventKind.String(a.event.Kind), tracing.EventAttempt.Int(a.event.Attempt),
		tracing.EventOutcome.String(outcome))
	span.End()
}
