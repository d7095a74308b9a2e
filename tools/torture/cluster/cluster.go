// Package cluster is what a torture run tortures: several processes of the server, a durable PostgreSQL, a payment
// provider, and the paths between them, each of which can be killed, frozen, cut and slowed down.
//
//	clients ─▶ toxiproxy ─▶ server ─▶ toxiproxy ─▶ wire proxy (knows COMMIT) ─▶ [PgBouncer] ─▶ PostgreSQL, one for each cell
//	                          ├─▶ sandbox
//	                          ◀── webhooks, through the first server's front
package cluster

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"

	"golang.org/x/sync/errgroup"

	"holdfast/internal/postgres/pgtest"
)

// Config is how a cluster is set up.
type Config struct {
	// Dir holds its data; it exists, and other users may pass through it.
	Dir string
	// Binary is the server, as Build makes it.
	Binary string
	// Seed makes what is random about it repeatable.
	Seed uint64
	// Servers is how many processes serve.
	Servers int
	// Databases are set up, the home cell's first. Each is a PostgreSQL of its own.
	Databases []DatabaseConfig
	// Pooled puts PgBouncer in transaction mode in front of the first database.
	Pooled bool
	// Env are variables of the servers' environment that are added or win over the ones here.
	Env []string
	// Rewrite changes the statements of the servers, which are numbered, on their way to a database, and those of the
	// mover, whose number is Servers; nil changes none.
	Rewrite func(process int, sql string) string
}

// DatabaseConfig is how a database is set up.
type DatabaseConfig struct {
	// Cell is the name of its cell; empty for a run with one database and without cells.
	Cell string
	// Standby gives it a synchronous standby.
	Standby bool
}

// cells reports whether the databases are cells.
func (c Config) cells() bool { return c.Databases[0].Cell != "" }

// Cluster is a running cluster.
type Cluster struct {
	// Databases are in the order of the cells.
	Databases []*Database
	Provider  *Provider
	Servers   []*Server
	// Mover moves tenants between cells; nil without cells.
	Mover *Mover
	// Receiver receives the tenants' webhooks.
	Receiver *Receiver

	addresses  []*address // of the servers, then of the payment provider
	stopPooler func()
}

// Start returns a cluster whose servers serve. It returns pgtest.ErrNotInstalled where that is asked for and not
// installed.
func Start(ctx context.Context, cfg Config) (c *Cluster, err error) {
	c = &Cluster{stopPooler: func() {}}
	defer func() {
		if err != nil {
			err = errors.Join(err, c.Close())
		}
	}()
	if c.Receiver, err = startReceiver(ctx, cfg.Seed); err != nil {
		return c, err
	}
	if err := c.startDatabases(ctx, cfg); err != nil {
		return c, err
	}
	urls, directURL := make([]string, len(c.Databases)), ""
	for i, d := range c.Databases {
		urls[i] = d.URL()
	}
	if cfg.Pooled {
		directURL = urls[0]
		if urls[0], c.stopPooler, err = pgtest.StartPgBouncer(ctx, directURL, map[string]string{
			"default_pool_size": "10", "max_client_conn": "200", "query_wait_timeout": "5",
			// After a failed connection it would wait for 15 s.
			"server_login_retry": "1",
		}); err != nil {
			c.stopPooler = func() {}
			return c, err
		}
	}
	for range cfg.Servers + 1 {
		a, err := reserveAddress()
		if err != nil {
			return c, err
		}
		c.addresses = append(c.addresses, a)
	}
	providerAddr := c.addresses[cfg.Servers].name
	cfg.Env = slices.Concat([]string{"HOLDFAST_PROVIDER=sandbox", "HOLDFAST_SANDBOX_URL=http://" + providerAddr},
		cfg.Env)
	proxies := newToxiproxy()
	for i := range cfg.Servers {
		s, err := c.newServer(cfg, i, c.addresses[i].name, proxies, urls, directURL)
		if err != nil {
			return c, err
		}
		c.Servers = append(c.Servers, s)
	}
	if cfg.cells() {
		if c.Mover, err = newMover(cfg, c.Databases, proxies, urls); err != nil {
			return c, err
		}
	}
	c.Provider = newProvider(cfg, providerAddr, "http://"+c.Servers[0].Front.Addr()+"/webhooks/sandbox")
	if err := c.Provider.Start(ctx); err != nil {
		return c, err
	}
	err = c.Ready(ctx)
	return c, err
}

// startDatabases starts the databases, at the same time.
func (c *Cluster) startDatabases(ctx context.Context, cfg Config) error {
	c.Databases = make([]*Database, len(cfg.Databases))
	var all errgroup.Group
	for i, d := range cfg.Databases {
		all.Go(func() (err error) {
			c.Databases[i], err = startDatabase(ctx, filepath.Join(cfg.Dir, "database", strconv.Itoa(i)), d)
			return err
		})
	}
	return all.Wait()
}

// Paths are those of the servers, and of the mover if there is one.
func (c *Cluster) Paths() []*Paths {
	paths := make([]*Paths, 0, len(c.Servers)+1)
	for _, s := range c.Servers {
		paths = append(paths, s.Paths)
	}
	if c.Mover != nil {
		paths = append(paths, c.Mover.Paths)
	}
	return paths
}

// Ready starts whatever is down and returns when all of it serves.
func (c *Cluster) Ready(ctx context.Context) error {
	var all errgroup.Group
	for _, p := range c.Processes() {
		all.Go(func() error {
			p.Thaw()
			return p.Start(ctx)
		})
	}
	if err := all.Wait(); err != nil || c.Mover == nil {
		return err
	}
	for _, s := range c.Servers { // a server starts when no cell is up
		if err := s.awaitCells(ctx); err != nil {
			return err
		}
	}
	return nil
}

// Processes are the servers and the payment provider.
func (c *Cluster) Processes() []*Process {
	processes := make([]*Process, 0, len(c.Servers)+1)
	for _, s := range c.Servers {
		processes = append(processes, s.Process)
	}
	if c.Provider != nil {
		processes = append(processes, c.Provider.Process)
	}
	return processes
}

// Close ends everything.
func (c *Cluster) Close() error {
	for _, s := range c.Servers {
		s.close()
	}
	if c.Mover != nil {
		c.Mover.close()
	}
	if c.Provider != nil {
		c.Provider.Close()
	}
	for _, a := range c.addresses {
		a.close()
	}
	c.stopPooler()
	var errs []error
	if c.Receiver != nil {
		errs = append(errs, c.Receiver.close())
	}
	for _, d := range c.Databases {
		if d == nil { // it didn't start
			continue
		}
		if err := d.stop(); err != nil {
			errs = append(errs, fmt.Errorf("stop a database of the run: %w", err))
		}
	}
	return errors.Join(errs...)
}
