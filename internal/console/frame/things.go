package frame

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"github.com/google/uuid"

	"holdfast/internal/booking"
	"holdfast/internal/catalog"
	"holdfast/internal/console/form"
	"holdfast/internal/etag"
	"holdfast/internal/idempotency"
	"holdfast/internal/mergepatch"
	"holdfast/internal/operation"
	"holdfast/internal/tenant"
	"holdfast/internal/web"
)

// Things are the pages of a kind of things, T: their list, the form of a new one, the form that changes one, and what
// archives one. Its methods are handlers, and the routes of the kind name those that it has: a page that is unlike
// those of other kinds is a handler of its own there. A field that only pages use which the kind lacks is nil; for
// others the comment says what nil stands for.
type Things[T any] struct {
	Console *Console
	// Section is that of the tabs, services if empty. Path is that of the list, below the console's.
	Section, Path string
	// Shown says that a thing has a page that shows it. Otherwise the form that changes it is its page.
	Shown bool

	// Title and Columns are those of the list, besides the column of the name.
	Title   string
	Columns []string
	// List returns the things of a page and one more. After says where the page after a thing begins; nil: after its
	// id.
	List  func(v *Visit) ([]T, error)
	After func(T) string
	// Cells are those of a thing in the list.
	Cells func(v *Visit, thing T) ([]string, error)

	// Get returns a thing, and About what the pages need to know of it.
	Get   func(ctx context.Context, t tenant.Tenant, id uuid.UUID) (T, error)
	About func(T) About
	// Form returns the form of a thing; of a new one, which is nil.
	Form func(v *Visit, thing *T) (form.Form, error)

	// NewPage has the words of the form of a new one, and Start what stands in it; nil: nothing.
	NewPage EditPage
	Start   func(v *Visit) url.Values
	// Create makes what a form says. Made leads on from there; nil: to the page that shows it, or else to the list.
	Create func(v *Visit, d form.Document) (idempotency.Outcome, error)
	Made   func(v *Visit, made idempotency.Outcome) error

	// ChangePage has the words of the form that changes one, and Change changes it.
	ChangePage func(v *Visit, thing T) (EditPage, error)
	Change     func(v *Visit, thing T, d form.Document) error

	// ArchivePage has the words of the page that asks whether one is archived. Standing finds the bookings that it
	// shows.
	ArchivePage ArchivePage
	Standing    func(T) booking.Filter
	Archive     func(ctx context.Context, t tenant.Tenant, r idempotency.Request, id uuid.UUID, how catalog.Archiving,
		version etag.Precondition) (idempotency.Outcome, error)
}

// About is what all pages need to know of a thing. Its spec is what the API shows of what the form's fields say.
type About struct {
	ID      uuid.UUID
	Version int64
	Name    string
	Spec    any
}

// pathOf is the path of a thing, or below it.
func (p *Things[T]) pathOf(v *Visit, id uuid.UUID, below ...string) string {
	return v.Path(append([]string{p.Path, id.String()}, below...)...)
}

// OfPath returns the thing of the visit's path.
func (p *Things[T]) OfPath(v *Visit) (T, error) { return p.Get(v.Context(), v.Tenant(), v.ID("id")) }

// Tabs are those of the section.
func (p *Things[T]) Tabs(v *Visit) []web.NavLink {
	if p.Section == "" {
		return v.Tabs("services")
	}
	return v.Tabs(p.Section)
}

// ShowList shows the list.
func (p *Things[T]) ShowList(v *Visit) error {
	list, err := p.List(v)
	if err != nil {
		return err
	}
	page := catalogList{
		Tabs: p.Tabs(v), Title: p.Title, Path: v.Path(p.Path), Archived: v.Query.Get("archived") != "",
		Columns: p.Columns,
	}
	if v.May(operation.ScopeAdmin) {
		page.New = v.Path(p.Path, "new")
	}
	after := p.After
	if after == nil {
		after = func(thing T) string { return p.About(thing).ID.String() }
	}
	list, page.Next = web.Page(v, list, PageSize, after)
	for _, thing := range list {
		cells, err := p.Cells(v, thing)
		if err != nil {
			return err
		}
		known := p.About(thing)
		page.Rows = append(page.Rows, catalogRow{known.Name, p.pathOf(v, known.ID), cells})
	}
	return p.Console.Render(v, http.StatusOK, "catalog_list", page.Title, page)
}

// ShowNew shows the form of a new one.
func (p *Things[T]) ShowNew(v *Visit) error {
	f, err := p.Form(v, nil)
	if err != nil {
		return err
	}
	var values url.Values
	if p.Start != nil {
		values = p.Start(v)
	}
	page := p.NewPage
	page.Tabs, page.Path, page.Back, page.Form = p.Tabs(v), v.Path(p.Path, "new"), v.Path(p.Path), f.View(values)
	return p.Console.RenderEdit(v, page)
}

// CreateNew makes what the form of a new one says.
func (p *Things[T]) CreateNew(v *Visit) error {
	f, err := p.Form(v, nil)
	if err != nil {
		return err
	}
	var made idempotency.Outcome
	err = f.Submit(v.Form, func(d form.Document) (err error) {
		made, err = p.Create(v, d)
		return err
	})
	switch {
	case err != nil:
		return err
	case p.Made != nil:
		return p.Made(v, made)
	case p.Shown:
		return v.Done("added", p.pathOf(v, made.ID))
	default:
		return v.Done("added", v.Path(p.Path))
	}
}

// FilledForm returns the thing of the visit's path, its form, and what stands in it.
func (p *Things[T]) FilledForm(v *Visit) (thing T, f form.Form, values url.Values, err error) {
	if thing, err = p.OfPath(v); err != nil {
		return thing, f, nil, err
	}
	if f, err = p.Form(v, &thing); err != nil {
		return thing, f, nil, err
	}
	values, err = f.Values(p.About(thing).Spec)
	return thing, f, values, err
}

// ShowChange shows the form that changes one.
func (p *Things[T]) ShowChange(v *Visit) error {
	thing, f, values, err := p.FilledForm(v)
	if err != nil {
		return err
	}
	page, err := p.ChangePage(v, thing)
	if err != nil {
		return err
	}
	known := p.About(thing)
	page.Tabs, page.Form = p.Tabs(v), f.View(values)
	page.Button, page.Version = "Save", strconv.FormatInt(known.Version, 10)
	page.Path, page.Back = p.pathOf(v, known.ID), v.Path(p.Path)
	if p.Shown {
		page.Path, page.Back = p.pathOf(v, known.ID, "change"), p.pathOf(v, known.ID)
	}
	return p.Console.RenderEdit(v, page)
}

// ChangeOne changes a thing as its form says, in the version that the person saw.
func (p *Things[T]) ChangeOne(v *Visit) error {
	thing, f, values, err := p.FilledForm(v)
	if err != nil {
		return err
	}
	err = f.Showing(values).Submit(v.Form, func(d form.Document) error { return p.Change(v, thing, d) })
	if err != nil {
		return err
	}
	return v.Done("changed", p.pathOf(v, p.About(thing).ID))
}

// AskToArchive asks whether one is archived, with the bookings that aren't over.
func (p *Things[T]) AskToArchive(v *Visit) error {
	thing, err := p.OfPath(v)
	if err != nil {
		return err
	}
	page, known := p.ArchivePage, p.About(thing)
	if page.Stand, err = p.Console.standing(v, p.Standing(thing)); err != nil {
		return err
	}
	page.Tabs, page.Name, page.Version, page.Forceable = p.Tabs(v), known.Name, known.Version, true
	page.Path, page.Back = p.pathOf(v, known.ID, "archive"), p.pathOf(v, known.ID)
	return p.Console.Render(v, http.StatusOK, "archive", "Archive "+known.Name, page)
}

// ArchiveOne archives a thing in the version that the person saw.
func (p *Things[T]) ArchiveOne(v *Visit) error { return p.setArchived(v, true, "archived") }

// UnarchiveOne takes an archived thing back.
func (p *Things[T]) UnarchiveOne(v *Visit) error { return p.setArchived(v, false, "unarchived") }

func (p *Things[T]) setArchived(v *Visit, archived bool, done string) error {
	id, how := v.ID("id"), catalog.Archiving{Archived: archived, Force: v.Form.Get("force") != ""}
	return p.Console.DoOnce(v, done, p.pathOf(v, id), func(r idempotency.Request) (idempotency.Outcome, error) {
		return p.Archive(v.Context(), v.Tenant(), r, id, how, v.Version())
	})
}

// Create makes what a document says, once.
func Create[S any](c *Console, v *Visit, d form.Document,
	create func(context.Context, tenant.Tenant, idempotency.Request, S) (idempotency.Outcome, error),
) (made idempotency.Outcome, err error) {
	spec, err := form.ReadBody[S](c.CheckBody, d)
	if err != nil {
		return made, err
	}
	return c.Once(v, func(r idempotency.Request) (idempotency.Outcome, error) {
		return create(v.Context(), v.Tenant(), r, spec)
	})
}

// Change changes the thing of the path as a document says, in which what is empty removes what was there.
func Change[S, T any](c *Console, v *Visit, d form.Document,
	change func(context.Context, tenant.Tenant, uuid.UUID, mergepatch.Patch[S], etag.Precondition) (T, error),
) error {
	patch, err := form.ReadPatch[S](c.CheckBody, d)
	if err != nil {
		return err
	}
	_, err = change(v.Context(), v.Tenant(), v.ID("id"), patch, v.Version())
	return err
}
