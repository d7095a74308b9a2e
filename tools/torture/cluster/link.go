package cluster

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/Shopify/toxiproxy/v2"
	"github.com/rs/zerolog"
)

// Link is a network path through toxiproxy.
type Link struct {
	proxy *toxiproxy.Proxy
	mu    sync.Mutex
	count int
}

// newLink returns a path to the upstream address, at a free port of the loopback.
func newLink(server *toxiproxy.ApiServer, name, upstream string) (*Link, error) {
	l := &Link{proxy: toxiproxy.NewProxy(server, name, "127.0.0.1:0", upstream)}
	if err := l.proxy.Start(); err != nil {
		return nil, fmt.Errorf("start toxiproxy for %s: %w", name, err)
	}
	return l, nil
}

func newToxiproxy() *toxiproxy.ApiServer {
	return toxiproxy.NewServer(toxiproxy.NewMetricsContainer(nil), zerolog.Nop())
}

// Addr is where the path begins, host and port.
func (l *Link) Addr() string { return l.proxy.Listen }

// Toxic is what is wrong with a path. See toxiproxy's manual for the types and their attributes.
type Toxic struct {
	Name       string           `json:"name"`
	Type       string           `json:"type"`
	Stream     string           `json:"stream"` // upstream: what clients send; downstream: what they receive
	Toxicity   float64          `json:"toxicity"`
	Attributes map[string]int64 `json:"attributes"`
}

// Poison adds a toxic to the path. cure takes it away.
func (l *Link) Poison(t Toxic) (cure func() error, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.count++
	t.Name = fmt.Sprintf("%s-%d", t.Type, l.count)
	body, err := json.Marshal(t)
	if err != nil {
		return nil, fmt.Errorf("encode a toxic: %w", err)
	}
	if _, err := l.proxy.Toxics.AddToxicJson(bytes.NewReader(body)); err != nil {
		return nil, fmt.Errorf("add a toxic: %w", err)
	}
	return func() error {
		if err := l.proxy.Toxics.RemoveToxic(context.Background(), t.Name); err != nil {
			return fmt.Errorf("remove a toxic: %w", err)
		}
		return nil
	}, nil
}

// Refuse breaks all connections of the path, and refuses new ones until it is allowed again. Cut allows it too.
func (l *Link) Refuse() { l.proxy.Stop() }

// Allow ends Refuse.
func (l *Link) Allow() error {
	if err := l.proxy.Start(); err != nil && !errors.Is(err, toxiproxy.ErrProxyAlreadyStarted) {
		return fmt.Errorf("start toxiproxy again: %w", err)
	}
	return nil
}

// Cut breaks all connections of the path. New ones are possible at once.
func (l *Link) Cut() error {
	l.Refuse()
	return l.Allow()
}

func (l *Link) close() { l.proxy.Stop() }
