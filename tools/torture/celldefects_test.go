package torture_test

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"holdfast/tools/torture"
	"holdfast/tools/torture/check"
	"holdfast/tools/torture/cluster"
)

// staleServer is the number of the server whose copy of the directory is the one that it read first.
const staleServer = 1

func stale(process int) bool { return process == staleServer }

// oldDirectory keeps in which cell each tenant was at first.
const oldDirectory = `
	CREATE TABLE torture.old_directory (tenant_id uuid PRIMARY KEY, cell text);
	GRANT USAGE ON SCHEMA torture TO holdfast_operator;
	GRANT SELECT ON torture.old_directory TO holdfast_operator;
	CREATE FUNCTION torture.note_old() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
	BEGIN
		INSERT INTO torture.old_directory VALUES (NEW.tenant_id, NEW.cell);
		RETURN NULL;
	END $$;
	CREATE TRIGGER torture_old AFTER INSERT ON cell_directory FOR EACH ROW EXECUTE FUNCTION torture.note_old();`

// notHeldBack has servers never learn that a tenant is frozen. So requests are under way at each moment of a move.
var notHeldBack = rewrite{where: []string{"-- name: DirectoryList"}, old: "move_id, frozen",
	by: "move_id, false AS frozen"}

// oldCopy has one server keep its old copy of the directory.
var oldCopy = rewrite{
	where: []string{"-- name: DirectoryList"}, old: "cell, moving_to",
	by: "(SELECT o.cell FROM torture.old_directory o WHERE o.tenant_id = cell_directory.tenant_id) AS cell, moving_to",
	on: stale,
}

// noFence has one server not look whether a tenant is leaving, or has left.
var noFence = rewrite{old: "m.state <> 'draining'", by: "m.state = 'never'", on: stale}

func cellDefects() []defect {
	return []defect{
		movingTenants(defect{
			name:    "what is shipped, with tenants that move, requests that aren't held back, and a directory that is stale",
			prepare: oldDirectory, rewrites: []rewrite{notHeldBack, oldCopy},
		}),
		movingTenants(defect{
			name: "a move that doesn't wait for open transactions", rules: []string{check.RuleLost},
			rewrites: []rewrite{notHeldBack, {
				where: []string{"-- name: MoveTransactions :many"}, old: "WHERE l.locktype",
				by: "WHERE false AND l.locktype",
			}},
		}),
		movingTenants(defect{
			name:    "a directory that is stale, and a fence that isn't looked at",
			rules:   []string{check.RuleLost, check.RuleCell},
			prepare: oldDirectory, rewrites: []rewrite{notHeldBack, oldCopy, noFence},
		}),
	}
}

// movingTenants has tenants move from cell to cell, on paths that are so slow that transactions are open while a tenant
// is copied.
func movingTenants(d defect) defect {
	const (
		moves   = 3
		latency = 300 // milliseconds
	)
	moved := new(atomic.Int64)
	d.plant = func(_ *testing.T, cfg *torture.Config) {
		moved.Store(0)
		cfg.Mode, cfg.Clients, cfg.Pace = torture.Cells, 24, 20*time.Millisecond
		cfg.Env = append(cfg.Env, "HOLDFAST_DATABASE_CONNS=24")
		cfg.Operations = operations(map[string]int{"create": 8, "hold": 2, "confirm": 2, "cancel": 4,
			"wallet-credit": 2})
		enough := cfg.Enough
		cfg.Enough = func(done map[string]int) bool { return moved.Load() >= moves && enough(done) }
	}
	d.actor = delayed(latency, func(ctx, load context.Context, c *cluster.Cluster) error {
		for load.Err() == nil {
			places, err := c.Places(ctx)
			if err != nil {
				return err
			}
			for _, p := range places {
				at := slices.IndexFunc(c.Databases, func(d *cluster.Database) bool { return d.Name == p.Cell })
				err := c.Mover.Run(ctx, "move", p.Tenant, "--to", c.Databases[(at+1)%len(c.Databases)].Name)
				// A defect may leave rows that keep a tenant from arriving.
				if err != nil && (d.rules == nil || !errors.Is(err, cluster.ErrFailed)) {
					return err
				}
				moved.Add(1)
				if load.Err() != nil {
					break
				}
			}
		}
		return nil
	})
	return d
}
