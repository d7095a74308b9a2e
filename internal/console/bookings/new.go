package bookings

import (
	"net/http"
	"net/url"
	"strings"
	"time"

	"holdfast/internal/booking"
	"holdfast/internal/catalog"
	"holdfast/internal/console/form"
	"holdfast/internal/console/frame"
	"holdfast/internal/customer"
	"holdfast/internal/idempotency"
	"holdfast/internal/timetable"
	"holdfast/internal/web"
)

// newPage asks for a booking. Its price is shown before it is made.
type newPage struct {
	Path      string
	Services  []catalog.BookableService
	Service   *catalog.BookableService // nil until one is chosen
	Stay      bool
	Slot      bool
	Date      string // of the field
	Time      string
	Which     []form.TickedOption // moments at which clocks show the time; none if it is one
	CheckOut  string
	Length    *lengthField // nil of a service with one length
	Party     string
	Resources []catalog.Resource
	Resource  string
	Offer     *newOffer
	Refusal   string // why it can't be made
}

// newOffer is what a booking would come to.
type newOffer struct {
	booking.Booking

	// Fields are those of the form that makes the booking.
	Fields url.Values
}

// newFields are the fields of a booking that say what is booked, besides those of the party.
var newFields = []string{"service", "date", "time", fieldOffset, "check_out", fieldLength, "party", "resource", "quote"}

const partyField = "party."

func (s section) showNew(v *frame.Visit) error {
	services, _, _, err := s.CatalogOf(v)
	if err != nil {
		return err
	}
	page := newPage{Path: v.Path("book"), Services: services, Party: "1"}
	for name, field := range map[string]*string{"date": &page.Date, "time": &page.Time, "check_out": &page.CheckOut,
		"party": &page.Party, "resource": &page.Resource} {
		if v.Query.Has(name) {
			*field = v.Query.Get(name)
		}
	}
	if v.Query.Get("service") == "" {
		return s.Render(v, http.StatusOK, "new", "New booking", page)
	}
	n, svc, unusable := s.newOf(v, v.Query)
	if svc == nil {
		return unusable
	}
	page.Service, page.Stay, page.Slot = svc, svc.Kind == timetable.KindStay, svc.Kind == timetable.KindSlot
	if page.Resources, err = s.resourcesOf(v, *svc); err != nil {
		return err
	}
	if page.Slot {
		page.fillSlot(n.When, *svc, v.Tenant().Location)
	}
	if v.Query.Get("quote") == "" {
		return s.Render(v, http.StatusOK, "new", "New booking", page)
	}
	if unusable != nil {
		return unusable
	}
	quote, err := s.Bookings.Quote(v.Context(), v.Tenant(), n)
	switch {
	case err != nil:
		return err
	case quote.Refusal != nil:
		page.Refusal = refusalWords(quote.Refusal)
	default:
		page.Offer = &newOffer{Booking: quote.Booking, Fields: url.Values{}}
		for name, values := range v.Query {
			if strings.HasPrefix(name, partyField) {
				page.Offer.Fields[name] = values
			}
		}
		for _, name := range newFields {
			if v.Query.Has(name) {
				page.Offer.Fields.Set(name, v.Query.Get(name))
			}
		}
	}
	return s.Render(v, http.StatusOK, "new", "New booking", page)
}

// fillSlot fills in which of two moments, and how long, as far as they are given.
func (p *newPage) fillSlot(when timetable.When, svc catalog.BookableService, loc *time.Location) {
	if when.StartsAt != nil {
		if at, err := time.Parse(time.RFC3339, *when.StartsAt); err == nil {
			p.Which = whichOf(at.In(loc))
		}
	}
	length := lengthOf(when)
	if length == (timetable.Length{}) && svc.Vary() {
		length = svc.Shortest()
	}
	p.Length = lengthFieldOf(svc.ServiceSpec, length)
}

// newOf returns the booking that fields ask for, and its service, nil if it can't be found. Errors:
// problem.ValidationFailed, which doesn't keep the service from being returned.
func (s section) newOf(v *frame.Visit, fields url.Values,
) (n booking.CreateRequest, svc *catalog.BookableService, err error) {
	id, err := web.ParseID(fields.Get("service"))
	if err != nil {
		return n, nil, err
	}
	found, err := s.Catalog.Service(v.Context(), v.Tenant(), id)
	if err != nil {
		return n, nil, err
	}
	n = booking.CreateRequest{ServiceID: id}
	if n.When, err = whenOf(fields, found, time.Time{}, v.Tenant().Location); err != nil {
		return n, &found, err
	}
	if text := fields.Get("resource"); text != "" {
		resource, err := web.ParseID(text)
		if err != nil {
			return n, &found, err
		}
		n.ResourceIDs = append(n.ResourceIDs, resource)
	}
	if len(found.UnitTypes) == 0 {
		n.PartySize, err = numberOf("party_size", fields.Get("party"), 1, timetable.MaxCapacity)
		return n, &found, err
	}
	n.Party = make(map[string]int)
	for _, u := range found.UnitTypes {
		text := fields.Get(partyField + u.Key)
		if text == "" {
			continue
		}
		if n.Party[u.Key], err = numberOf("party", text, 0, timetable.MaxCapacity); err != nil {
			return n, &found, err
		}
	}
	return n, &found, nil
}

func (s section) create(v *frame.Visit) error {
	n, _, err := s.newOf(v, v.Form)
	if err != nil {
		return err
	}
	n.Customer = &customer.Customer{Name: strings.TrimSpace(v.Form.Get("name")),
		Email: strings.TrimSpace(v.Form.Get("email"))}
	if phone := strings.TrimSpace(v.Form.Get("phone")); phone != "" {
		n.Customer.Phone = &phone
	}
	response, err := s.Once(v, func(r idempotency.Request) (idempotency.Outcome, error) {
		return s.Bookings.Create(v.Context(), v.Tenant(), r, n)
	})
	if err != nil {
		return err
	}
	return v.Done("booked", v.BookingPath(response.ID))
}
