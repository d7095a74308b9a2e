package operator

import (
	"context"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/value"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/storage"
	"github.com/prometheus/prometheus/util/annotations"
)

// lookback is for how long the newest sample of a series is its value, as in Prometheus.
const lookback = 5 * time.Minute

// samples are the newest samples of the series that expressions read, each for as long as they look back. Prometheus'
// engine reads them.
type samples struct {
	selectors map[string][]selector            // by metric
	series    map[string]map[string]*oneSeries // by metric and labels
	help      map[string]string                // by metric
}

// oneSeries are the samples of a series.
type oneSeries struct {
	promql.Series

	back time.Duration
}

func newSamples(plots []plot) *samples {
	s := &samples{
		selectors: make(map[string][]selector), series: make(map[string]map[string]*oneSeries),
		help: make(map[string]string),
	}
	for _, p := range plots {
		for _, one := range p.selectors {
			s.selectors[one.metric] = append(s.selectors[one.metric], one)
		}
	}
	return s
}

// add takes the values of metrics as they are now, and forgets those at which nothing looks back.
func (s *samples) add(families []*dto.MetricFamily, now time.Time) {
	at := now.UnixMilli()
	for _, f := range families {
		for _, m := range f.GetMetric() {
			put := func(suffix, le string, v float64) { s.put(f, m, suffix, le, promql.FPoint{T: at, F: v}) }
			switch {
			case m.GetCounter() != nil:
				put("", "", m.GetCounter().GetValue())
			case m.GetGauge() != nil:
				put("", "", m.GetGauge().GetValue())
			case m.GetHistogram() != nil:
				h := m.GetHistogram()
				for _, b := range h.GetBucket() {
					put("_bucket", strconv.FormatFloat(b.GetUpperBound(), 'g', -1, 64), float64(b.GetCumulativeCount()))
				}
				put("_bucket", "+Inf", float64(h.GetSampleCount()))
				put("_count", "", float64(h.GetSampleCount()))
				put("_sum", "", h.GetSampleSum())
			}
		}
	}
	for _, of := range s.series {
		for key, one := range of {
			one.end(at)
			old := func(p promql.FPoint) bool { return p.T <= at-one.back.Milliseconds() }
			if one.Floats = slices.DeleteFunc(one.Floats, old); len(one.Floats) == 0 {
				delete(of, key)
			}
		}
	}
}

// end says of a series that it is no longer there, if it isn't.
func (s *oneSeries) end(at int64) {
	if last := s.Floats[len(s.Floats)-1]; last.T != at && !value.IsStaleNaN(last.F) {
		s.Floats = append(s.Floats, promql.FPoint{T: at, F: math.Float64frombits(value.StaleNaN)})
	}
}

// put adds a sample if an expression reads its series.
func (s *samples) put(f *dto.MetricFamily, m *dto.Metric, suffix, le string, p promql.FPoint) {
	name := f.GetName() + suffix
	unset := p.F == 0 && strings.HasSuffix(name, "_timestamp_seconds")
	if s.selectors[name] == nil || unset {
		return
	}
	all := []labels.Label{{Name: model.MetricNameLabel, Value: name}}
	for _, l := range m.GetLabel() {
		all = append(all, labels.Label{Name: l.GetName(), Value: l.GetValue()})
	}
	if le != "" {
		all = append(all, labels.Label{Name: labels.BucketLabel, Value: le})
	}
	of := labels.New(all...)
	key := string(of.Bytes(nil))
	one := s.series[name][key]
	if one == nil {
		back := s.back(name, of)
		if back == 0 {
			return
		}
		if s.series[name] == nil {
			s.series[name], s.help[name] = make(map[string]*oneSeries), f.GetHelp()
		}
		one = &oneSeries{Series: promql.Series{Metric: of}, back: back}
		s.series[name][key] = one
	}
	one.Floats = append(one.Floats, p)
}

// back returns for how long expressions look back at a series; 0 if none reads it.
func (s *samples) back(name string, of labels.Labels) (longest time.Duration) {
	for _, one := range s.selectors[name] {
		if matches(of, one.matchers) {
			longest = max(longest, one.back)
		}
	}
	return longest
}

func matches(of labels.Labels, matchers []*labels.Matcher) bool {
	return !slices.ContainsFunc(matchers, func(m *labels.Matcher) bool { return !m.Matches(of.Get(m.Name)) })
}

// Querier returns what Prometheus' engine reads the samples by.
func (s *samples) Querier(_, _ int64) (storage.Querier, error) {
	return querier{Querier: storage.NoopQuerier(), samples: s}, nil
}

// querier reads samples. The engine asks it for nothing but series.
type querier struct {
	storage.Querier

	samples *samples
}

// Select returns the series that match.
func (q querier) Select(
	_ context.Context, _ bool, _ *storage.SelectHints, matchers ...*labels.Matcher,
) storage.SeriesSet {
	set := &found{}
	for _, m := range matchers {
		if m.Name != model.MetricNameLabel || m.Type != labels.MatchEqual {
			continue
		}
		for _, one := range q.samples.series[m.Value] {
			if matches(one.Metric, matchers) {
				set.series = append(set.series, one.Series)
			}
		}
	}
	return set
}

// found are series that match.
type found struct {
	series []promql.Series
	next   int
}

// Next moves to the next series.
func (f *found) Next() bool {
	f.next++
	return f.next <= len(f.series)
}

// At returns the series.
func (f *found) At() storage.Series { return promql.NewStorageSeries(f.series[f.next-1]) }

// Err returns nil: all is in memory.
func (f *found) Err() error { return nil }

// Warnings returns none.
func (f *found) Warnings() annotations.Annotations { return nil }
