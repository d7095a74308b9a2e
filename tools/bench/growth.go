package main

import (
	"context"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"holdfast/tools/bench/strategies"
)

// grown are the scenarios whose cost is compared between databases of different sizes.
var grown = []string{manyTenants, availability, lists, replays}

// mostBookings bounds how many bookings a database is filled with.
const mostBookings = 20_000_000

// growth is what the scenarios through HTTP came to on databases that differ in their number of bookings.
type growth struct {
	bookings []int // of each database
	rounds   int
	duration time.Duration
	machine  machine
	results  map[string][][]measurement // by scenario: of each database, a measurement each round
}

// parseSizes reads the numbers of bookings of the databases, such as 10000,100000.
func parseSizes(list string) (sizes []int, err error) {
	for text := range strings.SplitSeq(list, ",") {
		n, err := strconv.Atoi(text)
		if err != nil || n < fullSize.uncontended || n > mostBookings {
			return nil, fmt.Errorf("%q is not a number of bookings from %d to %d", text, fullSize.uncontended, mostBookings)
		}
		sizes = append(sizes, n)
	}
	if !slices.IsSorted(sizes) {
		return nil, fmt.Errorf("the numbers of bookings must grow: %s", list)
	}
	return sizes, nil
}

// measureGrowth measures the chosen scenarios on a database of each size, in turns: all are there from the beginning.
func measureGrowth(ctx context.Context, bookings []int, rounds int, duration time.Duration, s size, chosen *regexp.Regexp, out io.Writer) (*growth, error) {
	g := &growth{rounds: rounds, duration: duration, results: map[string][][]measurement{}}
	entries := make([][]entry, len(bookings))
	var started []*bench
	defer func() {
		for _, b := range started {
			b.stop()
		}
	}()
	for i, n := range bookings {
		s.bookings = max(n-s.contended*strategies.ContendedBookings, 0) / s.uncontended
		_, _ = fmt.Fprintf(out, "a database of %d bookings:\n", n)
		b, err := start(ctx, duration, 0, s, out)
		if err != nil {
			return nil, err
		}
		started = append(started, b)
		g.bookings = append(g.bookings, b.filled)
		if entries[i], err = b.entries(ctx); err != nil {
			return nil, err
		}
		entries[i] = slices.DeleteFunc(entries[i], func(e entry) bool {
			return e.level != atHTTP || !slices.Contains(grown, e.scenario) || !chosen.MatchString(e.name())
		})
		if len(entries[i]) == 0 {
			return nil, errNothingChosen
		}
		g.machine = describeMachine(ctx, b.versions)
	}
	for round := range rounds + 1 {
		_, _ = fmt.Fprintf(out, "round %d of %d\n", round, rounds)
		for e := range entries[0] {
			scenario := entries[0][e].scenario
			if g.results[scenario] == nil {
				g.results[scenario] = make([][]measurement, len(bookings))
			}
			for i := range bookings {
				which := (i + round) % len(bookings)
				m, err := entries[which][e].run(ctx)
				if err != nil {
					return nil, fmt.Errorf("%s with %d bookings: %w", scenario, bookings[which], err)
				}
				if round > 0 { // the round before the first one warms up
					g.results[scenario][which] = append(g.results[scenario][which], m)
				}
			}
		}
	}
	return g, nil
}

// write prints a table of what an operation costs, and how much dearer it is than on the smallest database.
func (g *growth) write(out io.Writer) error {
	var b strings.Builder
	_, _ = fmt.Fprintf(&b, "%s\n%d rounds of %s on each database.\n\n| CPU time of an operation, server and database, µs |", g.machine, g.rounds, g.duration)
	for _, n := range g.bookings {
		_, _ = fmt.Fprintf(&b, " %d bookings |", n)
	}
	_, _ = fmt.Fprintf(&b, "\n|---|%s\n", strings.Repeat("--:|", len(g.bookings)))
	for _, scenario := range grown {
		rounds := g.results[scenario]
		if rounds == nil {
			continue
		}
		_, _ = fmt.Fprintf(&b, "| %s |", scenario)
		for i := range rounds {
			_, _ = fmt.Fprintf(&b, " %.0f", spreadOf(rounds[i], cost).median*1e6)
			if i > 0 {
				_, _ = fmt.Fprintf(&b, ", × %s", g.growthOf(scenario, i))
			}
			_, _ = b.WriteString(" |")
		}
		_, _ = b.WriteString("\n")
	}
	_, err := io.WriteString(out, b.String())
	return err
}

// growthOf returns how the cost of a scenario's operation on the i-th database compares with the smallest one's in the same round.
func (g *growth) growthOf(scenario string, i int) spread {
	return ratioOf(g.results[scenario][i], g.results[scenario][0], cost)
}

// cost is the seconds of processor time that an operation takes, the server's and the database's.
func cost(m measurement) float64 { return (m.process + m.database).Seconds() }
