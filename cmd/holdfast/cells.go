package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/booking"
	"holdfast/internal/cell"
	"holdfast/internal/console"
	"holdfast/internal/console/operator"
	"holdfast/internal/email"
	"holdfast/internal/httpapi"
	"holdfast/internal/httpapi/edge"
	"holdfast/internal/pages"
	"holdfast/internal/payment"
)

// serveSeveral opens the cells in the background and returns what sends requests to them.
func (s *cellServer) serveSeveral(ctx context.Context, specs []cell.Spec, url string, failed chan<- error) (served, error) {
	c := s.config
	unsubscriber, err := c.unsubscriber()
	if err != nil {
		return served{}, err
	}
	names := make([]string, len(specs))
	for i, spec := range specs {
		names[i] = spec.Name
	}
	s.names = names
	cells := cell.New(names, s.log)
	front := httpapi.NewFront(httpapi.Config{
		Logger: s.log, MetricsAddr: c.MetricsAddr, Ready: cells.Ready, Warning: cells.Warning, Registry: s.registry,
		Registerer: cellMetrics("", s.registry), Version: version, Tracer: s.tracer, TrustedProxies: s.proxies,
	})
	cell.RegisterMetrics(cellMetrics("", s.registry), cells)
	all := newEdges(front)
	pages.Assets.Serve(front)
	console.Assets.Serve(front)
	operator.Assets.Serve(front)
	console.ServeEntrance(front)
	stopDirectory := inBackground(context.WithoutCancel(ctx), cells.Run)
	stopCells := s.openCells(ctx, specs, cells, url, func(o *openedCell) { all.add(o.api.Edge) }, failed)
	return served{
		handler: &cell.Router{
			Cells: cells, Front: front,
			Unsubscribed: func(token string) (uuid.UUID, error) {
				sub, err := unsubscriber.Parse(token)
				return sub.TenantID, err
			},
			Linked: func(token string) (uuid.UUID, error) {
				link, err := s.links.Parse(token)
				return link.TenantID, err
			},
			Webhook: s.providers.tenantOf,
		},
		edges: all, stop: func() { stopCells(); stopDirectory() },
	}, nil
}

// unsubscriber returns what makes and reads the links to unsubscribe.
func (c *Config) unsubscriber() (*email.Unsubscriber, error) {
	key, err := c.linkKey()
	if err != nil {
		return nil, err
	}
	return email.NewUnsubscriber(key)
}

// links returns what makes and reads the links to bookings. url is where the server listens.
func (c *Config) links(url string) (*booking.Links, error) {
	key, err := c.linkKey()
	if err != nil {
		return nil, err
	}
	return booking.NewLinks(key, cmp.Or(c.PublicURL, url))
}

// linkKey returns the key that signs all links that people get.
func (c *Config) linkKey() ([]byte, error) {
	secret, err := c.loadOrCreateSecret(c.UnsubscribeKey, unsubscribeKeyFile, "hfu_")
	key := sha256.Sum256([]byte(secret))
	return key[:], err
}

// tenantOf returns the tenant that a provider's webhook is about.
func (p *providers) tenantOf(name string, header http.Header, body []byte) (uuid.UUID, error) {
	for _, provider := range append([]payment.Provider{p.current}, p.legacy...) {
		if provider != nil && provider.Name() == name {
			event, err := provider.Event(header, body, time.Now())
			return event.Reference.TenantID, err
		}
	}
	return uuid.Nil, errors.New("there is no such provider")
}

// edges end their work together. They are safe for concurrent use.
type edges struct {
	mu       sync.Mutex
	list     []*edge.Edge
	draining bool
}

func newEdges(first *edge.Edge) *edges { return &edges{list: []*edge.Edge{first}} }

// add adds an edge, which is announced at once if the server is shutting down.
func (e *edges) add(one *edge.Edge) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.list = append(e.list, one)
	if e.draining {
		one.Announce()
	}
}

func (e *edges) announce() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.draining = true
	for _, one := range e.list {
		one.Announce()
	}
}

// drain refuses new requests on all edges and returns when those that run are answered, or with ctx's error.
func (e *edges) drain(ctx context.Context) error {
	e.mu.Lock()
	list := e.list
	e.mu.Unlock()
	results := make(chan error, len(list))
	for _, one := range list {
		go func() { results <- one.Drain(ctx) }()
	}
	var failed error
	for range list {
		failed = errors.Join(failed, <-results)
	}
	return failed
}
