package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/google/uuid"

	"holdfast/internal/db"
	"holdfast/internal/mergepatch"
	"holdfast/internal/tenant"
)

// namedTenant is the tenant that a command is about.
type namedTenant struct {
	Tenant string `arg:"" help:"The tenant's slug or id."`
}

// run runs work on the tenant in the configured database, or in that of the server that runs in the data directory.
func (n *namedTenant) run(ctx context.Context, c *Config, work func(*tenant.Service, uuid.UUID) error) error {
	return withTenants(ctx, c, func(st *db.DB, tenants *tenant.Service) error {
		id, err := tenant.IDOf(ctx, st, n.Tenant)
		if err != nil {
			return err
		}
		return work(tenants, id)
	})
}

// printStatus prints the status of a tenant.
func printStatus(ctx context.Context, tenants *tenant.Service, id uuid.UUID) error {
	t, err := tenants.Get(ctx, id)
	if err != nil {
		return err
	}
	_, err = fmt.Printf("tenant  %s\nslug    %s\nstatus  %s\n", t.ID, t.Slug, t.Status)
	return err
}

type tenantSuspendCmd struct {
	namedTenant
	Reason string `help:"Why, for the operator."`
}

// Run suspends the tenant. Servers notice within ten seconds.
func (cmd *tenantSuspendCmd) Run(ctx context.Context, c *Config) error {
	return cmd.run(ctx, c, func(tenants *tenant.Service, id uuid.UUID) error {
		r, err := once("suspend " + id.String())
		if err != nil {
			return err
		}
		if _, err := tenants.Suspend(ctx, r, id, tenant.SuspendRequest{Reason: cmd.Reason}); err != nil {
			return err
		}
		return printStatus(ctx, tenants, id)
	})
}

type tenantResumeCmd struct{ namedTenant }

// Run lets the tenant go on. Servers notice within ten seconds.
func (cmd *tenantResumeCmd) Run(ctx context.Context, c *Config) error {
	return cmd.run(ctx, c, func(tenants *tenant.Service, id uuid.UUID) error {
		r, err := once("resume " + id.String())
		if err != nil {
			return err
		}
		if _, err := tenants.Resume(ctx, r, id); err != nil {
			return err
		}
		return printStatus(ctx, tenants, id)
	})
}

type tenantCorrectCmd struct {
	namedTenant
	Slug     *string `help:"Another slug."`
	Name     *string `help:"Another name."`
	TimeZone *string `help:"Another IANA time zone, of a suspended tenant without bookings and blocks."`
	Currency *string `help:"Another ISO 4217 code, of a suspended tenant without services, bookings, wallets and payments."`
}

// Run corrects the tenant.
func (cmd *tenantCorrectCmd) Run(ctx context.Context, c *Config) error {
	given := map[string]string{}
	for name, value := range map[string]*string{"slug": cmd.Slug, "name": cmd.Name, "time_zone": cmd.TimeZone,
		"currency": cmd.Currency} {
		if value != nil {
			given[name] = *value
		}
	}
	patch, err := json.Marshal(given)
	if err != nil {
		return err
	}
	return cmd.run(ctx, c, func(tenants *tenant.Service, id uuid.UUID) error {
		if _, err := tenants.Correct(ctx, id, mergepatch.Of[tenant.Identity](string(patch)), ""); err != nil {
			return err
		}
		return printStatus(ctx, tenants, id)
	})
}

type tenantExportCmd struct{ namedTenant }

// Run prints the export. Without its last line, which has the export_id, it is incomplete.
func (cmd *tenantExportCmd) Run(ctx context.Context, c *Config) error {
	return cmd.run(ctx, c, func(tenants *tenant.Service, id uuid.UUID) error {
		w := bufio.NewWriter(os.Stdout)
		return errors.Join(tenants.Export(ctx, id, w), w.Flush())
	})
}

type tenantDeleteCmd struct {
	namedTenant
	ExportID uuid.UUID `required:"" help:"The export_id of the last line of the tenant's last export."`
}

// Run deletes the tenant, and returns when nothing is left of it but its id. Stopped before, it leaves the rest to
// servers, or to the command itself when it runs again.
func (cmd *tenantDeleteCmd) Run(ctx context.Context, c *Config) error {
	return cmd.run(ctx, c, func(tenants *tenant.Service, id uuid.UUID) error {
		t, err := tenants.Get(ctx, id)
		if err == nil && t.Status != tenant.StatusDeleting {
			_, err = tenants.Delete(ctx, id, cmd.ExportID)
		}
		deletion := tenants.Deletion()
		for more := true; err == nil && more; {
			if err = ctx.Err(); err == nil {
				more, err = deletion(ctx)
			}
		}
		if err != nil {
			return err
		}
		return printStatus(ctx, tenants, id)
	})
}
