package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"time"

	"golang.org/x/sync/errgroup"

	"holdfast/tools/bench/strategies"
)

// cellsSize is how much there is to measure cells on.
type cellsSize struct {
	// clusters are PostgreSQL servers, over which the cells are spread, and over the cells the tenants.
	clusters, cells, tenants int
	// idle is how long servers that have nothing to do are watched.
	idle time.Duration
}

var fullCells = cellsSize{clusters: 4, cells: 16, tenants: 1000, idle: 20 * time.Second}

const (
	// neighboursOfCell are the clients of the other cells while one cluster is stopped, callersOfDown those of the
	// cells that are down. Each pauses for neighbourPause.
	neighboursOfCell = 8
	callersOfDown    = 4
	// idlePause is how long servers have nothing to do before they are watched.
	idlePause = 5 * time.Second
)

// cellsReport is what a run with cells found.
type cellsReport struct {
	size     cellsSize
	machine  machine
	rounds   int
	duration time.Duration
	scenes   []*special
}

func (r *cellsReport) write(out io.Writer) error {
	var b bytes.Buffer
	say := func(format string, args ...any) { _, _ = fmt.Fprintf(&b, format, args...) }
	say("%s\n%d rounds of %s. %d clusters of PostgreSQL, %d cells, %d tenants.\n", r.machine, r.rounds, r.duration,
		r.size.clusters,
		r.size.cells, r.size.tenants)
	for _, s := range r.scenes {
		s.write(say)
	}
	_, err := out.Write(b.Bytes())
	return err
}

// measureCells measures a server of many cells beside one of a single database, in turns.
func measureCells(ctx context.Context, size cellsSize, rounds int, duration time.Duration, out io.Writer,
) (*cellsReport, error) {
	b, err := startCells(ctx, size, duration, out)
	if err != nil {
		return nil, err
	}
	defer b.stop()
	r := &cellsReport{
		size: size, rounds: rounds, duration: duration, machine: describeMachine(ctx, b.clusters[0].version, ""),
		scenes: []*special{
			{title: "Bookings/s of a cell", run: b.throughput},
			{title: "A cluster that is stopped", run: b.stopped},
			{title: "Servers that have nothing to do", run: b.idle},
		},
	}
	for round := range rounds {
		_, _ = fmt.Fprintf(out, "round %d of %d\n", round+1, rounds)
		for _, s := range r.scenes {
			figures, err := s.run(ctx)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", s.title, err)
			}
			s.rounds = append(s.rounds, figures)
		}
	}
	return r, nil
}

// throughput books as fast as it can: for the tenants of the single database, for those of one cell, and for all cells
// at once. Each begins in turn.
func (b *cellBench) throughput(ctx context.Context) ([]figure, error) {
	cell := b.cells[rand.IntN(len(b.cells))]
	ways := []struct {
		server  *server
		tenants []bookable
		rate    float64
	}{{server: b.one, tenants: b.alone}, {server: b.many, tenants: cell}, {server: b.many, tenants: flat(b.cells)}}
	first := rand.IntN(len(ways))
	for i := range ways {
		w := &ways[(first+i)%len(ways)]
		result, err := b.load(ctx, w.server, w.tenants, clients, 0, b.duration)
		if err != nil {
			return nil, err
		}
		w.rate = result.Rate()
	}
	return []figure{
		{"bookings/s, a server with one database", "%.0f", ways[0].rate},
		{fmt.Sprintf("bookings/s in one of %d cells", len(b.cells)), "%.0f", ways[1].rate},
		{"of those with one database", "%.2f", ways[1].rate / ways[0].rate},
		{"bookings/s in all cells at once", "%.0f", ways[2].rate},
		{"of those with one database", "%.2f", ways[2].rate / ways[0].rate},
	}, nil
}

// stopped measures what clients of the other cells notice while the last cluster is stopped and clients ask for its
// tenants.
func (b *cellBench) stopped(ctx context.Context) ([]figure, error) {
	last := len(b.clusters) - 1
	var up, down []bookable
	for i, tenants := range b.cells {
		if i%len(b.clusters) == last {
			down = append(down, tenants...)
		} else {
			up = append(up, tenants...)
		}
	}
	window := 2 * b.duration // few clients have few latencies
	quiet, err := b.load(ctx, b.many, up, neighboursOfCell, neighbourPause, window)
	if err != nil {
		return nil, err
	}
	if err := b.clusters[last].server.Stop(ctx); err != nil {
		return nil, err
	}
	var meanwhile, refused strategies.Result
	both, limited := errgroup.WithContext(ctx)
	both.Go(func() (err error) {
		meanwhile, err = b.load(limited, b.many, up, neighboursOfCell, neighbourPause, window)
		return err
	})
	both.Go(func() (err error) {
		refused, err = b.refused(limited, down, window)
		return err
	})
	if err := both.Wait(); err != nil {
		return nil, err
	}
	if err := b.startCluster(ctx, last); err != nil {
		return nil, err
	}
	if err := b.ready(ctx); err != nil {
		return nil, err
	}
	var figures []figure
	for _, q := range []float64{0.5, 0.99} {
		before, after := quiet.Quantile(q).Seconds()*1000, meanwhile.Quantile(q).Seconds()*1000
		name := fmt.Sprintf("p%.0f of the other cells", 100*q)
		figures = append(figures, figure{name + ", ms", "%.1f", before}, figure{name + " meanwhile, ms", "%.1f", after},
			figure{name + ": meanwhile, of that before", "%.2f", after / before})
	}
	return append(figures,
		figure{"requests of the other cells that were refused for now", "%.0f", float64(meanwhile.GaveUp)},
		figure{"answers 503/s to clients of the cells that are down", "%.0f", refused.Rate()},
		figure{"p99 of these, ms", "%.1f", refused.Quantile(0.99).Seconds() * 1000}), nil
}

// refused asks for tenants of cells that are down. Each answer has to be 503.
func (b *cellBench) refused(ctx context.Context, tenants []bookable, window time.Duration) (strategies.Result, error) {
	return b.drive(ctx, b.many, tenants, callersOfDown, neighbourPause, window, http.StatusServiceUnavailable)
}

// idle watches the servers and the databases while nobody asks for anything.
func (b *cellBench) idle(ctx context.Context) ([]figure, error) {
	if err := pause(ctx, min(idlePause, b.size.idle)); err != nil {
		return nil, err
	}
	meters := []func() time.Duration{cpuOf(b.one.PID()), cpuOf(b.many.PID())}
	for _, c := range b.clusters {
		meters = append(meters, func() time.Duration { return databaseCPU(c.postmaster) })
	}
	used := make([]time.Duration, len(meters))
	began := time.Now()
	for i, meter := range meters {
		used[i] = -meter()
	}
	if err := pause(ctx, b.size.idle); err != nil {
		return nil, err
	}
	for i, meter := range meters {
		used[i] += meter()
	}
	percent := func(d time.Duration) float64 { return 100 * d.Seconds() / time.Since(began).Seconds() }
	var databases time.Duration
	for _, d := range used[2:] {
		databases += d
	}
	return []figure{
		{"a server with one database, % of a core", "%.2f", percent(used[0])},
		{fmt.Sprintf("a server with %d cells, %% of a core", len(b.cells)), "%.2f", percent(used[1])},
		{"all databases, % of a core", "%.2f", percent(databases)},
	}, nil
}

func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
