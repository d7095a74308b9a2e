package operator

import (
	"fmt"
	"log/slog"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/value"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	rules "holdfast/deploy/prometheus"
)

var begin = time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

// plotsOf reads plots.
func plotsOf(t *testing.T, text []byte) []plot {
	t.Helper()
	plots, err := readPlots(text)
	require.NoError(t, err)
	return plots
}

// samplerOf returns a sampler for an alert alone.
func samplerOf(t *testing.T, from prometheus.Gatherer, alert string) *Sampler {
	t.Helper()
	others := func(p plot) bool { return p.Alert != alert }
	return newSampler(from, quiet(), slices.DeleteFunc(plotsOf(t, rules.Rules), others))
}

// of returns what is known of an alert.
func of(t *testing.T, s *Sampler, alert string) plotted {
	t.Helper()
	_, plots := s.recent()
	at := slices.IndexFunc(plots, func(p plotted) bool { return p.Alert == alert })
	require.GreaterOrEqual(t, at, 0, alert)
	return plots[at]
}

func last(c curve) float64 { return c.Values[len(c.Values)-1] }

func TestPlots_EachAlertHasOne_OrAReasonToHaveNone(t *testing.T) {
	t.Parallel()
	plots := plotsOf(t, rules.Rules)
	require.Len(t, plots, strings.Count(string(rules.Rules), "- alert: "))
	without := maps.Clone(notPlotted)
	for _, p := range plots {
		require.Equal(t, p.figure == "", without[p.Alert] != "", "%s has a plot or a reason to have none", p.Alert)
		require.Equal(t, without[p.Alert], p.Why, p.Alert)
		delete(without, p.Alert)
		require.NotEmpty(t, p.summary, p.Alert)
		if p.figure != "" {
			require.NotEmpty(t, p.metric, p.Alert)
			require.NotEmpty(t, p.selectors, p.Alert)
		}
	}
	require.Empty(t, without, "reasons for alerts that aren't there")
}

// ruleFile has an alert with an expression.
func ruleFile(expr string) []byte {
	return fmt.Appendf(nil,
		"groups: [{name: holdfast-new-things, rules: [{alert: HoldfastTooMany, expr: %q, annotations: {summary: %q}}]}]",
		expr, `{{ $value }} of {{ $labels.kind }}{{ with $labels.cell }} in {{ . }}{{ end }} on {{ $labels.instance }}.`)
}

func TestPlots_OfANewAlert_AreReadFromItsExpression(t *testing.T) {
	t.Parallel()
	for expr, want := range map[string]struct{ figure, raised, shown string }{
		"max by (job) (a) > 5":              {"max by (job) (a)", "alert above 5", "7"},
		"sum(increase(a_total[5m])) > 0":    {"sum(increase(a_total[5m]))", "alert if there is one", "7"},
		"sum(rate(a_total[5m])) >= 0.5":     {"sum(rate(a_total[5m]))", "alert at 0.5 a second", "7 a second"},
		"a / b > 0.25":                      {"(a or 0 * (b)) / (b)", "alert above 25 %", "700 %"},
		"a / on (c) b > 0.25":               {"a / on (c) b", "alert above 25 %", "700 %"},
		"a == 0":                            {"a", "alert at 0", "7"},
		"a_seconds < 90":                    {"a_seconds", "alert below 1 min 30 s", "7 s"},
		"time() - a > 60 or absent(a)":      {"time() - a", "alert above 1 min", "7 s"},
		"(max(a_seconds) > 5) and b > 1":    {"max(a_seconds)", "alert above 5 s", "7 s"},
		"a > 5 or b unless a":               {"(a > 5 or b unless a) or (a)", "alert above 5", "7"},
		"a > b":                             {},
		"absent(a)":                         {},
		"histogram_quantile(0.9, a_bucket)": {},
		"histogram_quantile(0.9, sum by (le) (rate(a_seconds_bucket[1m]))) > 2": {
			"histogram_quantile(0.9, sum by (le) (rate(a_seconds_bucket[1m])))", "alert above 2 s", "7 s",
		},
	} {
		p := plotsOf(t, ruleFile(expr))[0]
		require.Equal(t, want.figure, p.figure, expr)
		require.Equal(t, [2]string{"Too many", "New things"}, [2]string{p.Title, p.Section})
		if want.figure == "" {
			require.Equal(t, "it compares nothing with a number", p.Why, expr)
			continue
		}
		require.Equal(t, [2]string{want.raised, want.shown}, [2]string{p.Raised(), p.unit.text(7)}, expr)
	}
	_, err := readPlots(ruleFile("a >"))
	require.ErrorContains(t, err, "HoldfastTooMany")
	_, err = readPlots([]byte("groups: 5"))
	require.Error(t, err)
}

func TestSampler_AnAlertWithoutAPlot_IsEvaluatedNevertheless(t *testing.T) {
	t.Parallel()
	registry := prometheus.NewRegistry()
	s := newSampler(registry, quiet(), plotsOf(t, ruleFile("a > on (kind, cell) b")))
	a := promauto.With(registry).NewGaugeVec(prometheus.GaugeOpts{Name: "a"}, []string{"kind", "cell"})
	b := promauto.With(registry).NewGaugeVec(prometheus.GaugeOpts{Name: "b"}, []string{"kind", "cell"})
	for i, kind := range []string{"one", "two", "three"} {
		a.WithLabelValues(kind, "").Set(float64(i))
		b.WithLabelValues(kind, "").Set(.5)
	}
	s.Sample(begin)
	require.Equal(t, "2 of three on ….", of(t, s, "HoldfastTooMany").Says, "the worst one, by its labels")
	a.Reset()
	s.Sample(begin.Add(sampleEvery))
	require.Empty(t, of(t, s, "HoldfastTooMany").Says)
}

// ruleTests are tests of promtool.
type ruleTests struct {
	Tests []struct {
		Interval    model.Duration
		InputSeries []struct{ Series, Values string } `yaml:"input_series"`
		Cases       []struct {
			EvalTime  model.Duration  `yaml:"eval_time"`
			AlertName string          `yaml:"alertname"`
			Expected  []expectedAlert `yaml:"exp_alerts"`
		} `yaml:"alert_rule_test"`
	}
}

type expectedAlert struct {
	Labels      map[string]string `yaml:"exp_labels"`
	Annotations map[string]string `yaml:"exp_annotations"`
}

// seriesAt are made-up series: what a registry has of them at a moment.
type seriesAt struct {
	series []labels.Labels
	values [][]parser.SequenceValue
	at     int
}

// Gather returns the series that have a value.
func (s *seriesAt) Gather() (found []*dto.MetricFamily, err error) {
	for i, of := range s.series {
		if s.at >= len(s.values[i]) || s.values[i][s.at].Omitted || value.IsStaleNaN(s.values[i][s.at].Value) {
			continue
		}
		name := of.Get(model.MetricNameLabel)
		one := &dto.Metric{Gauge: &dto.Gauge{Value: &s.values[i][s.at].Value}}
		of.Range(func(l labels.Label) {
			if l.Name != model.MetricNameLabel {
				one.Label = append(one.Label, &dto.LabelPair{Name: &l.Name, Value: &l.Value})
			}
		})
		found = append(found, &dto.MetricFamily{Name: &name, Metric: []*dto.Metric{one}})
	}
	return found, nil
}

func TestSampler_SaysOfTheSeriesOfPromtoolsTests_WhatTheyExpect(t *testing.T) {
	t.Parallel()
	var durations struct {
		Groups []struct {
			Rules []struct {
				Alert string
				For   model.Duration
			}
		}
	}
	require.NoError(t, yaml.Unmarshal(rules.Rules, &durations))
	waits := make(map[string]time.Duration)
	for _, group := range durations.Groups {
		for _, rule := range group.Rules {
			waits[rule.Alert] = time.Duration(rule.For)
		}
	}
	names, err := filepath.Glob("../../../deploy/prometheus/tests/*.yml")
	require.NoError(t, err)
	tested := make(map[string]bool)
	for _, name := range names {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		var file ruleTests
		require.NoError(t, yaml.Unmarshal(text, &file))
		for _, test := range file.Tests {
			var made seriesAt
			for _, input := range test.InputSeries {
				of, values, err := promQL.ParseSeriesDesc(input.Series + " " + input.Values)
				require.NoError(t, err, input.Series)
				made.series, made.values = append(made.series, of), append(made.values, values)
			}
			for _, c := range test.Cases {
				absent := len(c.Expected) > 0 && c.Expected[0].Labels["job"] == "" // which raises the alert
				if notPlotted[c.AlertName] != "" || absent {
					continue
				}
				tested[c.AlertName] = true
				s := samplerOf(t, &made, c.AlertName)
				var since time.Time
				for made.at = 0; time.Duration(made.at)*time.Duration(test.Interval) <= time.Duration(c.EvalTime); made.at++ {
					now := time.Unix(0, 0).Add(time.Duration(made.at) * time.Duration(test.Interval))
					if s.Sample(now); of(t, s, c.AlertName).Says == "" {
						since = time.Time{}
					} else if since.IsZero() {
						since = now
					}
				}
				says := of(t, s, c.AlertName)
				raised := !since.IsZero() &&
					time.Unix(0, 0).Add(time.Duration(c.EvalTime)).Sub(since) >= waits[c.AlertName]
				require.Equal(t, len(c.Expected) > 0, raised, "%s after %s: %q", c.AlertName, c.EvalTime, says.Says)
				if raised {
					require.NotEmpty(t, says.curves, c.AlertName)
					require.True(t, slices.ContainsFunc(c.Expected, func(e expectedAlert) bool {
						return e.Annotations["summary"] == says.Says
					}), "%s says %q", c.AlertName, says.Says)
				}
			}
		}
	}
	for _, p := range plotsOf(t, rules.Rules) {
		require.Equal(t, p.figure != "", tested[p.Alert], p.Alert)
	}
}

func TestSampler_Counters_GrowWithinTheWindowAlone(t *testing.T) {
	t.Parallel()
	registry := prometheus.NewRegistry()
	s := NewSampler(registry, quiet())
	timeouts := promauto.With(registry).NewCounterVec(prometheus.CounterOpts{
		Name: "holdfast_lock_timeouts_total",
	}, []string{"kind"})
	timeouts.WithLabelValues("balance").Add(5)
	timeouts.WithLabelValues("dates").Add(5)
	s.Sample(begin)
	require.Empty(t, of(t, s, "HoldfastLockTimeouts").curves, "one sample says nothing of growth")
	timeouts.WithLabelValues("dates").Add(2)
	at := begin
	for range 40 {
		at = at.Add(sampleEvery)
		s.Sample(at)
	}
	found := of(t, s, "HoldfastLockTimeouts").curves
	require.Equal(t, []string{"dates", "balance"}, []string{found[0].Name, found[1].Name}, "the worst first")
	require.InDelta(t, 2, found[0].Values[20], .1)
	require.InDelta(t, 0, last(found[0]), 0, "ten minutes later it is forgotten")
	require.InDelta(t, 0, last(found[1]), 0)
	for _, of := range s.samples.series["holdfast_lock_timeouts_total"] {
		require.Len(t, of.Floats, 40, "no more samples are kept than the alert looks back at")
	}
}

func TestSampler_SlowRequests_AreThoseOfTheAlert(t *testing.T) {
	t.Parallel()
	registry := prometheus.NewRegistry()
	s := NewSampler(registry, quiet())
	took := promauto.With(registry).NewHistogramVec(prometheus.HistogramOpts{
		Name: "holdfast_http_request_duration_seconds", Help: "How long.", Buckets: []float64{1, 2, 4},
	}, []string{"method", "route", "status"})
	sample := func(from, to int) {
		for i := from; i <= to; i++ {
			took.WithLabelValues("POST", "/v1/bookings", "201").Observe(3)
			took.WithLabelValues("POST", "/v1/bookings/:id/payments", "201").Observe(9)
			took.WithLabelValues("GET", "/readyz", "503").Observe(9)
			s.Sample(begin.Add(time.Duration(i) * sampleEvery))
		}
	}
	sample(0, 10)
	slow, failed := of(t, s, "HoldfastRequestsSlow"), of(t, s, "HoldfastErrorRateHigh")
	require.Equal(t, "How long.", slow.Help)
	require.InDelta(t, 3.98, last(slow.curves[0]), 1e-9, "the 99th percentile between 2 and 4")
	require.Equal(t, "One request in a hundred takes 3.98s or longer.", slow.Says)
	require.Empty(t, failed.Says)
	require.InDelta(t, 0, last(failed.curves[0]), 0, "no request has failed yet")
	took.WithLabelValues("GET", "/v1/bookings", "500").Observe(.1)
	sample(11, 11)
	internal := of(t, s, "HoldfastInternalErrors")
	require.Equal(t, "/v1/bookings answered with 500 internal_error.", internal.Says, "by the first one")
	require.InDelta(t, 1, last(internal.curves[0]), 0)
	s.Sample(begin.Add(20 * time.Minute))
	slow = of(t, s, "HoldfastRequestsSlow")
	require.True(t, math.IsNaN(last(slow.curves[0])), "without requests there is no percentile")
	for name := range s.samples.series {
		require.NotEqual(t, "holdfast_http_request_duration_seconds_sum", name, "what no alert reads isn't kept")
	}
}

func TestSampler_ATimeThatWasNotSetYet_IsLeftOut(t *testing.T) {
	t.Parallel()
	registry := prometheus.NewRegistry()
	s := NewSampler(registry, quiet())
	counted := promauto.With(registry).NewGauge(prometheus.GaugeOpts{Name: "holdfast_events_sampled_timestamp_seconds"})
	s.Sample(begin)
	require.Empty(t, of(t, s, "HoldfastEventsNotCounted").curves)
	counted.Set(float64(begin.Unix()))
	s.Sample(begin.Add(200 * time.Second))
	found := of(t, s, "HoldfastEventsNotCounted")
	require.InDelta(t, 200, last(found.curves[0]), 0)
	require.NotEmpty(t, found.Says)
}

func TestSampler_Gauges_OfCellsAreLinesOfTheirOwn_AndThoseThatEndLeaveAGap(t *testing.T) {
	t.Parallel()
	registry := prometheus.NewRegistry()
	s := NewSampler(registry, quiet())
	ready := promauto.With(registry).NewGaugeVec(prometheus.GaugeOpts{Name: "holdfast_ready"}, []string{"cell"})
	ready.WithLabelValues("eu1").Set(1)
	ready.WithLabelValues("eu2").Set(0)
	s.Sample(begin)
	ready.DeleteLabelValues("eu1")
	s.Sample(begin.Add(15 * time.Second))
	found := of(t, s, "HoldfastServerNotReady").curves
	require.Equal(t, []string{"eu2", "eu1"}, []string{found[0].Name, found[1].Name})
	require.True(t, math.IsNaN(last(found[1])))
	require.InDelta(t, 1, found[1].Values[0], 0)
}

func TestSampler_KeepsABoundedNumberOfSamplesAndLines(t *testing.T) {
	t.Parallel()
	registry := prometheus.NewRegistry()
	s := samplerOf(t, registry, "HoldfastEventsDead")
	dead := promauto.With(registry).NewGaugeVec(prometheus.GaugeOpts{Name: "holdfast_events_dead"}, []string{"kind"})
	for i := range 3 * maxSamples {
		if i < 2*maxLines {
			dead.WithLabelValues(fmt.Sprint("kind", i)).Set(1)
		}
		if i == maxSamples {
			dead.Reset()
			dead.WithLabelValues("late").Set(2)
		}
		s.Sample(begin.Add(time.Duration(i) * sampleEvery))
	}
	require.Len(t, s.times, maxSamples)
	times, _ := s.recent()
	require.Len(t, times, maxSamples)
	found := of(t, s, "HoldfastEventsDead").curves
	require.Len(t, found, 1, "lines without samples make room")
	require.Equal(t, "late", found[0].Name)
	require.Len(t, s.samples.series["holdfast_events_dead"], 1, "so do series")
	for _, all := range s.lines {
		require.LessOrEqual(t, len(all), maxLines)
		for _, one := range all {
			require.Len(t, one.Values, maxSamples)
			require.LessOrEqual(t, cap(one.Values), 2*maxSamples)
		}
	}
}

func TestDraw_KeepsTheLimitInSight_AndBreaksLinesWhereNothingIsKnown(t *testing.T) {
	t.Parallel()
	p := plot{Limit: 10}
	times := []time.Time{begin, begin.Add(30 * time.Minute), begin.Add(time.Hour)}
	d := p.draw(times, []curve{{Values: []float64{1, math.NaN(), 5}}})
	require.Equal(t, "20", d.Limit)
	require.Equal(t, []string{"0,92 0,92", "399,60 400,60"}, d.Lines[0].Parts)
	require.Equal(t, "0", p.draw(times, []curve{{Values: []float64{math.Inf(1), -3, 2}}}).Lines[0].Parts[0][2:3])
	require.Empty(t, plot{}.draw(nil, nil).Limit)
	require.Equal(t, "100", plot{Below: true}.draw(nil, nil).Limit)
}

func TestLasted_IsWrittenAsPeopleReadIt(t *testing.T) {
	t.Parallel()
	for ms, want := range map[int64]string{
		0: "0 s", 40: "0.04 s", 1509: "1.51 s", 59_999: "60 s", 60_000: "1 min", 74_030: "1 min 14 s",
		180_000: "3 min", 7_260_000: "2 h 1 min",
	} {
		require.Equal(t, want, lasted(ms))
	}
}
