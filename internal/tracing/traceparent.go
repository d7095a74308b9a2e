package tracing

import (
	"context"
	"net/http"
	"strconv"

	"go.opentelemetry.io/otel/propagation"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
	"go.opentelemetry.io/otel/trace"
)

const traceparent = "Traceparent" // as net/http spells it

// parentCarrier shows the propagator a request's traceparent and nothing else: tracestate may hold anything, and would
// be exported.
type parentCarrier string

func (c parentCarrier) Get(key string) string {
	if http.CanonicalHeaderKey(key) == traceparent {
		return string(c)
	}
	return ""
}

func (parentCarrier) Set(string, string) {}
func (parentCarrier) Keys() []string     { return []string{traceparent} }

// FromRequest returns ctx with the caller's span, by the header traceparent. It returns ctx if there is none, more than
// one, or one that can't be read. tracestate and baggage are left alone.
func FromRequest(ctx context.Context, header http.Header) context.Context {
	values := header[traceparent]
	if len(values) != 1 {
		return ctx
	}
	return propagation.TraceContext{}.Extract(ctx, parentCarrier(values[0]))
}

// headerCarrier sends traceparent, and no tracestate.
type headerCarrier http.Header

func (headerCarrier) Get(string) string { return "" }
func (headerCarrier) Keys() []string    { return nil }
func (c headerCarrier) Set(key, value string) {
	if http.CanonicalHeaderKey(key) == traceparent {
		c[traceparent] = []string{value}
	}
}

// transport makes spans of requests that go out, and sends them traceparent.
type transport struct{ base http.RoundTripper }

// Transport returns a transport that sends traceparent with each request that belongs to a trace, sampled or not, and
// makes a span of each that is recorded. The span ends with the response's headers. Use it for providers, and not for
// addresses that tenants choose.
func Transport(base http.RoundTripper) http.RoundTripper { return transport{base} }

// CloseIdleConnections closes those of the transport beneath. Without this method, that of http.Client would close
// none.
func (t transport) CloseIdleConnections() { (&http.Client{Transport: t.base}).CloseIdleConnections() }

func (t transport) RoundTrip(request *http.Request) (*http.Response, error) {
	if !trace.SpanContextFromContext(request.Context()).IsValid() {
		return t.base.RoundTrip(request)
	}
	ctx, span := StartClient(request.Context(), request.Method)
	defer span.End()
	request = request.Clone(ctx) // a transport must not change the request that it is given
	propagation.TraceContext{}.Inject(ctx, headerCarrier(request.Header))
	response, err := t.base.RoundTrip(request)
	if !span.Recording() {
		return response, err
	}
	span.Set(semconv.HTTPRequestMethodKey.String(request.Method), semconv.ServerAddress(request.URL.Hostname()))
	if err != nil {
		span.Fail("no_response")
		return response, err
	}
	span.Set(semconv.HTTPResponseStatusCode(response.StatusCode))
	if response.StatusCode >= http.StatusBadRequest {
		span.Fail(strconv.Itoa(response.StatusCode))
	}
	return response, nil
}
