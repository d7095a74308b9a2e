package operator

import (
	"net/http"

	"holdfast/internal/problem"
	"holdfast/internal/tenant"
	"holdfast/internal/web"
)

func (c *Console) showEnd(v *visit) error {
	t, err := c.tenantOf(v)
	if err != nil {
		return err
	}
	return c.render(v, http.StatusOK, "end", "Export and delete "+t.Slug, t)
}

// export sends all that a tenant has.
func (c *Console) export(v *visit) error {
	t, err := c.tenantOf(v)
	if err != nil {
		return err
	}
	if t.Status == tenant.StatusDeleted {
		return problem.Missing()
	}
	v.C.Header("Cache-Control", "no-store")
	c.cfg.Export(v.C, t.ID)
	return nil
}

// deleteTenant begins a deletion. The form names the last export, and the slug, so that nobody deletes another tenant
// than is meant.
func (c *Console) deleteTenant(v *visit) error {
	t, err := c.tenantOf(v)
	if err != nil {
		return err
	}
	if v.field("slug") != t.Slug {
		return problem.Invalid("slug", "not_one_of", "Expected the slug of this tenant.")
	}
	export, err := web.ParseID(v.field("export_id"))
	if err != nil {
		return problem.Invalid("export_id", "invalid_format", "Expected the export_id of the last line of the export.")
	}
	if _, err := c.Tenants.Delete(v.ctx(), t.ID, export); err != nil {
		return err
	}
	return v.done("deleting", tenantPath(t.ID))
}
