package operator

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"net/url"
	"strconv"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/template"
)

// unit says how figures are written.
type unit int

// The units.
const (
	count unit = iota
	percent
	seconds
	perSecond
)

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
		worst = p.nearer(worst, v)
	}
	return worst
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

// beyond reports whether the alert may be raised on a value.
func (p plot) beyond(v float64) bool {
	return p.Below && v < p.Limit || !p.Below && v > p.Limit || p.Reached && v == p.Limit
}

// Raised says when the alert is raised, in words.
func (p plot) Raised() string {
	switch {
	case p.Reached && p.Limit == 0 && p.Below, p.Reached && !p.Below:
		return "alert at " + p.unit.text(p.Limit)
	case p.Below:
		return "alert below " + p.unit.text(p.Limit)
	case p.Limit == 0 && p.unit == count:
		return "alert if there is one"
	}
	return "alert above " + p.unit.text(p.Limit)
}

// says returns the alert's summary of what raises it.
func (p plot) says(raised promql.Vector, now time.Time) (string, error) {
	if len(raised) == 0 {
		return "", nil
	}
	of := map[string]string{"job": "…", "instance": "…"} // which a server doesn't know of itself
	worst := raised[0]
	for _, one := range raised[1:] {
		if p.nearer(worst.F, one.F) != worst.F {
			worst = one
		}
	}
	maps.Copy(of, worst.Metric.Map())
	text := "{{$labels := .Labels}}{{$value := .Value}}" + p.summary // as Prometheus does
	data := template.AlertTemplateData(of, nil, "", worst)
	at := model.TimeFromUnix(now.Unix())
	return template.NewTemplateExpander(context.Background(), text, p.Alert, data, at, nil, &url.URL{}, nil).Expand()
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
	case count:
	}
	if v >= 1e6 {
		return fmt.Sprintf("%.3g", v)
	}
	return short(v)
}
