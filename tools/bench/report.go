package main

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// The results stand between these lines of benchmarks.md.
const (
	beginMark = "<!-- What follows is written by make bench. -->"
	endMark   = "<!-- Up to here. -->"
)

// save writes the results into dir/benchmarks.md.
func (r *report) save(dir string) error {
	name := filepath.Join(dir, "benchmarks.md")
	text, err := os.ReadFile(name)
	if err != nil {
		return fmt.Errorf("read the document: %w", err)
	}
	before, rest, found := strings.Cut(string(text), beginMark)
	_, after, ended := strings.Cut(rest, endMark)
	if !found || !ended {
		return fmt.Errorf("%s has no place for the results: it needs the lines %q and %q", name, beginMark, endMark)
	}
	var results bytes.Buffer
	if err := r.write(&results); err != nil {
		return err
	}
	document := before + beginMark + "\n\n" + results.String() + "\n" + endMark + after
	if err := os.WriteFile(name, []byte(document), 0o644); err != nil {
		return fmt.Errorf("write the document: %w", err)
	}
	return nil
}

// write writes the results as Markdown.
func (r *report) write(out io.Writer) error {
	var b bytes.Buffer
	say := func(format string, args ...any) { _, _ = fmt.Fprintf(&b, format, args...) }
	say("%s\n%d rounds of %s for each strategy; the whole run took %s.\n", r.machine, r.rounds, r.duration,
		time.Since(r.began).Round(time.Second))
	for _, sentence := range r.without {
		say("%s\n", sentence)
	}
	r.writeRatios(say)
	for _, results := range r.scenarios {
		r.writeScenario(say, results)
	}
	for _, x := range r.specials {
		x.write(say)
	}
	_, err := out.Write(b.Bytes())
	return err
}

type sayFunc func(format string, args ...any)

// writeScenario writes one table.
func (r *report) writeScenario(say sayFunc, results []*result) {
	scenario := results[0].scenario
	say("\n### %s%s\n\n", strings.ToUpper(scenario[:1]), scenario[1:])
	say("| strategy | at | operations/s | of the baseline | Holdfast is | p50 ms | p99 ms | CPU µs | database CPU µs | other CPU µs |" +
		" allocations | KiB |\n")
	say("|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n")
	baseline, ours := r.find(scenario, atDatabase, "baseline"), r.find(scenario, atService, holdfast)
	for _, x := range results {
		rate := x.rate()
		median := func(digits int, figure func(measurement) float64) string {
			return number(spreadOf(x.rounds, figure).median, digits)
		}
		say("| %s | %s | %.0f (%.0f–%.0f) | %s | %s | %s | %s | %s | %s | %s | %s | %s |\n",
			x.strategy, x.level, rate.median, rate.least, rate.most, ratio(x, baseline, "%.2f"),
			ratio(ours, x, "%.2f ×"),
			median(2, func(m measurement) float64 { return m.p50.Seconds() * 1e3 }),
			median(2, func(m measurement) float64 { return m.p99.Seconds() * 1e3 }),
			median(0, func(m measurement) float64 { return m.process.Seconds() * 1e6 }),
			median(0, func(m measurement) float64 { return m.database.Seconds() * 1e6 }),
			median(0, func(m measurement) float64 { return m.other.Seconds() * 1e6 }),
			median(0, func(m measurement) float64 { return m.mallocs }),
			median(1, func(m measurement) float64 { return m.bytes / 1024 }))
	}
	for _, x := range results {
		if gaveUp := spreadOf(x.rounds, func(m measurement) float64 { return m.gaveUp }); gaveUp.most > 0 {
			say("\n%s gave up %.1f orders a second (%.1f–%.1f).\n", x.strategy, gaveUp.median, gaveUp.least,
				gaveUp.most)
		}
	}
	if scenario == contended {
		refused := spreadOf(r.find(scenario, atService, holdfast).rounds,
			func(m measurement) float64 { return m.refused })
		say("\nOf Holdfast's answers %.1f%% were refusals.\n", 100*refused.median)
	}
}

// writeRatios writes the figures that the others are measured for.
func (r *report) writeRatios(say sayFunc) {
	many, through := r.find(manyTenants, atService, holdfast), r.find(manyTenants, atHTTP, holdfast)
	var rows []string
	row := func(what, value string) {
		if value != none {
			rows = append(rows, fmt.Sprintf("| %s | %s |\n", what, value))
		}
	}
	for _, scenario := range []string{manyTenants, oneTenant} {
		baseline := r.find(scenario, atDatabase, "baseline")
		row(scenario+", of the baseline", ratio(r.find(scenario, atService, holdfast), baseline, "%.2f"))
		row("the same through HTTP", ratio(r.find(scenario, atHTTP, holdfast), baseline, "%.2f"))
	}
	for _, scenario := range []string{manyTenants, oneTenant, hotDate, contended} {
		best := r.best(scenario)
		row(fmt.Sprintf("%s, of the best other strategy with a lock or SERIALIZABLE (%s)", scenario, best.strategy),
			ratio(r.find(scenario, atService, holdfast), best, "%.2f ×"))
		row(scenario+", of the advisory lock in six round trips",
			ratio(r.find(scenario, atService, holdfast), r.find(scenario, atService, "advisory lock"), "%.2f ×"))
	}
	row("replays, of bookings over many dates of many tenants",
		ratio(r.find(replays, atService, holdfast), many, "%.2f ×"))
	row("the same through HTTP", ratio(r.find(replays, atHTTP, holdfast), through, "%.2f ×"))
	if len(rows) > 0 {
		say("\n| Holdfast compared, by operations per second | |\n|---|--:|\n%s", strings.Join(rows, ""))
	}
}

// best returns the fastest other strategy that takes a lock or is SERIALIZABLE.
func (r *report) best(scenario string) *result {
	best := new(result)
	for _, x := range slices.Concat(r.scenarios...) {
		if x.scenario == scenario && x.level == atService && x.strategy != holdfast &&
			x.strategy != "constraint alone" &&
			(best.rounds == nil || x.rate().median > best.rate().median) {
			best = x
		}
	}
	return best
}

// write writes the figures of a special scenario.
func (x *special) write(say sayFunc) {
	say("\n### %s\n\n| through HTTP | |\n|---|--:|\n", x.title)
	for i, f := range x.rounds[0] {
		var values []float64
		for _, figures := range x.rounds {
			values = append(values, figures[i].value)
		}
		s := spreadOver(values)
		say("| %s | "+f.format+" ("+f.format+"–"+f.format+") |\n", f.what, s.median, s.least, s.most)
	}
}

// find returns a strategy's result, with no rounds if it wasn't measured.
func (r *report) find(scenario, level, strategy string) *result {
	for _, x := range slices.Concat(r.scenarios...) {
		if x.scenario == scenario && x.level == level && x.strategy == strategy {
			return x
		}
	}
	return new(result)
}

// none stands for what wasn't measured.
const none = "–"

func ratio(of, to *result, format string) string {
	if len(of.rounds) == 0 || len(to.rounds) == 0 || to.rate().median == 0 {
		return none
	}
	return fmt.Sprintf(format, of.rate().median/to.rate().median)
}

// number writes a figure; zero says that it wasn't measured.
func number(n float64, digits int) string {
	if n == 0 || math.IsNaN(n) {
		return none
	}
	return fmt.Sprintf("%.*f", digits, n)
}
