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

// comparison is the server of another commit beside today's, measured in turns.
type comparison struct {
	ratios   string // of which server to which one
	rounds   int
	duration time.Duration
	machine  machine
	entries  []*compared
}

// compared is both servers in one scenario: how each is measured, and what they came to, a measurement each round.
type compared struct {
	scenario                 string
	measureBase, measureThis func(context.Context) (measurement, error)
	base, today              []measurement
}

// compare measures the server of a commit and today's in the chosen scenarios through HTTP. Each has a database of its
// own in one cluster.
func (b *bench) compare(ctx context.Context, commit string, rounds int, chosen *regexp.Regexp) (*comparison, error) {
	dirs := [2]string{filepath.Join(b.dir, "base"), filepath.Join(b.dir, "today")}
	for _, dir := range dirs {
		if err := os.Mkdir(dir, 0o700); err != nil {
			return nil, fmt.Errorf("make a directory: %w", err)
		}
	}
	b.say("building the server of " + commit)
	binary, err := buildCommit(ctx, dirs[0], commit)
	if err != nil {
		return nil, err
	}
	otherURL, err := b.database.create(ctx, "base")
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
	today, err := startServer(ctx, dirs[1], b.binary, b.database.url)
	if err != nil {
		return nil, err
	}
	b.server, b.others = today, []*server{other}
	defer func() { b.server, b.others = today, nil }()

	all, err := b.entries(ctx)
	if err != nil {
		return nil, err
	}
	c := &comparison{ratios: ratiosTo(commit), rounds: rounds, duration: b.duration,
		machine: describeMachine(ctx, b.database.version, "")}
	all = slices.DeleteFunc(all, func(e entry) bool { return e.level != atHTTP || !chosen.MatchString(e.name()) })
	for _, e := range all {
		on := func(s *server) func(context.Context) (measurement, error) {
			return func(ctx context.Context) (measurement, error) {
				b.server = s
				return e.run(ctx)
			}
		}
		c.entries = append(c.entries, &compared{scenario: e.scenario, measureBase: on(other), measureThis: on(today)})
	}
	if len(all) == 0 {
		return nil, errNothingChosen
	}
	return c.measure(ctx, b.out)
}

func ratiosTo(commit string) string { return "today's server to the one of " + commit }

// measure measures each server twice in a round, and each comes first once, so that none gains by its place. A round
// before the first one isn't counted: it warms up.
func (c *comparison) measure(ctx context.Context, out io.Writer) (_ *comparison, err error) {
	for round := range c.rounds + 1 {
		_, _ = fmt.Fprintf(out, "round %d of %d\n", round, c.rounds)
		for _, e := range c.entries {
			var m [4]measurement
			for i, run := range []func(context.Context) (measurement, error){e.measureBase, e.measureThis,
				e.measureThis, e.measureBase} {
				if m[i], err = run(ctx); err != nil {
					return nil, fmt.Errorf("%s: %w", e.scenario, err)
				}
			}
			if round > 0 {
				e.base, e.today = append(e.base, mean(m[0], m[3])), append(e.today, mean(m[1], m[2]))
			}
		}
	}
	return c, nil
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
%d rounds of twice %s for each server. Ratios of %s: the median of the rounds, the least and the most.

| scenario, through HTTP | before, operations/s | today | operations/s | p50 | p99 | server's CPU | database's CPU | both |
|---|--:|--:|--:|--:|--:|--:|--:|--:|
`, c.machine, c.rounds, c.duration, c.ratios)
	rate := func(m measurement) float64 { return m.rate }
	for _, e := range c.entries {
		if err == nil {
			_, err = fmt.Fprintf(out, "| %s | %.0f | %.0f | %s | %s | %s | %s | %s | %s |\n", e.scenario,
				spreadOf(e.base, rate).median, spreadOf(e.today, rate).median, e.ratio(rate),
				e.ratio(func(m measurement) float64 { return m.p50.Seconds() }),
				e.ratio(func(m measurement) float64 { return m.p99.Seconds() }),
				e.ratio(func(m measurement) float64 { return m.process.Seconds() }),
				e.ratio(func(m measurement) float64 { return m.database.Seconds() }),
				e.ratio(func(m measurement) float64 { return (m.process + m.database).Seconds() }))
		}
	}
	return err
}

// ratio returns how a figure of today's server compares with that of the other one in the same round.
func (e *compared) ratio(figure func(measurement) float64) spread {
	ratios := make([]float64, len(e.base))
	for i := range ratios {
		ratios[i] = figure(e.today[i]) / figure(e.base[i])
	}
	return spreadOver(ratios)
}

// String returns the median with the least and the most.
func (s spread) String() string { return fmt.Sprintf("%.2f (%.2f to %.2f)", s.median, s.least, s.most) }
