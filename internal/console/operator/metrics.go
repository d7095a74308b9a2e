package operator

import (
	"math"
	"net/http"
	"time"
)

// metricsPage has the plots of the last hour.
type metricsPage struct {
	Sections []metricsSection
	Plots    int
	Over     []plotView // those on which an alert may be raised now
	At       time.Time  // of the newest sample
	Since    time.Time  // of the oldest one
	Refresh  int        // seconds after which the script loads the page anew
}

// metricsSection is a part of the page.
type metricsSection struct {
	Name  string
	Plots []plotView
	// Silent are the titles of the plots of which nothing is known.
	Silent []string
}

// plotView is a plot as it is shown.
type plotView struct {
	plot

	ID           string
	Now, Highest string
	IsOver       bool
	Silent       bool // nothing is known
	Drawing      drawing
	Times        []string // of the columns of the table
	Rows         []plotRow
	More         int // lines that aren't drawn
}

// plotRow is a line in the table that says what the plot shows.
type plotRow struct {
	Name   string
	Class  string // of the drawn line; empty for one that isn't drawn
	Values []string
}

// columns is how many moments the table of a plot shows.
const columns = 7

func (c *Console) showMetrics(v *visit) error {
	times, curves := c.cfg.Sampler.recent()
	page := metricsPage{Plots: len(plots), Refresh: int(sampleEvery.Seconds())}
	if len(times) > 0 {
		page.At, page.Since = times[len(times)-1], times[0]
	}
	for i, p := range plots {
		if p.Section != "" {
			page.Sections = append(page.Sections, metricsSection{Name: p.Section})
		}
		section := &page.Sections[len(page.Sections)-1]
		view := p.view(times, curves[i])
		if view.IsOver {
			page.Over = append(page.Over, view)
		}
		if view.Silent {
			section.Silent = append(section.Silent, p.Title)
		} else {
			section.Plots = append(section.Plots, view)
		}
	}
	return c.render(v, http.StatusOK, "metrics", "Metrics", page)
}

// view returns the plot with its lines, the ones nearest to the alert first.
func (p plot) view(times []time.Time, lines []curve) plotView {
	v := plotView{plot: p, ID: p.Alerts[0]}
	now, highest := math.NaN(), math.NaN()
	for _, line := range lines {
		last := line.Values[len(line.Values)-1]
		now, highest = p.nearer(now, last), p.nearer(highest, p.worst(line))
	}
	v.Silent = math.IsNaN(highest)
	v.Now, v.Highest, v.IsOver = p.unit.text(now), p.unit.text(highest), p.Over(now)
	shownAt := moments(len(times))
	for _, at := range shownAt {
		v.Times = append(v.Times, times[at].UTC().Format("15:04"))
	}
	for i, line := range lines {
		row := plotRow{Name: line.Name}
		if row.Name == "" {
			row.Name = "this server"
		}
		if i < drawn {
			row.Class = lineClass(i)
		}
		for _, at := range shownAt {
			row.Values = append(row.Values, p.unit.text(line.Values[at]))
		}
		v.Rows = append(v.Rows, row)
	}
	v.More = max(len(lines)-drawn, 0)
	v.Drawing = p.draw(times, lines[:min(len(lines), drawn)])
	return v
}

// nearer returns the one of two values that is nearer to the alert. One that isn't known never is.
func (p plot) nearer(a, b float64) float64 {
	switch {
	case math.IsNaN(a):
		return b
	case math.IsNaN(b):
		return a
	case p.Below:
		return min(a, b)
	}
	return max(a, b)
}

// moments returns the samples that the table shows, of n.
func moments(n int) (at []int) {
	for i := range columns {
		next := (n - 1) * i / (columns - 1)
		if n > 0 && (len(at) == 0 || at[len(at)-1] != next) {
			at = append(at, next)
		}
	}
	return at
}
