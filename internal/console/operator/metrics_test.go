package operator_test

import (
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"github.com/stretchr/testify/require"
	"golang.org/x/net/html/atom"

	"holdfast/internal/pages/pagetest"
)

// plotOf returns the text of the plot with a title.
func plotOf(t testing.TB, p *pagetest.Page, title string) string {
	t.Helper()
	for _, n := range p.All(atom.Li) {
		if strings.HasPrefix(pagetest.Text(n), title) {
			return pagetest.Text(n)
		}
	}
	require.Fail(t, "no plot", "%q isn't on the page: %s", title, p.Text())
	return ""
}

// sample takes the samples of a made-up hour. change is called before each.
func (s *server) sample(change func(minute float64)) {
	begin := time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)
	for at := time.Duration(0); at <= time.Hour; at += 15 * time.Second {
		change(at.Minutes())
		s.sampler.Sample(begin.Add(at))
	}
}

func TestMetrics_BeforeTheFirstSample_SaySo(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	require.Contains(t, s.at(t, s.signedIn(t), "/metrics").Text(), "Nothing was sampled yet.")
}

func TestMetrics_ShowEachFigureWithTheLimitOfItsAlert(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	register := promauto.With(s.registry)
	ready := register.NewGauge(prometheus.GaugeOpts{Name: "holdfast_ready"})
	due := register.NewGaugeVec(prometheus.GaugeOpts{Name: "holdfast_events_oldest_due_seconds"}, []string{"kind"})
	calls := register.NewHistogramVec(prometheus.HistogramOpts{Name: "holdfast_provider_call_seconds"},
		[]string{"provider", "operation", "result"})
	s.sample(func(minute float64) {
		ready.Set(1)
		due.WithLabelValues("booking.hold_expiry").Set(minute)
		due.WithLabelValues(hostile).Set(minute / 2)
		calls.WithLabelValues("stripe", "charge", "done").Observe(.1)
		if minute > 55 {
			calls.WithLabelValues("stripe", "charge", "unknown").Observe(.1)
		}
	})
	p := s.at(t, s.signedIn(t), "/metrics")
	require.Contains(t, p.Text(), "Beyond its limit: Failed calls of the payment provider .")
	require.Contains(t, p.Text(), "Nothing is known of: Payments without an outcome")
	require.Contains(t, plotOf(t, p, "Ready"), "yes now lowest yes alert if no")
	require.Contains(t, plotOf(t, p, "Oldest due event"), "1 min now highest 1 min alert above 1 min")
	require.Contains(t, plotOf(t, p, "Oldest due event"), "booking.hold_expiry 0 s 10 s 20 s 30 s 40 s 50 s 1 min")
	require.Contains(t, plotOf(t, p, "Failed calls of the payment provider"), "beyond the limit")
	require.Contains(t, plotOf(t, p, "Failed calls of the payment provider"), "33.33 % now")
	require.NotContains(t, p.Raw, "<script>alert")
	lines := 0
	for _, n := range p.All(atom.Svg) {
		require.NotEmpty(t, pagetest.Attribute(n, "aria-label"))
		lines++
	}
	require.Equal(t, 3, lines)
	require.Contains(t, p.Raw, `<polyline class="line1"`)
}
