package main

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"holdfast/internal/app"
	"holdfast/internal/db"
	"holdfast/internal/db/preflight"
	"holdfast/internal/idempotency"
)

type cleanupCmd struct {
	Once bool `help:"Clean up once and exit, instead of on the timer."`
}

// Run deletes expired idempotency keys beside the servers, which it takes turns with.
func (cmd *cleanupCmd) Run(ctx context.Context, c *Config) error {
	log := c.logger()
	if !cmd.Once && c.CleanupInterval <= 0 {
		return errors.New("there is no interval to clean up at: set --cleanup-interval, or use --once")
	}
	local, err := connectOrStart(ctx, c, log)
	if err != nil {
		return err
	}
	defer local.close()
	if err := preflight.Migrate(ctx, local.direct, log); err != nil {
		return err
	}
	st, err := app.OpenDB(ctx, db.Config{URL: local.url, DirectURL: local.direct, MaxConns: 1, Logger: log})
	if err != nil {
		return err
	}
	defer st.Close()
	cleanup := idempotency.NewCleanup(st, idempotency.CleanupConfig{
		Interval: c.CleanupInterval, Batch: c.CleanupBatch, Logger: log,
	})
	if !cmd.Once {
		cleanup.Run(ctx)
		return nil
	}
	run, err := cleanup.RunOnce(ctx)
	switch {
	case err != nil:
		return err
	case run.Skipped:
		_, err = fmt.Println("Skipped: another instance is deleting expired keys.")
	default:
		_, err = fmt.Printf("Deleted %d expired keys.\n", run.Deleted)
	}
	return err
}

// inBackground runs job until the returned function is called, which waits for its end.
func inBackground(ctx context.Context, job func(context.Context)) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	running.Go(func() { job(ctx) })
	return func() {
		cancel()
		running.Wait()
	}
}
