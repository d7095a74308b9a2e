package operator

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// The size of a plot, in its own units: the style sheet says how large it is shown.
const (
	plotWidth  = 400.0
	plotHeight = 100.0
	// drawn is how many lines a plot has at most: more can't be told apart.
	drawn = 3
)

// drawing is a plot as SVG has it.
type drawing struct {
	Lines []drawnLine
	Limit string // height of the limit; empty where each value above the lower edge is beyond it
}

// drawnLine is a line, with a part for each stretch of time in which it is known.
type drawnLine struct {
	Class string
	Parts []string // points
}

func lineClass(i int) string { return "line" + strconv.Itoa(i+1) }

// draw returns the lines of the plot. The limit is always in it, so that it shows how near the figures are.
func (p plot) draw(times []time.Time, lines []curve) drawing {
	top := p.Limit * 1.25
	for _, line := range lines {
		for _, v := range line.Values {
			if !math.IsNaN(v) && !math.IsInf(v, 0) {
				top = max(top, v*1.1)
			}
		}
	}
	if top == 0 {
		top = 1
	}
	height := func(v float64) string { return coordinate(plotHeight - min(max(v/top, 0), 1)*plotHeight) }
	var d drawing
	if p.Limit > 0 || p.Below {
		d.Limit = height(p.Limit)
	}
	for i, line := range lines {
		one := drawnLine{Class: lineClass(i)}
		var points []string
		end := func() {
			if len(points) > 0 {
				one.Parts = append(one.Parts, strings.Join(points, " "))
			}
			points = nil
		}
		for at, v := range line.Values {
			if math.IsNaN(v) {
				end()
				continue
			}
			x := plotWidth * (1 - times[len(times)-1].Sub(times[at]).Seconds()/shown.Seconds())
			if len(points) == 0 { // so that one sample alone is seen, too
				points = append(points, coordinate(max(x-1, 0))+","+height(v))
			}
			points = append(points, coordinate(x)+","+height(v))
		}
		end()
		d.Lines = append(d.Lines, one)
	}
	return d
}

// coordinate writes a number with at most one decimal.
func coordinate(v float64) string { return strconv.FormatFloat(math.Round(v*10)/10, 'f', -1, 64) }
