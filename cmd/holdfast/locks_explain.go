package main

import (
	"context"
	"fmt"
	"os"
	"text/tabwriter"
	"time"

	"holdfast/internal/lockview"
)

type locksExplainCmd struct {
	Name string `arg:"" help:"A lock's name as docs/locks-registry.md spells it, or its key: a signed number (after -- if it is negative), or 0x and hexadecimal digits."`
}

// Run prints a lock's key and its row in the registry. Only the name of a key is looked for in the database.
func (cmd *locksExplainCmd) Run(ctx context.Context, c *Config) error {
	l, err := lockview.Read(cmd.Name)
	if err != nil {
		row := lockview.RegistryRow(cmd.Name)
		if row == nil {
			return err
		}
		return explain(nil, row) // a pattern, or a lock that has no key of its own
	}
	if len(l.Names) == 0 {
		if l.Names, err = nameOf(ctx, c, l.ID()); err != nil {
			return err
		}
	}
	var row []lockview.Cell
	if len(l.Names) > 0 {
		row = lockview.RegistryRow(l.Names[0].Pattern)
	}
	return explain(&l, row)
}

// nameOf looks a key up in the database, if there is one.
func nameOf(ctx context.Context, c *Config, id int64) ([]lockview.NameBody, error) {
	url, err := runningDatabase(c)
	if err != nil {
		c.logger().Warn("the key's name isn't looked for", "error", err)
		return nil, nil
	}
	locks, closeLocks, err := openLocks(ctx, url, c.logger())
	if err != nil {
		return nil, err
	}
	defer closeLocks()
	names, err := locks.Names(ctx, time.Now(), id)
	return names[id], err
}

func explain(l *lockview.LockBody, row []lockview.Cell) error {
	t := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	line := func(what, text string) { _, _ = fmt.Fprintf(t, "%s\t%s\n", what, text) }
	if l != nil {
		for _, n := range l.Names {
			line("name", n.Name)
			if n.TenantSlug != "" {
				line("tenant", n.TenantSlug)
			}
		}
		if len(l.Names) == 0 {
			line("name", "unknown")
		}
		line("key", l.Key)
		line("hexadecimal", fmt.Sprintf("%016x", uint64(l.ID())))
		line("in pg_locks", fmt.Sprintf("classid %d, objid %d, objsubid %d", l.ClassID, l.ObjectID, l.SubID))
	}
	if err := t.Flush(); err != nil || row == nil {
		return err
	}
	fmt.Println("\nThe registry, docs/locks-registry.md:")
	for _, c := range row {
		line("  "+c.Column, c.Text)
	}
	return t.Flush()
}
