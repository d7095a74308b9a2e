package console

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"github.com/google/uuid"

	"holdfast/internal/booking"
	"holdfast/internal/catalog"
	"holdfast/internal/etag"
	"holdfast/internal/idempotency"
	"holdfast/internal/mergepatch"
	"holdfast/internal/operation"
	"holdfast/internal/tenant"
	"holdfast/internal/web"
)

// things are the pages of a kind of things, T: their list, the form of a new one, the form that changes one, and what
// archives one. Its methods are handlers, and the routes of the kind name those that it has: a page that is unlike
// those of other kinds is a handler of its own there. A field that only pages use which the kind lacks is nil; for
// others the comment says what nil stands for.
type things[T any] struct {
	c *Console
	// section is that of the tabs, services if empty. path is that of the list, below the console's.
	section, path string
	// shown says that a thing has a page that shows it. Otherwise the form that changes it is its page.
	shown bool

	// title and columns are those of the list, besides the column of the name.
	title   string
	columns []string
	// list returns the things of a page and one more. after says where the page after a thing begins; nil: after its id.
	list  func(v *visit) ([]T, error)
	after func(T) string
	// cells are those of a thing in the list.
	cells func(v *visit, thing T) ([]string, error)

	// get returns a thing, and about what the pages need to know of it.
	get   func(ctx context.Context, t tenant.Tenant, id uuid.UUID) (T, error)
	about func(T) about
	// form returns the form of a thing; of a new one, which is nil.
	form func(v *visit, thing *T) (form, error)

	// newPage has the words of the form of a new one, and start what stands in it; nil: nothing.
	newPage editPage
	start   func(v *visit) url.Values
	// create makes what a form says. made leads on from there; nil: to the page that shows it, or else to the list.
	create func(v *visit, d document) (idempotency.Outcome, error)
	made   func(v *visit, made idempotency.Outcome) error

	// changePage has the words of the form that changes one, and change changes it.
	changePage func(v *visit, thing T) (editPage, error)
	change     func(v *visit, thing T, d document) error

	// archivePage has the words of the page that asks whether one is archived. standing finds the bookings that it shows.
	archivePage archivePage
	standing    func(T) booking.Filter
	archive     func(ctx context.Context, t tenant.Tenant, r idempotency.Request, id uuid.UUID, how catalog.Archiving,
		version etag.Precondition) (idempotency.Outcome, error)
}

// about is what all pages need to know of a thing. Its spec is what the API shows of what the form's fields say.
type about struct {
	id      uuid.UUID
	version int64
	name    string
	spec    any
}

// pathOf is the path of a thing, or below it.
func (p *things[T]) pathOf(v *visit, id uuid.UUID, below ...string) string {
	return v.path(append([]string{p.path, id.String()}, below...)...)
}

// ofPath returns the thing of the visit's path.
func (p *things[T]) ofPath(v *visit) (T, error) { return p.get(v.ctx(), v.tenant(), v.ID("id")) }

// tabs are those of the section.
func (p *things[T]) tabs(v *visit) []tab {
	if p.section == "" {
		return v.tabs("services")
	}
	return v.tabs(p.section)
}

// showList shows the list.
func (p *things[T]) showList(v *visit) error {
	list, err := p.list(v)
	if err != nil {
		return err
	}
	page := catalogList{
		Tabs: p.tabs(v), Title: p.title, Path: v.path(p.path), Archived: v.Query.Get("archived") != "", Columns: p.columns,
	}
	if v.May(operation.ScopeAdmin) {
		page.New = v.path(p.path, "new")
	}
	after := p.after
	if after == nil {
		after = func(thing T) string { return p.about(thing).id.String() }
	}
	list, page.Next = web.Page(v, list, pageSize, after)
	for _, thing := range list {
		cells, err := p.cells(v, thing)
		if err != nil {
			return err
		}
		known := p.about(thing)
		page.Rows = append(page.Rows, catalogRow{known.name, p.pathOf(v, known.id), cells})
	}
	return p.c.render(v, http.StatusOK, "catalog_list", page.Title, page)
}

// showNew shows the form of a new one.
func (p *things[T]) showNew(v *visit) error {
	f, err := p.form(v, nil)
	if err != nil {
		return err
	}
	var values url.Values
	if p.start != nil {
		values = p.start(v)
	}
	page := p.newPage
	page.Tabs, page.Path, page.Back, page.Form = p.tabs(v), v.path(p.path, "new"), v.path(p.path), f.view(values)
	return p.c.renderEdit(v, page)
}

// createNew makes what the form of a new one says.
func (p *things[T]) createNew(v *visit) error {
	f, err := p.form(v, nil)
	if err != nil {
		return err
	}
	var made idempotency.Outcome
	err = f.submit(v.Form, func(d document) (err error) {
		made, err = p.create(v, d)
		return err
	})
	switch {
	case err != nil:
		return err
	case p.made != nil:
		return p.made(v, made)
	case p.shown:
		return v.done("added", p.pathOf(v, made.ID))
	default:
		return v.done("added", v.path(p.path))
	}
}

// filledForm returns the thing of the visit's path, its form, and what stands in it.
func (p *things[T]) filledForm(v *visit) (thing T, f form, values url.Values, err error) {
	if thing, err = p.ofPath(v); err != nil {
		return thing, f, nil, err
	}
	if f, err = p.form(v, &thing); err != nil {
		return thing, f, nil, err
	}
	values, err = f.values(p.about(thing).spec)
	return thing, f, values, err
}

// showChange shows the form that changes one.
func (p *things[T]) showChange(v *visit) error {
	thing, f, values, err := p.filledForm(v)
	if err != nil {
		return err
	}
	page, err := p.changePage(v, thing)
	if err != nil {
		return err
	}
	known := p.about(thing)
	page.Tabs, page.Form = p.tabs(v), f.view(values)
	page.Button, page.Version = "Save", strconv.FormatInt(known.version, 10)
	page.Path, page.Back = p.pathOf(v, known.id), v.path(p.path)
	if p.shown {
		page.Path, page.Back = p.pathOf(v, known.id, "change"), p.pathOf(v, known.id)
	}
	return p.c.renderEdit(v, page)
}

// changeOne changes a thing as its form says, in the version that the person saw.
func (p *things[T]) changeOne(v *visit) error {
	thing, f, values, err := p.filledForm(v)
	if err != nil {
		return err
	}
	err = f.showing(values).submit(v.Form, func(d document) error { return p.change(v, thing, d) })
	if err != nil {
		return err
	}
	return v.done("changed", p.pathOf(v, p.about(thing).id))
}

// askToArchive asks whether one is archived, with the bookings that aren't over.
func (p *things[T]) askToArchive(v *visit) error {
	thing, err := p.ofPath(v)
	if err != nil {
		return err
	}
	page, known := p.archivePage, p.about(thing)
	if page.Stand, err = p.c.standing(v, p.standing(thing)); err != nil {
		return err
	}
	page.Tabs, page.Name, page.Version, page.Forceable = p.tabs(v), known.name, known.version, true
	page.Path, page.Back = p.pathOf(v, known.id, "archive"), p.pathOf(v, known.id)
	return p.c.render(v, http.StatusOK, "archive", "Archive "+known.name, page)
}

// archiveOne archives a thing in the version that the person saw, and unarchiveOne takes it back.
func (p *things[T]) archiveOne(v *visit) error   { return p.setArchived(v, true, "archived") }
func (p *things[T]) unarchiveOne(v *visit) error { return p.setArchived(v, false, "unarchived") }

func (p *things[T]) setArchived(v *visit, archived bool, done string) error {
	id, how := v.ID("id"), catalog.Archiving{Archived: archived, Force: v.Form.Get("force") != ""}
	return p.c.doOnce(v, done, p.pathOf(v, id), func(r idempotency.Request) (idempotency.Outcome, error) {
		return p.archive(v.ctx(), v.tenant(), r, id, how, v.version())
	})
}

// createThing makes what a document says, once.
func createThing[S any](c *Console, v *visit, d document,
	create func(context.Context, tenant.Tenant, idempotency.Request, S) (idempotency.Outcome, error),
) (made idempotency.Outcome, err error) {
	spec, err := readBody[S](c.checkBody, d)
	if err != nil {
		return made, err
	}
	return c.once(v, func(r idempotency.Request) (idempotency.Outcome, error) {
		return create(v.ctx(), v.tenant(), r, spec)
	})
}

// changeThing changes the thing of the path as a document says, in which what is empty removes what was there.
func changeThing[S, T any](c *Console, v *visit, d document,
	change func(context.Context, tenant.Tenant, uuid.UUID, mergepatch.Patch[S], etag.Precondition) (T, error),
) error {
	patch, err := readPatch[S](c.checkBody, d)
	if err != nil {
		return err
	}
	_, err = change(v.ctx(), v.tenant(), v.ID("id"), patch, v.version())
	return err
}

// listed returns what reads a page of a list of the catalog.
func listed[T any](
	list func(context.Context, tenant.Tenant, catalog.ListQuery) ([]T, error),
) func(*visit) ([]T, error) {
	return func(v *visit) ([]T, error) {
		after, err := v.After()
		if err != nil {
			return nil, err
		}
		q := catalog.ListQuery{Archived: v.Query.Get("archived") != "", Limit: pageSize + 1, After: after}
		return list(v.ctx(), v.tenant(), q)
	}
}
