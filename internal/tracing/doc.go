// Package tracing makes the spans of Holdfast's traces. It knows OpenTelemetry's API and not its SDK:
// internal/tracing/otlp sends spans.
//
// A trace begins where work comes in: with a request, or with an attempt at a scheduled event. Only there a tracer is
// needed, which is nil if nothing is traced. Every other span begins below a span that is recorded, and costs one look
// into the context if there is none.
//
//	span.go        Span: begins, fails and ends spans
//	attributes.go  names of attributes
//	traceparent.go W3C trace context of requests that come in and go out
//	logs.go        the ids of the trace in the lines of the log
//
// Nothing that customers or tenants write is recorded: no header, no body, no path with ids, no query string, no value
// of a statement, no text of an error.
package tracing
