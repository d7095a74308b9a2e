package operator

import (
	"net/http"

	"github.com/google/uuid"

	"holdfast/internal/idempotency"
	"holdfast/internal/problem"
	"holdfast/internal/tenant"
	"holdfast/internal/web"
)

// statuses are those by which tenants can be listed.
var statuses = []tenant.Status{tenant.StatusActive, tenant.StatusSuspended, tenant.StatusDeleting, tenant.StatusDeleted}

// tenantsPage are the tenants, or those that were looked for.
type tenantsPage struct {
	Path, New    string
	Slug, Status string
	Statuses     []tenant.Status
	Cells        []string
	Cell         string
	Rows         []tenantRow
	Next         string
}

// tenantRow is a tenant in a list.
type tenantRow struct {
	tenant.Listed

	URL string
}

func (c *Console) showTenants(v *visit) error {
	page := tenantsPage{
		Path:     path("tenants"),
		New:      path("new-tenant"),
		Slug:     v.Query.Get("slug"),
		Status:   v.Query.Get("status"),
		Statuses: statuses,
		Cells:    c.cfg.Cells,
		Cell:     c.cfg.Cell,
	}
	after, err := v.After()
	if err != nil {
		return err
	}
	var f tenant.Filter
	if page.Slug != "" {
		f.Slug = &page.Slug
	}
	for _, s := range statuses {
		if string(s) == page.Status {
			f.Status = &s
		}
	}
	if page.Status != "" && f.Status == nil {
		return problem.Invalid("status", "not_one_of", "Choose one of the list.")
	}
	list, err := c.Tenants.List(v.ctx(), f, after, pageSize+1)
	if err != nil {
		return err
	}
	list, page.Next = web.Page(v, list, pageSize, func(last tenant.Listed) string { return last.ID.String() })
	for _, t := range list {
		page.Rows = append(page.Rows, tenantRow{t, tenantPath(t.ID)})
	}
	return c.render(v, http.StatusOK, "tenants", "Tenants", page)
}

// tenantPath is the path of a tenant's page, or below it.
func tenantPath(id uuid.UUID, below ...string) string {
	return path(append([]string{"tenants", id.String()}, below...)...)
}

// newTenantPage is the form of a new tenant.
type newTenantPage struct {
	Path, Back string
	Cells      []string
	Cell       string
}

func (c *Console) showNewTenant(v *visit) error {
	page := newTenantPage{Path: path("new-tenant"), Back: path("tenants"), Cells: c.cfg.Cells, Cell: c.cfg.Cell}
	return c.render(v, http.StatusOK, "new_tenant", "New tenant", page)
}

// identity returns what a form says of a tenant. Errors: problem.ValidationFailed.
func (c *Console) identity(v *visit) (tenant.Identity, error) {
	return readBody[tenant.Identity](c, document{
		"slug": v.field("slug"), "name": v.field("name"), "time_zone": v.field("time_zone"),
		"currency": v.field("currency"),
	})
}

func (c *Console) createTenant(v *visit) error {
	asked, err := c.identity(v)
	if err != nil {
		return err
	}
	var made tenant.TenantBody
	err = c.once(v, uuid.Nil, &made, func(r idempotency.Request) (idempotency.Outcome, error) {
		return c.Tenants.Create(v.ctx(), r, tenant.CreateRequest(asked))
	})
	if err != nil {
		return err
	}
	return c.render(v, http.StatusOK, "secret", "The new tenant", secretPage{
		Heading: "The tenant " + made.Slug, Label: "Its first API key", Secret: made.APIKey, Back: tenantPath(made.ID),
		Note: "The key has all scopes. Give it to the tenant, and to nobody else.",
		Lost: "The tenant is made. Its API key was shown once and is kept nowhere: issue another one if it is lost.",
	})
}

// secretPage shows a secret, this once. It is no page of its own: no address may have the secret.
type secretPage struct {
	Heading, Label, Secret string // the secret is empty if the form was sent again
	Note, Lost, Back       string
}
