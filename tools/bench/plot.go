package main

import (
	"bytes"
	"fmt"
	"image/color"
	"math"
	"os"
	"path/filepath"
	"time"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// plotted are the pictures that plot makes.
var plotted = []struct {
	file, title string
	draw        func([]*result) (*plot.Plot, error)
}{
	{"throughput.svg", "Operations per second, with the least and the most of all rounds", plotRates},
	{"cpu.svg", "CPU time per operation", plotCPU},
	{"latency.svg", "Latency, p50 and p99", plotLatency},
}

// Colours that people who see few of them tell apart, too.
var (
	blue   = color.RGBA{R: 0x33, G: 0x66, B: 0xaa, A: 0xff}
	orange = color.RGBA{R: 0xee, G: 0x99, B: 0x33, A: 0xff}
	grey   = color.RGBA{R: 0xaa, G: 0xaa, B: 0xaa, A: 0xff}
	dark   = color.RGBA{R: 0x44, G: 0x44, B: 0x44, A: 0xff}
)

const barWidth = 9 * vg.Millimeter / 2

// plot draws each picture: a panel for each booking scenario.
func (r *report) plot(dir string) error {
	for _, p := range plotted {
		var rows [][]*plot.Plot
		for _, scenarios := range [][]string{{manyTenants, oneTenant}, {hotDate, contended}} {
			var row []*plot.Plot
			for _, scenario := range scenarios {
				panel, err := p.draw(r.from(scenario))
				if err != nil {
					return fmt.Errorf("plot %s: %w", p.file, err)
				}
				panel.Title.Text = scenario
				row = append(row, panel)
			}
			rows = append(rows, row)
		}
		if err := savePanels(filepath.Join(dir, p.file), rows); err != nil {
			return err
		}
	}
	return nil
}

func savePanels(name string, rows [][]*plot.Plot) error {
	canvas := vgsvg.New(26*vg.Centimeter, 18*vg.Centimeter)
	tiles := draw.Tiles{
		Rows: len(rows), Cols: len(rows[0]), PadX: 8 * vg.Millimeter, PadY: 8 * vg.Millimeter,
		PadTop: 4 * vg.Millimeter, PadBottom: 4 * vg.Millimeter, PadLeft: 4 * vg.Millimeter, PadRight: 8 * vg.Millimeter,
	}
	for i, row := range plot.Align(rows, tiles, draw.New(canvas)) {
		for j, panel := range row {
			rows[i][j].Draw(panel)
		}
	}
	var picture bytes.Buffer
	if _, err := canvas.WriteTo(&picture); err != nil {
		return fmt.Errorf("draw the plot: %w", err)
	}
	// The text is laid out for Liberation Sans. Arial has its widths, and one of the others is everywhere.
	text := bytes.ReplaceAll(picture.Bytes(), []byte("font-family:Liberation Sans;"), []byte("font-family:Liberation Sans,Arial,Helvetica,sans-serif;"))
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return fmt.Errorf("make the plots' directory: %w", err)
	}
	if err := os.WriteFile(name, text, 0o644); err != nil {
		return fmt.Errorf("write the plot: %w", err)
	}
	return nil
}

// from returns the results of a scenario, the first one last, as plots count from the bottom.
func (r *report) from(scenario string) (found []*result) {
	for i := len(r.results) - 1; i >= 0; i-- {
		if r.results[i].scenario == scenario {
			found = append(found, r.results[i])
		}
	}
	return found
}

// newPanel returns an empty plot with a line for each strategy.
func newPanel(results []*result, label string) *plot.Plot {
	p := plot.New()
	var names []string
	for _, x := range results {
		name := x.strategy
		if x.level == atHTTP {
			name += ", HTTP"
		}
		names = append(names, name)
	}
	p.NominalY(names...)
	p.X.Label.Text = label
	p.X.Min = 0
	for _, style := range []*draw.TextStyle{&p.Title.TextStyle, &p.X.Label.TextStyle, &p.X.Tick.Label, &p.Y.Tick.Label, &p.Legend.TextStyle} {
		style.Font.Variant, style.Font.Size = "Sans", 9
	}
	p.Title.TextStyle.Font.Size, p.Title.Padding = 11, 2*vg.Millimeter
	return p
}

// bars adds bars of one colour.
func bars(p *plot.Plot, values plotter.Values, colour color.Color, on *plotter.BarChart) (*plotter.BarChart, error) {
	chart, err := plotter.NewBarChart(values, barWidth)
	if err != nil {
		return nil, err
	}
	chart.Horizontal, chart.Color, chart.LineStyle.Width = true, colour, 0
	if on != nil {
		chart.StackOn(on)
	}
	p.Add(chart)
	return chart, nil
}

func plotRates(results []*result) (*plot.Plot, error) {
	p := newPanel(results, "operations/s")
	ours, others, baseline := make(plotter.Values, len(results)), make(plotter.Values, len(results)), make(plotter.Values, len(results))
	spreads := struct {
		plotter.XYs
		plotter.XErrors
	}{make(plotter.XYs, len(results)), make(plotter.XErrors, len(results))}
	for i, x := range results {
		rate := x.rate()
		switch {
		case x.level == atDatabase:
			baseline[i] = rate.median
		case x.strategy == "Holdfast":
			ours[i] = rate.median
		default:
			others[i] = rate.median
		}
		spreads.XYs[i].X, spreads.XYs[i].Y = rate.median, float64(i)
		spreads.XErrors[i].Low, spreads.XErrors[i].High = rate.median-rate.least, rate.most-rate.median
	}
	for _, group := range []struct {
		values plotter.Values
		colour color.Color
	}{{ours, blue}, {others, grey}, {baseline, dark}} {
		if _, err := bars(p, group.values, group.colour, nil); err != nil {
			return nil, err
		}
	}
	whiskers, err := plotter.NewXErrorBars(spreads)
	if err != nil {
		return nil, err
	}
	p.Add(whiskers)
	p.X.Max *= 1.03
	return p, nil
}

func plotCPU(results []*result) (*plot.Plot, error) {
	p := newPanel(results, "µs of CPU per operation")
	var below *plotter.BarChart
	for _, part := range []struct {
		name   string
		colour color.Color
		figure func(measurement) time.Duration
	}{
		{"the process", blue, func(m measurement) time.Duration { return m.process }},
		{"the database", orange, func(m measurement) time.Duration { return m.database }},
		{"Redis, or the load's generator", grey, func(m measurement) time.Duration { return m.other }},
	} {
		values := make(plotter.Values, len(results))
		for i, x := range results {
			values[i] = spreadOf(x.rounds, part.figure).median / float64(time.Microsecond)
		}
		chart, err := bars(p, values, part.colour, below)
		if err != nil {
			return nil, err
		}
		below = chart
		p.Legend.Add(part.name, chart)
	}
	p.X.Max *= 1.03
	p.Y.Min = -2.2 // room for the legend
	return p, nil
}

func plotLatency(results []*result) (*plot.Plot, error) {
	p := newPanel(results, "ms, logarithmic")
	least, most := 1.0, 1.0
	for _, part := range []struct {
		name   string
		colour color.Color
		figure func(measurement) time.Duration
	}{
		{"p50", blue, func(m measurement) time.Duration { return m.p50 }},
		{"p99", orange, func(m measurement) time.Duration { return m.p99 }},
	} {
		var points plotter.XYs
		for i, x := range results {
			if ms := spreadOf(x.rounds, part.figure).median / float64(time.Millisecond); ms > 0 {
				points = append(points, plotter.XY{X: ms, Y: float64(i)})
				least, most = min(least, ms), max(most, ms)
			}
		}
		if len(points) == 0 {
			continue
		}
		scatter, err := plotter.NewScatter(points)
		if err != nil {
			return nil, err
		}
		scatter.GlyphStyle = draw.GlyphStyle{Color: part.colour, Radius: vg.Points(4), Shape: draw.CircleGlyph{}}
		p.Add(scatter)
		p.Legend.Add(part.name, scatter)
	}
	p.X.Min, p.X.Max = math.Pow(10, math.Floor(math.Log10(least))), math.Pow(10, math.Ceil(math.Log10(most)))
	p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, plot.LogTicks{Prec: -1}
	p.Y.Min = -1.5 // room for the legend
	return p, nil
}
