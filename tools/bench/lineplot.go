package main

import (
	"fmt"
	"image/color"
	"path/filepath"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// line is one line of a plot.
type line struct {
	name   string
	points plotter.XYs
}

// colours of the lines, and shapes of their points, for people who see few colours.
var (
	colours = []color.Color{blue, orange, dark, grey}
	shapes  = []draw.GlyphDrawer{draw.CircleGlyph{}, draw.SquareGlyph{}, draw.TriangleGlyph{}, draw.CrossGlyph{}}
)

// newLinePlot returns a plot of lines, whose y begins at zero.
func newLinePlot(x, y string, lines []line) (*plot.Plot, error) {
	p := plot.New()
	p.X.Label.Text, p.Y.Label.Text = x, y
	for _, style := range []*draw.TextStyle{&p.X.Label.TextStyle, &p.Y.Label.TextStyle, &p.X.Tick.Label, &p.Y.Tick.Label, &p.Legend.TextStyle} {
		style.Font.Variant, style.Font.Size = "Sans", 9
	}
	for i, l := range lines {
		drawn, points, err := plotter.NewLinePoints(l.points)
		if err != nil {
			return nil, fmt.Errorf("plot %s: %w", l.name, err)
		}
		drawn.Color, points.GlyphStyle = colours[i%len(colours)], draw.GlyphStyle{
			Color: colours[i%len(colours)], Radius: vg.Points(3), Shape: shapes[i%len(shapes)],
		}
		p.Add(drawn, points)
		p.Legend.Add(l.name, drawn, points)
	}
	p.Y.Min = 0
	p.Legend.Padding = 2 * vg.Millimeter
	return p, nil
}

// plot draws how many bookings a second each server made in the course of the run, into dir.
func (r *longRun) plot(dir string) error {
	var lines []line
	for _, server := range r.servers {
		l := line{name: server.name}
		for _, s := range server.windows {
			l.points = append(l.points, plotter.XY{X: s.at.Minutes(), Y: s.rate})
		}
		lines = append(lines, l)
	}
	p, err := newLinePlot("minutes", "bookings a second", lines)
	if err != nil {
		return err
	}
	return savePanels(filepath.Join(dir, "long.svg"), [][]*plot.Plot{{p}})
}
