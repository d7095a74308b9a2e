package main

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/google/uuid"

	"holdfast/internal/app"
	"holdfast/internal/db"
	"holdfast/internal/db/preflight"
	"holdfast/internal/httpapi"
	"holdfast/internal/idempotency"
	"holdfast/internal/tenant"
)

type tenantCmd struct {
	Create  tenantCreateCmd  `cmd:"" help:"Create a tenant and print its API key."`
	List    tenantListCmd    `cmd:"" help:"List tenants."`
	Keys    tenantKeysCmd    `cmd:"" help:"List a tenant's API keys."`
	Suspend tenantSuspendCmd `cmd:"" help:"Have a tenant's API keys refused."`
	Resume  tenantResumeCmd  `cmd:"" help:"Have a suspended tenant's API keys work again."`
	Correct tenantCorrectCmd `cmd:"" help:"Change a tenant's slug, name, time zone or currency."`
	Export  tenantExportCmd  `cmd:"" help:"Print all that a tenant has, as lines of JSON."`
	Delete  tenantDeleteCmd  `cmd:"" help:"Delete a suspended tenant that was exported."`
}

type tenantCreateCmd struct {
	Slug     string `required:"" help:"Unique name: lower-case letters, digits and hyphens."`
	Name     string `required:"" help:"Name for people."`
	TimeZone string `required:"" help:"IANA time zone, such as Europe/Berlin."`
	Currency string `required:"" help:"ISO 4217 code, such as EUR."`
}

// Run creates the tenant in the configured database, or in that of the server that runs in the data directory.
func (cmd *tenantCreateCmd) Run(ctx context.Context, c *Config) error {
	log := c.logger()
	local, err := connectOrStart(ctx, c, log)
	if err != nil {
		return err
	}
	defer local.close()
	if err := preflight.Migrate(ctx, local.direct, log); err != nil {
		return err
	}
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
	created, err := createTenant(ctx, tenants, tenant.CreateRequest{
		Slug: cmd.Slug, Name: cmd.Name, TimeZone: cmd.TimeZone, Currency: cmd.Currency,
	})
	if err != nil {
		return err
	}
	_, err = fmt.Printf("tenant   %s\nAPI key  %s\n", created.ID, created.APIKey)
	return err
}

// createTenant creates a tenant on nobody's request.
func createTenant(ctx context.Context, tenants *tenant.Service, n tenant.CreateRequest,
) (created tenant.TenantBody, err error) {
	r, err := once("tenant " + n.Slug)
	if err != nil {
		return created, err
	}
	resp, err := tenants.Create(ctx, r, n)
	if err != nil {
		return created, err
	}
	err = json.Unmarshal(resp.Body, &created)
	return created, err
}

// once returns the idempotency of a request that a command makes.
func once(what string) (idempotency.Request, error) {
	return idempotency.NewRequest([]string{"holdfast " + uuid.NewString()}, "COMMAND", what, nil)
}

type openAPICmd struct{}

// Run prints the description of the API, as docs/openapi.json holds it.
func (openAPICmd) Run() error {
	document, err := httpapi.Description("1")
	if err != nil {
		return err
	}
	_, err = fmt.Print(string(document))
	return err
}
