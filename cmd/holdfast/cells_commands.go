package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/app"
	"holdfast/internal/cell"
	"holdfast/internal/db"
	"holdfast/internal/db/preflight"
)

type cellsCmd struct {
	List  cellsListCmd  `cmd:"" help:"List the cells, their tenants, and moves that have begun."`
	Move  cellsMoveCmd  `cmd:"" help:"Move a tenant to another cell, or go on with a move that was interrupted."`
	Abort cellsAbortCmd `cmd:"" help:"End a move that has not handed the tenant over yet: it goes on in its cell."`
}

type cellsListCmd struct {
	JSON bool `name:"json" help:"Print JSON."`
}

// cellBody is a cell as it is listed.
type cellBody struct {
	Name     string `json:"name"`
	Database string `json:"database"`
	Tenants  int    `json:"tenants"`
	Moving   int    `json:"moving"` // tenants that leave it
	State    string `json:"state"`  // ok, or why it can't be used

	Moves []moveBody `json:"moves"` // of tenants that leave it
}

// moveBody is a move that has begun.
type moveBody struct {
	TenantID uuid.UUID `json:"tenant_id"`
	Slug     string    `json:"slug"`
	To       string    `json:"to"`
	Frozen   bool      `json:"frozen"` // the tenant's requests are held back
}

// Run lists the cells, and the moves that have begun. A cell whose database can't be used is listed with the reason;
// without the home cell's directory there is no list.
func (cmd *cellsListCmd) Run(ctx context.Context, c *Config) error {
	m, specs, closeStores, err := c.mover(ctx)
	if err != nil {
		return err
	}
	defer closeStores()
	tenants, err := m.Tenants(ctx)
	if err != nil {
		return err
	}
	list := make([]cellBody, len(specs))
	for i, s := range specs {
		list[i] = cellBody{Name: s.Name, Database: preflight.Address(s.DatabaseURL), State: "ok", Moves: []moveBody{}}
		if _, err := preflight.Ready(ctx, m.Databases[s.Name]); err != nil {
			list[i].State = strings.Join(strings.Fields(err.Error()), " ") // a line of the table
		}
		for _, t := range tenants {
			if t.Cell != s.Name {
				continue
			}
			list[i].Tenants++
			if t.MoveID != nil {
				list[i].Moving++
				list[i].Moves = append(list[i].Moves,
					moveBody{TenantID: t.TenantID, Slug: t.Slug, To: *t.MovingTo, Frozen: t.Frozen})
			}
		}
	}
	if cmd.JSON {
		return printJSON(list)
	}
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(w, "CELL\tDATABASE\tTENANTS\tMOVING\tSTATE")
	for _, one := range list {
		_, _ = fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%s\n", one.Name, one.Database, one.Tenants, one.Moving, one.State)
	}
	for _, one := range list {
		for i, t := range one.Moves {
			if i == 0 {
				_, _ = fmt.Fprintln(w, "\nMOVING TENANT\tSLUG\tFROM\tTO\tREQUESTS")
			}
			requests := "are served"
			if t.Frozen {
				requests = "are held back"
			}
			_, _ = fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", t.TenantID, t.Slug, one.Name, t.To, requests)
		}
	}
	return w.Flush()
}

type cellsMoveCmd struct {
	Tenant string `arg:"" optional:"" help:"Slug or id of the tenant."`
	All    bool   `help:"Move all tenants of the cell that --cell names, one after the other."`
	To     string `required:"" help:"Name of the cell to move to."`
	DryRun bool   `help:"Move nothing: say how long it would take, and how long the tenant's requests would be held back."`
}

// Run moves one tenant, or all tenants of a cell.
func (cmd *cellsMoveCmd) Run(ctx context.Context, c *Config) error {
	if (cmd.Tenant == "") == !cmd.All || cmd.All && c.Cell == "" {
		return unusableError{errors.New("name a tenant, or a cell with --cell and --all")}
	}
	m, _, closeStores, err := c.mover(ctx)
	if err != nil {
		return err
	}
	defer closeStores()
	var ids []uuid.UUID
	if cmd.All {
		if m.Databases[c.Cell] == nil || c.Cell == cmd.To {
			return unusableError{fmt.Errorf("--cell must name another cell than --to: one of %s",
				strings.Join(m.Cells, ", "))}
		}
		tenants, err := m.Tenants(ctx)
		if err != nil {
			return err
		}
		for _, t := range tenants {
			switch t.Cell {
			case c.Cell:
				ids = append(ids, t.TenantID)
			// it may have moved in a run of this command that was killed before it deleted what the tenant left
			case cmd.To:
				if cmd.DryRun {
					continue
				}
				if err := m.DeleteLeft(ctx, t.TenantID, c.Cell); err != nil {
					return err
				}
			}
		}
	} else {
		t, err := m.Tenant(ctx, cmd.Tenant)
		if err != nil {
			return err
		}
		ids = append(ids, t.TenantID)
	}
	for _, id := range ids {
		if cmd.DryRun {
			if err := estimateMove(ctx, m, id, cmd.To); err != nil {
				return fmt.Errorf("estimate the move of tenant %s: %w", id, err)
			}
			continue
		}
		if err := m.Move(ctx, id, cmd.To); err != nil {
			return fmt.Errorf("move tenant %s: %w", id, err)
		}
		if _, err := fmt.Printf("Tenant %s is in the cell %s.\n", id, cmd.To); err != nil {
			return err
		}
	}
	return nil
}

// estimateMove prints how long a move would take, and how long it would hold back the tenant's requests.
func estimateMove(ctx context.Context, m *cell.Mover, tenant uuid.UUID, to string) error {
	e, err := m.Estimate(ctx, tenant, to)
	if err != nil {
		return err
	}
	how := "assumed, as it has few rows to measure by"
	if e.Measured > 0 {
		how = fmt.Sprintf("at which %d rows were copied for a trial", e.Measured)
	}
	_, err = fmt.Printf("Tenant %s has %d rows. At %.0f rows a second, %s, the copy takes about %s, while requests are served. "+
		"Then they are held back for a second or two, and about %s more, or longer if much changes meanwhile. Nothing was moved.\n",
		tenant, e.Rows, e.RowsPerSecond, how, max(e.Copy(), time.Second).Round(time.Second),
		e.Pause().Round(100*time.Millisecond))
	return err
}

type cellsAbortCmd struct {
	Tenant string `arg:"" help:"Slug or id of the tenant."`
}

// Run ends the move of a tenant.
func (cmd *cellsAbortCmd) Run(ctx context.Context, c *Config) error {
	m, _, closeStores, err := c.mover(ctx)
	if err != nil {
		return err
	}
	defer closeStores()
	t, err := m.Tenant(ctx, cmd.Tenant)
	if err != nil {
		return err
	}
	if err := m.Abort(ctx, t.TenantID); err != nil {
		return err
	}
	_, err = fmt.Printf("The move was ended. Tenant %s goes on in the cell %s.\n", t.TenantID, t.Cell)
	return err
}

// mover opens the databases of all cells.
func (c *Config) mover(ctx context.Context) (m *cell.Mover, specs []cell.Spec, closeStores func(), err error) {
	if c.Cells == "" {
		return nil, nil, nil, unusableError{errors.New("there is one cell: HOLDFAST_CELLS isn't set")}
	}
	if specs, err = c.cellSpecs(); err != nil {
		return nil, nil, nil, err
	}
	log := c.logger()
	m = &cell.Mover{Databases: make(map[string]*db.DB), Log: log}
	closeStores = func() {
		for _, st := range m.Databases {
			st.Close()
		}
	}
	for _, s := range specs {
		st, err := app.OpenDB(ctx, db.Config{URL: s.DatabaseURL, DirectURL: s.DirectDatabaseURL, MaxConns: 4,
			Logger: log})
		if err != nil {
			closeStores()
			return nil, nil, nil, fmt.Errorf("cell %s: %w", s.Name, err)
		}
		m.Cells, m.Databases[s.Name] = append(m.Cells, s.Name), st
	}
	return m, specs, closeStores, nil
}
