package console

import (
	"net/http"
	"strconv"
	"time"

	"cloud.google.com/go/civil"
	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"holdfast/internal/booking"
	"holdfast/internal/catalog"
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
func (c *Console) routeServices(of *gin.RouterGroup) {
	list, admin := need{scope: operation.ScopeCatalog, cost: costOfList}, need{scope: operation.ScopeAdmin}
	preview := need{scope: operation.ScopeCatalog, cost: costOfPreview}
	p := c.services()
	of.GET("/services", c.handle(list, c.user, p.showList))
	of.GET("/services/new", c.handle(admin, c.user, c.showNewService))
	of.POST("/services/new", c.handle(admin.on(c.showNewService, 0), c.user, p.createNew))
	of.GET("/services/:id", c.handle(preview, c.user, c.showService))
	of.GET("/services/:id/change", c.handle(admin, c.user, p.showChange))
	of.POST("/services/:id/change", c.handle(admin.on(p.showChange, 0), c.user, p.changeOne))
	of.GET("/services/:id/archive",
		c.handle(need{scope: operation.ScopeAdmin, cost: costOfStanding}, c.user, p.askToArchive))
	of.POST("/services/:id/archive", c.handle(admin.on(p.askToArchive, 0), c.user, p.archiveOne))
	of.POST("/services/:id/unarchive", c.handle(admin.on(c.showService, 1), c.user, p.unarchiveOne))
}

// costOfStanding is the permits of a page that looks for bookings that aren't over.
const costOfStanding = 4

// services are the pages of services, but for the one that shows a service.
func (c *Console) services() *things[catalog.BookableService] {
	return &things[catalog.BookableService]{
		c:     c,
		path:  "services",
		shown: true,

		title:   "Services",
		columns: []string{"Sold by", "Price"},
		list:    listed(c.Catalog.Services),
		cells: func(_ *visit, svc catalog.BookableService) ([]string, error) {
			return []string{kindWords[svc.Kind], priceWords(svc)}, nil
		},

		get: c.Catalog.Service,
		about: func(svc catalog.BookableService) about {
			return about{svc.ID, svc.Version, svc.Name, svc.ServiceSpec}
		},
		form: c.formOfService,

		newPage: editPage{Button: "Add the service"},
		create: func(v *visit, d document) (idempotency.Outcome, error) {
			d["kind"] = string(v.kindAsked())
			return createThing(c, v, d, c.Catalog.CreateService)
		},

		changePage: func(_ *visit, svc catalog.BookableService) (editPage, error) {
			return editPage{Heading: "Change " + svc.Name, Help: "Bookings stay as they are, with their price."}, nil
		},
		change: func(v *visit, _ catalog.BookableService, d document) error {
			return changeThing(c, v, d, c.Catalog.ChangeService)
		},

		archivePage: archivePage{
			What: "service",
			Does: "It takes no new bookings, and is in no list but that of archived services. It can be taken back.",
		},
		standing: func(svc catalog.BookableService) booking.Filter { return booking.Filter{ServiceID: &svc.ID} },
		archive:  c.Catalog.ArchiveService,
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

	Tabs      []tab
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

func (c *Console) showService(v *visit) error {
	svc, err := c.services().ofPath(v)
	if err != nil {
		return err
	}
	page := servicePage{
		BookableService: svc, Tabs: v.tabs("services"), Path: v.path("services", svc.ID.String()), SoldBy: kindWords[svc.Kind],
		PriceText: priceWords(svc), MayChange: v.May(operation.ScopeAdmin), Days: previewDays,
	}
	for _, id := range svc.AllResourceIDs() {
		name, err := c.resourceName(v, id)
		if err != nil {
			return err
		}
		page.Resources = append(page.Resources, web.Link{Name: name, URL: v.path("resources", id.String())})
	}
	if svc.Kind == timetable.KindSlot && svc.Vary() {
		page.Length = svc.Shortest().String()
	}
	if svc.Kind == timetable.KindStay {
		page.Nights = svc.MinNights
	}
	if svc.ArchivedAt == nil {
		if page.Preview, err = c.preview(v, svc); err != nil {
			return err
		}
	}
	return c.render(v, http.StatusOK, "service", svc.Name, page)
}

// preview returns what one person can book of a service in the days that follow.
func (c *Console) preview(v *visit, svc catalog.BookableService) (days []previewDay, err error) {
	today := datetime.DateOf(time.Now(), v.tenant().Location)
	free, err := c.Bookings.Availability(v.ctx(), v.tenant(), svc.ID, timetable.AvailabilityQuery{
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
				shown.Slots = append(shown.Slots, previewSlot{datetime.Clock(s.StartsAt.In(v.tenant().Location)), s.Price})
			}
		}
		days = append(days, shown)
	}
	return days, nil
}

// kindAsked is the kind of the service that a form or a query asks for.
func (v *visit) kindAsked() timetable.ServiceKind {
	if v.Posts() {
		return timetable.ServiceKind(v.Form.Get("kind"))
	}
	return timetable.ServiceKind(v.Query.Get("kind"))
}

// showNewService shows the form of a new service, after its kind was chosen.
func (c *Console) showNewService(v *visit) error {
	kind := v.kindAsked()
	if sold, known := kindWords[kind]; known {
		p := c.services()
		p.newPage.Heading, p.newPage.Hidden = "New service, sold by "+sold, map[string]string{"kind": string(kind)}
		return p.showNew(v)
	}
	page := struct {
		Tabs []tab
		Path string
	}{v.tabs("services"), v.path("services", "new")}
	return c.render(v, http.StatusOK, "service_kind", "New service", page)
}

// formOfService is the form of a service, in which also its archived resources can be chosen. Errors:
// problem.ValidationFailed for a new one of no kind.
func (c *Console) formOfService(v *visit, svc *catalog.BookableService) (form, error) {
	kind, chosen := v.kindAsked(), []uuid.UUID(nil)
	if svc != nil {
		kind, chosen = svc.Kind, svc.AllResourceIDs()
	}
	if _, known := kindWords[kind]; !known {
		return form{}, problem.Invalid("kind", "not_one_of", "Expected date, slot or stay.")
	}
	resources, err := c.resourcesToChoose(v, chosen...)
	return serviceForm(v.tenant(), kind, resources), err
}
