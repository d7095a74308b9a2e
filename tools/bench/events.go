package main

import (
	"context"
	"fmt"
	"io"
	"regexp"
	"slices"
	"time"
)

// Parts of the benchmark of events, by which -only chooses.
const (
	riverPart  = "river"
	claimsPart = "claims"
)

var eventParts = []string{riverPart, claimsPart}

// mostEvents bounds how many events are inserted, claimed and completed in a round.
const mostEvents = 10_000_000

// eventConfig says what is measured of events.
type eventConfig struct {
	events   int           // that are inserted, claimed and completed in a round
	pending  []int         // events that are pending in each database that is claimed from
	open     time.Duration // how long a transaction is held open beside the claims
	rounds   int
	duration time.Duration // of each measurement of bookings and of claims
	chosen   *regexp.Regexp
}

// measureEvents measures the chosen parts and writes the result of each to out when it is known.
func measureEvents(ctx context.Context, cfg eventConfig, out io.Writer) error {
	if !slices.ContainsFunc(eventParts, cfg.chosen.MatchString) {
		return errNothingChosen
	}
	if cfg.chosen.MatchString(riverPart) {
		c, err := measureQueues(ctx, cfg.events, cfg.rounds, out)
		if err != nil {
			return fmt.Errorf("%s: %w", riverPart, err)
		}
		if err := c.write(out); err != nil {
			return err
		}
	}
	if cfg.chosen.MatchString(claimsPart) {
		c, err := measureClaims(ctx, cfg, out)
		if err != nil {
			return fmt.Errorf("%s: %w", claimsPart, err)
		}
		return c.write(out)
	}
	return nil
}
