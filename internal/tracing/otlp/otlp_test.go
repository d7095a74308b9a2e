package otlp

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"holdfast/internal/testtime"
)

// lockedBuffer is a log that is read while it is written: an export may end after the traces were closed.
type lockedBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *lockedBuffer) Write(part []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(part)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// openAt opens traces at a collector, with the number of spans that were dropped, and the log.
func openAt(t *testing.T, collector http.Handler) (traces *Traces, dropped func() float64, log *lockedBuffer) {
	t.Helper()
	server := httptest.NewServer(collector)
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	registry := prometheus.NewRegistry()
	log = new(lockedBuffer)
	traces, err := Open(t.Context(), Config{
		Endpoint: server.URL, Sampler: "always_on", Metrics: registry, Logger: slog.New(slog.NewTextHandler(log, nil)),
	})
	require.NoError(t, err)
	return traces, func() float64 {
		families, err := registry.Gather()
		require.NoError(t, err)
		require.Equal(t, "holdfast_trace_spans_dropped_total", families[0].GetName())
		return families[0].GetMetric()[0].GetCounter().GetValue()
	}, log
}

func TestOpen_NoEndpoint_TracesNothing(t *testing.T) {
	t.Parallel()
	traces, err := Open(t.Context(), Config{})
	require.NoError(t, err)
	require.Nil(t, traces)
	require.Nil(t, traces.Tracer())
	log := slog.New(slog.DiscardHandler)
	require.Same(t, log, traces.Logger(log))
	traces.Close()
}

func TestOpen_UnknownSampler_IsRefused(t *testing.T) {
	t.Parallel()
	_, err := Open(t.Context(), Config{Endpoint: "http://127.0.0.1:1", Sampler: "jaeger_remote"})
	require.ErrorContains(t, err, "jaeger_remote")
}

// The collector takes the connection and answers nothing. Spans beyond the queue's bound are dropped at once, and
// counted.
func TestQueue_CollectorHangs_DropsSpansAndNeverWaits(t *testing.T) {
	t.Parallel()
	const beyond = 100
	hang := make(chan struct{})
	traces, dropped, log := openAt(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-hang:
		case <-r.Context().Done():
		}
	}))
	t.Cleanup(func() { close(hang) })
	for range maxPending + beyond {
		_, span := traces.Tracer().Start(t.Context(), "span")
		span.End()
	}
	require.InDelta(t, beyond, dropped(), 0)
	began := testtime.Now()
	traces.Close()
	require.Less(t, testtime.Now().Sub(began), time.Minute, "it waits for %s", flushTimeout)
	require.Contains(t, log.String(), "the last spans of traces were not sent")
}

func TestExporter_CollectorRefuses_CountsSpansAndWarnsOnce(t *testing.T) {
	t.Parallel()
	var exports atomic.Int64
	traces, dropped, log := openAt(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		exports.Add(1)
		w.WriteHeader(http.StatusBadRequest)
	}))
	const spans = 3
	for range spans {
		_, span := traces.Tracer().Start(context.Background(), "span")
		span.End()
		require.NoError(t, traces.provider.ForceFlush(t.Context()))
	}
	traces.Close()
	require.EqualValues(t, spans, exports.Load())
	require.InDelta(t, spans, dropped(), 0)
	require.Equal(t, 1, strings.Count(log.String(), "the collector takes no traces"), "%s", log)
}
