package console

import (
	"strconv"

	"github.com/google/uuid"

	"holdfast/internal/timetable"
)

// showHours shows the form of hours on a page with its words.
func (c *Console) showHours(v *visit, page editPage, inherited bool, now timetable.ResourceHoursBody, version int64,
) error {
	values, err := hoursValues(now)
	if err != nil {
		return err
	}
	page.Button, page.Version = "Save", strconv.FormatInt(version, 10)
	page.Form = hoursForm(v.tenant(), inherited).view(values)
	return c.renderEdit(v, page)
}

// setHours sets hours as a form says that showed those of now. B is the request of the API that sets them.
func setHours[B interface {
	Hours() (timetable.Hours, error)
}](c *Console, v *visit, inherited bool,
	now timetable.ResourceHoursBody, set func(timetable.Hours) error,
) error {
	shown, err := hoursValues(now)
	if err != nil {
		return err
	}
	f := hoursForm(v.tenant(), inherited).showing(shown)
	read := func() (h timetable.Hours, err error) {
		d, err := hoursDocument(f, v.Form)
		if err != nil {
			return h, err
		}
		body, err := readBody[B](c.checkBody, d)
		if err != nil {
			return h, err
		}
		return body.Hours()
	}
	h, err := read()
	if err == nil {
		err = set(h)
	}
	return f.inWords(err)
}

func (c *Console) showTenantHours(v *visit) error {
	h, err := c.Catalog.TenantHours(v.ctx(), v.tenant())
	if err != nil {
		return err
	}
	return c.showHours(v, editPage{
		Heading: "Opening hours", Help: "Resources without hours of their own follow them. Bookings that were made by other hours stay.",
		Path: v.path("hours"), Back: v.path("services"),
	}, false, timetable.ResourceHoursBody{HoursBody: h.Body()}, h.Version)
}

func (c *Console) setTenantHours(v *visit) error {
	now, err := c.Catalog.TenantHours(v.ctx(), v.tenant())
	if err != nil {
		return err
	}
	shown := timetable.ResourceHoursBody{HoursBody: now.Body()}
	err = setHours[timetable.HoursBody](c, v, false, shown, func(h timetable.Hours) error {
		_, err := c.Catalog.SetTenantHours(v.ctx(), v.tenant(), h, v.version())
		return err
	})
	if err != nil {
		return err
	}
	return v.done("changed", v.path("hours"))
}

func (c *Console) showResourceHours(v *visit) error {
	r, err := c.resourceOfPath(v)
	if err != nil {
		return err
	}
	back := v.resourcePath(r.ID)
	return c.showHours(v, editPage{
		Heading: "Hours of " + r.Name, Help: "Bookings that were made by other hours stay.", Path: back + "/hours",
		Back: back,
	}, true, r.Hours.Body(), r.Version)
}

func (c *Console) setResourceHours(v *visit) error {
	r, err := c.resourceOfPath(v)
	if err != nil {
		return err
	}
	err = setHours[timetable.ResourceHoursBody](c, v, true, r.Hours.Body(), func(h timetable.Hours) error {
		_, err := c.Catalog.SetHours(v.ctx(), v.tenant(), r.ID, h, v.version())
		return err
	})
	if err != nil {
		return err
	}
	return v.done("changed", v.resourcePath(r.ID))
}

// resourcePath is the path of a resource.
func (v *visit) resourcePath(id uuid.UUID) string { return v.path("resources", id.String()) }
