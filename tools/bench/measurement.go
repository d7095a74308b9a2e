package main

import (
	"math"
	"slices"
	"time"

	"holdfast/tools/bench/strategies"
)

// measurement is what one strategy came to in one round.
type measurement struct {
	rate     float64 // operations per second
	refused  float64 // share of the operations that were refused, as they should be
	gaveUp   float64 // orders per second that were given up, besides
	p50, p99 time.Duration
	// Per operation: CPU time of who does the work, of the database, and of what stands around them; allocations and
	// bytes of this process.
	process, database, other time.Duration
	mallocs, bytes           float64
}

func measured(r strategies.Result, before, after usage) measurement {
	m := measurement{rate: r.Rate(), gaveUp: float64(r.GaveUp) / r.Elapsed.Seconds(), p50: r.Quantile(0.50),
		p99: r.Quantile(0.99)}
	n := float64(len(r.Latencies))
	if n == 0 {
		return m
	}
	share := func(from, to time.Duration) time.Duration { return time.Duration(float64(to-from) / n) }
	m.refused = float64(r.Refused) / n
	m.process, m.database = share(before.process, after.process), share(before.database, after.database)
	m.other = share(before.other, after.other)
	m.mallocs, m.bytes = float64(after.mallocs-before.mallocs)/n, float64(after.bytes-before.bytes)/n
	return m
}

// spread is a figure over all rounds.
type spread struct{ median, least, most float64 }

func spreadOf(rounds []measurement, figure func(measurement) float64) spread {
	values := make([]float64, len(rounds))
	for i, m := range rounds {
		values[i] = figure(m)
	}
	return spreadOver(values)
}

func spreadOver(values []float64) spread {
	if len(values) == 0 {
		return spread{math.NaN(), math.NaN(), math.NaN()}
	}
	sorted := slices.Sorted(slices.Values(values))
	middle := sorted[len(sorted)/2]
	if len(sorted)%2 == 0 {
		middle = (middle + sorted[len(sorted)/2-1]) / 2
	}
	return spread{middle, sorted[0], sorted[len(sorted)-1]}
}
