package console

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"holdfast/internal/booking"
	"holdfast/internal/catalog"
	"holdfast/internal/idempotency"
	"holdfast/internal/operation"
	"holdfast/internal/tenant"
	"holdfast/internal/timetable"
	"holdfast/internal/web"
)

// routeResources adds the pages of resources, and of hours.
func (c *Console) routeResources() {
	list, admin := need{scope: operation.ScopeCatalog, cost: costOfList}, need{scope: operation.ScopeAdmin}
	p := c.resources()
	c.get("/resources", list, p.showList)
	c.get("/resources/new", admin, p.showNew)
	c.post("/resources/new", admin.on(p.showNew, 0), p.createNew)
	c.get("/resources/:id", need{scope: operation.ScopeCatalog, cost: costOfStanding}, c.showResource)
	c.get("/resources/:id/change", admin, p.showChange)
	c.post("/resources/:id/change", admin.on(p.showChange, 0), p.changeOne)
	c.get("/resources/:id/hours", admin, c.showResourceHours)
	c.post("/resources/:id/hours", admin.on(c.showResourceHours, 0), c.setResourceHours)
	c.get("/resources/:id/archive", need{scope: operation.ScopeAdmin, cost: costOfStanding}, p.askToArchive)
	c.post("/resources/:id/archive", admin.on(p.askToArchive, 0), p.archiveOne)
	c.post("/resources/:id/unarchive", admin.on(c.showResource, 1), p.unarchiveOne)
	c.get("/hours", admin, c.showTenantHours)
	c.post("/hours", admin.on(c.showTenantHours, 0), c.setTenantHours)
}

// resources are the pages of resources, but for the one that shows a resource.
func (c *Console) resources() *things[catalog.Resource] {
	return &things[catalog.Resource]{
		c:     c,
		path:  "resources",
		shown: true,

		title:   "Resources",
		columns: []string{"Capacity", "Position", "Hours"},
		list:    listed(c.Catalog.Resources),
		cells: func(_ *visit, r catalog.Resource) ([]string, error) {
			return []string{strconv.Itoa(r.Capacity), strconv.Itoa(r.Position), hoursWords(r.Hours)}, nil
		},

		get:   c.Catalog.Resource,
		about: func(r catalog.Resource) about { return about{r.ID, r.Version, r.Name, r.Body().ResourceSpec} },
		form:  func(v *visit, _ *catalog.Resource) (form, error) { return resourceForm(v.tenant()), nil },

		newPage: editPage{
			Heading: "New resource", Button: "Add the resource",
			Help: "It follows the opening hours of the business until it gets hours of its own.",
		},
		start: func(*visit) url.Values { return url.Values{"capacity": {"1"}} },
		create: func(v *visit, d document) (idempotency.Outcome, error) {
			return createThing(c, v, d, c.createResource)
		},

		changePage: func(_ *visit, r catalog.Resource) (editPage, error) {
			const force = "Lower the capacity although more is booked. Bookings stay."
			return editPage{Heading: "Change " + r.Name, Force: force}, nil
		},
		change: func(v *visit, _ catalog.Resource, d document) error {
			d["force"] = v.Form.Get("force") != ""
			return changeThing(c, v, d, c.Catalog.ChangeResource)
		},

		archivePage: archivePage{
			What: "resource",
			Does: "It serves no new bookings, and is in no list but that of archived resources. It can be taken back.",
		},
		standing: func(r catalog.Resource) booking.Filter { return booking.Filter{ResourceID: &r.ID} },
		archive:  c.Catalog.ArchiveResource,
	}
}

func (c *Console) createResource(ctx context.Context, t tenant.Tenant, r idempotency.Request, spec catalog.ResourceSpec,
) (idempotency.Outcome, error) {
	made := catalog.Resource{Name: spec.Name, Capacity: spec.Capacity, Position: spec.Position}
	return c.Catalog.CreateResource(ctx, t, r, made)
}

// hoursWords says which hours a resource has.
func hoursWords(h timetable.Hours) string {
	switch {
	case h.Inherited():
		return "those of the business"
	case h.AlwaysOpen:
		return "always open"
	case len(h.Weekly) == 0:
		return "never open"
	default:
		return "its own"
	}
}

// resourcePage is a resource with the bookings that no longer fit it.
type resourcePage struct {
	catalog.Resource

	Tabs      []tab
	Path      string
	HoursText string
	Week      []option // a day and its hours
	MayChange bool
	Misfits   []misfit
	More      bool
}

// maxMisfits is how many bookings that no longer fit a page shows.
const maxMisfits = 20

func (c *Console) resourceOfPath(v *visit) (catalog.Resource, error) {
	return c.Catalog.Resource(v.ctx(), v.tenant(), v.ID("id"))
}

func (c *Console) showResource(v *visit) error {
	r, err := c.resourceOfPath(v)
	if err != nil {
		return err
	}
	page := resourcePage{Resource: r, Tabs: v.tabs("services"), Path: v.resourcePath(r.ID), HoursText: hoursWords(r.Hours),
		MayChange: v.May(operation.ScopeAdmin)}
	values, err := hoursValues(r.Hours.Body())
	if err != nil {
		return err
	}
	for _, day := range weekdayOptions() {
		if len(r.Hours.Weekly) > 0 {
			page.Week = append(page.Week, option{day.Label, values.Get("week." + day.Value)})
		}
	}
	if v.May(operation.ScopeRead) {
		if page.Misfits, page.More, err = c.misfits(v, booking.ConflictQuery{ResourceID: &r.ID}); err != nil {
			return err
		}
	}
	return c.render(v, http.StatusOK, "resource", r.Name, page)
}

// misfits returns bookings that no longer fit, and whether there may be more.
func (c *Console) misfits(v *visit, q booking.ConflictQuery) (list []misfit, more bool, err error) {
	q.Limit = maxMisfits
	found, next, err := c.Bookings.Conflicts(v.ctx(), v.tenant(), q)
	if err != nil {
		return nil, false, err
	}
	bookings := make([]booking.Booking, len(found))
	for i := range found {
		bookings[i] = found[i].Booking
	}
	rows, err := c.rows(v, bookings)
	if err != nil {
		return nil, false, err
	}
	for i, r := range rows {
		m := misfit{bookingRow: r}
		for j, why := range found[i].Conflicts {
			if j > 0 {
				m.Why += ", "
			}
			m.Why += web.Named(string(why))
		}
		list = append(list, m)
	}
	return list, next != nil, nil
}

// resourceForm is the form of a resource.
func resourceForm(t tenant.Tenant) form {
	return formOf[catalog.ResourceChange](t, []group{{Label: "Resource", Fields: []field{
		{Name: "name", Label: "Name", Help: "A room, a person, a boat."},
		{Name: "capacity", Label: "Capacity", Help: "How many can use it at the same time."},
		{Name: "position", Label: "Position", Zero: true, Help: "Its place in the calendar."},
	}}})
}
