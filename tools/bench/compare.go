package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"time"
)

// comparison is another server beside today's, measured in turns. Each has a database of its own in one cluster.
type comparison struct {
	base     string // what the other server is, as in "the one of 9c88500"
	rounds   int
	duration time.Duration
	machine  machine
	entries  []*compared
}

// compared is what both servers came to in one scenario, a measurement each round.
type compared struct {
	scenario    string
	base, today []measurement
}

// compare measures the server of a commit and today's in the chosen scenarios through HTTP.
func (b *bench) compare(ctx context.Context, commit string, rounds int, chosen *regexp.Regexp) (*comparison, error) {
	b.say("building the server of " + commit)
	return b.compareWith(ctx, "the one of "+commit, func(dir string) (string, error) {
		return buildCommit(ctx, dir, commit)
	}, rounds, chosen)
}

// compareWith measures the server base, which build makes in a directory, and today's in the chosen scenarios through HTTP. A round
// measures each server twice, and each comes first once, so that none gains by its place. A round before the first one isn't counted:
// it warms up.
func (b *bench) compareWith(ctx context.Context, base string, build func(dir string) (string, error), rounds int, chosen *regexp.Regexp) (*comparison, error) {
	dirs := [2]string{filepath.Join(b.dir, "base"), filepath.Join(b.dir, "today")}
	for _, dir := range dirs {
		if err := os.Mkdir(dir, 0o700); err != nil {
			return nil, fmt.Errorf("make a directory: %w", err)
		}
	}
	binary, err := build(dirs[0])
	if err != nil {
		return nil, err
	}
	otherURL, err := b.newDatabase(ctx)
	if err != nil {
		return nil, err
	}
	other, err := startServer(ctx, dirs[0], binary, otherURL)
	if err != nil {
		return nil, err
	}
	defer func() { _ = other.Stop(startLimit) }()
	b.say("filling its database")
	if err := b.fillAsCommit(ctx, dirs[0], otherURL); err != nil {
		return nil, err
	}
	// The server that has warmed up answered more requests than the other one: a new one has the same start.
	if err := b.server.Stop(startLimit); err != nil {
		return nil, fmt.Errorf("stop the server: %w", err)
	}
	today, err := startServer(ctx, dirs[1], b.binary, b.database.URL())
	if err != nil {
		return nil, err
	}
	b.server, b.others = today, []*server{other}
	defer func() { b.server, b.others = today, nil }()

	all, err := b.entries(ctx)
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(e entry) bool { return e.level != atHTTP || !chosen.MatchString(e.name()) })
	if len(all) == 0 {
		return nil, errNothingChosen
	}
	c := &comparison{base: base, rounds: rounds, duration: b.duration, machine: describeMachine(ctx, b.versions)}
	for round := range rounds + 1 {
		b.say(fmt.Sprintf("round %d of %d", round, rounds))
		for _, e := range all {
			var m [4]measurement
			for i, s := range []*server{other, today, today, other} {
				b.server = s
				if m[i], err = e.run(ctx); err != nil {
					return nil, fmt.Errorf("%s: %w", e.name(), err)
				}
			}
			if round > 0 {
				c.add(e.scenario, mean(m[0], m[3]), mean(m[1], m[2]))
			}
		}
	}
	return c, nil
}

// add adds a round of a scenario.
func (c *comparison) add(scenario string, base, today measurement) {
	for _, e := range c.entries {
		if e.scenario == scenario {
			e.base, e.today = append(e.base, base), append(e.today, today)
			return
		}
	}
	c.entries = append(c.entries, &compared{scenario, []measurement{base}, []measurement{today}})
}

// mean returns the mean of two measurements, of the figures that are compared.
func mean(a, b measurement) measurement {
	return measurement{
		rate: (a.rate + b.rate) / 2, p50: (a.p50 + b.p50) / 2, p99: (a.p99 + b.p99) / 2,
		process: (a.process + b.process) / 2, database: (a.database + b.database) / 2,
	}
}

// write prints a table of the ratios.
func (c *comparison) write(out io.Writer) error {
	_, err := fmt.Fprintf(out, `%s
%d rounds of twice %s for each server. Ratios of today's server to %s: the median of the rounds, the least and the most.

| scenario, through HTTP | before, operations/s | today | operations/s | p50 | p99 | server's CPU | database's CPU | both |
|---|--:|--:|--:|--:|--:|--:|--:|--:|
`, c.machine, c.rounds, c.duration, c.base)
	for _, e := range c.entries {
		rate := func(m measurement) float64 { return m.rate }
		if err == nil {
			_, err = fmt.Fprintf(out, "| %s | %.0f | %.0f | %s | %s | %s | %s | %s | %s |\n", e.scenario,
				spreadOf(e.base, rate).median, spreadOf(e.today, rate).median, e.ratio(rate),
				e.ratio(func(m measurement) float64 { return m.p50.Seconds() }), e.ratio(func(m measurement) float64 { return m.p99.Seconds() }),
				e.ratio(func(m measurement) float64 { return m.process.Seconds() }), e.ratio(func(m measurement) float64 { return m.database.Seconds() }),
				e.ratio(func(m measurement) float64 { return (m.process + m.database).Seconds() }))
		}
	}
	return err
}

// ratio returns how a figure of today's server compares with that of the other one in the same round.
func (e *compared) ratio(figure func(measurement) float64) spread {
	return ratioOf(e.today, e.base, figure)
}

// ratioOf returns how a figure of measurements compares with that of others in the same round.
func ratioOf(of, to []measurement, figure func(measurement) float64) spread {
	ratios := make([]float64, len(to))
	for i := range ratios {
		ratios[i] = figure(of[i]) / figure(to[i])
	}
	return spreadOver(ratios)
}

// String returns the median with the least and the most.
func (s spread) String() string { return fmt.Sprintf("%.2f (%.2f to %.2f)", s.median, s.least, s.most) }
