package cluster

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"

	"holdfast/internal/postgres"
	"holdfast/internal/postgres/pgtest"
)

// replicated is a primary with a synchronous standby.
type replicated struct {
	replicas *pgtest.Replicas
	away     sync.Mutex // held while the standby is away

	mu      sync.Mutex
	primary string // its URL
}

// startReplicated starts a primary with a synchronous standby. PostgreSQL's programs are those that dir's server has.
func startReplicated(ctx context.Context, dir, cell string) (*Database, error) {
	server, err := postgres.Start(ctx,
		postgres.Config{Dir: dir, Ephemeral: true, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return nil, err
	}
	replicas, err := pgtest.StartReplicas(ctx, server.URL())
	if err = errors.Join(err, server.Stop(ctx)); err != nil {
		return nil, fmt.Errorf("start a primary with a standby: %w", err)
	}
	return &Database{Name: cell, dir: dir, replicated: &replicated{replicas: replicas, primary: replicas.Primary.URL}},
		nil
}

func (r *replicated) url() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.primary
}

// FreezeStandby keeps the standby from confirming anything until it is thawed or promoted. taken says that it is away
// already.
func (d *Database) FreezeStandby(ctx context.Context) (taken bool, err error) {
	if !d.replicated.away.TryLock() {
		return true, nil
	}
	if err := d.replicated.replicas.Standby.Freeze(ctx); err != nil {
		d.replicated.away.Unlock()
		return false, fmt.Errorf("freeze the standby: %w", err)
	}
	return false, nil
}

// StopStandby shuts the standby down immediately, until it is promoted. taken says that it is away already.
func (d *Database) StopStandby() (taken bool) {
	if !d.replicated.away.TryLock() {
		return true
	}
	d.replicated.replicas.Standby.Kill()
	return false
}

// ThawStandby ends FreezeStandby.
func (d *Database) ThawStandby() error {
	defer d.replicated.away.Unlock()
	return d.replicated.replicas.Standby.Thaw()
}

// Replicated reports whether the database has a standby.
func (d *Database) Replicated() bool { return d.replicated != nil }

// Promote shuts the primary of a database and its standby, which is away, down immediately, promotes the standby, leads
// the servers to it, and gives it a standby.
func (c *Cluster) Promote(ctx context.Context, d *Database) error {
	r := d.replicated
	defer r.away.Unlock()
	if err := r.replicas.Failover(ctx); err != nil {
		return err
	}
	r.mu.Lock()
	r.primary = r.replicas.Primary.URL
	r.mu.Unlock()
	number := slices.Index(c.Databases, d)
	for _, p := range c.Paths() {
		if err := p.wires[number].Retarget(r.primary); err != nil {
			return err
		}
	}
	return r.replicas.AddStandby(ctx)
}
