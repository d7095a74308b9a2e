package operator

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"
	"go.yaml.in/yaml/v3"
)

// plot is an alert with the figure on which it is raised.
type plot struct {
	Alert string
	// Title is the alert's name in words, and Section that of its group.
	Title, Section string
	// Expr is what the alert's file says, and raised the same for one server.
	Expr, raised string
	// figure is what is drawn: what the alert compares with Limit. Without a plot it is empty, and Why says the reason.
	figure, Why string
	// Limit is what the alert is raised above, or below if Below says so.
	Limit float64
	Below bool
	// Reached says that it is also raised at the limit, and besides that it is raised by something else, too.
	Reached, besides bool

	metric    string // the first one that the figure has
	unit      unit
	summary   string // a template of Prometheus
	selectors []selector
}

// selector is what an expression reads, and for how long it looks back.
type selector struct {
	metric   string
	matchers []*labels.Matcher
	back     time.Duration
}

// notPlotted are the alerts of which one server can say nothing, each with the reason.
var notPlotted = map[string]string{
	"HoldfastAllServersDown":     "a server that is down shows no page",
	"HoldfastServerDown":         "a server that is down shows no page",
	"HoldfastNoServerReady":      "whether this server is ready has a plot",
	"HoldfastServerRestarts":     "a server knows nothing of what ran before it",
	"HoldfastCleanupStandsStill": "another server may clean up",
}

// promQL reads expressions as Prometheus does.
var promQL = parser.NewParser(parser.Options{})

// readPlots returns a plot for each alert of a file of rules, in its order.
func readPlots(rules []byte) (plots []plot, err error) {
	var file struct {
		Groups []struct {
			Name  string
			Rules []struct {
				Alert, Expr string
				Annotations struct{ Summary string }
			}
		}
	}
	if err := yaml.Unmarshal(rules, &file); err != nil {
		return nil, fmt.Errorf("read the rules: %w", err)
	}
	for _, group := range file.Groups {
		for _, rule := range group.Rules {
			p := plot{
				Alert: rule.Alert, Title: inWords(rule.Alert), Section: inWords(group.Name),
				Expr: strings.TrimSpace(rule.Expr), Why: notPlotted[rule.Alert], summary: rule.Annotations.Summary,
			}
			if p.Why == "" {
				if err := p.read(); err != nil {
					return nil, fmt.Errorf("read the expression of %s: %w", p.Alert, err)
				}
			}
			plots = append(plots, p)
		}
	}
	return plots, nil
}

var wordBegins = regexp.MustCompile(`-|[A-Z]`)

// inWords writes the name of an alert or of a group as people read it: Events late, Database.
func inWords(name string) string {
	words := strings.TrimSpace(wordBegins.ReplaceAllStringFunc(name[len("holdfast"):], func(begin string) string {
		return " " + strings.ToLower(strings.Trim(begin, "-"))
	}))
	return strings.ToUpper(words[:1]) + words[1:]
}

// read takes the expression apart.
func (p *plot) read() error {
	whole, err := promQL.ParseExpr(p.Expr)
	if err != nil {
		return err
	}
	whole = present(whole)
	p.raised = whole.String()
	parser.Inspect(whole, func(node parser.Node, _ []parser.Node) error {
		switch n := node.(type) {
		case *parser.MatrixSelector:
			if of, ok := n.VectorSelector.(*parser.VectorSelector); ok {
				back := n.Range + of.OriginalOffset
				p.selectors = append(p.selectors, selector{of.Name, of.LabelMatchers, back})
			}
		case *parser.VectorSelector:
			p.selectors = append(p.selectors, selector{n.Name, n.LabelMatchers, lookback + n.OriginalOffset})
		}
		return nil
	})
	compared := comparison(whole)
	if compared == nil {
		p.Why = "it compares nothing with a number"
		return nil
	}
	p.figure, p.unit, p.metric = figureOf(compared.LHS), unitOf(compared.LHS), metricOf(compared.LHS)
	if b, ok := whole.(*parser.BinaryExpr); ok && b.Op == parser.LOR { // such as by a series that is new
		p.besides = true
		p.figure = "(" + p.raised + ") or (" + p.figure + ")"
	}
	p.Limit = compared.RHS.(*parser.NumberLiteral).Val
	p.Below = slices.Contains([]parser.ItemType{parser.LSS, parser.LTE, parser.EQLC}, compared.Op)
	p.Reached = slices.Contains([]parser.ItemType{parser.LTE, parser.GTE, parser.EQLC}, compared.Op)
	return nil
}

// present leaves out that an alert is also raised by the absence of a series: another server may have it.
func present(e parser.Expr) parser.Expr {
	if b, ok := e.(*parser.BinaryExpr); ok && b.Op == parser.LOR {
		if call, ok := b.RHS.(*parser.Call); ok && call.Func.Name == "absent" {
			return present(b.LHS)
		}
	}
	return e
}

// comparison returns the first comparison with a number that an expression has; nil if there is none. What is joined to
// it by "and" is a condition besides.
func comparison(e parser.Expr) *parser.BinaryExpr {
	switch e := e.(type) {
	case *parser.ParenExpr:
		return comparison(e.Expr)
	case *parser.BinaryExpr:
		if _, number := e.RHS.(*parser.NumberLiteral); number && e.Op.IsComparisonOperator() {
			return e
		}
		if e.Op.IsSetOperator() {
			return comparison(e.LHS)
		}
	}
	return nil
}

// figureOf returns what is drawn of an expression. A share is 0 where its upper part has no series: none failed yet.
func figureOf(e parser.Expr) string {
	b, ok := e.(*parser.BinaryExpr)
	if !ok || b.Op != parser.DIV || b.RHS.Type() != parser.ValueTypeVector {
		return e.String()
	}
	if b.VectorMatching == nil || b.VectorMatching.On || len(b.VectorMatching.MatchingLabels) > 0 {
		return e.String()
	}
	return fmt.Sprintf("(%s or 0 * (%s)) / (%s)", b.LHS, b.RHS, b.RHS)
}

// metricOf returns the first metric of an expression.
func metricOf(e parser.Expr) (name string) {
	parser.Inspect(e, func(node parser.Node, _ []parser.Node) error {
		if of, ok := node.(*parser.VectorSelector); ok && name == "" {
			name = of.Name
		}
		return nil
	})
	return name
}

// unitOf tells how the values of an expression are written.
func unitOf(e parser.Expr) unit {
	switch e := e.(type) {
	case *parser.ParenExpr:
		return unitOf(e.Expr)
	case *parser.AggregateExpr:
		return unitOf(e.Expr)
	case *parser.BinaryExpr:
		if e.Op == parser.DIV {
			return percent
		}
		return unitOf(e.LHS)
	case *parser.Call:
		quantile := e.Func.Name == "histogram_quantile" && strings.HasSuffix(metricOf(e), "_seconds_bucket")
		switch {
		case e.Func.Name == "rate":
			return perSecond
		case e.Func.Name == "time", quantile:
			return seconds
		}
	case *parser.VectorSelector:
		if strings.HasSuffix(e.Name, "_seconds") {
			return seconds
		}
	}
	return count
}
