package main

import (
	"bytes"
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	collected "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	common "go.opentelemetry.io/proto/otlp/common/v1"
	traces "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// collector is an OpenTelemetry collector that keeps what it is sent.
type collector struct {
	url string

	mu       sync.Mutex
	bytes    []byte
	spans    []*traces.Span
	headers  http.Header
	resource []*common.KeyValue
}

func startCollector(t testing.TB) *collector {
	t.Helper()
	c := new(collector)
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/traces", func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		sent := new(collected.ExportTraceServiceRequest)
		if err != nil || proto.Unmarshal(body, sent) != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		c.bytes, c.headers = append(c.bytes, body...), r.Header
		for _, of := range sent.GetResourceSpans() {
			c.resource = of.GetResource().GetAttributes()
			for _, scope := range of.GetScopeSpans() {
				c.spans = append(c.spans, scope.GetSpans()...)
			}
		}
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	c.url = server.URL
	return c
}

// trace returns the spans of a trace, in the order in which they began.
func (c *collector) trace(id string) trace {
	c.mu.Lock()
	defer c.mu.Unlock()
	var found trace
	for _, s := range c.spans {
		if hex.EncodeToString(s.GetTraceId()) == id {
			found = append(found, s)
		}
	}
	slices.SortStableFunc(found,
		func(a, b *traces.Span) int { return int(a.GetStartTimeUnixNano()) - int(b.GetStartTimeUnixNano()) })
	return found
}

// named returns the spans of all traces with a name.
func (c *collector) named(name string) []*traces.Span {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(c.spans), func(s *traces.Span) bool { return s.GetName() != name })
}

// trace is the spans of one trace.
type trace []*traces.Span

// below returns the spans that began right below a span.
func (tr trace) below(parent *traces.Span) trace {
	return slices.DeleteFunc(slices.Clone(tr),
		func(s *traces.Span) bool { return !bytes.Equal(s.GetParentSpanId(), parent.GetSpanId()) })
}

// names returns the names of the spans.
func (tr trace) names() []string {
	names := make([]string, len(tr))
	for i, s := range tr {
		names[i] = s.GetName()
	}
	return names
}

// named returns the spans with a name.
func (tr trace) named(name string) trace {
	return slices.DeleteFunc(slices.Clone(tr), func(s *traces.Span) bool { return s.GetName() != name })
}

// only returns the one span with a name.
func (tr trace) only(t testing.TB, name string) *traces.Span {
	t.Helper()
	found := tr.named(name)
	require.Len(t, found, 1, "%s among %v", name, tr.names())
	return found[0]
}

// attributesOf returns the attributes of a span as text.
func attributesOf(list []*common.KeyValue) map[string]string {
	found := make(map[string]string)
	for _, kv := range list {
		switch v := kv.GetValue().GetValue().(type) {
		case *common.AnyValue_IntValue:
			found[kv.GetKey()] = strconv.FormatInt(v.IntValue, 10)
		case *common.AnyValue_ArrayValue:
			var texts []string
			for _, element := range v.ArrayValue.GetValues() {
				texts = append(texts, element.GetStringValue())
			}
			found[kv.GetKey()] = strings.Join(texts, "; ")
		default:
			found[kv.GetKey()] = kv.GetValue().GetStringValue()
		}
	}
	return found
}

func took(s *traces.Span) time.Duration {
	return time.Duration(s.GetEndTimeUnixNano() - s.GetStartTimeUnixNano())
}
