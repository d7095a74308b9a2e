package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"time"
)

// Scenarios that have figures of their own.
const (
	neighbours = "neighbour"
	overload   = "overload"
	visiting   = "visitors"
)

// special is such a scenario.
type special struct {
	name, title string
	run         func(context.Context) ([]figure, error)
	rounds      [][]figure
}

// figure is one of its figures in one round.
type figure struct {
	what, format string
	value        float64
}

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
	scenarios [][]*result // the strategies of each
	specials  []*special
	machine   machine
	without   []string // what is missing on this machine
	rounds    int
	duration  time.Duration
	began     time.Time
}

// newReport returns a report of entries that weren't measured yet. Those of a scenario follow each other.
func newReport(all []entry, rounds int, duration time.Duration) *report {
	r := &report{rounds: rounds, duration: duration, began: time.Now()}
	for i, e := range all {
		if i == 0 || all[i-1].scenario != e.scenario {
			r.scenarios = append(r.scenarios, nil)
		}
		last := len(r.scenarios) - 1
		r.scenarios[last] = append(r.scenarios[last], &result{entry: e})
	}
	return r
}

// run measures what is chosen.
func (b *bench) run(ctx context.Context, rounds int, chosen *regexp.Regexp) (*report, error) {
	all, err := b.entries(ctx)
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(e entry) bool { return !chosen.MatchString(e.name()) })
	r := newReport(all, rounds, b.duration)
	r.specials = slices.DeleteFunc([]*special{
		{name: neighbours, title: "A storm next door", run: b.neighbour},
		{name: overload, title: "Overload", run: b.overload},
		{name: visiting, title: "Visitors of the booking page", run: b.visitors},
	}, func(s *special) bool { return !chosen.MatchString(s.name) })
	if len(all)+len(r.specials) == 0 {
		return nil, errNothingChosen
	}
	return b.fillReport(ctx, r)
}

// fillReport measures everything that a report is about.
func (b *bench) fillReport(ctx context.Context, r *report) (*report, error) {
	r.machine = describeMachine(ctx, b.database.version, b.redis.version(ctx))
	if b.redis.client == nil {
		r.without = append(r.without, "There is no redis-server on this machine: the Redis lock wasn't measured.")
	}
	if b.database.pgbenchPath == "" {
		r.without = append(r.without, "There is no pgbench on this machine: the baseline wasn't measured.")
	}
	if b.warmRound {
		// Plans, pools and pages are warm once everything has run for a while.
		b.say("warming up every strategy")
		full := b.duration
		b.duration = full / 3
		if err := r.measureAll(ctx, 0, false); err != nil {
			return nil, err
		}
		b.duration = full
	}
	return r.measureRounds(ctx, b.out)
}

// measureRounds measures everything once in each round.
func (r *report) measureRounds(ctx context.Context, out io.Writer) (*report, error) {
	for round := range r.rounds {
		_, _ = fmt.Fprintf(out, "round %d of %d\n", round+1, r.rounds)
		if err := r.measureAll(ctx, round, true); err != nil {
			return nil, err
		}
		for _, s := range r.specials {
			figures, err := s.run(ctx)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", s.name, err)
			}
			s.rounds = append(s.rounds, figures)
		}
	}
	return r, nil
}

// measureAll measures every strategy once. The strategies of a scenario follow each other, so that what changes in the
// course of a run changes for all, and each scenario begins with another strategy in each round.
func (r *report) measureAll(ctx context.Context, round int, counts bool) error {
	for _, s := range r.scenarios {
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
