package console

import (
	"net/http"
	"net/url"
	"strconv"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"holdfast/internal/catalog"
	"holdfast/internal/etag"
	"holdfast/internal/idempotency"
	"holdfast/internal/tenant"
	"holdfast/internal/web"
)

// routeClosures adds the pages of closures.
func (c *Console) routeClosures(of *gin.RouterGroup) {
	list, admin := need{scope: tenant.ScopeRead, cost: costOfList}, need{scope: tenant.ScopeAdmin}
	of.GET("/closures", c.handle(list, c.user, c.showClosures))
	of.GET("/closures/new", c.handle(admin, c.user, c.showNewClosure))
	of.POST("/closures/new", c.handle(admin.on(c.showNewClosure, 0), c.user, c.createClosure))
	of.GET("/closures/:id", c.handle(need{scope: tenant.ScopeRead}, c.user, c.showClosure))
	of.POST("/closures/:id", c.handle(admin.on(c.showClosure, 0), c.user, c.changeClosure))
	of.POST("/closures/:id/archive", c.handle(admin.on(c.showClosure, 1), c.user, c.archiveClosure(true)))
	of.POST("/closures/:id/unarchive", c.handle(admin.on(c.showClosure, 1), c.user, c.archiveClosure(false)))
}

func (c *Console) showClosures(v *visit) error {
	q, err := v.listQuery()
	if err != nil {
		return err
	}
	list, err := c.Catalog.Closures(v.ctx(), v.tenant(), q)
	if err != nil {
		return err
	}
	page := v.newCatalogList("Closures", "closures", "Closes", "Reason")
	list, page.Next = web.Page(v, list, pageSize, func(last catalog.Closure) string { return last.ID.String() })
	_, _, known, err := c.catalogOf(v)
	if err != nil {
		return err
	}
	for _, closure := range list {
		closes := "everything"
		if id := closure.ResourceID; id != nil {
			if err := c.addResource(v, known, *id); err != nil {
				return err
			}
			closes = known[*id]
		}
		page.Rows = append(page.Rows, catalogRow{closureWords(closure.Body().ClosureSpec), v.path("closures", closure.ID.String()),
			[]string{closes, closure.Reason}})
	}
	return c.render(v, http.StatusOK, "catalog_list", page.Title, page)
}

// closureWords says when a closure closes.
func closureWords(s catalog.ClosureSpec) string {
	text := s.From
	if s.To != s.From {
		text += " to " + s.To
	}
	if s.Starts != "" {
		text += ", " + s.Starts + "–" + s.Ends
	}
	if s.Yearly {
		text += ", each year"
	}
	return text
}

// closureForm is the form of a closure.
func closureForm(t tenant.Tenant, resources []catalog.Resource) form {
	return formOf[catalog.ClosureSpec](t, []group{{Label: "When it is closed", Fields: []field{
		{Name: "from", Label: "First date"},
		{Name: "to", Label: "Last date", Help: "At most 62 dates."},
		{Name: "starts", Label: "Each date from", Kind: kindClock, Help: "Empty for whole dates."},
		{Name: "ends", Label: "until", Max: len("24:00"), Help: "Such as 14:30. 24:00 is the end of the date."},
		{Name: "resource_id", Label: "What is closed", Kind: kindChoice,
			Options: append([]option{{"", "everything"}}, resourceOptions(resources)...)},
		{Name: "reason", Label: "Reason"},
		{Name: "yearly", Label: "The same dates each year"},
	}}})
}

// resourcesToChoose are the resources of a form, also one that is archived and chosen already.
func (c *Console) resourcesToChoose(v *visit, chosen *uuid.UUID) ([]catalog.Resource, error) {
	_, resources, known, err := c.catalogOf(v)
	if err != nil || chosen == nil || known[*chosen] != "" {
		return resources, err
	}
	r, err := c.Catalog.Resource(v.ctx(), v.tenant(), *chosen)
	return append(resources, r), err
}

func (c *Console) showNewClosure(v *visit) error {
	return c.newClosureForm(v, url.Values{})
}

func (c *Console) newClosureForm(v *visit, values url.Values) error {
	resources, err := c.resourcesToChoose(v, nil)
	if err != nil {
		return err
	}
	return c.renderEdit(v, editPage{
		Heading: "New closure", Help: "Bookings that were made before stay.", Path: v.path("closures", "new"), Back: v.path("closures"),
		Button: "Close these dates", Form: closureForm(v.tenant(), resources).view(values),
	})
}

func (c *Console) createClosure(v *visit) error {
	resources, err := c.resourcesToChoose(v, nil)
	if err != nil {
		return err
	}
	f := closureForm(v.tenant(), resources)
	err = func() error {
		d, err := f.document(v.Form)
		if err != nil {
			return err
		}
		spec, err := readBody[catalog.ClosureSpec](c, d)
		if err != nil {
			return err
		}
		closure, err := spec.Closure()
		if err != nil {
			return err
		}
		_, err = c.once(v, func(r idempotency.Request) (idempotency.Outcome, error) {
			return c.Catalog.CreateClosure(v.ctx(), v.tenant(), r, closure)
		})
		return err
	}()
	if err != nil {
		return f.inWords(err)
	}
	return v.done("added", v.path("closures"))
}

func (c *Console) closureOfPath(v *visit) (catalog.Closure, error) {
	return c.Catalog.Closure(v.ctx(), v.tenant(), v.ID("id"))
}

func (c *Console) showClosure(v *visit) error {
	closure, err := c.closureOfPath(v)
	if err != nil {
		return err
	}
	resources, err := c.resourcesToChoose(v, closure.ResourceID)
	if err != nil {
		return err
	}
	values, err := closureForm(v.tenant(), resources).values(closure.Body().ClosureSpec)
	if err != nil {
		return err
	}
	return c.closureChangeForm(v, closure, resources, strconv.FormatInt(closure.Version, 10), values)
}

func (c *Console) closureChangeForm(v *visit, closure catalog.Closure, resources []catalog.Resource, version string,
	values url.Values,
) error {
	page := editPage{
		Heading: "Closure " + closureWords(closure.Body().ClosureSpec), Path: v.path("closures", closure.ID.String()),
		Back: v.path("closures"),
		Help: "Bookings that were made before stay.", Button: "Save", Version: version,
		Form: closureForm(v.tenant(), resources).view(values),
	}
	page.archiving(v, closure.ArchivedAt != nil, "The dates can be booked again.", "Close the dates again")
	return c.renderEdit(v, page)
}

func (c *Console) changeClosure(v *visit) error {
	closure, err := c.closureOfPath(v)
	if err != nil {
		return err
	}
	resources, err := c.resourcesToChoose(v, closure.ResourceID)
	if err != nil {
		return err
	}
	f := closureForm(v.tenant(), resources)
	err = func() error {
		d, err := f.document(v.Form)
		if err != nil {
			return err
		}
		p, err := readPatch[catalog.ClosureSpec](c, d)
		if err != nil {
			return err
		}
		_, err = c.Catalog.ChangeClosure(v.ctx(), v.tenant(), closure.ID, p, v.version())
		return err
	}()
	if err != nil {
		return f.inWords(err)
	}
	return v.done("changed", v.path("closures", closure.ID.String()))
}

func (c *Console) archiveClosure(archived bool) handler {
	return func(v *visit) error {
		return c.archive(v, archived, "closures",
			func(r idempotency.Request, id uuid.UUID, how catalog.Archiving,
				version etag.Precondition) (idempotency.Outcome, error) {
				return c.Catalog.ArchiveClosure(v.ctx(), v.tenant(), r, id, how.Archived, version)
			})
	}
}
