package main

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// write prints a table of the phases, and how Holdfast compares with River in the same round.
func (c *queueComparison) write(out io.Writer) error {
	var b strings.Builder
	say := func(format string, args ...any) { _, _ = fmt.Fprintf(&b, format, args...) }
	say("%s\n%d rounds of %d events each, inserted in batches of %d by %d inserters; %d connections each.\n\n", c.machine, c.rounds, c.events,
		queueBatch, queueInserters, queueConns)
	say("| events/s | workers | inserted | claimed and completed | both phases | CPU µs of an event | database's CPU µs |\n|---|---|--:|--:|--:|--:|--:|\n")
	for _, q := range c.queues {
		perSecond := func(phase func(queueRound) time.Duration) spread {
			return q.spread(func(r queueRound) float64 { return float64(c.events) / phase(r).Seconds() })
		}
		perEvent := func(figure func(queueRound) time.Duration) spread {
			return q.spread(func(r queueRound) float64 { return float64(figure(r).Microseconds()) / float64(c.events) })
		}
		say("| %s | %s | %s | %s | %s | %.0f | %.0f |\n", q.name, q.settings[q.setting],
			whole(perSecond(func(r queueRound) time.Duration { return r.insert })),
			whole(perSecond(func(r queueRound) time.Duration { return r.work })), whole(perSecond(queueRound.whole)),
			perEvent(func(r queueRound) time.Duration { return r.process }).median, perEvent(func(r queueRound) time.Duration { return r.dbUsage }).median)
	}
	ours := c.queues[0]
	say("\n| Holdfast is | inserted | claimed and completed | both phases | CPU of process and database |\n|---|--:|--:|--:|--:|\n")
	for _, q := range c.queues[1:] {
		times := func(figure func(queueRound) time.Duration) spread {
			ratios := make([]float64, len(ours.rounds))
			for i := range ratios {
				ratios[i] = figure(q.rounds[i]).Seconds() / figure(ours.rounds[i]).Seconds()
			}
			return spreadOver(ratios)
		}
		say("| × %s | %s | %s | %s | %s |\n", q.name, times(func(r queueRound) time.Duration { return r.insert }),
			times(func(r queueRound) time.Duration { return r.work }), times(queueRound.whole), times(queueRound.cpu))
	}
	_, err := io.WriteString(out, b.String())
	return err
}

func (q *queue) spread(figure func(queueRound) float64) spread {
	values := make([]float64, len(q.rounds))
	for i, r := range q.rounds {
		values[i] = figure(r)
	}
	return spreadOver(values)
}

// whole writes a spread without decimals.
func whole(s spread) string { return fmt.Sprintf("%.0f (%.0f to %.0f)", s.median, s.least, s.most) }
