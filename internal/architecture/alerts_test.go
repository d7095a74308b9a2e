package architecture_test

import (
	"maps"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

const (
	rulesFile  = "deploy/prometheus/holdfast.rules.yml"
	alertsPage = "docs/alerts.md"
)

// ruleGroup is a group of Prometheus' rules.
type ruleGroup struct {
	Name  string `yaml:"name"`
	Rules []struct {
		Alert       string            `yaml:"alert"`
		Expr        string            `yaml:"expr"`
		For         string            `yaml:"for"`
		Labels      map[string]string `yaml:"labels"`
		Annotations map[string]string `yaml:"annotations"`
	} `yaml:"rules"`
}

// ruleTest is a test of promtool.
type ruleTest struct {
	AlertRuleTest []struct {
		AlertName string `yaml:"alertname"`
		ExpAlerts []any  `yaml:"exp_alerts"`
	} `yaml:"alert_rule_test"`
}

// ruleGroups returns what the rules file has.
func ruleGroups(t *testing.T) []ruleGroup {
	t.Helper()
	var file struct {
		Groups []ruleGroup `yaml:"groups"`
	}
	require.NoError(t, yaml.Unmarshal([]byte(read(t, rulesFile)), &file))
	require.NotEmpty(t, file.Groups)
	return file.Groups
}

// alertSections returns the sections of the page of alerts by their headings.
func alertSections(t *testing.T) map[string]string {
	t.Helper()
	sections := make(map[string]string)
	for _, section := range strings.Split(read(t, alertsPage), "\n### ")[1:] {
		heading, text, _ := strings.Cut(section, "\n")
		text, _, _ = strings.Cut(text, "\n## ")
		require.NotContains(t, sections, heading)
		sections[heading] = text
	}
	return sections
}

func TestAlerts_EachHasSeveritySummaryAndASectionOfThePage(t *testing.T) {
	t.Parallel()
	sections := alertSections(t)
	for _, group := range ruleGroups(t) {
		for _, rule := range group.Rules {
			require.Regexp(t, `^Holdfast[A-Za-z]+$`, rule.Alert)
			require.NotEmpty(t, rule.Expr)
			require.Contains(t, []string{"critical", "warning", "info"}, rule.Labels["severity"], rule.Alert)
			require.Regexp(t, `^[^{]*\S.*\.$`, rule.Annotations["summary"], "%s: the summary is a sentence", rule.Alert)
			require.Equal(t, alertsPage+"#"+strings.ToLower(rule.Alert), rule.Annotations["runbook_url"], rule.Alert)
			section, found := sections[rule.Alert]
			require.True(t, found, "%s has no heading ### %s, to which runbook_url leads", alertsPage, rule.Alert)
			for _, part := range []string{"\n**Means.** ", "\n**Look here.** ", "\n**Do this.**"} {
				require.Contains(t, section, part, "the section of %s", rule.Alert)
			}
			delete(sections, rule.Alert)
		}
	}
	require.Empty(t, sections, "sections without an alert")
}

func TestAlerts_EachIsTestedWithSeriesThatFireAndSeriesThatDoNot(t *testing.T) {
	t.Parallel()
	fires, quiet := make(map[string]bool), make(map[string]bool)
	for _, group := range ruleGroups(t) {
		// The tests of a group are in a file of its name.
		var file struct {
			Tests []ruleTest `yaml:"tests"`
		}
		name := "deploy/prometheus/tests/" + strings.TrimPrefix(group.Name, "holdfast-") + ".yml"
		require.NoError(t, yaml.Unmarshal([]byte(read(t, name)), &file))
		for _, test := range file.Tests {
			for _, expected := range test.AlertRuleTest {
				if len(expected.ExpAlerts) > 0 {
					fires[expected.AlertName] = true
				} else {
					quiet[expected.AlertName] = true
				}
			}
		}
		for _, rule := range group.Rules {
			require.True(t, fires[rule.Alert], "%s has no series on which %s fires", name, rule.Alert)
			require.True(t, quiet[rule.Alert], "%s has no series on which %s doesn't fire", name, rule.Alert)
		}
	}
}

func TestAlerts_PassTheTestsOfPromtool(t *testing.T) {
	t.Parallel()
	tests, err := filepath.Glob(filepath.Join(root, "deploy/prometheus/tests/*.yml"))
	require.NoError(t, err)
	require.Len(t, tests, len(ruleGroups(t)))
	for _, name := range tests { // go test must notice when a cached result is old
		rel, err := filepath.Rel(root, name)
		require.NoError(t, err)
		require.NotEmpty(t, read(t, rel))
	}
	require.NotEmpty(t, read(t, "deploy/prometheus/prometheus.yml"))
	promtool, err := exec.LookPath("promtool")
	if err != nil {
		t.Skip("promtool isn't on PATH, so the alerts aren't tested: PATH=$(.ci/prometheus):$PATH, or apt-get install prometheus")
	}
	for _, args := range [][]string{
		{"check", "config", filepath.Join(root, "deploy/prometheus/prometheus.yml")}, // and the rules that it names
		append([]string{"test", "rules"}, tests...),
	} {
		output, err := exec.CommandContext(t.Context(), promtool, args...).CombinedOutput()
		require.NoError(t, err, "%s", output)
	}
}

// metricName is a metric of Holdfast, Go or the process in an expression of Prometheus.
var metricName = regexp.MustCompile(`\b(?:holdfast|go|process)_[a-z0-9_]+\b`)

func TestAlertsPage_NamesOnlyMetricsThatAlertsOrOtherPagesName(t *testing.T) {
	t.Parallel()
	known := make(map[string]bool)
	for _, group := range ruleGroups(t) {
		for _, rule := range group.Rules {
			for _, name := range metricName.FindAllString(rule.Expr, -1) {
				known[strings.TrimSuffix(strings.TrimSuffix(name, "_bucket"), "_count")] = true
			}
		}
	}
	for _, name := range metricName.FindAllString(read(t, "deploy/grafana/holdfast.json"), -1) {
		known[strings.TrimSuffix(strings.TrimSuffix(name, "_bucket"), "_count")] = true
	}
	for _, name := range metricName.FindAllString(read(t, alertsPage), -1) {
		name = strings.TrimSuffix(strings.TrimSuffix(name, "_bucket"), "_count")
		require.True(t, known[name], "%s names %s; known: %v", alertsPage, name, slices.Sorted(maps.Keys(known)))
	}
}
