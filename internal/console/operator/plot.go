package operator

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// plotted reports whether a plot reads a metric.
func plotted(metric string) bool {
	return slices.ContainsFunc(plots, func(p plot) bool {
		return p.of.metric == metric || slices.ContainsFunc(p.from, func(s source) bool { return s.metric == metric })
	})
}

// read returns the value of each line.
func (p plot) read(figures map[string][]figure) map[string]reading {
	found := make(map[string]reading)
	for _, s := range p.from {
		for _, f := range figures[s.metric] {
			if s.want != nil && !s.want(f.labels) {
				continue
			}
			n, name := f.value, p.lineOf(s, f)
			if s.above > 0 {
				n -= f.below(s.above)
			}
			if math.IsNaN(n) {
				continue
			}
			sum := found[name]
			sum.n += n
			found[name] = sum
		}
	}
	for _, f := range figures[p.of.metric] {
		if p.of.want != nil && !p.of.want(f.labels) {
			continue
		}
		sum := found[p.lineOf(p.of, f)]
		sum.of += f.value
		found[p.lineOf(p.of, f)] = sum
	}
	return found
}

// lineOf names the line that a figure belongs to.
func (p plot) lineOf(s source, f figure) string {
	var parts []string
	for _, part := range append([]string{f.labels["cell"], s.name}, p.labels(f)...) {
		if part != "" {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, " ")
}

func (p plot) labels(f figure) (values []string) {
	for _, label := range p.by {
		values = append(values, f.labels[label])
	}
	return values
}

// value returns what the plot shows of a line at a sample.
func (p plot) value(s *series, times []time.Time, at int) float64 {
	switch p.how {
	case age:
		if s.n[at] == 0 { // none was set yet
			return math.NaN()
		}
		return max(float64(times[at].UnixMilli())/1000-s.n[at], 0)
	case ratio:
		return quotient(s.n[at], s.of[at])
	case increase:
		return s.grown(s.n, times, at, p.window)
	case rate:
		return s.grown(s.n, times, at, p.window) / p.window.Seconds()
	case share:
		return quotient(s.grown(s.n, times, at, p.window), s.grown(s.of, times, at, p.window))
	case level:
	}
	return s.n[at]
}

// grown returns by how much a counter has grown within the window before a sample. A line that wasn't there yet was 0: counters begin so.
func (s *series) grown(values []float64, times []time.Time, at int, window time.Duration) float64 {
	begin, known := times[at].Add(-window), 0.0
	for i := at; i >= 0; i-- {
		if !times[i].After(begin) || i == 0 && len(times) == maxSamples {
			known = values[i]
			break
		}
	}
	if math.IsNaN(known) {
		known = 0
	}
	return values[at] - known
}

func quotient(n, of float64) float64 {
	if of == 0 {
		return math.NaN()
	}
	return n / of
}

// compare orders lines: the ones nearest to the alert first.
func (p plot) compare(a, b curve) int {
	x, y := p.worst(a), p.worst(b)
	if p.Below {
		x, y = -x, -y
	}
	return cmp.Or(-cmp.Compare(x, y), cmp.Compare(a.Name, b.Name))
}

// worst returns the value of a line that is nearest to the alert, NaN for one without values.
func (p plot) worst(c curve) float64 {
	worst := math.NaN()
	for _, v := range c.Values {
		if !math.IsNaN(v) && (math.IsNaN(worst) || p.Below && v < worst || !p.Below && v > worst) {
			worst = v
		}
	}
	return worst
}

// Over reports whether a value is one on which the alert is raised.
func (p plot) Over(v float64) bool {
	if p.Below {
		return v < p.Limit
	}
	return v > p.Limit || p.Reached && v == p.Limit
}

// Raised says when the alert is raised, in words.
func (p plot) Raised() string {
	switch {
	case p.unit == yesNo:
		return "alert if no"
	case p.Below:
		return "alert below " + p.unit.text(p.Limit)
	case p.Limit == 0 && p.unit == count:
		return "alert if there is one"
	case p.Reached:
		return "alert at " + p.unit.text(p.Limit)
	}
	return "alert above " + p.unit.text(p.Limit)
}

// text writes a figure.
func (u unit) text(v float64) string {
	if math.IsNaN(v) {
		return "–"
	}
	short := func(v float64) string {
		return strconv.FormatFloat(math.Round(v*100)/100, 'f', -1, 64)
	}
	switch u {
	case percent:
		return short(v*100) + " %"
	case seconds:
		return lasted(int64(v * 1000))
	case perSecond:
		return short(v) + " a second"
	case yesNo:
		if v >= 1 {
			return "yes"
		}
		return "no"
	case count:
	}
	if v >= 1e6 {
		return fmt.Sprintf("%.3g", v)
	}
	return short(v)
}
