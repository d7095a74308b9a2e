package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"holdfast/internal/app"
	"holdfast/internal/problem"
	"holdfast/internal/servertest"
)

// quietPanels are the panels of the dashboard that show nothing while all is well.
var quietPanels = []string{
	"Errors by route",          // no request failed
	"Staleness of the standby", // there is none
	"Wait for admission",       // no request had to wait
}

// monitored is a server whose metrics a Prometheus reads.
type monitored struct {
	*proc
	shop
	prometheus string // its URL
}

// TestMonitoring has Prometheus read a server that does something of each kind.
func TestMonitoring_RulesAndDashboard_AreAnsweredByARunningServer(t *testing.T) {
	t.Parallel()
	program, err := exec.LookPath("prometheus")
	if err != nil {
		t.Skip("prometheus isn't on PATH, so no query is tried: PATH=$(.ci/prometheus):$PATH, or apt-get install prometheus")
	}
	m := startMonitored(t, program)
	m.work(t, "first")
	var labels map[string]map[string]bool
	eventually(t, func() bool { // a histogram is exported once a worker has claimed an event, or has ended an attempt
		labels = m.exported(t)
		return labels["holdfast_event_due_lag_seconds_bucket"] != nil &&
			labels["holdfast_event_attempt_seconds_bucket"] != nil
	})
	panels := readPanels(t)

	t.Run("each metric of rules and dashboard is exported with its labels", func(t *testing.T) {
		for _, rule := range m.rules(t) {
			requireExported(t, labels, rule.Query)
		}
		for _, p := range panels {
			for _, target := range p.Targets {
				requireExported(t, labels, target.Expr)
			}
		}
	})
	t.Run("each query of the dashboard shows something", func(t *testing.T) {
		round := 0
		var empty []string
		t.Cleanup(func() {
			if t.Failed() {
				t.Logf("these panels are empty: %q", empty)
			}
		})
		eventually(t, func() bool {
			round++
			m.work(t, strconv.Itoa(round)) // rates need two values, and something between them
			empty = m.emptyPanels(t, panels)
			return !slices.ContainsFunc(empty, func(title string) bool { return !slices.Contains(quietPanels, title) })
		})
	})
	t.Run("each rule is evaluated", func(t *testing.T) {
		eventually(t, func() bool {
			return !slices.ContainsFunc(m.rules(t), func(r rule) bool { return r.Health == "unknown" })
		})
		for _, r := range m.rules(t) {
			require.Equal(t, "ok", r.Health, "%s: %s", r.Name, r.LastError)
		}
	})
}

func TestReadyGauge_DatabaseAway_IsZero(t *testing.T) {
	t.Parallel()
	var away error
	registry := prometheus.NewRegistry()
	registry.MustRegister(app.NewReadyGauge(func(context.Context) (string, error) { return "", away }))
	value := func() float64 {
		families, err := registry.Gather()
		require.NoError(t, err)
		return families[0].GetMetric()[0].GetGauge().GetValue()
	}
	require.InDelta(t, 1, value(), 0)
	away = problem.New(problem.DatabaseUnavailable, "Commits wait for a standby of the database.")
	require.InDelta(t, 0, value(), 0)
}

func startMonitored(t *testing.T, program string) *monitored {
	t.Helper()
	p := start(t, filledDir(t), "HOLDFAST_WEBHOOK_ALLOW=127.0.0.0/8")
	m := &monitored{proc: p, shop: newShop(t, p)}
	receiver := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	t.Cleanup(receiver.Close)
	a, err := p.send(http.MethodPost, "/v1/webhook-endpoints", m.key, uuid.NewString(),
		map[string]any{"url": receiver.URL, "types": []string{"booking.created"}})
	require.NoError(t, err)
	require.Equal(t, http.StatusCreated, a.status, "%s", a)

	rules, err := filepath.Abs("../../deploy/prometheus/holdfast.rules.yml")
	require.NoError(t, err)
	dir := t.TempDir()
	config, err := json.Marshal(map[string]any{ // which is YAML too
		"global": map[string]any{"scrape_interval": "250ms", "scrape_timeout": "250ms",
			"evaluation_interval": "250ms"},
		"rule_files": []string{rules},
		"scrape_configs": []any{map[string]any{
			"job_name": "holdfast", "scrape_interval": "1s", "scrape_timeout": "1s",
			"static_configs": []any{map[string]any{"targets": []string{strings.TrimPrefix(p.url, "http://")}}},
		}},
	})
	require.NoError(t, err)
	file := filepath.Join(dir, "prometheus.yml")
	require.NoError(t, os.WriteFile(file, config, 0o600))
	reader := &proc{client: p.client, config: servertest.Config{
		Binary: program, OutputDir: filepath.Join(dir, "output"),
		Args: []string{"--config.file=" + file, "--storage.tsdb.path=" + filepath.Join(dir, "data"),
			"--web.listen-address=127.0.0.1:0"},
	}}
	reader.launch(t)
	m.prometheus = "http://" + reader.await(t, regexp.MustCompile(`msg="Listening on" address=(\S+)`), reader.Stderr)[1]
	return m
}

// work has the server do something of each kind that the dashboard shows. name makes its requests different from those
// of other calls.
func (m *monitored) work(t *testing.T, name string) {
	t.Helper()
	day := len(name)*100 + int(name[len(name)-1]) // another one for each call
	if n, err := strconv.Atoi(name); err == nil {
		day = n
	}
	booking := m.mustBook(t, m.proc, name, slot(day, 10))
	m.mustBook(t, m.proc, name, slot(day, 10)) // a replay
	refused, err := m.book(m.proc, name+"-again", slot(day, 10))
	require.NoError(t, err)
	require.Equal(t, "409 slot_unavailable", refused.outcome())
	require.Equal(t, http.StatusCreated, m.payUntilFinal(t, m.proc, name+"-pay", booking.id(), "pm_ok").status)
	hold := m.order(name+"-hold", slot(day, 11))
	hold["hold_minutes"] = 5
	a, err := m.send(http.MethodPost, "/v1/bookings", m.key, name+"-hold", hold)
	require.NoError(t, err)
	require.Equal(t, http.StatusCreated, a.status, "%s", a)
}

// ask reads from Prometheus' API.
func (m *monitored) ask(t *testing.T, path string, data any) {
	t.Helper()
	a, err := sendTo(m.client, m.prometheus, http.MethodGet, path, "", "", nil)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, a.status, "%s", a)
	require.NoError(t, json.Unmarshal(a.body, &struct{ Data any }{data}), "%s", a)
}

// rule is a rule that Prometheus has loaded.
type rule struct{ Name, Query, Health, LastError string }

func (m *monitored) rules(t *testing.T) (rules []rule) {
	t.Helper()
	var loaded struct {
		Groups []struct{ Rules []rule }
	}
	m.ask(t, "/api/v1/rules", &loaded)
	for _, group := range loaded.Groups {
		rules = append(rules, group.Rules...)
	}
	require.Greater(t, len(rules), 30)
	return rules
}

// panel is a panel of the dashboard.
type panel struct {
	Title   string
	Targets []struct{ Expr, LegendFormat string }
}

func readPanels(t *testing.T) (panels []panel) {
	t.Helper()
	text, err := os.ReadFile("../../deploy/grafana/holdfast.json")
	require.NoError(t, err)
	var read struct{ Panels []panel }
	require.NoError(t, json.Unmarshal(text, &read))
	for _, p := range read.Panels {
		if len(p.Targets) > 0 { // else it is a row
			panels = append(panels, p)
		}
	}
	require.Greater(t, len(panels), 40)
	return panels
}

var (
	legendLabel = regexp.MustCompile(`\{\{(\w+)\}\}`)
	// asGrafana fills in the dashboard's variables.
	asGrafana = strings.NewReplacer("$__rate_interval", "1m", "$job", ".*", "$instance", ".*")
)

// emptyPanels returns the titles of the panels of which a query has no series, or none with a number.
func (m *monitored) emptyPanels(t *testing.T, panels []panel) (titles []string) {
	t.Helper()
	for _, p := range panels {
		for _, target := range p.Targets {
			var found struct {
				Result []struct {
					Metric map[string]string
					Value  [2]any
				}
			}
			m.ask(t, "/api/v1/query?query="+url.QueryEscape(asGrafana.Replace(target.Expr)), &found)
			numbers := 0
			for _, series := range found.Result {
				for _, label := range legendLabel.FindAllStringSubmatch(target.LegendFormat, -1) {
					require.Contains(t, series.Metric, label[1], "%s: the legend names a label that no series has",
						p.Title)
				}
				if text := fmt.Sprint(series.Value[1]); text != "NaN" {
					numbers++
				}
			}
			if numbers == 0 && !slices.Contains(titles, p.Title) {
				titles = append(titles, p.Title)
			}
		}
	}
	return titles
}

var (
	exportedSeries = regexp.MustCompile(`(?m)^(\w+)(?:\{(.*)\})? \S+$`)
	labelName      = regexp.MustCompile(`(\w+)(?:=~|!~|!=|=)"`)
	usedMetric     = regexp.MustCompile(`\b((?:holdfast|go|process)_[a-z0-9_]+)(?:\{([^{}]*)\})?`)
	grouping       = regexp.MustCompile(`\bby \(([^()]*)\)`)
)

// exported returns the labels of each series that the server exports, by the series' name, with those that Prometheus
// adds.
func (m *monitored) exported(t *testing.T) map[string]map[string]bool {
	t.Helper()
	a, err := m.send(http.MethodGet, "/metrics", "", "", nil)
	require.NoError(t, err)
	series := make(map[string]map[string]bool)
	for _, line := range exportedSeries.FindAllSubmatch(a.body, -1) {
		labels := map[string]bool{"job": true, "instance": true}
		for _, label := range labelName.FindAllSubmatch(line[2], -1) {
			labels[string(label[1])] = true
		}
		series[string(line[1])] = labels
	}
	return series
}

// requireExported asserts that the server exports each series that an expression names, with the labels by which it
// selects and groups.
func requireExported(t *testing.T, exported map[string]map[string]bool, expr string) {
	t.Helper()
	together := make(map[string]bool)
	for _, used := range usedMetric.FindAllStringSubmatch(expr, -1) {
		labels, found := exported[used[1]]
		require.True(t, found, "no series %s is exported, which %s names", used[1], expr)
		maps.Copy(together, labels)
		for _, label := range labelName.FindAllStringSubmatch(used[2], -1) {
			require.True(t, labels[label[1]], "%s has no label %s, which %s names", used[1], label[1], expr)
		}
	}
	if len(together) == 0 {
		return // up, or an alert
	}
	for _, by := range grouping.FindAllStringSubmatch(expr, -1) {
		for label := range strings.SplitSeq(by[1], ",") {
			if label = strings.TrimSpace(label); label != "cell" { // series of a server with several cells have it
				require.True(t, together[label], "nothing has the label %s, by which %s groups", label, expr)
			}
		}
	}
}
