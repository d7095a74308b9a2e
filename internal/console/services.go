package console

import (
	"net/http"
	"net/url"
	"strconv"
	"time"

	"cloud.google.com/go/civil"
	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"holdfast/internal/booking"
	"holdfast/internal/catalog"
	"holdfast/internal/datetime"
	"holdfast/internal/etag"
	"holdfast/internal/idempotency"
	"holdfast/internal/problem"
	"holdfast/internal/tenant"
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
	list, admin := need{scope: tenant.ScopeCatalog, cost: costOfList}, need{scope: tenant.ScopeAdmin}
	preview := need{scope: tenant.ScopeCatalog, cost: costOfPreview}
	of.GET("/services", c.handle(list, c.user, c.showServices))
	of.GET("/services/new", c.handle(admin, c.user, c.showNewService))
	of.POST("/services/new", c.handle(admin.on(c.showNewService, 0), c.user, c.createService))
	of.GET("/services/:id", c.handle(preview, c.user, c.showService))
	of.GET("/services/:id/change", c.handle(admin, c.user, c.showServiceForm))
	of.POST("/services/:id/change", c.handle(admin.on(c.showServiceForm, 0), c.user, c.changeService))
	of.GET("/services/:id/archive", c.handle(need{scope: tenant.ScopeAdmin, cost: costOfStanding}, c.user, c.askToArchiveService))
	of.POST("/services/:id/archive", c.handle(admin.on(c.askToArchiveService, 0), c.user, c.archiveService(true)))
	of.POST("/services/:id/unarchive", c.handle(admin.on(c.showService, 1), c.user, c.archiveService(false)))
}

// costOfStanding is the permits of a page that looks for bookings that aren't over.
const costOfStanding = 4

func (c *Console) showServices(v *visit) error {
	q, err := v.listQuery()
	if err != nil {
		return err
	}
	list, err := c.Catalog.Services(v.ctx(), v.tenant(), q)
	if err != nil {
		return err
	}
	page := v.newCatalogList("Services", "services", "Sold by", "Price")
	list, page.Next = web.Page(v, list, pageSize, func(last catalog.BookableService) string { return last.ID.String() })
	for i := range list {
		page.Rows = append(page.Rows, catalogRow{list[i].Name, v.path("services", list[i].ID.String()),
			[]string{kindWords[list[i].Kind], priceWords(list[i])}})
	}
	return c.render(v, http.StatusOK, "catalog_list", page.Title, page)
}

// kindWords say how services are sold.
var kindWords = map[timetable.Kind]string{timetable.KindDate: "the day", timetable.KindSlot: "the time",
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

func (c *Console) serviceOfPath(v *visit) (catalog.BookableService, error) {
	return c.Catalog.Service(v.ctx(), v.tenant(), v.ID("id"))
}

func (c *Console) showService(v *visit) error {
	svc, err := c.serviceOfPath(v)
	if err != nil {
		return err
	}
	page := servicePage{
		BookableService: svc, Tabs: v.tabs("services"), Path: v.path("services", svc.ID.String()), SoldBy: kindWords[svc.Kind],
		PriceText: priceWords(svc), MayChange: v.May(tenant.ScopeAdmin), Days: previewDays,
	}
	_, _, known, err := c.catalogOf(v)
	if err != nil {
		return err
	}
	for _, id := range svc.AllResourceIDs() {
		if err := c.addResource(v, known, id); err != nil {
			return err
		}
		page.Resources = append(page.Resources, web.Link{Name: known[id], URL: v.path("resources", id.String())})
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

func (c *Console) showNewService(v *visit) error {
	kind := timetable.Kind(v.Query.Get("kind"))
	if _, known := kindWords[kind]; !known {
		page := struct {
			Tabs []tab
			Path string
		}{v.tabs("services"), v.path("services", "new")}
		return c.render(v, http.StatusOK, "service_kind", "New service", page)
	}
	return c.newServiceForm(v, kind, url.Values{})
}

func (c *Console) newServiceForm(v *visit, kind timetable.Kind, values url.Values) error {
	_, resources, _, err := c.catalogOf(v)
	if err != nil {
		return err
	}
	return c.renderEdit(v, editPage{
		Heading: "New service, sold by " + kindWords[kind], Path: v.path("services", "new"), Back: v.path("services"),
		Button: "Add the service",
		Hidden: map[string]string{"kind": string(kind)}, Form: serviceForm(v.tenant(), kind, resources).view(values),
	})
}

func (c *Console) createService(v *visit) error {
	kind := timetable.Kind(v.Form.Get("kind"))
	if _, known := kindWords[kind]; !known {
		return problem.Invalid("kind", "not_one_of", "Expected date, slot or stay.")
	}
	_, resources, _, err := c.catalogOf(v)
	if err != nil {
		return err
	}
	f := serviceForm(v.tenant(), kind, resources)
	var made idempotency.Outcome
	err = func() error {
		d, err := f.document(v.Form)
		if err != nil {
			return err
		}
		d["kind"] = string(kind)
		spec, err := readBody[catalog.ServiceSpec](c, d)
		if err != nil {
			return err
		}
		made, err = c.once(v, func(r idempotency.Request) (idempotency.Outcome, error) {
			return c.Catalog.CreateService(v.ctx(), v.tenant(), r, spec)
		})
		return err
	}()
	if err != nil {
		return f.inWords(err)
	}
	return v.done("added", v.path("services", made.ID.String()))
}

func (c *Console) showServiceForm(v *visit) error {
	svc, err := c.serviceOfPath(v)
	if err != nil {
		return err
	}
	f, err := c.formOfService(v, svc)
	if err != nil {
		return err
	}
	values, err := f.values(svc.ServiceSpec)
	if err != nil {
		return err
	}
	return c.serviceChangeForm(v, svc, f, strconv.FormatInt(svc.Version, 10), values)
}

// formOfService is the form of a service, in which also its archived resources can be chosen.
func (c *Console) formOfService(v *visit, svc catalog.BookableService) (form, error) {
	_, resources, known, err := c.catalogOf(v)
	if err != nil {
		return form{}, err
	}
	for _, id := range svc.AllResourceIDs() {
		if _, listed := known[id]; listed {
			continue
		}
		r, err := c.Catalog.Resource(v.ctx(), v.tenant(), id)
		if err != nil {
			return form{}, err
		}
		resources = append(resources, r)
	}
	return serviceForm(v.tenant(), svc.Kind, resources), nil
}

func (c *Console) serviceChangeForm(v *visit, svc catalog.BookableService, f form, version string, values url.Values,
) error {
	path := v.path("services", svc.ID.String())
	return c.renderEdit(v, editPage{
		Heading: "Change " + svc.Name, Help: "Bookings stay as they are, with their price.", Path: path + "/change", Back: path,
		Button: "Save", Version: version, Form: f.view(values),
	})
}

func (c *Console) changeService(v *visit) error {
	svc, err := c.serviceOfPath(v)
	if err != nil {
		return err
	}
	f, err := c.formOfService(v, svc)
	if err != nil {
		return err
	}
	shown, err := f.values(svc.ServiceSpec)
	if err != nil {
		return err
	}
	f = f.showing(shown)
	err = func() error {
		d, err := f.document(v.Form)
		if err != nil {
			return err
		}
		p, err := readPatch[catalog.ServiceSpec](c, d)
		if err != nil {
			return err
		}
		_, err = c.Catalog.ChangeService(v.ctx(), v.tenant(), svc.ID, p, v.version())
		return err
	}()
	if err != nil {
		return f.inWords(err)
	}
	return v.done("changed", v.path("services", svc.ID.String()))
}

func (c *Console) askToArchiveService(v *visit) error {
	svc, err := c.serviceOfPath(v)
	if err != nil {
		return err
	}
	stand, err := c.standing(v, booking.Filter{ServiceID: &svc.ID})
	if err != nil {
		return err
	}
	path := v.path("services", svc.ID.String())
	return c.render(v, http.StatusOK, "archive", "Archive "+svc.Name, archivePage{
		Tabs: v.tabs("services"), Name: svc.Name, What: "service", Path: path + "/archive", Back: path, Version: svc.Version, Stand: stand,
		Forceable: true, Does: "It takes no new bookings, and is in no list but that of archived services. It can be taken back.",
	})
}

func (c *Console) archiveService(archived bool) handler {
	return func(v *visit) error {
		return c.archive(v, archived, "services",
			func(r idempotency.Request, id uuid.UUID, how catalog.Archiving,
				version etag.Precondition) (idempotency.Outcome, error) {
				return c.Catalog.ArchiveService(v.ctx(), v.tenant(), r, id, how, version)
			})
	}
}
