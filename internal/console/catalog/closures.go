package catalog

import (
	"context"

	"github.com/google/uuid"

	"holdfast/internal/catalog"
	"holdfast/internal/console/form"
	"holdfast/internal/console/frame"
	"holdfast/internal/etag"
	"holdfast/internal/idempotency"
	"holdfast/internal/tenant"
)

// routeClosures adds the pages of closures.
func (s section) routeClosures() {
	p := s.closures()
	s.Get("/closures", frame.NeedOf(catalog.OpListClosures), p.ShowList)
	s.FormPage("/closures/new", catalog.OpCreateClosure, p.ShowNew, p.CreateNew)
	s.Get("/closures/:id", frame.NeedOf(catalog.OpGetClosure), p.ShowChange)
	s.Form("/closures/:id", catalog.OpChangeClosure, p.ShowChange, 0, p.ChangeOne)
	s.Form("/closures/:id/archive", catalog.OpArchiveClosure, p.ShowChange, 1, p.ArchiveOne)
	s.Form("/closures/:id/unarchive", catalog.OpUnarchiveClosure, p.ShowChange, 1, p.UnarchiveOne)
}

// closures are the pages of closures.
func (s section) closures() *frame.Things[catalog.Closure] {
	const help = "Bookings that were made before stay."
	return &frame.Things[catalog.Closure]{
		Console: s.Console,
		Path:    "closures",

		Title:   "Closures",
		Columns: []string{"Closes", "Reason"},
		List:    listed(s.Catalog.Closures),
		Cells: func(v *frame.Visit, closure catalog.Closure) (cells []string, err error) {
			closes := "everything"
			if closure.ResourceID != nil {
				closes, err = s.ResourceName(v, *closure.ResourceID)
			}
			return []string{closes, closure.Reason}, err
		},

		Get: s.Catalog.Closure,
		About: func(closure catalog.Closure) frame.About {
			spec := closure.Body().ClosureSpec
			return frame.About{ID: closure.ID, Version: closure.Version, Name: closureWords(spec), Spec: spec}
		},
		Form: func(v *frame.Visit, closure *catalog.Closure) (form.Form, error) {
			var chosen []uuid.UUID
			if closure != nil && closure.ResourceID != nil {
				chosen = []uuid.UUID{*closure.ResourceID}
			}
			resources, err := s.resourcesToChoose(v, chosen...)
			return closureForm(v.Tenant(), resources), err
		},

		NewPage: frame.EditPage{Heading: "New closure", Help: help, Button: "Close these dates"},
		Create: func(v *frame.Visit, d form.Document) (idempotency.Outcome, error) {
			return frame.Create(s.Console, v, d, s.createClosure)
		},

		ChangePage: func(v *frame.Visit, closure catalog.Closure) (frame.EditPage, error) {
			page := frame.EditPage{Heading: "Closure " + closureWords(closure.Body().ClosureSpec), Help: help}
			page.Archiving(v, closure.ArchivedAt != nil, "The dates can be booked again.", "Close the dates again")
			return page, nil
		},
		Change: func(v *frame.Visit, _ catalog.Closure, d form.Document) error {
			return frame.Change(s.Console, v, d, s.Catalog.ChangeClosure)
		},

		Archive: s.archiveClosure,
	}
}

func (s section) createClosure(ctx context.Context, t tenant.Tenant, r idempotency.Request, spec catalog.ClosureSpec,
) (idempotency.Outcome, error) {
	closure, err := spec.Closure()
	if err != nil {
		return idempotency.Outcome{}, err
	}
	return s.Catalog.CreateClosure(ctx, t, r, closure)
}

// archiveClosure archives a closure, or takes it back. Nothing stands in the way of either.
func (s section) archiveClosure(ctx context.Context, t tenant.Tenant, r idempotency.Request, id uuid.UUID,
	how catalog.Archiving, version etag.Precondition,
) (idempotency.Outcome, error) {
	return s.Catalog.ArchiveClosure(ctx, t, r, id, how.Archived, version)
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
func closureForm(t tenant.Tenant, resources []catalog.Resource) form.Form {
	return form.Of[catalog.ClosureSpec](t, []form.Group{{Label: "When it is closed", Fields: []form.Field{
		{Name: "from", Label: "First date"},
		{Name: "to", Label: "Last date", Help: "At most 62 dates."},
		{Name: "starts", Label: "Each date from", Kind: form.KindClock, Help: "Empty for whole dates."},
		{Name: "ends", Label: "until", Max: len("24:00"), Help: "Such as 14:30. 24:00 is the end of the date."},
		{Name: "resource_id", Label: "What is closed", Kind: form.KindChoice,
			Options: append([]form.Option{{Label: "everything"}}, resourceOptions(resources)...)},
		{Name: "reason", Label: "Reason"},
		{Name: "yearly", Label: "The same dates each year"},
	}}})
}
