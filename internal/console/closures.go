package console

import (
	"context"

	"github.com/google/uuid"

	"holdfast/internal/catalog"
	"holdfast/internal/etag"
	"holdfast/internal/idempotency"
	"holdfast/internal/operation"
	"holdfast/internal/tenant"
)

// routeClosures adds the pages of closures.
func (c *Console) routeClosures() {
	list, admin := need{scope: operation.ScopeRead, cost: costOfList}, need{scope: operation.ScopeAdmin}
	p := c.closures()
	c.get("/closures", list, p.showList)
	c.get("/closures/new", admin, p.showNew)
	c.post("/closures/new", admin.on(p.showNew, 0), p.createNew)
	c.get("/closures/:id", need{scope: operation.ScopeRead}, p.showChange)
	c.post("/closures/:id", admin.on(p.showChange, 0), p.changeOne)
	c.post("/closures/:id/archive", admin.on(p.showChange, 1), p.archiveOne)
	c.post("/closures/:id/unarchive", admin.on(p.showChange, 1), p.unarchiveOne)
}

// closures are the pages of closures.
func (c *Console) closures() *things[catalog.Closure] {
	const help = "Bookings that were made before stay."
	return &things[catalog.Closure]{
		c:    c,
		path: "closures",

		title:   "Closures",
		columns: []string{"Closes", "Reason"},
		list:    listed(c.Catalog.Closures),
		cells: func(v *visit, closure catalog.Closure) (cells []string, err error) {
			closes := "everything"
			if closure.ResourceID != nil {
				closes, err = c.resourceName(v, *closure.ResourceID)
			}
			return []string{closes, closure.Reason}, err
		},

		get: c.Catalog.Closure,
		about: func(closure catalog.Closure) about {
			spec := closure.Body().ClosureSpec
			return about{closure.ID, closure.Version, closureWords(spec), spec}
		},
		form: func(v *visit, closure *catalog.Closure) (form, error) {
			var chosen []uuid.UUID
			if closure != nil && closure.ResourceID != nil {
				chosen = []uuid.UUID{*closure.ResourceID}
			}
			resources, err := c.resourcesToChoose(v, chosen...)
			return closureForm(v.tenant(), resources), err
		},

		newPage: editPage{Heading: "New closure", Help: help, Button: "Close these dates"},
		create: func(v *visit, d document) (idempotency.Outcome, error) {
			return createThing(c, v, d, c.createClosure)
		},

		changePage: func(v *visit, closure catalog.Closure) (editPage, error) {
			page := editPage{Heading: "Closure " + closureWords(closure.Body().ClosureSpec), Help: help}
			page.archiving(v, closure.ArchivedAt != nil, "The dates can be booked again.", "Close the dates again")
			return page, nil
		},
		change: func(v *visit, _ catalog.Closure, d document) error {
			return changeThing(c, v, d, c.Catalog.ChangeClosure)
		},

		archive: c.archiveClosure,
	}
}

func (c *Console) createClosure(ctx context.Context, t tenant.Tenant, r idempotency.Request, spec catalog.ClosureSpec,
) (idempotency.Outcome, error) {
	closure, err := spec.Closure()
	if err != nil {
		return idempotency.Outcome{}, err
	}
	return c.Catalog.CreateClosure(ctx, t, r, closure)
}

// archiveClosure archives a closure, or takes it back. Nothing stands in the way of either.
func (c *Console) archiveClosure(ctx context.Context, t tenant.Tenant, r idempotency.Request, id uuid.UUID,
	how catalog.Archiving, version etag.Precondition,
) (idempotency.Outcome, error) {
	return c.Catalog.ArchiveClosure(ctx, t, r, id, how.Archived, version)
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
