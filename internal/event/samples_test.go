package event_test

import (
	"os"
	"regexp"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"holdfast/internal/event"
	"holdfast/internal/testtime"
)

// gauges returns the values of the gauges of one kind, by their names.
func gauges(t *testing.T, registry *prometheus.Registry, kind string) map[string]float64 {
	t.Helper()
	families, err := registry.Gather()
	require.NoError(t, err)
	values := make(map[string]float64)
	for _, family := range families {
		for _, m := range family.GetMetric() {
			if labels := m.GetLabel(); m.Gauge != nil && (len(labels) == 0 || labels[0].GetValue() == kind) {
				values[family.GetName()] = m.GetGauge().GetValue()
			}
		}
	}
	return values
}

func TestMetrics_Sampled_CountTheRowsOfAllTenantsAndStartAnew(t *testing.T) {
	t.Parallel()
	b := setup(t)
	began := testtime.Now()
	registry := prometheus.NewRegistry()
	w := event.NewWorker(b.store, event.Config{Metrics: registry}, (&handled{}).kind(nil),
		event.Kind{Name: "test.other"})
	late := b.scheduled().overdue(24*time.Hour).insert(t, 1)
	b.scheduled().ready().of(uuid.New()).insert(t, 3)
	b.scheduled().insert(t, 1)
	b.scheduled().outOfTries().insert(t, 2)
	b.scheduled().abandoned(time.Minute).insert(t, 4)

	_, err := event.Sample(w, t.Context())
	require.NoError(t, err)
	found := gauges(t, registry, testKind)
	require.InDelta(t, 4, found["holdfast_events_due"], 0)
	require.GreaterOrEqual(t, found["holdfast_events_oldest_due_seconds"], 86_400.)
	require.Less(t, found["holdfast_events_oldest_due_seconds"], 86_400.+testtime.Now().Sub(began).Seconds()+1)
	require.InDelta(t, 2, found["holdfast_events_dead"], 0)
	require.InDelta(t, 4, found["holdfast_events_processing"], 0)
	require.GreaterOrEqual(t, found["holdfast_events_sampled_timestamp_seconds"], float64(began.Unix()))
	for name, value := range gauges(t, registry, "test.other") {
		if name != "holdfast_events_sampled_timestamp_seconds" {
			require.Zero(t, value, name)
		}
	}

	_, err = b.sql.Exec(t.Context(),
		"UPDATE scheduled_events SET status = 'completed', lease = NULL, leased_until = NULL "+
			"WHERE event_id = $1 OR status = 'processing'", late[0])
	require.NoError(t, err)
	_, err = event.Sample(w, t.Context())
	require.NoError(t, err)
	found = gauges(t, registry, testKind)
	require.InDelta(t, 3, found["holdfast_events_due"], 0)
	require.Less(t, found["holdfast_events_oldest_due_seconds"], 80_000.)
	require.Zero(t, found["holdfast_events_processing"])
}

func TestMetrics_EventOfTheOutboxWaitsForTheRelay_ShowItsAge(t *testing.T) {
	t.Parallel()
	b := setup(t)
	registry := prometheus.NewRegistry()
	w := event.NewWorker(b.store, event.Config{Metrics: registry}, (&handled{}).kind(nil))
	lag := func() float64 {
		_, err := event.Sample(w, t.Context())
		require.NoError(t, err)
		return gauges(t, registry, "")["holdfast_feed_relay_lag_seconds"]
	}
	require.Zero(t, lag())
	_, err := b.sql.Exec(t.Context(), `
		INSERT INTO changes (tenant_id, change_id, type, subject_type, subject_id, version, notice, occurred_at, data)
		VALUES ($1, gen_random_uuid(), 'test', 'test', gen_random_uuid(), 1, true, now() - interval '5 minutes', '{}')`, b.tenant)
	require.NoError(t, err)
	require.GreaterOrEqual(t, lag(), 300.)
	require.Eventually(t, func() bool { // transactions of other tests hold the relay up
		_, err = event.RelayFeed(t.Context(), b.store, 10)
		require.NoError(t, err)
		return lag() == 0
	}, longestWait, 5*time.Millisecond)
}

func TestMetrics_InTheOperationsPage_Exist(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/events-operations.md")
	require.NoError(t, err)
	registry := prometheus.NewRegistry()
	b := setup(t)
	event.NewWorker(b.store, event.Config{Metrics: registry}, (&handled{}).kind(nil))
	suffix := regexp.MustCompile(`_(bucket|count|sum)$`)
	for _, name := range regexp.MustCompile(`holdfast_(?:event|outbox)[a-z_]*[a-z]`).FindAllString(string(text), -1) {
		// A second metric of the same name, and without its labels, can't be registered.
		err := registry.Register(prometheus.NewGauge(prometheus.GaugeOpts{Name: suffix.ReplaceAllString(name, "")}))
		require.Error(t, err, "the page names %s, which doesn't exist", name)
	}
}

func TestMetrics_ThatExist_AreInTheOperationsPage(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/events-operations.md")
	require.NoError(t, err)
	var code string
	for _, file := range []string{"metrics.go", "samples.go", "observer.go"} {
		source, err := os.ReadFile(file)
		require.NoError(t, err)
		code += string(source)
	}
	names := regexp.MustCompile(`holdfast_event[a-z_]*[a-z]`).FindAllString(code, -1)
	require.GreaterOrEqual(t, len(names), 10)
	for _, name := range names {
		require.Contains(t, string(text), "| `"+name, "the tables of metrics leave out %s", name)
	}
	outcomes := regexp.MustCompile("(?m)^\\| `holdfast_events_total.*$").FindString(string(text))
	whats := regexp.MustCompile(`(?m)^\s+Notice\w+\s+= "(\w+)"`).FindAllStringSubmatch(code, -1)
	require.GreaterOrEqual(t, len(whats), 10)
	for _, what := range whats {
		require.Contains(t, outcomes, "`"+what[1]+"`", "the table of metrics leaves out %s", what[1])
	}
}
