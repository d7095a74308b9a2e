// Command bench compares Holdfast with the strategies that a team would otherwise choose and with a baseline, the database
// alone, in one run on one machine: `make bench`. docs/benchmarks.md explains what is compared, and gets the results.
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

// command runs the benchmarks that args choose. It writes the documents when it has run them all.
func command(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	rounds := flags.Int("rounds", 5, "how often everything is measured")
	duration := flags.Duration("duration", 1500*time.Millisecond, "how long each measurement takes, after a third of that to warm up")
	only := flags.String("only", "", "regular expression: measure only strategies whose scenario/level/strategy it matches, and write no document")
	base := flags.String("base", "", "commit: measure its server and today's through HTTP, in turns, and print the ratios")
	long := flags.Duration("long", 0, "book for so long on today's server with its own database, in turns with that of -base")
	longBookings := flags.Int("bookings", 2_000_000, "how many bookings the database of a long run has at first")
	checkpoint := flags.Bool("checkpoint", false, "begin each 30 s of a long run with a checkpoint")
	events := flags.Bool("events", false, "measure claims of scheduled events that are due")
	pending := flags.String("pending", "10000,1000000,10000000", "numbers of pending events of the databases that are claimed from")
	open := flags.Duration("open", 2*time.Minute, "how long a transaction is held open beside claims; 0 leaves that out")
	wallets := flags.Bool("wallets", false, "measure transfers between wallets beside pgbench")
	docs := flags.String("docs", "../../docs", "directory of benchmarks.md")
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return nil
	case err != nil:
		return err
	case *rounds < 1 || *duration < 10*time.Millisecond || *rounds > 1000 || *duration > time.Minute:
		return errors.New("rounds go from 1 to 1000 and a duration from 10ms to 1m")
	case *long < 0 || *long > 30*time.Minute || *longBookings < fullSize.uncontended || *longBookings > mostBookings:
		return fmt.Errorf("a long run takes at most 30m, and has from %d to %d bookings at first", fullSize.uncontended, mostBookings)
	case *open < 0 || *open > time.Hour:
		return errors.New("a transaction is held open for at most 1h")
	case *events && (*base != "" || *long > 0 || *only != ""):
		return errors.New("-events goes without -base, -long and -only")
	case *wallets && (*base != "" || *long > 0 || *events || *only != ""):
		return errors.New("-wallets goes without -base, -long, -events and -only")
	case *long > 0 && *only != "", *checkpoint && *long == 0:
		return errors.New("-long goes without -only, and -checkpoint only with -long")
	}
	chosen, err := regexp.Compile("(?i)" + *only)
	if err != nil {
		return fmt.Errorf("read what to measure: %w", err)
	}
	if *base != "" {
		if _, err := servertest.Resolve(ctx, *base); err != nil { // rather than after the database is filled
			return fmt.Errorf("find the commit to compare with: %w", err)
		}
	}
	if *events {
		cfg := eventConfig{open: *open, rounds: *rounds, duration: *duration}
		if cfg.pending, err = parsePending(*pending); err != nil {
			return err
		}
		c, err := measureClaims(ctx, cfg, out)
		if err != nil {
			return err
		}
		return c.write(out)
	}
	if *wallets {
		c, err := measureTransfers(ctx, walletConfig{wallets: walletCount, scales: pgbenchScales, rounds: *rounds, duration: *duration}, out)
		if err != nil {
			return err
		}
		return c.write(out)
	}
	if *long > 0 {
		s := fullSize
		s.bookings = *longBookings / s.uncontended
		l, err := measureLong(ctx, *base, s, *long, longWindowLength, *checkpoint, out)
		if err != nil {
			return err
		}
		return l.write(out)
	}
	began := time.Now()
	b, err := start(ctx, *duration, payableFor(*rounds+1, *duration), fullSize, out) // a comparison has one round more
	if err != nil {
		return err
	}
	defer b.stop()
	if *base != "" {
		c, err := b.compare(ctx, *base, *rounds, chosen)
		if err != nil {
			return err
		}
		return c.write(out)
	}
	r, err := b.run(ctx, *rounds, chosen)
	if err != nil {
		return err
	}
	r.machine = describeMachine(ctx, b.versions)
	r.took = time.Since(began)
	if *only == "" {
		if err := r.save(*docs); err != nil {
			return err
		}
	}
	return r.write(out)
}
