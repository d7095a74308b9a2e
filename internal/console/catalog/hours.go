package catalog

import (
	"strconv"

	"github.com/google/uuid"

	"holdfast/internal/console/form"
	"holdfast/internal/console/frame"
	"holdfast/internal/timetable"
)

// showHours shows the form of hours on a page with its words.
func (s section) showHours(v *frame.Visit, page frame.EditPage, inherited bool, now timetable.ResourceHoursBody,
	version int64,
) error {
	page.Button, page.Version = "Save", strconv.FormatInt(version, 10)
	page.Form = hoursForm(v.Tenant(), inherited).View(hoursValues(now))
	return s.RenderEdit(v, page)
}

// setHours sets hours as a form says that showed those of now. B is the request of the API that sets them.
func setHours[B interface {
	Hours() (timetable.Hours, error)
}](c *frame.Console, v *frame.Visit, inherited bool,
	now timetable.ResourceHoursBody, set func(timetable.Hours) error,
) error {
	f := hoursForm(v.Tenant(), inherited).Showing(hoursValues(now))
	read := func() (h timetable.Hours, err error) {
		d, err := hoursDocument(f, v.Form)
		if err != nil {
			return h, err
		}
		body, err := form.ReadBody[B](c.CheckBody, d)
		if err != nil {
			return h, err
		}
		return body.Hours()
	}
	h, err := read()
	if err == nil {
		err = set(h)
	}
	return f.InWords(err)
}

func (s section) showTenantHours(v *frame.Visit) error {
	h, err := s.Catalog.TenantHours(v.Context(), v.Tenant())
	if err != nil {
		return err
	}
	return s.showHours(v, frame.EditPage{
		Heading: "Opening hours",
		Help:    "Resources without hours of their own follow them. Bookings that were made by other hours stay.",
		Path:    v.Path("hours"), Back: v.Path("services"),
	}, false, timetable.ResourceHoursBody{HoursBody: h.Body()}, h.Version)
}

func (s section) setTenantHours(v *frame.Visit) error {
	now, err := s.Catalog.TenantHours(v.Context(), v.Tenant())
	if err != nil {
		return err
	}
	shown := timetable.ResourceHoursBody{HoursBody: now.Body()}
	err = setHours[timetable.HoursBody](s.Console, v, false, shown, func(h timetable.Hours) error {
		_, err := s.Catalog.SetTenantHours(v.Context(), v.Tenant(), h, v.Version())
		return err
	})
	if err != nil {
		return err
	}
	return v.Done("changed", v.Path("hours"))
}

func (s section) showResourceHours(v *frame.Visit) error {
	r, err := s.resourceOfPath(v)
	if err != nil {
		return err
	}
	back := resourcePath(v, r.ID)
	return s.showHours(v, frame.EditPage{
		Heading: "Hours of " + r.Name, Help: "Bookings that were made by other hours stay.", Path: back + "/hours",
		Back: back,
	}, true, r.Hours.Body(), r.Version)
}

func (s section) setResourceHours(v *frame.Visit) error {
	r, err := s.resourceOfPath(v)
	if err != nil {
		return err
	}
	err = setHours[timetable.ResourceHoursBody](s.Console, v, true, r.Hours.Body(), func(h timetable.Hours) error {
		_, err := s.Catalog.SetHours(v.Context(), v.Tenant(), r.ID, h, v.Version())
		return err
	})
	if err != nil {
		return err
	}
	return v.Done("changed", resourcePath(v, r.ID))
}

// resourcePath is the path of a resource.
func resourcePath(v *frame.Visit, id uuid.UUID) string { return v.Path("resources", id.String()) }
