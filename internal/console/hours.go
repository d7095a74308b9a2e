package console

import (
	"net/url"
	"strconv"

	"github.com/google/uuid"

	"holdfast/internal/catalog"
	"holdfast/internal/timetable"
)

func (c *Console) showTenantHours(v *visit) error {
	h, err := c.Catalog.TenantHours(v.ctx(), v.tenant())
	if err != nil {
		return err
	}
	values, err := hoursValues(timetable.ResourceHoursBody{HoursBody: h.Body()})
	if err != nil {
		return err
	}
	return c.tenantHoursForm(v, strconv.FormatInt(h.Version, 10), values)
}

func (c *Console) tenantHoursForm(v *visit, version string, values url.Values) error {
	return c.renderEdit(v, editPage{
		Heading: "Opening hours", Help: "Resources without hours of their own follow them. Bookings that were made by other hours stay.",
		Path: v.path("hours"), Back: v.path("services"), Button: "Save", Version: version,
		Form: hoursForm(v.tenant(), false).view(values),
	})
}

func (c *Console) setTenantHours(v *visit) error {
	now, err := c.Catalog.TenantHours(v.ctx(), v.tenant())
	if err != nil {
		return err
	}
	shown, err := hoursValues(timetable.ResourceHoursBody{HoursBody: now.Body()})
	if err != nil {
		return err
	}
	f := hoursForm(v.tenant(), false).showing(shown)
	err = func() error {
		d, err := hoursDocument(f, v.Form)
		if err != nil {
			return err
		}
		body, err := readBody[timetable.HoursBody](c, d)
		if err != nil {
			return err
		}
		h, err := body.Hours()
		if err != nil {
			return err
		}
		_, err = c.Catalog.SetTenantHours(v.ctx(), v.tenant(), h, v.version())
		return err
	}()
	if err != nil {
		return f.inWords(err)
	}
	return v.done("changed", v.path("hours"))
}

func (c *Console) showResourceHours(v *visit) error {
	r, err := c.resourceOfPath(v)
	if err != nil {
		return err
	}
	values, err := hoursValues(r.Hours.Body())
	if err != nil {
		return err
	}
	return c.resourceHoursForm(v, r, strconv.FormatInt(r.Version, 10), values)
}

func (c *Console) resourceHoursForm(v *visit, r catalog.Resource, version string, values url.Values) error {
	return c.renderEdit(v, editPage{
		Heading: "Hours of " + r.Name, Help: "Bookings that were made by other hours stay.", Path: v.resourcePath(r.ID) + "/hours",
		Back: v.resourcePath(r.ID), Button: "Save", Version: version, Form: hoursForm(v.tenant(), true).view(values),
	})
}

func (c *Console) setResourceHours(v *visit) error {
	r, err := c.resourceOfPath(v)
	if err != nil {
		return err
	}
	shown, err := hoursValues(r.Hours.Body())
	if err != nil {
		return err
	}
	f := hoursForm(v.tenant(), true).showing(shown)
	err = func() error {
		d, err := hoursDocument(f, v.Form)
		if err != nil {
			return err
		}
		body, err := readBody[timetable.ResourceHoursBody](c, d)
		if err != nil {
			return err
		}
		h, err := body.Hours()
		if err != nil {
			return err
		}
		_, err = c.Catalog.SetHours(v.ctx(), v.tenant(), r.ID, h, v.version())
		return err
	}()
	if err != nil {
		return f.inWords(err)
	}
	return v.done("changed", v.resourcePath(r.ID))
}

// resourcePath is the path of a resource.
func (v *visit) resourcePath(id uuid.UUID) string { return v.path("resources", id.String()) }
