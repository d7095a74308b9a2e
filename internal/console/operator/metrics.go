package operator

import (
	"math"
	"net/http"
	"time"
)

// metricsPage has the plots of the last hour.
type metricsPage struct {
	Sections []metricsSection
	Over     []plotView // those on which an alert may be raised now
	At       time.Time  // of the newest sample
	Since    time.Time  // of the oldest one
	Refresh  int        // seconds after which the script loads the page anew
}

// metricsSection is a part of the page.
type metricsSection struct {
	Name  string
	Plots []plotView
	// Silent are the plots of which nothing is known, and Without the alerts that have none.
	Silent, Without []plotView
}

// plotView is a plot as it is shown.
type plotView struct {
	plotted

	Now, Highest string
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
	times, plots := c.cfg.Sampler.recent()
	page := metricsPage{Refresh: int(sampleEvery.Seconds())}
	if len(times) > 0 {
		page.At, page.Since = times[len(times)-1], times[0]
	}
	for _, p := range plots {
		if n := len(page.Sections); n == 0 || page.Sections[n-1].Name != p.Section {
			page.Sections = append(page.Sections, metricsSection{Name: p.Section})
		}
		section := &page.Sections[len(page.Sections)-1]
		view := p.view(times)
		if view.Says != "" {
			page.Over = append(page.Over, view)
		}
		switch {
		case view.Why != "":
			section.Without = append(section.Without, view)
		case view.Silent:
			section.Silent = append(section.Silent, view)
		default:
			section.Plots = append(section.Plots, view)
		}
	}
	return c.render(v, http.StatusOK, "metrics", "Metrics", page)
}

// view returns the plot with its lines, the ones nearest to the alert first.
func (p plotted) view(times []time.Time) plotView {
	v := plotView{plotted: p}
	now, highest := math.NaN(), math.NaN()
	for _, line := range p.curves {
		last := line.Values[len(line.Values)-1]
		now, highest = p.nearer(now, last), p.nearer(highest, p.worst(line))
	}
	v.Silent = math.IsNaN(highest)
	v.Now, v.Highest = p.unit.text(now), p.unit.text(highest)
	shownAt := moments(len(times))
	for _, at := range shownAt {
		v.Times = append(v.Times, times[at].UTC().Format("15:04"))
	}
	for i, line := range p.curves {
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
	v.More = max(len(p.curves)-drawn, 0)
	v.Drawing = p.draw(times, p.curves[:min(len(p.curves), drawn)])
	return v
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
