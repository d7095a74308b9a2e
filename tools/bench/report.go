package main

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
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
	say("%s\n%d rounds of %s for each strategy; the whole run took %s.\n", r.machine, r.rounds, r.duration, r.took.Round(time.Second))
	for _, sentence := range r.without {
		say("%s\n", sentence)
	}
	r.writeRatios(say)
	for i := range r.results {
		if i == 0 || r.results[i].scenario != r.results[i-1].scenario {
			r.writeScenario(say, r.results[i].scenario)
		}
	}
	r.writeNeighbours(say)
	r.writeOverload(say)
	_, err := out.Write(b.Bytes())
	return err
}

type sayFunc func(format string, args ...any)

// writeScenario writes one table.
func (r *report) writeScenario(say sayFunc, scenario string) {
	say("\n### %s%s\n\n", strings.ToUpper(scenario[:1]), scenario[1:])
	say("| strategy | at | operations/s | of the baseline | Holdfast is | p50 ms | p99 ms | CPU µs | database CPU µs | other CPU µs | allocations | KiB |\n")
	say("|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n")
	baseline, ours := r.find(scenario, atDatabase, "baseline"), r.find(scenario, atService, "Holdfast")
	for _, x := range r.results {
		if x.scenario != scenario {
			continue
		}
		rate := x.rate()
		duration := func(figure func(measurement) time.Duration, unit time.Duration, digits int) string {
			return number(spreadOf(x.rounds, figure).median/float64(unit), digits)
		}
		count := func(figure func(measurement) float64, digits int) string {
			return number(spreadOf(x.rounds, figure).median, digits)
		}
		say("| %s | %s | %.0f (%.0f–%.0f) | %s | %s | %s | %s | %s | %s | %s | %s | %s |\n",
			x.strategy, x.level, rate.median, rate.least, rate.most, ratio(x, baseline, "%.2f"), ratio(ours, x, "%.2f ×"),
			duration(func(m measurement) time.Duration { return m.p50 }, time.Millisecond, 2),
			duration(func(m measurement) time.Duration { return m.p99 }, time.Millisecond, 2),
			duration(func(m measurement) time.Duration { return m.process }, time.Microsecond, 0),
			duration(func(m measurement) time.Duration { return m.database }, time.Microsecond, 0),
			duration(func(m measurement) time.Duration { return m.other }, time.Microsecond, 0),
			count(func(m measurement) float64 { return m.mallocs }, 0),
			count(func(m measurement) float64 { return m.bytes / 1024 }, 1))
	}
	for _, x := range r.results {
		if gaveUp := spreadOf(x.rounds, func(m measurement) float64 { return m.gaveUp }); x.scenario == scenario && gaveUp.most > 0 {
			say("\n%s gave up %.1f orders a second (%.1f–%.1f).\n", x.strategy, gaveUp.median, gaveUp.least, gaveUp.most)
		}
	}
	if scenario == contended {
		refused := spreadOf(r.find(scenario, atService, "Holdfast").rounds, func(m measurement) float64 { return m.refused })
		say("\nOf Holdfast's answers %.1f%% were refusals.\n", 100*refused.median)
	}
}

// writeRatios writes the figures that the others are measured for.
func (r *report) writeRatios(say sayFunc) {
	many, through := r.find(manyTenants, atService, "Holdfast"), r.find(manyTenants, atHTTP, "Holdfast")
	var rows []string
	row := func(what, value string) {
		if value != none {
			rows = append(rows, fmt.Sprintf("| %s | %s |\n", what, value))
		}
	}
	for _, scenario := range []string{manyTenants, oneTenant} {
		baseline := r.find(scenario, atDatabase, "baseline")
		row(scenario+", of the baseline", ratio(r.find(scenario, atService, "Holdfast"), baseline, "%.2f"))
		row("the same through HTTP", ratio(r.find(scenario, atHTTP, "Holdfast"), baseline, "%.2f"))
	}
	for _, scenario := range []string{manyTenants, oneTenant, hotDate, contended} {
		best := r.best(scenario)
		row(fmt.Sprintf("%s, of the best other strategy with a lock or SERIALIZABLE (%s)", scenario, best.strategy),
			ratio(r.find(scenario, atService, "Holdfast"), best, "%.2f ×"))
		row(scenario+", of the advisory lock in six round trips",
			ratio(r.find(scenario, atService, "Holdfast"), r.find(scenario, atService, "advisory lock"), "%.2f ×"))
	}
	row("replays, of bookings over many dates of many tenants", ratio(r.find(replays, atService, "Holdfast"), many, "%.2f ×"))
	row("the same through HTTP", ratio(r.find(replays, atHTTP, "Holdfast"), through, "%.2f ×"))
	if len(rows) > 0 {
		say("\n| Holdfast compared, by operations per second | |\n|---|--:|\n%s", strings.Join(rows, ""))
	}
}

// best returns the fastest other strategy that takes a lock or is SERIALIZABLE.
func (r *report) best(scenario string) *result {
	best := new(result)
	for _, x := range r.results {
		if x.scenario == scenario && x.level == atService && x.strategy != "Holdfast" && x.strategy != "constraint alone" &&
			(best.rounds == nil || x.rate().median > best.rate().median) {
			best = x
		}
	}
	return best
}

func (r *report) writeNeighbours(say sayFunc) {
	if len(r.neighbours) == 0 {
		return
	}
	say("\n### A storm next door\n\n| the neighbour's latency, through HTTP | without the storm, ms | with it, ms | ratio |\n|---|--:|--:|--:|\n")
	for _, q := range []float64{0.5, 0.99} {
		var quiet, stormed, ratios []float64
		for _, n := range r.neighbours {
			a, b := n.quiet.Quantile(q).Seconds()*1000, n.stormed.Quantile(q).Seconds()*1000
			quiet, stormed, ratios = append(quiet, a), append(stormed, b), append(ratios, b/a)
		}
		say("| p%.0f | %s | %s | %s |\n", 100*q, rangeOf(quiet), rangeOf(stormed), rangeOf(ratios))
	}
	var storm []float64
	refused := 0
	for _, n := range r.neighbours {
		storm = append(storm, n.storm)
		refused += n.stormed.GaveUp
	}
	say("\nThe storm of %d clients on one date got %.0f answers a second. %d of the neighbour's requests were refused for now.\n",
		stormClients, spreadOver(storm).median, refused)
}

func (r *report) writeOverload(say sayFunc) {
	if len(r.overloads) == 0 {
		return
	}
	ms := func(d time.Duration) string { return number(d.Seconds()*1000, 1) + " ms" }
	row := func(what string, cell func(o overloaded) string) {
		say("| %s |", what)
		for _, storms := range r.overloads {
			say(" %s |", cell(storms[len(storms)/2]))
		}
		say("\n")
	}
	say("\n### Overload\n\n")
	row("through HTTP", func(o overloaded) string { return fmt.Sprintf("over %d connections", o.connections) })
	say("|---|%s\n", strings.Repeat("--:|", len(r.overloads)))
	for _, line := range []struct {
		what string
		cell func(o overloaded) string
	}{
		{fmt.Sprintf("most bookings/s, with %d clients", 2*clients), func(o overloaded) string { return number(o.peak, 0) }},
		{fmt.Sprintf("bookings/s with %d clients", overloadFactor*2*clients), func(o overloaded) string { return number(o.crowd, 0) }},
		{"of the most", func(o overloaded) string { return fmt.Sprintf("%.2f", o.crowd/o.peak) }},
		{fmt.Sprintf("requests/s that were due, %d times as many", overloadFactor), func(o overloaded) string { return number(o.offered, 0) }},
		{"bookings/s that were made meanwhile", func(o overloaded) string { return number(o.goodput, 0) }},
		{"of the most", func(o overloaded) string { return fmt.Sprintf("%.2f", o.kept()) }},
		{fmt.Sprintf("the generator's share of the processors, with %d clients and meanwhile", 2*clients), func(o overloaded) string {
			return fmt.Sprintf("%.2f, %.2f", o.generatingPeak, o.generating)
		}},
		{"of the most, each in the processor time that the generator left", func(o overloaded) string {
			return fmt.Sprintf("%.2f", o.kept()/(1-o.generating)*(1-o.generatingPeak))
		}},
		{"requests/s that were refused for now", func(o overloaded) string { return fmt.Sprintf("%.0f", o.shed) }},
		{"requests/s for which no connection was free", func(o overloaded) string { return fmt.Sprintf("%.0f", o.unsent) }},
		{"requests without a right answer", func(o overloaded) string { return strconv.Itoa(o.failed) }},
		{"requests that waited at the same time, at most", func(o overloaded) string { return strconv.Itoa(o.waiting) }},
		{"latency of what was booked, p50 and p99", func(o overloaded) string {
			return ms(o.booked.Quantile(0.5)) + ", " + ms(o.booked.Quantile(0.99))
		}},
		{"latency of what was refused, p50 and p99", func(o overloaded) string {
			return ms(o.shedding.Quantile(0.5)) + ", " + ms(o.shedding.Quantile(0.99))
		}},
		{"resident memory of the server, at most", func(o overloaded) string {
			return fmt.Sprintf("%.0f MiB", float64(o.resident)/(1<<20))
		}},
		{"back to twice the idle latency after", func(o overloaded) string {
			return fmt.Sprintf("%.1f s (of %s)", o.recovery.Seconds(), ms(o.idle))
		}},
	} {
		row(line.what, line.cell)
	}
	if r.rounds > 1 {
		say("\nOf %d storms over each, these are the ones in the middle by what was made of the most. All:", r.rounds)
		for _, storms := range r.overloads {
			say(" %.2f to %.2f over %d connections;", storms[0].kept(), storms[len(storms)-1].kept(), storms[0].connections)
		}
		say(" after no storm did the server need more than %.1f s, nor in one more than %.0f MiB.\n", r.worst(func(o overloaded) float64 {
			return o.recovery.Seconds()
		}), r.worst(func(o overloaded) float64 { return float64(o.resident) / (1 << 20) }))
	}
}

// worst is the highest figure of all storms.
func (r *report) worst(figure func(overloaded) float64) (most float64) {
	for _, storms := range r.overloads {
		for _, o := range storms {
			most = max(most, figure(o))
		}
	}
	return most
}

// find returns a strategy's result, with no rounds if it wasn't measured.
func (r *report) find(scenario, level, strategy string) *result {
	for _, x := range r.results {
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

func rangeOf(values []float64) string {
	s := spreadOver(values)
	return fmt.Sprintf("%.1f (%.1f–%.1f)", s.median, s.least, s.most)
}
