package preflight

import (
	"context"
	"fmt"
	"time"

	"holdfast/internal/db"
	"holdfast/internal/db/internal/core"
)

// preflightTimeout bounds all checks together.
const preflightTimeout = 30 * time.Second

// checks lists the checks in their order.
func (p *probe) checks() []check {
	list := []check{
		{name: "connection", run: p.connection, vital: true, early: true},
		{name: "direct connection", run: p.directConnection, vital: true, early: true},
		{name: "primary", run: p.primary, vital: true, early: true},
		{name: "version", run: p.version, early: true},
		{name: "one node", run: p.oneNode, early: true},
		{name: "default isolation", run: p.isolation, early: true},
		{name: "one server", run: p.oneServer, vital: true, early: true},
		{name: "lock functions", run: p.lockFunctions, early: true},
		{name: "session locks", run: p.sessionLocks, early: true},
		{name: "release", run: p.release, vital: true, early: true},
		{name: "transaction locks", run: p.transactionLocks},
		{name: "schema", run: p.schema, vital: true},
		{name: "migrations", run: p.migrated, vital: true},
		{name: "guards", run: p.guards},
		{name: "indexes", run: p.indexes, advises: true},
		{name: "login", run: p.login, advises: true},
		{name: "connections", run: p.connections, advises: true},
		{name: "commits", run: p.commits, advises: true},
		{name: "visibility", run: p.visibility},
		{name: "durability", run: p.durability, advises: true},
		{name: "log compression", run: p.logCompression, advises: true},
		{name: "checkpoints", run: p.checkpoints, advises: true},
	}
	if p.standby != nil {
		list = append(list, check{name: "standby", run: p.readsFromStandby, advises: true})
	}
	return list
}

// Check shows that a database keeps Holdfast's promises, and returns an error that names the failed check and the
// remedy. It checks that it is one server, or the node of Citus that has the schema, a primary, of version 14 or later,
// at READ COMMITTED by default; that a transaction lock keeps a second connection out until the first commits; that the
// second then sees what the first wrote; that a session lock excludes and stays with the direct connection. Engines and
// poolers exist whose lock functions answer and do nothing. It takes up to 30 s, and locks random keys only.
func Check(ctx context.Context, d *db.DB) error {
	ctx, cancel := context.WithTimeout(ctx, preflightTimeout)
	defer cancel()
	c := core.Of(d.Core())
	if err := newProbe(c).require(ctx, false); err != nil {
		return err
	}
	return c.Ping(ctx) // decides about prepared statements, which the first request would do otherwise
}

// Diagnose makes the checks of Check, all of those that can be made, and those that only advise. It returns the result
// of each, and takes up to 30 s.
func Diagnose(ctx context.Context, d *db.DB) []Result {
	ctx, cancel := context.WithTimeout(ctx, preflightTimeout)
	defer cancel()
	var results []Result
	failed := ""
	for _, c := range newProbe(core.Of(d.Core())).checks() {
		f := Result{Check: c.name, Result: Skipped, Meaning: "after " + failed}
		if failed == "" {
			f = c.result(ctx)
			if f.Result == Failed && c.vital {
				failed = c.name
			}
		}
		results = append(results, f)
	}
	return results
}

func newProbe(c *core.DB) *probe {
	database, direct := c.ConnConfigs()
	return &probe{url: database, direct: direct, standby: c.StandbyConfig(), conns: c.MaxConns()}
}

// checkBeforeMigration makes the checks that a database must pass before it is migrated.
func checkBeforeMigration(ctx context.Context, url string) error {
	ctx, cancel := context.WithTimeout(ctx, preflightTimeout)
	defer cancel()
	cfg, err := core.ParseConfig(url)
	if err != nil {
		return fmt.Errorf("read the database URL: %w", err)
	}
	return (&probe{url: cfg, direct: cfg, migrating: true}).require(ctx, true)
}

// require returns the error of the first check that fails: of all checks, or of the early ones.
func (p *probe) require(ctx context.Context, earlyOnly bool) error {
	for _, c := range p.checks() {
		if earlyOnly && !c.early || c.advises {
			continue
		}
		if _, err := c.find(ctx); err != nil {
			return fmt.Errorf("preflight check of the database: %s: %w", c.name, err)
		}
	}
	return nil
}
