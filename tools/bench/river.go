package main

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"
)

// noopArgs are a River job that does nothing.
type noopArgs struct {
	N int `json:"n"`
}

// Kind names the jobs.
func (noopArgs) Kind() string { return "noop" }

type noopWorker struct{ river.WorkerDefaults[noopArgs] }

// Work does nothing.
func (noopWorker) Work(context.Context, *river.Job[noopArgs]) error { return nil }

// riverSettings are what is tried: the pauses between fetches that River ships, and shorter ones.
var riverSettings = []river.Config{
	{Queues: riverQueue(100)}, {Queues: riverQueue(2000)}, {Queues: riverQueue(10_000)},
	{Queues: riverQueue(2000), FetchCooldown: 2 * time.Millisecond, FetchPollInterval: 20 * time.Millisecond},
}

func riverQueue(workers int) map[string]river.QueueConfig {
	return map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: workers}}
}

// riverJobs is River on a pool of its own.
type riverJobs struct {
	pool *pgxpool.Pool
}

// openRiver adds River's tables to the database. The caller closes the pool.
func openRiver(ctx context.Context, url string) (*riverJobs, error) {
	cfg, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, fmt.Errorf("read the database URL: %w", err)
	}
	cfg.MaxConns = queueConns
	pool, err := pgxpool.NewWithConfig(ctx, cfg)
	if err != nil {
		return nil, fmt.Errorf("open the connection pool: %w", err)
	}
	migrator, err := rivermigrate.New(riverpgxv5.New(pool), &rivermigrate.Config{Logger: slog.New(slog.DiscardHandler)})
	if err == nil {
		_, err = migrator.Migrate(ctx, rivermigrate.DirectionUp, nil)
	}
	if err != nil {
		pool.Close()
		return nil, fmt.Errorf("make River's tables: %w", err)
	}
	return &riverJobs{pool: pool}, nil
}

// client returns a new client.
func (r *riverJobs) client(cfg river.Config) (*river.Client[pgx.Tx], error) {
	workers := river.NewWorkers()
	river.AddWorker(workers, noopWorker{})
	cfg.Workers, cfg.Logger = workers, slog.New(slog.DiscardHandler)
	c, err := river.NewClient(riverpgxv5.New(r.pool), &cfg)
	if err != nil {
		return nil, fmt.Errorf("make a client of River: %w", err)
	}
	return c, nil
}

// queues are the two ways in which River inserts many jobs.
func (r *riverJobs) queues() []*queue {
	return []*queue{
		r.queue("River", func(ctx context.Context, c *river.Client[pgx.Tx], jobs []river.InsertManyParams) error {
			_, err := c.InsertMany(ctx, jobs)
			return err
		}),
		r.queue("River, InsertManyFast", func(ctx context.Context, c *river.Client[pgx.Tx], jobs []river.InsertManyParams) error {
			_, err := c.InsertManyFast(ctx, jobs)
			return err
		}),
	}
}

func (r *riverJobs) queue(name string, insert func(context.Context, *river.Client[pgx.Tx], []river.InsertManyParams) error) *queue {
	q := &queue{name: name, tables: "river_job"}
	for _, s := range riverSettings {
		text := fmt.Sprintf("MaxWorkers %d", s.Queues[river.QueueDefault].MaxWorkers)
		if s.FetchCooldown > 0 {
			text += fmt.Sprintf(", FetchCooldown %s", s.FetchCooldown)
		}
		q.settings = append(q.settings, text)
	}
	q.insert = func(ctx context.Context, n int) error {
		c, err := r.client(river.Config{})
		if err != nil {
			return err
		}
		return insertInBatches(n, func(_, size int) error {
			jobs := make([]river.InsertManyParams, size)
			for i := range jobs {
				jobs[i].Args = noopArgs{N: i}
			}
			return insert(ctx, c, jobs)
		})
	}
	q.work = func(ctx context.Context, setting, n int) (func(), error) {
		c, err := r.client(riverSettings[setting])
		if err != nil {
			return func() {}, err
		}
		completed, unsubscribe := c.SubscribeConfig(&river.SubscribeConfig{ChanSize: n, Kinds: []river.EventKind{river.EventKindJobCompleted}})
		if err := c.Start(ctx); err != nil {
			unsubscribe()
			return func() {}, fmt.Errorf("start River: %w", err)
		}
		stop := func() {
			_ = c.Stop(context.WithoutCancel(ctx))
			unsubscribe()
		}
		for range n {
			select {
			case <-completed:
			case <-ctx.Done():
				return stop, errNotAllCompleted
			}
		}
		return stop, nil
	}
	return q
}
