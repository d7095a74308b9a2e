// Command bench compares Holdfast with the strategies that a team would otherwise choose and with a baseline, the
// database alone, in one run on one machine: `make bench`. docs/benchmarks.md explains what is compared, and gets the
// results.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"syscall"
	"time"

	"holdfast/internal/servertest"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := command(ctx, os.Args[1:], os.Stdout)
	stop()
	if err != nil {
		_, _ = fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// writer is what a benchmark found.
type writer interface{ write(out io.Writer) error }

// command runs the benchmark that args choose and writes what it found. It writes the document when it has measured all
// of it.
func command(ctx context.Context, args []string, out io.Writer) error {
	o, err := parseOptions(ctx, args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return nil
	case err != nil:
		return err
	}
	found, err := o.measure(ctx, out)
	if err != nil {
		return err
	}
	return found.write(out)
}

// options say what is measured.
type options struct {
	rounds                 int
	duration               time.Duration
	only, base             string
	chosen                 *regexp.Regexp // by only
	cells, traces, wallets bool
}

// parseOptions reads the command line.
func parseOptions(ctx context.Context, args []string) (o options, err error) {
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.IntVar(&o.rounds, "rounds", 5, "how often everything is measured")
	flags.DurationVar(&o.duration, "duration", 1500*time.Millisecond,
		"how long each measurement takes, after a third of that to warm up")
	flags.StringVar(&o.only, "only", "",
		"regular expression: measure only strategies whose scenario/level/strategy it matches, and write no document")
	flags.StringVar(&o.base, "base", "",
		"commit: measure its server and today's through HTTP, in turns, and print the ratios")
	flags.BoolVar(&o.wallets, "wallets", false, "measure transfers between wallets beside pgbench")
	flags.BoolVar(&o.traces, "traces", false,
		"measure bookings on servers that trace beside one that doesn't, in turns")
	flags.BoolVar(&o.cells, "cells", false, "measure a server of many cells beside one of a single database, in turns")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	switch {
	case o.rounds < 1 || o.duration < 10*time.Millisecond || o.rounds > 1000 || o.duration > time.Minute:
		return o, errors.New("rounds go from 1 to 1000 and a duration from 10ms to 1m")
	case o.alone() > 1, o.alone() > 0 && (o.base != "" || o.only != ""):
		return o, errors.New("-cells, -traces and -wallets go alone, and without -base and -only")
	}
	if o.chosen, err = regexp.Compile("(?i)" + o.only); err != nil {
		return o, fmt.Errorf("read what to measure: %w", err)
	}
	if o.base != "" {
		if _, err := servertest.Resolve(ctx, o.base); err != nil { // rather than after the database is filled
			return o, fmt.Errorf("find the commit to compare with: %w", err)
		}
	}
	return o, nil
}

// alone counts the options that go alone.
func (o options) alone() (n int) {
	for _, chosen := range []bool{o.cells, o.traces, o.wallets} {
		if chosen {
			n++
		}
	}
	return n
}

// measure measures what the options choose.
func (o options) measure(ctx context.Context, out io.Writer) (writer, error) {
	if o.cells {
		return measureCells(ctx, fullCells, o.rounds, o.duration, out)
	}
	// a comparison has one round more
	b, err := start(ctx, o.duration, payableFor(o.rounds+1, o.duration), fullSize, out)
	if err != nil {
		return nil, err
	}
	defer b.stop()
	switch {
	case o.wallets:
		return b.transfers(ctx, walletCount, pgbenchScales, o.rounds)
	case o.traces:
		return b.compareTraces(ctx, o.rounds)
	case o.base != "":
		return b.compare(ctx, o.base, o.rounds, o.chosen)
	}
	r, err := b.run(ctx, o.rounds, o.chosen)
	if err == nil && o.only == "" {
		err = r.save("../../docs")
	}
	return r, err
}
