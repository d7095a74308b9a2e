package console

import (
	"net/http"
	"net/url"
	"strconv"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"holdfast/internal/booking"
	"holdfast/internal/catalog"
	"holdfast/internal/etag"
	"holdfast/internal/idempotency"
	"holdfast/internal/tenant"
	"holdfast/internal/timetable"
	"holdfast/internal/web"
)

// routeResources adds the pages of resources, and of hours.
func (c *Console) routeResources(of *gin.RouterGroup) {
	list, admin := need{scope: tenant.ScopeCatalog, cost: costOfList}, need{scope: tenant.ScopeAdmin}
	of.GET("/resources", c.handle(list, c.user, c.showResources))
	of.GET("/resources/new", c.handle(admin, c.user, c.showNewResource))
	of.POST("/resources/new", c.handle(admin.on(c.showNewResource, 0), c.user, c.createResource))
	of.GET("/resources/:id", c.handle(need{scope: tenant.ScopeCatalog, cost: costOfStanding}, c.user, c.showResource))
	of.GET("/resources/:id/change", c.handle(admin, c.user, c.showResourceForm))
	of.POST("/resources/:id/change", c.handle(admin.on(c.showResourceForm, 0), c.user, c.changeResource))
	of.GET("/resources/:id/hours", c.handle(admin, c.user, c.showResourceHours))
	of.POST("/resources/:id/hours", c.handle(admin.on(c.showResourceHours, 0), c.user, c.setResourceHours))
	of.GET("/resources/:id/archive", c.handle(need{scope: tenant.ScopeAdmin, cost: costOfStanding}, c.user, c.askToArchiveResource))
	of.POST("/resources/:id/archive", c.handle(admin.on(c.askToArchiveResource, 0), c.user, c.archiveResource(true)))
	of.POST("/resources/:id/unarchive", c.handle(admin.on(c.showResource, 1), c.user, c.archiveResource(false)))
	of.GET("/hours", c.handle(admin, c.user, c.showTenantHours))
	of.POST("/hours", c.handle(admin.on(c.showTenantHours, 0), c.user, c.setTenantHours))
}

func (c *Console) showResources(v *visit) error {
	q, err := v.listQuery()
	if err != nil {
		return err
	}
	list, err := c.Catalog.Resources(v.ctx(), v.tenant(), q)
	if err != nil {
		return err
	}
	page := v.newCatalogList("Resources", "resources", "Capacity", "Position", "Hours")
	list, page.Next = web.Page(v, list, pageSize, func(last catalog.Resource) string { return last.ID.String() })
	for i := range list {
		page.Rows = append(page.Rows, catalogRow{list[i].Name, v.resourcePath(list[i].ID),
			[]string{strconv.Itoa(list[i].Capacity), strconv.Itoa(list[i].Position), hoursWords(list[i].Hours)}})
	}
	return c.render(v, http.StatusOK, "catalog_list", page.Title, page)
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

// misfit is a booking that no longer fits.
type misfit struct {
	bookingRow

	Why string
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
		MayChange: v.May(tenant.ScopeAdmin)}
	values, err := hoursValues(r.Hours.Body())
	if err != nil {
		return err
	}
	for _, day := range weekdayOptions() {
		if len(r.Hours.Weekly) > 0 {
			page.Week = append(page.Week, option{day.Label, values.Get("week." + day.Value)})
		}
	}
	if v.May(tenant.ScopeRead) {
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

func (c *Console) showNewResource(v *visit) error {
	return c.newResourceForm(v, url.Values{"capacity": {"1"}})
}

func (c *Console) newResourceForm(v *visit, values url.Values) error {
	return c.renderEdit(v, editPage{
		Heading: "New resource", Help: "It follows the opening hours of the business until it gets hours of its own.",
		Path: v.path("resources", "new"), Back: v.path("resources"), Button: "Add the resource",
		Form: resourceForm(v.tenant()).view(values),
	})
}

func (c *Console) createResource(v *visit) error {
	f := resourceForm(v.tenant())
	var made idempotency.Outcome
	err := func() error {
		d, err := f.document(v.Form)
		if err != nil {
			return err
		}
		spec, err := readBody[catalog.ResourceSpec](c, d)
		if err != nil {
			return err
		}
		made, err = c.once(v, func(r idempotency.Request) (idempotency.Outcome, error) {
			res := catalog.Resource{Name: spec.Name, Capacity: spec.Capacity, Position: spec.Position}
			return c.Catalog.CreateResource(v.ctx(), v.tenant(), r, res)
		})
		return err
	}()
	if err != nil {
		return f.inWords(err)
	}
	return v.done("added", v.resourcePath(made.ID))
}

func (c *Console) showResourceForm(v *visit) error {
	r, err := c.resourceOfPath(v)
	if err != nil {
		return err
	}
	values, err := resourceForm(v.tenant()).values(r.Body().ResourceSpec)
	if err != nil {
		return err
	}
	return c.resourceChangeForm(v, r, strconv.FormatInt(r.Version, 10), values)
}

func (c *Console) resourceChangeForm(v *visit, r catalog.Resource, version string, values url.Values) error {
	return c.renderEdit(v, editPage{
		Heading: "Change " + r.Name, Path: v.resourcePath(r.ID) + "/change", Back: v.resourcePath(r.ID), Button: "Save", Version: version,
		Form:  resourceForm(v.tenant()).view(values),
		Force: "Lower the capacity although more is booked. Bookings stay.", Forced: values.Get("force") != "",
	})
}

func (c *Console) changeResource(v *visit) error {
	r, err := c.resourceOfPath(v)
	if err != nil {
		return err
	}
	f := resourceForm(v.tenant())
	err = func() error {
		d, err := f.document(v.Form)
		if err != nil {
			return err
		}
		d["force"] = v.Form.Get("force") != ""
		p, err := readPatch[catalog.ResourceChange](c, d)
		if err != nil {
			return err
		}
		_, err = c.Catalog.ChangeResource(v.ctx(), v.tenant(), r.ID, p, v.version())
		return err
	}()
	if err != nil {
		return f.inWords(err)
	}
	return v.done("changed", v.resourcePath(r.ID))
}

func (c *Console) askToArchiveResource(v *visit) error {
	r, err := c.resourceOfPath(v)
	if err != nil {
		return err
	}
	stand, err := c.standing(v, booking.Filter{ResourceID: &r.ID})
	if err != nil {
		return err
	}
	return c.render(v, http.StatusOK, "archive", "Archive "+r.Name, archivePage{
		Tabs: v.tabs("services"), Name: r.Name, What: "resource", Path: v.resourcePath(r.ID) + "/archive", Back: v.resourcePath(r.ID),
		Version: r.Version, Stand: stand, Forceable: true,
		Does: "It serves no new bookings, and is in no list but that of archived resources. It can be taken back.",
	})
}

func (c *Console) archiveResource(archived bool) handler {
	return func(v *visit) error {
		return c.archive(v, archived, "resources",
			func(r idempotency.Request, id uuid.UUID, how catalog.Archiving,
				version etag.Precondition) (idempotency.Outcome, error) {
				return c.Catalog.ArchiveResource(v.ctx(), v.tenant(), r, id, how, version)
			})
	}
}
