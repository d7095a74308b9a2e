package catalog

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"github.com/google/uuid"

	"holdfast/internal/booking"
	"holdfast/internal/catalog"
	"holdfast/internal/console/form"
	"holdfast/internal/console/frame"
	"holdfast/internal/idempotency"
	"holdfast/internal/operation"
	"holdfast/internal/settings"
	"holdfast/internal/tenant"
	"holdfast/internal/timetable"
	"holdfast/internal/web"
)

// routeResources adds the pages of resources, and of hours.
func (s section) routeResources() {
	p := s.resources()
	s.Get("/resources", frame.NeedOf(catalog.OpListResources), p.ShowList)
	s.FormPage("/resources/new", catalog.OpCreateResource, p.ShowNew, p.CreateNew)
	s.Get("/resources/:id", standing(catalog.OpGetResource), s.showResource)
	s.FormPage("/resources/:id/change", catalog.OpChangeResource, p.ShowChange, p.ChangeOne)
	s.FormPage("/resources/:id/hours", catalog.OpSetHours, s.showResourceHours, s.setResourceHours)
	s.Get("/resources/:id/archive", standing(catalog.OpArchiveResource), p.AskToArchive)
	s.Form("/resources/:id/archive", catalog.OpArchiveResource, p.AskToArchive, 0, p.ArchiveOne)
	s.Form("/resources/:id/unarchive", catalog.OpUnarchiveResource, s.showResource, 1, p.UnarchiveOne)
	s.FormPage("/hours", settings.OpSetTenantHours, s.showTenantHours, s.setTenantHours)
}

// resources are the pages of resources, but for the one that shows a resource.
func (s section) resources() *frame.Things[catalog.Resource] {
	return &frame.Things[catalog.Resource]{
		Console: s.Console,
		Path:    "resources",
		Shown:   true,

		Title:   "Resources",
		Columns: []string{"Capacity", "Position", "Hours"},
		List:    listed(s.Catalog.Resources),
		Cells: func(_ *frame.Visit, r catalog.Resource) ([]string, error) {
			return []string{strconv.Itoa(r.Capacity), strconv.Itoa(r.Position), hoursWords(r.Hours)}, nil
		},

		Get: s.Catalog.Resource,
		About: func(r catalog.Resource) frame.About {
			return frame.About{ID: r.ID, Version: r.Version, Name: r.Name, Spec: r.Body().ResourceSpec}
		},
		Form: func(v *frame.Visit, _ *catalog.Resource) (form.Form, error) { return resourceForm(v.Tenant()), nil },

		NewPage: frame.EditPage{
			Heading: "New resource", Button: "Add the resource",
			Help: "It follows the opening hours of the business until it gets hours of its own.",
		},
		Start: func(*frame.Visit) url.Values { return url.Values{"capacity": {"1"}} },
		Create: func(v *frame.Visit, d form.Document) (idempotency.Outcome, error) {
			return frame.Create(s.Console, v, d, s.createResource)
		},

		ChangePage: func(_ *frame.Visit, r catalog.Resource) (frame.EditPage, error) {
			const force = "Lower the capacity although more is booked. Bookings stay."
			return frame.EditPage{Heading: "Change " + r.Name, Force: force}, nil
		},
		Change: func(v *frame.Visit, _ catalog.Resource, d form.Document) error {
			d["force"] = v.Form.Get("force") != ""
			return frame.Change(s.Console, v, d, s.Catalog.ChangeResource)
		},

		ArchivePage: frame.ArchivePage{
			What: "resource",
			Does: "It serves no new bookings, and is in no list but that of archived resources. It can be taken back.",
		},
		Standing: func(r catalog.Resource) booking.Filter { return booking.Filter{ResourceID: &r.ID} },
		Archive:  s.Catalog.ArchiveResource,
	}
}

func (s section) createResource(ctx context.Context, t tenant.Tenant, r idempotency.Request, spec catalog.ResourceSpec,
) (idempotency.Outcome, error) {
	made := catalog.Resource{Name: spec.Name, Capacity: spec.Capacity, Position: spec.Position}
	return s.Catalog.CreateResource(ctx, t, r, made)
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

	Tabs      []web.NavLink
	Path      string
	HoursText string
	Week      []form.Option // a day and its hours
	MayChange bool
	Misfits   []frame.Misfit
	More      bool
}

// maxMisfits is how many bookings that no longer fit a page shows.
const maxMisfits = 20

func (s section) resourceOfPath(v *frame.Visit) (catalog.Resource, error) {
	return s.Catalog.Resource(v.Context(), v.Tenant(), v.ID("id"))
}

func (s section) showResource(v *frame.Visit) error {
	r, err := s.resourceOfPath(v)
	if err != nil {
		return err
	}
	page := resourcePage{Resource: r, Tabs: v.Tabs("services"), Path: resourcePath(v, r.ID),
		HoursText: hoursWords(r.Hours),
		MayChange: v.May(operation.ScopeAdmin)}
	values := hoursValues(r.Hours.Body())
	for _, day := range weekdayOptions() {
		if len(r.Hours.Weekly) > 0 {
			hours := values.Get(weekField(timetable.Weekday(day.Value)))
			page.Week = append(page.Week, form.Option{Value: day.Label, Label: hours})
		}
	}
	if v.May(operation.ScopeRead) {
		if page.Misfits, page.More, err = s.misfits(v, booking.ConflictQuery{ResourceID: &r.ID}); err != nil {
			return err
		}
	}
	return s.Render(v, http.StatusOK, "resource", r.Name, page)
}

// misfits returns bookings that no longer fit, and whether there may be more.
func (s section) misfits(v *frame.Visit, q booking.ConflictQuery) (list []frame.Misfit, more bool, err error) {
	q.Limit = maxMisfits
	found, next, err := s.Bookings.Conflicts(v.Context(), v.Tenant(), q)
	if err != nil {
		return nil, false, err
	}
	bookings := make([]booking.Booking, len(found))
	for i := range found {
		bookings[i] = found[i].Booking
	}
	rows, err := s.Rows(v, bookings)
	if err != nil {
		return nil, false, err
	}
	for i, r := range rows {
		m := frame.Misfit{BookingRow: r}
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
func resourceForm(t tenant.Tenant) form.Form {
	return form.Of[catalog.ResourceChange](t, []form.Group{{Label: "Resource", Fields: []form.Field{
		{Name: "name", Label: "Name", Help: "A room, a person, a boat."},
		{Name: "capacity", Label: "Capacity", Help: "How many can use it at the same time."},
		{Name: "position", Label: "Position", Zero: true, Help: "Its place in the calendar."},
	}}})
}

// resourcesToChoose are the resources of a form, also those that are archived and chosen already.
func (s section) resourcesToChoose(v *frame.Visit, chosen ...uuid.UUID) ([]catalog.Resource, error) {
	list, err := s.Catalog.Resources(v.Context(), v.Tenant(), catalog.ListQuery{Limit: frame.MaxCatalog})
	for _, id := range chosen {
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(list, func(r catalog.Resource) bool { return r.ID == id }) {
			var r catalog.Resource
			r, err = s.Catalog.Resource(v.Context(), v.Tenant(), id)
			list = append(list, r)
		}
	}
	return list, err
}

// listed returns what reads a page of a list.
func listed[T any](
	list func(context.Context, tenant.Tenant, catalog.ListQuery) ([]T, error),
) func(*frame.Visit) ([]T, error) {
	return func(v *frame.Visit) ([]T, error) {
		after, err := v.After()
		if err != nil {
			return nil, err
		}
		q := catalog.ListQuery{Archived: v.Query.Get("archived") != "", Limit: frame.PageSize + 1, After: after}
		return list(v.Context(), v.Tenant(), q)
	}
}
