package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/app"
	"holdfast/internal/cell"
	"holdfast/internal/db"
	"holdfast/internal/tenant"
)

// withTenants runs work on the tenants of the configured database, or of that of the server that runs in the data
// directory.
func withTenants(ctx context.Context, c *Config, work func(*db.DB, *tenant.Service) error) error {
	log := c.logger()
	local, err := connectExisting(ctx, c, log)
	if err != nil {
		return err
	}
	defer local.close()
	st, err := app.OpenDB(ctx, db.Config{URL: local.url, MaxConns: 2, Logger: log})
	if err != nil {
		return err
	}
	defer st.Close()
	tenants, closeHome, err := c.tenants(ctx, st)
	if err != nil {
		return err
	}
	defer closeHome()
	return work(st, tenants)
}

// tenants returns the use cases of a command that has opened the tenants' database. With several cells the directory
// keeps slugs unique, which is in the home cell.
func (c *Config) tenants(ctx context.Context, st *db.DB) (tenants *tenant.Service, closeHome func(), err error) {
	tenants = tenant.NewService(st)
	if c.Cells == "" {
		return tenants, func() {}, nil
	}
	specs, err := c.cellSpecs()
	if err != nil {
		return nil, nil, err
	}
	home, err := app.OpenDB(ctx, db.Config{URL: specs[0].DatabaseURL, MaxConns: 2, Logger: c.logger()})
	if err != nil {
		return nil, nil, err
	}
	tenants.ShareSlugs(cell.SlugsOf(home, c.Cell))
	return tenants, home.Close, nil
}

// listPage is how many rows a command reads at once.
const listPage = 1000

type tenantListCmd struct {
	JSON bool `name:"json" help:"Print JSON."`
}

// Run lists all tenants by id, the oldest first.
func (cmd *tenantListCmd) Run(ctx context.Context, c *Config) error {
	list := []tenant.OperatorTenantBody{}
	err := withTenants(ctx, c, func(_ *db.DB, tenants *tenant.Service) error {
		for after := uuid.Nil; ; after = list[len(list)-1].ID {
			page, err := tenants.List(ctx, tenant.Filter{}, after, listPage)
			for _, t := range page {
				list = append(list, t.Body())
			}
			if err != nil || len(page) < listPage {
				return err
			}
		}
	})
	if err != nil {
		return err
	}
	if cmd.JSON {
		return printJSON(list)
	}
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(w, "TENANT\tSLUG\tSTATUS\tTIME ZONE\tCURRENCY\tCREATED\tNAME")
	for _, t := range list {
		_, _ = fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", t.ID, t.Slug, t.Status, printable(t.TimeZone), t.Currency,
			t.CreatedAt.Format(timeFormat), printable(t.Name))
	}
	return w.Flush()
}

type tenantKeysCmd struct {
	Tenant string `arg:"" help:"The tenant's slug or id."`
	JSON   bool   `name:"json" help:"Print JSON."`
}

// Run lists a tenant's API keys by id, the oldest first, also those that have ended.
func (cmd *tenantKeysCmd) Run(ctx context.Context, c *Config) error {
	list := []tenant.APIKeyBody{}
	err := withTenants(ctx, c, func(st *db.DB, tenants *tenant.Service) error {
		id, err := tenant.IDOf(ctx, st, cmd.Tenant)
		if err != nil {
			return err
		}
		for after := uuid.Nil; ; after = list[len(list)-1].ID {
			page, err := tenants.Keys(ctx, id, after, listPage)
			for _, k := range page {
				list = append(list, k.Body())
			}
			if err != nil || len(page) < listPage {
				return err
			}
		}
	})
	if err != nil {
		return err
	}
	if cmd.JSON {
		return printJSON(list)
	}
	t := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(t, "KEY\tSCOPES\tCREATED\tLAST USED\tEXPIRES\tREVOKED\tNAME")
	for _, k := range list {
		var scopes []string
		for _, s := range k.Scopes {
			scopes = append(scopes, string(s))
		}
		_, _ = fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", k.ID, strings.Join(scopes, ","),
			k.CreatedAt.Format(timeFormat),
			timeOrDash(k.LastUsedAt), timeOrDash(k.ExpiresAt), timeOrDash(k.RevokedAt), printable(k.Name))
	}
	return t.Flush()
}

func timeOrDash(at *time.Time) string {
	if at == nil {
		return "–"
	}
	return at.Format(timeFormat)
}
