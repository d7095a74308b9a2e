package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"holdfast/internal/postgres"
)

// longWindow is how long each measurement of a long run takes.
const longWindow = 30 * time.Second

// mostBookings bounds how many bookings a database is filled with.
const mostBookings = 20_000_000

// compareLong compares bookings over many dates of many tenants on servers as they are shipped: each has its embedded database, whose
// checkpoints and autovacuum run. Each server is measured for as long as given. With forced each measurement begins with a checkpoint.
func compareLong(ctx context.Context, commit string, s size, long time.Duration, forced bool, out io.Writer) (*comparison, error) {
	window := min(longWindow, long/2)
	today, err := startShipped(ctx, nil, "", s, window, out)
	defer today.stop()
	if err != nil {
		return nil, err
	}
	base, err := startShipped(ctx, today, commit, s, window, out)
	defer base.stop()
	if err != nil {
		return nil, err
	}
	c := &comparison{
		ratios: ratiosTo(commit), rounds: int(long / window / 2), duration: window, machine: describeMachine(ctx, today.database.version,
			""),
		entries: []*compared{{scenario: manyTenants, measureBase: base.measureLong(forced), measureThis: today.measureLong(forced)}},
	}
	return c.measure(ctx, out)
}

// startShipped builds and starts the server of a commit with its embedded database, and fills that. Without a commit it is today's server,
// whose sellers and API keys the other one gets too. What was started is ended by stop, also after an error.
func startShipped(ctx context.Context, today *bench, commit string, s size, window time.Duration, out io.Writer) (b *bench, err error) {
	b = &bench{size: s, duration: window, out: out, database: new(database)}
	if b.dir, err = newDir(); err != nil {
		return b, err
	}
	b.say("building and starting the server")
	if today == nil {
		b.binary, err = buildToday(ctx, b.dir)
	} else {
		b.binary, err = buildCommit(ctx, b.dir, commit)
	}
	if err != nil {
		return b, err
	}
	if b.server, err = startServer(ctx, b.dir, b.binary, ""); err != nil {
		return b, err
	}
	url, running := postgres.Running(filepath.Join(b.dir, "data"))
	if !running {
		return b, errors.New("the server's database isn't running")
	}
	if err := b.database.connect(ctx, url); err != nil {
		return b, err
	}
	b.say(fmt.Sprintf("filling the database with %d bookings", s.bookings*s.uncontended))
	if today == nil {
		err = b.fill(ctx)
	} else {
		b.fixture, b.apiKeys = today.fixture, today.apiKeys
		err = today.fillAsCommit(ctx, b.dir, url)
	}
	return b, err
}

// measureLong returns what measures bookings over many dates.
func (b *bench) measureLong(forced bool) func(context.Context) (measurement, error) {
	return func(ctx context.Context) (measurement, error) {
		if forced {
			if err := b.database.exec(ctx, "CHECKPOINT"); err != nil {
				return measurement{}, err
			}
		}
		return b.throughHTTP(ctx, clients, func(ctx context.Context, c *client) error { return b.bookThrough(ctx, c, b.anyOrder()) })
	}
}
