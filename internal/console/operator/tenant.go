package operator

import (
	"net/http"

	"github.com/google/uuid"

	"holdfast/internal/idempotency"
	"holdfast/internal/tenant"
	"holdfast/internal/web"
)

// tenantHead is what all pages of a tenant have.
type tenantHead struct {
	tenant.Listed

	Tabs []web.NavLink
	Path string // of the tenant
	// Consoled is the path of the tenant's own console.
	Consoled string
}

// Gone reports whether nothing of the tenant can change any more.
func (t tenantHead) Gone() bool {
	return t.Status == tenant.StatusDeleting || t.Status == tenant.StatusDeleted
}

// Suspended reports whether the tenant's API keys are refused until the operator lets it go on.
func (t tenantHead) Suspended() bool { return t.Status == tenant.StatusSuspended }

// tenantOf returns the tenant of the path. Errors: problem.NotFound.
func (c *Console) tenantOf(v *visit) (tenantHead, error) {
	id := v.ID("id")
	t, err := c.Tenants.Get(v.ctx(), id)
	if err != nil {
		return tenantHead{}, err
	}
	found := tenantHead{Listed: t, Path: tenantPath(id), Consoled: "/console/" + t.Slug}
	for _, p := range []struct{ name, below string }{
		{"Tenant", ""}, {"API keys", "api-keys"}, {"Users", "users"}, {"Money", "money"}, {"Export, delete", "end"},
	} {
		to := tenantPath(id)
		if p.below != "" {
			to = tenantPath(id, p.below)
		}
		found.Tabs = append(found.Tabs, web.NavLink{Name: p.name, URL: to, Current: v.C.Request.URL.Path == to})
	}
	return found, nil
}

func (c *Console) showTenant(v *visit) error {
	t, err := c.tenantOf(v)
	if err != nil {
		return err
	}
	return c.render(v, http.StatusOK, "tenant", t.Slug, t)
}

func (c *Console) correctTenant(v *visit) error {
	id := v.ID("id")
	asked, err := c.identity(v)
	if err != nil {
		return err
	}
	patch, err := patchOf[tenant.Identity](document{
		"slug": asked.Slug, "name": asked.Name, "time_zone": asked.TimeZone, "currency": asked.Currency,
	})
	if err != nil {
		return err
	}
	if _, err := c.Tenants.Correct(v.ctx(), id, patch, v.version()); err != nil {
		return err
	}
	return v.done("corrected", tenantPath(id))
}

func (c *Console) suspendTenant(v *visit) error {
	return c.setStatus(v, "suspended", func(r idempotency.Request, id uuid.UUID) (idempotency.Outcome, error) {
		return c.Tenants.Suspend(v.ctx(), r, id, tenant.SuspendRequest{Reason: v.field("reason")})
	})
}

func (c *Console) resumeTenant(v *visit) error {
	return c.setStatus(v, "resumed", func(r idempotency.Request, id uuid.UUID) (idempotency.Outcome, error) {
		return c.Tenants.Resume(v.ctx(), r, id)
	})
}

func (c *Console) setStatus(v *visit, done string,
	set func(idempotency.Request, uuid.UUID) (idempotency.Outcome, error),
) error {
	id := v.ID("id")
	err := c.once(v, uuid.Nil, nil, func(r idempotency.Request) (idempotency.Outcome, error) { return set(r, id) })
	if err != nil {
		return err
	}
	return v.done(done, tenantPath(id))
}
