package operator

import (
	"context"
	"log/slog"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

const (
	// sampleEvery is the time between two samples: what Prometheus usually has.
	sampleEvery = 15 * time.Second
	// shown is how long ago a plot begins, and kept how long ago the oldest sample may be: rates look back at most half an hour.
	shown = time.Hour
	kept  = shown + 30*time.Minute
	// maxSamples and maxSeries bound the memory: two numbers for each sample of each series, so at most 140 KB for a plot and usually 6 KB.
	maxSamples = int(kept / sampleEvery)
	maxSeries  = 24
)

// Sampler keeps figures of the server's own metrics of the last hour. It begins with the server and not with the first look: whoever is
// called at night looks when it has happened. A sample reads the registry as Prometheus does, every 15 seconds, which takes a server some
// milliseconds a minute. It is safe for concurrent use.
type Sampler struct {
	from prometheus.Gatherer
	log  *slog.Logger

	mu     sync.Mutex
	times  []time.Time // of the samples, the oldest first
	series [][]*series // by plot
}

// series are the samples of one line of a plot: NaN where there was none.
type series struct {
	name string
	// n is what is plotted, and of what it is a share of: see plot.
	n, of []float64
}

// NewSampler returns a sampler of a registry.
func NewSampler(from prometheus.Gatherer, log *slog.Logger) *Sampler {
	return &Sampler{from: from, log: log, series: make([][]*series, len(plots))}
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

// figure is a metric's value for a set of labels.
type figure struct {
	labels map[string]string
	value  float64 // of a gauge or a counter; how many observations a histogram has
	// below returns how many observations of a histogram are at most a bound of one of its buckets.
	below func(bound float64) float64
}

// Sample reads the metrics as they are now. A metric that can't be read is left out.
func (s *Sampler) Sample(now time.Time) {
	figures, err := s.read()
	if err != nil {
		s.log.Warn("some metrics can't be read for the operator's console", "error", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.times = append(s.times, now)
	for i, p := range plots {
		for name, v := range p.read(figures) {
			at := slices.IndexFunc(s.series[i], func(known *series) bool { return known.name == name })
			if at < 0 && len(s.series[i]) == maxSeries {
				continue
			}
			if at < 0 {
				at = len(s.series[i])
				s.series[i] = append(s.series[i], &series{name: name})
			}
			one := s.series[i][at]
			one.pad(len(s.times) - 1)
			one.n, one.of = append(one.n, v.n), append(one.of, v.of)
		}
	}
	s.forget()
}

// pad adds what is missing before a sample.
func (s *series) pad(to int) {
	for len(s.n) < to {
		s.n, s.of = append(s.n, math.NaN()), append(s.of, math.NaN())
	}
}

// forget drops the samples that are too many, and lines that have none left.
func (s *Sampler) forget() {
	drop := max(len(s.times)-maxSamples, 0)
	s.times = slices.Delete(s.times, 0, drop)
	for i := range s.series {
		for _, one := range s.series[i] {
			one.pad(len(s.times) + drop)
			one.n, one.of = slices.Delete(one.n, 0, drop), slices.Delete(one.of, 0, drop)
		}
		s.series[i] = slices.DeleteFunc(s.series[i], func(one *series) bool {
			return !slices.ContainsFunc(one.n, func(n float64) bool { return !math.IsNaN(n) })
		})
	}
}

// read returns the figures of the metrics that are plotted, by the metrics' names.
func (s *Sampler) read() (map[string][]figure, error) {
	families, err := s.from.Gather()
	found := make(map[string][]figure)
	for _, f := range families {
		if !plotted(f.GetName()) {
			continue
		}
		for _, m := range f.GetMetric() {
			one := figure{labels: make(map[string]string, len(m.GetLabel()))}
			for _, l := range m.GetLabel() {
				one.labels[l.GetName()] = l.GetValue()
			}
			switch {
			case m.GetCounter() != nil:
				one.value = m.GetCounter().GetValue()
			case m.GetGauge() != nil:
				one.value = m.GetGauge().GetValue()
			case m.GetHistogram() != nil:
				h := m.GetHistogram()
				one.value = float64(h.GetSampleCount())
				one.below = func(bound float64) float64 {
					for _, b := range h.GetBucket() {
						if b.GetUpperBound() >= bound {
							return float64(b.GetCumulativeCount())
						}
					}
					return one.value
				}
			}
			found[f.GetName()] = append(found[f.GetName()], one)
		}
	}
	return found, err
}

// curve is a line of a plot.
type curve struct {
	Name   string
	Values []float64 // NaN where nothing is known
}

// recent returns the times of the last hour, and the lines of each plot.
func (s *Sampler) recent() (times []time.Time, curves [][]curve) {
	s.mu.Lock()
	defer s.mu.Unlock()
	first := 0
	if n := len(s.times); n > 0 {
		begin := s.times[n-1].Add(-shown)
		first = max(slices.IndexFunc(s.times, func(t time.Time) bool { return !t.Before(begin) }), 0)
	}
	curves = make([][]curve, len(plots))
	for i, p := range plots {
		for _, one := range s.series[i] {
			line := curve{Name: one.name}
			for at := first; at < len(s.times); at++ {
				line.Values = append(line.Values, p.value(one, s.times, at))
			}
			curves[i] = append(curves[i], line)
		}
		slices.SortFunc(curves[i], p.compare)
	}
	return slices.Clone(s.times[first:]), curves
}
