// Package cluster is what a torture run tortures: several processes of the server, a durable PostgreSQL, a payment
// provider, and the paths between them, each of which can be killed, frozen, cut and slowed down.
//
//	clients ─▶ toxiproxy ─▶ server ─▶ toxiproxy ─▶ wire proxy (knows COMMIT) ─▶ [PgBouncer] ─▶ PostgreSQL
//	                          ├─▶ sandbox
//	                          ◀── webhooks, through the first server's front
package cluster

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

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
	// Pooled puts PgBouncer in transaction mode in front of the database.
	Pooled bool
	// Standby gives the database a synchronous standby.
	Standby bool
	// Env are variables of the servers' environment that are added or win over the ones here.
	Env []string
	// Rewrite changes the servers' statements on their way to the database; nil changes none.
	Rewrite func(sql string) string
}

// Cluster is a running cluster.
type Cluster struct {
	Database *Database
	Provider *Provider
	Servers  []*Server
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
	if c.Database, err = startDatabase(ctx, filepath.Join(cfg.Dir, "database"), cfg.Standby); err != nil {
		return c, err
	}
	databaseURL, directURL := c.Database.URL(), ""
	if cfg.Pooled {
		directURL = databaseURL
		if databaseURL, c.stopPooler, err = pgtest.StartPgBouncer(ctx, databaseURL, map[string]string{
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
	cfg.Env = slices.Concat([]string{"HOLDFAST_PROVIDER=sandbox", "HOLDFAST_SANDBOX_URL=http://" + providerAddr}, cfg.Env)
	proxies := newToxiproxy()
	for i := range cfg.Servers {
		s, err := newServer(cfg, i, c.addresses[i].name, proxies, databaseURL, directURL)
		if err != nil {
			return c, err
		}
		c.Servers = append(c.Servers, s)
	}
	c.Provider = newProvider(cfg, providerAddr, "http://"+c.Servers[0].Front.Addr()+"/webhooks/sandbox")
	if err := c.Provider.Start(ctx); err != nil {
		return c, err
	}
	err = c.Ready(ctx)
	return c, err
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
	return all.Wait()
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
	if c.Database != nil {
		if err := c.Database.stop(); err != nil {
			errs = append(errs, fmt.Errorf("stop the run's database: %w", err))
		}
	}
	return errors.Join(errs...)
}
