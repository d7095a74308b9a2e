package catalog

import (
	"net/http"
	"net/url"
	"strconv"
	"time"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"

	"holdfast/internal/booking"
	"holdfast/internal/catalog"
	"holdfast/internal/console/form"
	"holdfast/internal/console/frame"
	"holdfast/internal/datetime"
	"holdfast/internal/idempotency"
	"holdfast/internal/operation"
	"holdfast/internal/problem"
	"holdfast/internal/timetable"
	"holdfast/internal/web"
)

// costOfPreview is the permits of a page with what is free of a service, as of the API's availability.
const costOfPreview = 4

// Bounds of the preview of a service.
const (
	previewDays  = 14
	previewSlots = 48 // of a day
)

// routeServices adds the pages of services.
func (s section) routeServices() {
	p := s.services()
	s.Get("/services", frame.NeedOf(catalog.OpListServices), p.ShowList)
	s.FormPage("/services/new", catalog.OpCreateService, s.showNewService, p.CreateNew)
	s.Get("/services/:id", frame.Need{Scope: catalog.OpGetService.Scope, Cost: costOfPreview}, s.showService)
	s.FormPage("/services/:id/change", catalog.OpChangeService, p.ShowChange, p.ChangeOne)
	s.Get("/services/:id/archive", standing(catalog.OpArchiveService), p.AskToArchive)
	s.Form("/services/:id/archive", catalog.OpArchiveService, p.AskToArchive, 0, p.ArchiveOne)
	s.Form("/services/:id/unarchive", catalog.OpUnarchiveService, s.showService, 1, p.UnarchiveOne)
}

// standing is the need of a page about an operation that looks for bookings that aren't over.
func standing(op operation.Operation) frame.Need { return frame.Need{Scope: op.Scope, Cost: 4} }

// services are the pages of services, but for the one that shows a service.
func (s section) services() *frame.Things[catalog.BookableService] {
	return &frame.Things[catalog.BookableService]{
		Console: s.Console,
		Path:    "services",
		Shown:   true,

		Title:   "Services",
		Columns: []string{"Sold by", "Price"},
		List:    listed(s.Catalog.Services),
		Cells: func(_ *frame.Visit, svc catalog.BookableService) ([]string, error) {
			return []string{kindWords[svc.Kind], priceWords(svc)}, nil
		},

		Get: s.Catalog.Service,
		About: func(svc catalog.BookableService) frame.About {
			return frame.About{ID: svc.ID, Version: svc.Version, Name: svc.Name, Spec: svc.ServiceSpec}
		},
		Form: s.formOfService,

		NewPage: frame.EditPage{Button: "Add the service"},
		Create: func(v *frame.Visit, d form.Document) (idempotency.Outcome, error) {
			d["kind"] = string(kindAsked(v))
			return frame.Create(s.Console, v, d, s.Catalog.CreateService)
		},

		ChangePage: func(_ *frame.Visit, svc catalog.BookableService) (frame.EditPage, error) {
			return frame.EditPage{Heading: "Change " + svc.Name, Help: "Bookings stay as they are, with their price."},
				nil
		},
		Change: func(v *frame.Visit, _ catalog.BookableService, d form.Document) error {
			return frame.Change(s.Console, v, d, s.Catalog.ChangeService)
		},

		ArchivePage: frame.ArchivePage{
			What: "service",
			Does: "It takes no new bookings, and is in no list but that of archived services. It can be taken back.",
		},
		Standing: func(svc catalog.BookableService) booking.Filter { return booking.Filter{ServiceID: &svc.ID} },
		Archive:  s.Catalog.ArchiveService,
	}
}

// kindWords say how services are sold.
var kindWords = map[timetable.ServiceKind]string{timetable.KindDate: "the day", timetable.KindSlot: "the time",
	timetable.KindStay: "the night"}

// priceWords returns the price of a service as its own page says it.
func priceWords(svc catalog.BookableService) string {
	text := web.Money(svc.Price, svc.Currency)
	switch {
	case len(svc.UnitTypes) > 0:
		return text + " and by guest"
	case svc.PricePer == timetable.PerUnit:
		text += " a person"
	}
	switch {
	case svc.Kind == timetable.KindStay:
		text += " a night"
	case svc.PricePerMinutes > 0:
		text += " for each " + strconv.Itoa(svc.PricePerMinutes) + " minutes"
	}
	return text
}

// servicePage is a service with what can be booked of it.
type servicePage struct {
	catalog.BookableService

	Tabs      []web.NavLink
	Path      string
	SoldBy    string
	PriceText string
	Resources []web.Link
	MayChange bool
	Preview   []previewDay
	Days      int
	Length    string // for which the preview is, of a service that sells several
	Nights    int    // of a stay
}

// previewDay is what can be booked on a date.
type previewDay struct {
	Date   civil.Date
	Free   bool
	Reason string
	Price  *int64
	Slots  []previewSlot
	More   int // slots that aren't shown
}

type previewSlot struct {
	Clock string
	Price *int64
}

func (s section) showService(v *frame.Visit) error {
	svc, err := s.services().OfPath(v)
	if err != nil {
		return err
	}
	page := servicePage{
		BookableService: svc,
		Tabs:            v.Tabs("services"),
		Path:            v.Path("services", svc.ID.String()),
		SoldBy:          kindWords[svc.Kind],
		PriceText:       priceWords(svc),
		MayChange:       v.May(operation.ScopeAdmin),
		Days:            previewDays,
	}
	for _, id := range svc.AllResourceIDs() {
		name, err := s.ResourceName(v, id)
		if err != nil {
			return err
		}
		page.Resources = append(page.Resources, web.Link{Name: name, URL: v.Path("resources", id.String())})
	}
	if svc.Kind == timetable.KindSlot && svc.Vary() {
		page.Length = svc.Shortest().String()
	}
	if svc.Kind == timetable.KindStay {
		page.Nights = svc.MinNights
	}
	if svc.ArchivedAt == nil {
		if page.Preview, err = s.preview(v, svc); err != nil {
			return err
		}
	}
	return s.Render(v, http.StatusOK, "service", svc.Name, page)
}

// preview returns what one person can book of a service in the days that follow.
func (s section) preview(v *frame.Visit, svc catalog.BookableService) (days []previewDay, err error) {
	today := datetime.DateOf(time.Now(), v.Tenant().Location)
	free, err := s.Bookings.Availability(v.Context(), v.Tenant(), svc.ID, timetable.AvailabilityQuery{
		From: today, To: today.AddDays(previewDays - 1), PartySize: 1, Prices: true,
	})
	if err != nil {
		return nil, err
	}
	for d := range free.Days() {
		shown := previewDay{Date: d.Date, Free: d.Available, Price: d.Price, Reason: web.Named(string(d.Reason))}
		for _, s := range d.Slots {
			switch {
			case s.Reason != "":
			case len(shown.Slots) == previewSlots:
				shown.More++
			default:
				shown.Slots = append(shown.Slots,
					previewSlot{datetime.Clock(s.StartsAt.In(v.Tenant().Location)), s.Price})
			}
		}
		days = append(days, shown)
	}
	return days, nil
}

// formOrQuery returns a field of the form that was sent, or of the query.
func formOrQuery(v *frame.Visit, name string) string {
	if v.Posts() {
		return v.Form.Get(name)
	}
	return v.Query.Get(name)
}

// kindAsked is the kind of the service that a form or a query asks for.
func kindAsked(v *frame.Visit) timetable.ServiceKind {
	if p := presetOf(formOrQuery(v, "preset")); p != nil {
		return p.kind
	}
	return timetable.ServiceKind(formOrQuery(v, "kind"))
}

// showNewService shows the form of a new service, after it was chosen what is sold.
func (s section) showNewService(v *frame.Visit) error {
	p, begun, kind := s.services(), presetOf(formOrQuery(v, "preset")), kindAsked(v)
	sold, known := kindWords[kind]
	switch {
	case begun != nil:
		p.NewPage.Heading, p.NewPage.Help = begun.Name, "What is folded can stay as it is, and be changed later."
		p.NewPage.Hidden = map[string]string{"preset": begun.Key}
		p.Start = func(*frame.Visit) url.Values { return begun.start }
		return p.ShowNew(v)
	case known:
		p.NewPage.Heading, p.NewPage.Hidden = "New service, sold by "+sold, map[string]string{"kind": string(kind)}
		return p.ShowNew(v)
	}
	resources, err := s.resourcesToChoose(v)
	if err != nil {
		return err
	}
	page := struct {
		Tabs        []web.NavLink
		Path        string
		Presets     []preset
		NewResource string // where a resource is added, if there is none yet
	}{Tabs: v.Tabs("services"), Path: v.Path("services", "new"), Presets: presets}
	if len(resources) == 0 {
		page.NewResource = v.Path("resources", "new")
	}
	return s.Render(v, http.StatusOK, "service_kind", "New service", page)
}

// formOfService is the form of a service, in which also its archived resources can be chosen. Errors:
// problem.ValidationFailed for a new one of no kind.
func (s section) formOfService(v *frame.Visit, svc *catalog.BookableService) (form.Form, error) {
	spec, chosen := catalog.ServiceSpec{Spec: timetable.Spec{Kind: kindAsked(v)}}, []uuid.UUID(nil)
	if svc != nil {
		spec, chosen = svc.ServiceSpec, svc.AllResourceIDs()
	}
	if _, known := kindWords[spec.Kind]; !known {
		return form.Form{}, problem.Invalid("kind", "not_one_of", "Expected date, slot or stay.")
	}
	resources, err := s.resourcesToChoose(v, chosen...)
	f := serviceForm(v.Tenant(), spec, resources)
	if begun := presetOf(formOrQuery(v, "preset")); begun != nil && svc == nil {
		f = f.Short("What you sell", begun.first)
	}
	return f, err
}
