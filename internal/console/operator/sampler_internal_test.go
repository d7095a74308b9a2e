package operator

import (
	"fmt"
	"log/slog"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

var begin = time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)

// rules returns the expressions of all alerts by their names.
func rules(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile("../../../deploy/prometheus/holdfast.rules.yml")
	require.NoError(t, err)
	var file struct {
		Groups []struct {
			Rules []struct{ Alert, Expr string }
		}
	}
	require.NoError(t, yaml.Unmarshal(text, &file))
	found := make(map[string]string)
	for _, group := range file.Groups {
		for _, rule := range group.Rules {
			found[rule.Alert] = rule.Expr
		}
	}
	return found
}

// notPlotted are the alerts without a plot, each with the reason.
var notPlotted = map[string]string{
	"HoldfastAllServersDown":     "a server that is down shows no page",
	"HoldfastServerDown":         "a server that is down shows no page",
	"HoldfastServerRestarts":     "a server knows nothing of what ran before it",
	"HoldfastCleanupStandsStill": "it looks back six hours, and at all servers",
	"HoldfastDeliveriesDead":     "its receivers are chosen by tenants, whom it concerns",
	"HoldfastTenantMoveStuck":    "moves are rare, and /readyz tells of one that isn't finished",
	"HoldfastTenantFails":        "it looks at tenants one by one; the errors of all have a plot",
}

func TestPlots_HaveTheMetricsAndTheLimitsOfTheAlerts(t *testing.T) {
	t.Parallel()
	expressions := rules(t)
	seen := make(map[string]bool)
	for _, p := range plots {
		require.NotEmpty(t, p.Title)
		require.NotEmpty(t, p.Help, p.Title)
		for i, alert := range p.Alerts {
			require.Contains(t, expressions, alert, p.Title)
			seen[alert] = true
			read := func(s source) bool { return strings.Contains(expressions[alert], s.metric) }
			require.True(t, slices.ContainsFunc(p.from, read), "%s reads none of the metrics of %s", p.Title, alert)
			if i > 0 { // the first alert of a plot gives the limit
				continue
			}
			limit := strconv.FormatFloat(p.Limit, 'f', -1, 64)
			switch {
			case p.unit == yesNo:
				require.Contains(t, expressions[alert], "== 0")
			case p.Reached:
				require.Contains(t, expressions[alert], ">= "+limit)
			case p.how == share && p.from[0].above > 0: // a percentile
				require.Contains(t, expressions[alert], "histogram_quantile("+strconv.FormatFloat(1-p.Limit, 'f', -1, 64)+",", p.Title)
				require.Contains(t, expressions[alert], "> "+strconv.FormatFloat(p.from[0].above, 'f', -1, 64))
			default:
				require.Contains(t, expressions[alert], "> "+limit, p.Title)
			}
			if p.window > 0 {
				require.Contains(t, expressions[alert], fmt.Sprintf("[%.0fm]", p.window.Minutes()), p.Title)
			}
		}
	}
	for alert := range expressions {
		require.NotEqual(t, seen[alert], notPlotted[alert] != "", "%s has a plot or a reason to have none", alert)
	}
}

// lines returns the line of a plot by the plot's first alert.
func lines(t *testing.T, s *Sampler, alert string) []curve {
	t.Helper()
	_, curves := s.recent()
	at := slices.IndexFunc(plots, func(p plot) bool { return p.Alerts[0] == alert })
	require.GreaterOrEqual(t, at, 0)
	return curves[at]
}

func last(c curve) float64 { return c.Values[len(c.Values)-1] }

func TestSampler_Counters_GrowWithinTheWindowAlone(t *testing.T) {
	t.Parallel()
	registry := prometheus.NewRegistry()
	s := NewSampler(registry, slog.New(slog.DiscardHandler))
	timeouts := promauto.With(registry).NewCounterVec(prometheus.CounterOpts{Name: "holdfast_lock_timeouts_total"}, []string{"kind"})
	timeouts.WithLabelValues("dates").Add(5)
	s.Sample(begin)
	require.InDelta(t, 5, last(lines(t, s, "HoldfastLockTimeouts")[0]), 0, "what came before the first sample came since the start")
	timeouts.WithLabelValues("dates").Inc()
	timeouts.WithLabelValues("balance").Inc()
	s.Sample(begin.Add(5 * time.Minute))
	found := lines(t, s, "HoldfastLockTimeouts")
	require.Equal(t, []string{"dates", "balance"}, []string{found[0].Name, found[1].Name}, "the worst first")
	require.InDelta(t, 6, last(found[0]), 0)
	require.InDelta(t, 1, last(found[1]), 0, "a series that is new has counted from 0")
	s.Sample(begin.Add(10 * time.Minute))
	require.InDelta(t, 1, last(lines(t, s, "HoldfastLockTimeouts")[0]), 0)
	s.Sample(begin.Add(16 * time.Minute))
	require.InDelta(t, 0, last(lines(t, s, "HoldfastLockTimeouts")[0]), 0)
}

func TestSampler_SlowOnes_AreAShareOfAll(t *testing.T) {
	t.Parallel()
	registry := prometheus.NewRegistry()
	s := NewSampler(registry, slog.New(slog.DiscardHandler))
	took := promauto.With(registry).NewHistogramVec(prometheus.HistogramOpts{
		Name: "holdfast_http_request_duration_seconds", Buckets: []float64{1, 2.5, 5},
	}, []string{"method", "route", "status"})
	for _, seconds := range []float64{.1, 2.5, 3, 9} {
		took.WithLabelValues("POST", "/v1/bookings", "201").Observe(seconds)
	}
	took.WithLabelValues("POST", "/v1/bookings/:id/payments", "201").Observe(9)
	took.WithLabelValues("GET", "/readyz", "503").Observe(9)
	s.Sample(begin)
	require.InDelta(t, .5, last(lines(t, s, "HoldfastRequestsSlow")[0]), 0)
	require.InDelta(t, 0, last(lines(t, s, "HoldfastErrorRateHigh")[0]), 0)
	took.WithLabelValues("GET", "/v1/bookings", "500").Observe(.1)
	s.Sample(begin.Add(15 * time.Second))
	require.InDelta(t, 1.0/6, last(lines(t, s, "HoldfastErrorRateHigh")[0]), 1e-9)
	s.Sample(begin.Add(6 * time.Minute))
	require.True(t, math.IsNaN(last(lines(t, s, "HoldfastRequestsSlow")[0])), "without requests there is no share")
}

func TestSampler_Gauges_OfCellsAreLinesOfTheirOwn_AndThoseThatEndLeaveAGap(t *testing.T) {
	t.Parallel()
	registry := prometheus.NewRegistry()
	s := NewSampler(registry, slog.New(slog.DiscardHandler))
	ready := promauto.With(registry).NewGaugeVec(prometheus.GaugeOpts{Name: "holdfast_ready"}, []string{"cell"})
	ready.WithLabelValues("eu1").Set(1)
	ready.WithLabelValues("eu2").Set(0)
	s.Sample(begin)
	ready.DeleteLabelValues("eu1")
	s.Sample(begin.Add(15 * time.Second))
	found := lines(t, s, "HoldfastServerNotReady")
	require.Equal(t, []string{"eu2", "eu1"}, []string{found[0].Name, found[1].Name})
	require.True(t, math.IsNaN(last(found[1])))
	require.InDelta(t, 1, found[1].Values[0], 0)
}

func TestSampler_KeepsABoundedNumberOfSamplesAndLines(t *testing.T) {
	t.Parallel()
	registry := prometheus.NewRegistry()
	s := NewSampler(registry, slog.New(slog.DiscardHandler))
	dead := promauto.With(registry).NewGaugeVec(prometheus.GaugeOpts{Name: "holdfast_events_dead"}, []string{"kind"})
	for i := range 3 * maxSamples {
		if i < 2*maxSeries {
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
	require.Len(t, times, int(shown/sampleEvery)+1)
	found := lines(t, s, "HoldfastEventsDead")
	require.Len(t, found, 1, "lines without samples make room")
	require.Equal(t, "late", found[0].Name)
	for _, all := range s.series {
		require.LessOrEqual(t, len(all), maxSeries)
		for _, one := range all {
			require.Len(t, one.n, maxSamples)
			require.LessOrEqual(t, cap(one.n), 2*maxSamples)
		}
	}
}

func TestDraw_KeepsTheLimitInSight_AndBreaksLinesWhereNothingIsKnown(t *testing.T) {
	t.Parallel()
	p := plot{Limit: 10, how: level}
	times := []time.Time{begin, begin.Add(30 * time.Minute), begin.Add(time.Hour)}
	d := p.draw(times, []curve{{Values: []float64{1, math.NaN(), 5}}})
	require.Equal(t, "20", d.Limit)
	require.Equal(t, []string{"0,92 0,92", "399,60 400,60"}, d.Lines[0].Parts)
	require.Equal(t, "0", p.draw(times, []curve{{Values: []float64{math.Inf(1), -3, 2}}}).Lines[0].Parts[0][2:3])
	require.Empty(t, plot{}.draw(nil, nil).Limit)
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
