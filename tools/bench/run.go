package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"time"
)

// Scenarios that aren't a strategy's.
const (
	neighbours = "neighbour"
	overload   = "overload"
)

// errNothingChosen says that no scenario and no strategy has a name that the expression matches.
var errNothingChosen = errors.New("the expression matches no scenario/level/strategy")

// result is all measurements of one strategy in one scenario.
type result struct {
	entry
	rounds []measurement
}

func (r *result) rate() spread {
	return spreadOf(r.rounds, func(m measurement) float64 { return m.rate })
}

// report is what a run found.
type report struct {
	results    []*result
	neighbours []neighbourRound
	overloads  [][]overloaded // by connections, in ascending order of what they kept of the peak
	machine    machine
	without    []string // what is missing on this machine
	rounds     int
	duration   time.Duration
	took       time.Duration
}

// run measures what is chosen. In each round the strategies of a scenario follow each other, so that what changes in the course
// of a run changes for all.
func (b *bench) run(ctx context.Context, rounds int, chosen *regexp.Regexp) (*report, error) {
	all, err := b.entries(ctx)
	if err != nil {
		return nil, err
	}
	r := &report{rounds: rounds, duration: b.duration}
	if b.redis.client == nil {
		r.without = append(r.without, "There is no redis-server on this machine: the Redis lock wasn't measured.")
	}
	if b.pgbenchPath == "" {
		r.without = append(r.without, "There is no pgbench on this machine: the baseline wasn't measured.")
	}
	var scenarios [][]*result
	for _, e := range all {
		if !chosen.MatchString(e.name()) {
			continue
		}
		if last := len(r.results) - 1; last < 0 || r.results[last].scenario != e.scenario {
			scenarios = append(scenarios, nil)
		}
		r.results = append(r.results, &result{entry: e})
		scenarios[len(scenarios)-1] = append(scenarios[len(scenarios)-1], r.results[len(r.results)-1])
	}
	if len(scenarios) == 0 && !chosen.MatchString(neighbours) && !chosen.MatchString(overload) {
		return nil, errNothingChosen
	}
	if b.warmRound {
		// Plans, pools and pages are warm once everything has run for a while.
		b.say("warming up every strategy")
		full := b.duration
		b.duration = full / 3
		if err := measureAll(ctx, scenarios, 0, false); err != nil {
			return nil, err
		}
		b.duration = full
	}
	for round := range rounds {
		b.say(fmt.Sprintf("round %d of %d", round+1, rounds))
		if err := measureAll(ctx, scenarios, round, true); err != nil {
			return nil, err
		}
		if chosen.MatchString(neighbours) {
			n, err := b.neighbour(ctx)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", neighbours, err)
			}
			r.neighbours = append(r.neighbours, n)
		}
	}
	if chosen.MatchString(overload) {
		for _, connections := range b.overloadOver {
			b.say(fmt.Sprintf("overload over %d connections", connections))
			storms := make([]overloaded, rounds)
			for i := range storms {
				if storms[i], err = b.overload(ctx, connections); err != nil {
					return nil, fmt.Errorf("%s: %w", overload, err)
				}
			}
			slices.SortFunc(storms, func(x, y overloaded) int { return cmp.Compare(x.kept(), y.kept()) })
			r.overloads = append(r.overloads, storms)
		}
	}
	return r, nil
}

// measureAll measures every strategy once. Each scenario begins with another strategy in each round.
func measureAll(ctx context.Context, scenarios [][]*result, round int, counts bool) error {
	for _, s := range scenarios {
		for i := range s {
			this := s[(i+round)%len(s)]
			m, err := this.run(ctx)
			if err != nil {
				return fmt.Errorf("%s: %w", this.name(), err)
			}
			if counts {
				this.rounds = append(this.rounds, m)
			}
		}
	}
	return nil
}
