package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"strings"

	"github.com/prometheus/client_golang/prometheus"

	"holdfast/internal/tracing/otlp"
)

// openTraces begins to trace if a collector is configured; without one it returns nil, which traces nothing.
func (c *Config) openTraces(ctx context.Context, registry prometheus.Registerer, log *slog.Logger,
) (*otlp.Traces, error) {
	headers, err := readPairs(c.OTLPHeaders)
	if err != nil {
		return nil, fmt.Errorf("OTEL_EXPORTER_OTLP_HEADERS: %w", err)
	}
	attributes, err := readPairs(c.ResourceAttributes)
	if err != nil {
		return nil, fmt.Errorf("OTEL_RESOURCE_ATTRIBUTES: %w", err)
	}
	return otlp.Open(ctx, otlp.Config{
		Endpoint:   c.OTLPEndpoint,
		Headers:    headers,
		Sampler:    c.TracesSampler,
		Ratio:      c.TracesSamplerArg,
		Service:    c.ServiceName,
		Version:    version,
		Attributes: attributes,
		Metrics:    registry,
		Logger:     log,
	})
}

const expectedPairs = "expected name=value pairs with commas in between; other characters than visible ASCII are percent-encoded"

// readPairs reads what OpenTelemetry's variables have for headers and attributes: name=value,name=value.
func readPairs(text string) (map[string]string, error) {
	pairs := make(map[string]string)
	if strings.TrimSpace(text) == "" {
		return pairs, nil
	}
	for pair := range strings.SplitSeq(text, ",") {
		name, value, found := strings.Cut(pair, "=")
		name = strings.TrimSpace(name)
		decoded, err := url.PathUnescape(strings.TrimSpace(value))
		if !found || err != nil || !isVisible(name) || name == "" || strings.ContainsAny(name, `:;"()<>@/[]?{}\`) ||
			strings.ContainsFunc(decoded, func(r rune) bool { return r < ' ' || r == '\x7f' }) {
			return nil, errors.New(expectedPairs)
		}
		pairs[name] = decoded
	}
	return pairs, nil
}

func arePairs(text string) bool {
	_, err := readPairs(text)
	return err == nil
}
