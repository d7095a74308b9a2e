package main

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// claimWays are the claims that are told apart.
var claimWays = []struct {
	name string
	took func(claimRound) []time.Duration
}{
	{"from the oldest on", func(r claimRound) []time.Duration { return r.oldest }},
	{"a worker's", func(r claimRound) []time.Duration { return r.workers }},
	{"a worker's, by tenants", func(r claimRound) []time.Duration { return r.fairly }},
	{"a worker's, all", func(r claimRound) []time.Duration {
		return append(append([]time.Duration(nil), r.workers...), r.fairly...)
	}},
}

// write prints how long claims take, and how that compares with the smallest database in the same round.
func (c *claims) write(out io.Writer) error {
	var b strings.Builder
	say := func(format string, args ...any) { _, _ = fmt.Fprintf(&b, format, args...) }
	say("%s\n%d rounds of twice %s on each database, with claims of at most %d events; %d are due.\n\n", c.machine, c.rounds, c.window, claimLimit, claimsDue)
	say("| claims |")
	for _, t := range c.tables {
		say(" p50, p99 ms of %d events |", t.pending)
	}
	say("\n|---|%s\n", strings.Repeat("--:|", len(c.tables)))
	for _, way := range claimWays {
		say("| %s |", way.name)
		for i, t := range c.tables {
			p99 := t.quantiles(way.took, 0.99)
			say(" %.1f, %.1f", spreadOver(t.quantiles(way.took, 0.5)).median, spreadOver(p99).median)
			if i > 0 {
				say("; p99 × %s", ratioOver(p99, c.tables[0].quantiles(way.took, 0.99)))
			}
			say(" |")
		}
		say("\n")
	}
	if c.open > 0 {
		say("\n| claims from %d events | p50, p99 ms before | with a transaction open for %s | p99 |\n|---|--:|--:|--:|\n", c.tables[len(c.tables)-1].pending, c.open)
		for _, way := range claimWays {
			before, during := way.took(c.before), way.took(c.during)
			say("| %s | %.1f, %.1f | %.1f, %.1f | × %.2f |\n", way.name, quantile(before, 0.5), quantile(before, 0.99),
				quantile(during, 0.5), quantile(during, 0.99), quantile(during, 0.99)/quantile(before, 0.99))
		}
		say("\nA worker completed %.0f events/s before and %.0f at the end, when %d dead rows could not be removed.\n",
			c.before.completed, c.during.completed, c.dead)
	}
	_, err := io.WriteString(out, b.String())
	return err
}

// quantiles returns a quantile of each round, in milliseconds.
func (t *claimTable) quantiles(took func(claimRound) []time.Duration, q float64) []float64 {
	values := make([]float64, len(t.rounds))
	for i, r := range t.rounds {
		values[i] = quantile(took(r), q)
	}
	return values
}

// ratioOver returns how figures compare with those of the same rounds.
func ratioOver(of, to []float64) spread {
	ratios := make([]float64, len(of))
	for i := range ratios {
		ratios[i] = of[i] / to[i]
	}
	return spreadOver(ratios)
}
