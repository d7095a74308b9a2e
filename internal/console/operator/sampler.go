package operator

import (
	"context"
	"fmt"
	"log/slog"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql"

	rules "holdfast/deploy/prometheus"
)

const (
	// sampleEvery is the time between two samples: what Prometheus usually has.
	sampleEvery = 15 * time.Second
	// shown is how long ago a plot begins.
	shown = time.Hour
	// maxSamples and maxLines bound the memory of the plots: at most 46 KB for one, and usually 2 KB.
	maxSamples = int(shown/sampleEvery) + 1
	maxLines   = 24
)

// Sampler keeps the figures of alerts of the last hour, from the server's own metrics. It begins with the server and
// not with the first look: whoever is called at night looks when it has happened. Every 15 seconds it reads the
// registry and evaluates the alerts, as Prometheus does. It is safe for concurrent use.
type Sampler struct {
	from   prometheus.Gatherer
	log    *slog.Logger
	plots  []plot
	engine *promql.Engine

	mu      sync.Mutex
	samples *samples
	times   []time.Time // of the values, the oldest first
	lines   [][]*curve  // by plot
	says    []string    // by plot, what the alert says; empty while nothing raises it
}

// NewSampler returns a sampler of a registry.
func NewSampler(from prometheus.Gatherer, log *slog.Logger) *Sampler {
	plots, err := readPlots(rules.Rules)
	if err != nil {
		panic(err) // tests have read the file
	}
	return newSampler(from, log, plots)
}

func newSampler(from prometheus.Gatherer, log *slog.Logger, plots []plot) *Sampler {
	return &Sampler{
		from:  from,
		log:   log,
		plots: plots,
		engine: promql.NewEngine(promql.EngineOpts{
			MaxSamples: 5_000_000, Timeout: 5 * time.Second, LookbackDelta: lookback, Parser: promQL,
		}),
		samples: newSamples(plots),
		lines:   make([][]*curve, len(plots)),
		says:    make([]string, len(plots)),
	}
}

// Run takes samples until ctx ends.
func (s *Sampler) Run(ctx context.Context) {
	tick := time.NewTicker(sampleEvery)
	defer tick.Stop()
	for {
		s.Sample(time.Now())
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// Sample reads the metrics as they are now. A metric that can't be read is left out.
func (s *Sampler) Sample(now time.Time) {
	families, err := s.from.Gather()
	if err != nil {
		s.log.Warn("some metrics can't be read for the operator's console", "error", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.samples.add(families, now)
	s.times = append(s.times, now)
	for i, p := range s.plots {
		if err := s.look(i, p, now); err != nil {
			s.log.Warn("an alert can't be evaluated for the operator's console", "alert", p.Alert, "error", err)
		}
	}
	s.forget()
}

// look adds the values of a plot.
func (s *Sampler) look(i int, p plot, now time.Time) error {
	values, err := s.evaluate(p.figure, now)
	if err != nil {
		return err
	}
	beyond := p.figure == "" || p.besides
	for _, v := range values {
		beyond = beyond || p.beyond(v.F)
		name := lineOf(v.Metric)
		at := slices.IndexFunc(s.lines[i], func(known *curve) bool { return known.Name == name })
		if at < 0 && len(s.lines[i]) == maxLines || math.IsNaN(v.F) {
			continue
		}
		if at < 0 {
			at = len(s.lines[i])
			s.lines[i] = append(s.lines[i], &curve{Name: name})
		}
		one := s.lines[i][at]
		one.pad(len(s.times) - 1)
		one.Values = append(one.Values, v.F)
	}
	var raised promql.Vector
	if beyond {
		if raised, err = s.evaluate(p.raised, now); err != nil {
			return err
		}
	}
	s.says[i], err = p.says(raised, now)
	return err
}

// evaluate returns the values of an expression.
func (s *Sampler) evaluate(expr string, now time.Time) (promql.Vector, error) {
	if expr == "" {
		return nil, nil
	}
	q, err := s.engine.NewInstantQuery(context.Background(), s.samples, nil, expr, now)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", expr, err)
	}
	defer q.Close()
	values, err := q.Exec(context.Background()).Vector()
	return slices.Clone(values), err
}

// lineOf names the line of a set of labels.
func lineOf(of labels.Labels) string {
	var parts []string
	of.Range(func(l labels.Label) {
		if l.Name != model.MetricNameLabel && l.Value != "" {
			parts = append(parts, l.Value)
		}
	})
	return strings.Join(parts, " ")
}

// forget drops the values that are too many, and lines that have none left.
func (s *Sampler) forget() {
	drop := max(len(s.times)-maxSamples, 0)
	s.times = slices.Delete(s.times, 0, drop)
	for i := range s.lines {
		for _, one := range s.lines[i] {
			one.pad(len(s.times) + drop)
			one.Values = slices.Delete(one.Values, 0, drop)
		}
		s.lines[i] = slices.DeleteFunc(s.lines[i], func(one *curve) bool {
			return !slices.ContainsFunc(one.Values, func(v float64) bool { return !math.IsNaN(v) })
		})
	}
}

// curve is a line of a plot.
type curve struct {
	Name   string
	Values []float64 // NaN where nothing is known
}

// pad adds what is missing before a value.
func (c *curve) pad(to int) {
	for len(c.Values) < to {
		c.Values = append(c.Values, math.NaN())
	}
}

// plotted is a plot with what is known of it.
type plotted struct {
	plot

	Help   string // what the metric is
	Says   string // of the alert, if something raises it
	curves []curve
}

// recent returns the times of the last hour, and what is known of each plot.
func (s *Sampler) recent() (times []time.Time, plots []plotted) {
	s.mu.Lock()
	defer s.mu.Unlock()
	first := 0
	if n := len(s.times); n > 0 {
		begin := s.times[n-1].Add(-shown)
		first = max(slices.IndexFunc(s.times, func(t time.Time) bool { return !t.Before(begin) }), 0)
	}
	for i, p := range s.plots {
		one := plotted{plot: p, Help: s.samples.help[p.metric], Says: s.says[i]}
		for _, line := range s.lines[i] {
			one.curves = append(one.curves, curve{Name: line.Name, Values: slices.Clone(line.Values[first:])})
		}
		slices.SortFunc(one.curves, p.compare)
		plots = append(plots, one)
	}
	return slices.Clone(s.times[first:]), plots
}
