package architecture_test

import (
	"encoding/json"
	"regexp"
	"testing"

	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
	"github.com/grafana/grafana-foundation-sdk/go/prometheus"
	"github.com/grafana/grafana-foundation-sdk/go/stat"
	"github.com/grafana/grafana-foundation-sdk/go/timeseries"
	"github.com/grafana/grafana-foundation-sdk/go/units"
	"github.com/stretchr/testify/require"
)

const dashboardFile = "deploy/grafana/holdfast.json"

// dashboardWidth is how many columns Grafana's grid has.
const dashboardWidth = 24

// strict is a type of Grafana that refuses fields that it doesn't know, and wants those that it must have.
type strict interface{ UnmarshalJSONStrict(raw []byte) error }

// requireStrict asserts that raw is what Grafana stores for the type of into, and decodes it.
func requireStrict(t *testing.T, raw []byte, into strict, what string) {
	t.Helper()
	require.NotEmpty(t, raw, what)
	if err := into.UnmarshalJSONStrict(raw); err != nil {
		require.Empty(t, err.Error(), what) // an error without a text is a list of none
	}
}

func TestDashboard_HasVariablesForDataSourceJobAndServer(t *testing.T) {
	t.Parallel()
	var d dashboard.Dashboard //nolint:staticcheck // the schema that all versions of Grafana read
	requireStrict(t, []byte(read(t, dashboardFile)), &d, dashboardFile)
	require.NoError(t, d.Validate())
	require.GreaterOrEqual(t, d.SchemaVersion, uint16(39))
	require.Equal(t, "holdfast", *d.Uid)
	require.Nil(t, d.Id, "Grafana gives the id")
	variables := make(map[string]dashboard.VariableModel)
	for _, v := range d.Templating.List {
		variables[v.Name] = v
	}
	require.Equal(t, dashboard.VariableTypeDatasource, variables["datasource"].Type)
	require.Equal(t, dashboard.VariableTypeQuery, variables["job"].Type)
	require.Equal(t, dashboard.VariableTypeQuery, variables["instance"].Type)
}

func TestDashboard_EachPanelHasDescriptionUnitQueriesAndAPlaceOfItsOwn(t *testing.T) {
	t.Parallel()
	var file struct{ Panels []json.RawMessage }
	require.NoError(t, json.Unmarshal([]byte(read(t, dashboardFile)), &file))
	ids, titles := make(map[uint32]string), make(map[string]bool)
	var taken [][dashboardWidth]string // the panel of each cell of the grid
	section := ""
	for _, raw := range file.Panels {
		var p rawPanel
		require.NoError(t, json.Unmarshal(raw, &p))
		title := section + ": " + p.Title
		if p.Type == "row" {
			title, section = p.Title, p.Title
			requireStrict(t, raw, &dashboard.RowPanel{}, title)
		} else {
			requirePanel(t, title, raw, p)
		}
		require.False(t, titles[title], "%s is there twice", title)
		titles[title] = true
		require.NotZero(t, p.ID)
		require.Empty(t, ids[p.ID], "the id of %s", title)
		ids[p.ID] = title
		grid := p.GridPos
		require.NotZero(t, grid.W*grid.H, title)
		require.LessOrEqual(t, grid.X+grid.W, uint32(dashboardWidth), title)
		for y := grid.Y; y < grid.Y+grid.H; y++ {
			for uint32(len(taken)) <= y {
				taken = append(taken, [dashboardWidth]string{})
			}
			for x := grid.X; x < grid.X+grid.W; x++ {
				require.Empty(t, taken[y][x], "%s overlaps it", title)
				taken[y][x] = title
			}
		}
	}
	require.Greater(t, len(titles), 40)
}

// rawPanel is a panel whose parts have types of their own.
type rawPanel struct {
	ID          uint32
	Type, Title string
	GridPos     dashboard.GridPos
	Options     json.RawMessage
	FieldConfig struct{ Defaults json.RawMessage }
	Targets     []json.RawMessage
}

// selected is a metric in a query, with what follows it.
var selected = regexp.MustCompile(`\b(?:holdfast|go|process)_[a-z0-9_]+\b(.{0,40})`)

func requirePanel(t *testing.T, title string, raw json.RawMessage, p rawPanel) {
	t.Helper()
	var panel dashboard.Panel
	requireStrict(t, raw, &panel, title)
	require.NotNil(t, panel.Description, title)
	require.Regexp(t, `\.$`, *panel.Description, "%s: a sentence", title)
	require.Equal(t, "${datasource}", *panel.Datasource.Uid, title)
	var defaults dashboard.FieldConfig
	requireStrict(t, p.FieldConfig.Defaults, &defaults, title)
	require.Contains(t, []string{
		units.BytesIEC, units.OpsPerSecond, units.PercentUnit, units.RequestsPerSecond, units.Seconds, units.Short,
	}, *defaults.Unit, title)
	switch p.Type {
	case "stat":
		requireStrict(t, p.Options, &stat.Options{}, title)
	case "timeseries":
		requireStrict(t, p.Options, &timeseries.Options{}, title)
		var custom struct{ Custom json.RawMessage }
		require.NoError(t, json.Unmarshal(p.FieldConfig.Defaults, &custom))
		requireStrict(t, custom.Custom, &timeseries.FieldConfig{}, title)
	default:
		require.Fail(t, "an unknown kind of panel", "%s: %s", title, p.Type)
	}
	require.NotEmpty(t, p.Targets, title)
	refs := make(map[string]bool)
	for _, target := range p.Targets {
		var q prometheus.Dataquery
		requireStrict(t, target, &q, title)
		require.Equal(t, "${datasource}", *q.Datasource.Uid, title)
		require.False(t, refs[*q.RefId], "%s: refId %s is there twice", title, *q.RefId)
		refs[*q.RefId] = true
		for _, metric := range selected.FindAllStringSubmatch(q.Expr, -1) {
			require.Regexp(t, `^\{job=~"\$job",instance=~"\$instance"[,}]`, metric[1],
				"%s: it follows the variables: %s", title, q.Expr)
		}
	}
}
