package app

import (
	"context"
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
)

const (
	// firstRetry and longestRetry are the pauses between tries to open a cell whose database can't be used.
	firstRetry   = time.Second
	longestRetry = 30 * time.Second
)

// openSeveral opens the cells in the background. Until a cell is open, its tenants get 503.
func (s *Server) openSeveral(ctx context.Context, failed chan<- error) error {
	links, err := booking.NewLinks(s.cfg.LinkKey, s.cfg.PublicURL)
	if err != nil {
		return err
	}
	unsubscriber, err := email.NewUnsubscriber(s.cfg.LinkKey)
	if err != nil {
		return err
	}
	cells := cell.New(s.names(), s.cfg.Log)
	front := s.front(cells)
	s.edges.add(front)
	cell.RegisterMetrics(cellMetrics("", s.cfg.Registry), cells)
	s.handler = &cell.Router{
		Cells: cells, Front: front, Sources: tenantSources(s.cfg.Config),
		Unsubscribed: func(token string) (uuid.UUID, error) {
			sub, err := unsubscriber.Parse(token)
			return sub.TenantID, err
		},
		Linked: func(token string) (uuid.UUID, error) {
			link, err := links.Parse(token)
			return link.TenantID, err
		},
		Webhook: s.cfg.WebhookTenant,
	}
	directory, stopDirectory := context.WithCancel(context.WithoutCancel(ctx))
	var running sync.WaitGroup
	running.Go(func() { cells.Run(directory) })
	closeCells := s.openCells(ctx, cells, failed)
	s.stop = func() {
		closeCells()
		stopDirectory()
		running.Wait()
	}
	return nil
}

// front returns what answers without a cell: health, metrics, documentation, and the pages that ask which business is
// meant.
func (s *Server) front(cells *cell.Cells) *edge.Edge {
	e := httpapi.NewFront(httpapi.Config{
		Logger:         s.cfg.Log,
		MetricsAddr:    s.cfg.MetricsAddr,
		Ready:          cells.Ready,
		Warning:        cells.Warning,
		Registry:       s.cfg.Registry,
		Registerer:     cellMetrics("", s.cfg.Registry),
		Version:        s.cfg.Version,
		Tracer:         s.cfg.Tracer,
		TrustedProxies: s.cfg.TrustedProxies,
	})
	pages.Assets.Serve(e)
	console.Assets.Serve(e)
	operator.Assets.Serve(e)
	console.ServeEntrance(e)
	return e
}

// tenantSources returns the sources of an app's routes, from an app that serves nobody.
func tenantSources(cfg Config) edge.TenantSources {
	cfg.Registry = nil
	a := &App{cfg: cfg}
	a.serve()
	return a.Edge().TenantSources()
}

// openCells opens each cell as soon as its database can be used, until ctx ends, and has it served. A cell whose
// database is away keeps no other one from serving. The returned function waits for the end and closes the cells.
func (s *Server) openCells(ctx context.Context, cells *cell.Cells, failed chan<- error) (stop func()) {
	// A cell stays open while the last requests are answered, which is after ctx has ended.
	open, closeAll := context.WithCancel(context.WithoutCancel(ctx))
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	for _, spec := range s.cfg.Cells {
		cellMetrics(spec.Name, s.cfg.Registry).MustRegister(NewReadyGauge(func(ctx context.Context) (string, error) {
			return cells.ReadyIn(ctx, spec.Name)
		}))
		running.Go(func() {
			if !s.await(ctx, spec, func() { cells.NotOpened(spec.Name) }) {
				return
			}
			a, closeApp, err := s.openCell(ctx, spec, cells.Slugs(spec.Name))
			if err != nil {
				failed <- err
				return
			}
			defer closeApp()
			stopWork, err := a.Work(ctx)
			if err != nil {
				failed <- err
				return
			}
			defer stopWork()
			s.edges.add(a.Edge())
			cells.Open(ctx, spec.Name, a.DB(), a.Edge().Engine(), readiness(a.DB()))
			a.cell.Log.Info("the cell serves")
			<-open.Done()
		})
	}
	return func() {
		cancel()
		closeAll()
		running.Wait()
	}
}

// await returns true when the cell's database can be used, and false when ctx ends first. It calls failed when it
// couldn't be.
func (s *Server) await(ctx context.Context, spec cell.Spec, failed func()) bool {
	for pause := firstRetry; ; pause = min(2*pause, longestRetry) {
		err := s.check(ctx, spec)
		if err == nil {
			return true
		}
		if ctx.Err() != nil {
			return false
		}
		failed()
		s.cfg.Log.Error("the cell can't be opened; trying again", "cell", spec.Name, "error", err, "in", pause)
		select {
		case <-ctx.Done():
			return false
		case <-time.After(pause):
		}
	}
}
