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
	ready := register.NewGauge(prometheus.GaugeOpts{Name: "holdfast_ready", Help: "1 if the server is ready."})
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
	require.Contains(t, p.Text(), "Beyond its limit: Provider fails .")
	require.Contains(t, p.Text(), "Nothing is known of: Payments stay unknown")
	require.Contains(t, p.Text(), "Without a plot: All servers down , because a server that is down shows no page")
	require.Contains(t, plotOf(t, p, "Server not ready"), "1 if the server is ready. 1 now lowest 1 alert at 0")
	require.Contains(t, plotOf(t, p, "Events late"), "1 min now highest 1 min alert above 1 min")
	require.Contains(t, plotOf(t, p, "Events late"), "booking.hold_expiry 0 s 10 s 20 s 30 s 40 s 50 s 1 min")
	require.Contains(t, plotOf(t, p, "Events late"), "max by (job, kind) (holdfast_events_oldest_due_seconds) > 60")
	require.Contains(t, plotOf(t, p, "Events very late"), "1 min now highest 1 min alert above 5 min")
	fails := plotOf(t, p, "Provider fails")
	require.Contains(t, fails, "beyond the limit 32.77% of the calls of stripe fail or give no outcome. 32.77 % now")
	require.Contains(t, fails, "stripe – 0 % 0 % 0 % 0 % 0 % 32.77 %")
	require.NotContains(t, p.Raw, "<script>alert")
	lines := 0
	for _, n := range p.All(atom.Svg) {
		require.NotEmpty(t, pagetest.Attribute(n, "aria-label"))
		lines++
	}
	require.Equal(t, 4, lines)
	require.Contains(t, p.Raw, `<polyline class="line1"`)
}
