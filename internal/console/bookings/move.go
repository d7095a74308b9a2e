package bookings

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/booking"
	"holdfast/internal/catalog"
	"holdfast/internal/console/form"
	"holdfast/internal/console/frame"
	"holdfast/internal/datetime"
	"holdfast/internal/idempotency"
	"holdfast/internal/problem"
	"holdfast/internal/timetable"
	"holdfast/internal/web"
)

// movePage asks where a booking goes, and shows what that costs before it is done.
type movePage struct {
	booking.Booking

	Path      string
	Stay      bool
	Slot      bool
	Date      string // of the field
	Time      string
	Which     []form.TickedOption // moments at which clocks show the time; none if it is one
	Length    *lengthField        // nil of a service with one length
	CheckOut  string
	Resources []catalog.Resource
	Resource  string
	Offers    []moveOffer // one, or two whose prices differ
	Refusal   string      // why it can't go there
	// Fields are those of the forms that make the move.
	Fields url.Values
}

// moveOffer is what a move would come to.
type moveOffer struct {
	After      booking.Booking
	Resource   string // names of all that it gets
	Difference int64  // of the price, in minor units; negative if it costs less
	Price      booking.PriceRule
}

func (s section) showMove(v *frame.Visit) error {
	b, err := s.BookingOfPath(v)
	if err != nil {
		return err
	}
	svc, err := s.Catalog.Service(v.Context(), v.Tenant(), b.ServiceID)
	if err != nil {
		return err
	}
	page := movePage{
		Booking: b, Path: v.BookingPath(b.ID, "move"), Stay: svc.Kind == timetable.KindStay,
		Slot:     svc.Kind == timetable.KindSlot,
		Resource: b.ResourceID.String(), Fields: url.Values{},
	}
	page.fill(b, svc)
	insteadOf := ""
	for name, field := range map[string]*string{"date": &page.Date, "time": &page.Time, "check_out": &page.CheckOut,
		fieldResource: &page.Resource, fieldInsteadOf: &insteadOf} {
		if v.Query.Has(name) {
			*field = v.Query.Get(name)
			page.Fields[name] = v.Query[name]
		}
	}
	if page.Resources, err = s.resourcesOf(v, svc); err != nil {
		return err
	}
	if v.Query.Has("date") {
		if err := s.offerMove(v, &page, svc); err != nil {
			return err
		}
	}
	return s.Render(v, http.StatusOK, "move", "Move booking "+b.Code, page)
}

// fill fills in where the booking is.
func (p *movePage) fill(b booking.Booking, svc catalog.BookableService) {
	p.Date, p.Time = b.Date.String(), b.StartsAt.In(b.Location).Format(clockFormat)
	p.CheckOut = datetime.DateOf(b.EndsAt, b.Location).String()
	p.Which = whichOf(b.StartsAt.In(b.Location))
	p.Length = lengthFieldOf(svc.ServiceSpec, b.LengthOf(svc.ServiceSpec, b.Location))
}

// fillSlot fills in the moment and the length of the slot to which a booking goes, also in the forms that make the
// move: they mean what was shown.
func (p *movePage) fillSlot(m booking.Move, svc catalog.BookableService) error {
	at, err := time.Parse(time.RFC3339, *m.When.StartsAt)
	if err != nil {
		return err
	}
	at = at.In(p.Location)
	p.Which = whichOf(at)
	p.Fields.Set(fieldOffset, at.Format(offsetFormat))
	if svc.Vary() {
		length := lengthOf(m.When)
		p.Length = lengthFieldOf(svc.ServiceSpec, length)
		p.Fields.Set(fieldLength, lengthText(length))
	}
	return nil
}

// offerMove shows what the move that the query asks for would come to: with the price that the booking has and, if it
// is another one, with that of the service.
func (s section) offerMove(v *frame.Visit, page *movePage, svc catalog.BookableService) error {
	m, err := moveOf(v.Query, page.Booking, svc)
	if err != nil {
		return err
	}
	if page.Slot {
		if err := page.fillSlot(m, svc); err != nil {
			return err
		}
	}
	for _, price := range []booking.PriceRule{booking.PriceKept, booking.PriceQuoted} {
		m.Price = price
		quote, err := s.Bookings.QuoteMove(v.Context(), v.Tenant(), page.ID, m)
		switch {
		case err != nil:
			return err
		case quote.Refusal != nil && len(page.Offers) == 0:
			page.Refusal = refusalWords(quote.Refusal)
			return nil
		case quote.Refusal != nil, len(page.Offers) == 1 && page.Offers[0].After.Price == quote.Booking.Price:
			continue
		}
		offer := moveOffer{After: quote.Booking, Difference: quote.Booking.Price - page.Booking.Price, Price: price}
		var names []string
		for _, id := range quote.Booking.ResourceIDs() {
			for _, r := range page.Resources {
				if r.ID == id {
					names = append(names, r.Name)
				}
			}
		}
		offer.Resource = strings.Join(names, ", ")
		page.Offers = append(page.Offers, offer)
	}
	return nil
}

// resourcesOf returns the resources that a service lists.
func (s section) resourcesOf(v *frame.Visit, svc catalog.BookableService) ([]catalog.Resource, error) {
	all, err := s.Catalog.Resources(v.Context(), v.Tenant(), catalog.ListQuery{Limit: frame.MaxCatalog})
	if err != nil {
		return nil, err
	}
	listed := svc.AllResourceIDs()
	return slices.DeleteFunc(all, func(r catalog.Resource) bool { return !slices.Contains(listed, r.ID) }), nil
}

// moveOf returns the move that fields ask for, with the price that the booking has. Errors: problem.ValidationFailed.
func moveOf(fields url.Values, b booking.Booking, svc catalog.BookableService) (m booking.Move, err error) {
	if m.ResourceIDs, err = namedResources(fields, b, svc); err != nil {
		return m, err
	}
	if m.When, err = whenOf(fields, svc, b.StartsAt, b.Location); err != nil {
		return m, err
	}
	if svc.Kind == timetable.KindSlot && svc.Vary() && lengthOf(m.When) == (timetable.Length{}) {
		setLength(&m.When, b.LengthOf(svc.ServiceSpec, b.Location))
	}
	return m, nil
}

// Fields of a move that name resources: those that the booking gets, and the one whose place the first of them takes.
const (
	fieldResource  = "resource"
	fieldInsteadOf = "instead_of"
)

// namedResources returns the resources that fields name, none if the booking has them. Where several resources are
// joined, one of them is dragged to another resource, and the others stay. Errors: problem.ValidationFailed.
func namedResources(fields url.Values, b booking.Booking, svc catalog.BookableService) (named []uuid.UUID, err error) {
	own, from := b.ResourceIDs(), fields.Get(fieldInsteadOf)
	for _, text := range fields[fieldResource] {
		if text == "" {
			continue
		}
		id, err := web.ParseID(text)
		if err != nil {
			return nil, err
		}
		named = append(named, id)
	}
	if !slices.ContainsFunc(named, func(id uuid.UUID) bool { return !slices.Contains(own, id) }) {
		return nil, nil
	}
	for _, n := range svc.AllNeeds() {
		if !n.Join || len(named) != 1 || !slices.Contains(n.ResourceIDs, named[0]) {
			continue
		}
		for _, id := range own {
			if id.String() != from && from != "" && slices.Contains(n.ResourceIDs, id) {
				named = append(named, id)
			}
		}
	}
	return named, nil
}

// whenOf returns the time that fields name for a service. A time of day is one of the time zone; before says which of
// two: see slotStart. Errors: problem.ValidationFailed.
func whenOf(fields url.Values, svc catalog.BookableService, before time.Time, loc *time.Location,
) (when timetable.When, err error) {
	date, err := datetime.ParseDate("date", fields.Get("date"))
	if err != nil {
		return when, err
	}
	switch svc.Kind {
	case timetable.KindSlot:
		at, err := slotStart(fields, date, before, loc)
		if err != nil {
			return when, err
		}
		when.StartsAt = new(at.Format(time.RFC3339))
		if svc.Vary() {
			length, err := lengthIn(fields, svc.ServiceSpec, at)
			if err != nil {
				return when, err
			}
			setLength(&when, length)
		}
	case timetable.KindStay:
		out, err := datetime.ParseDate("check_out", fields.Get("check_out"))
		if err != nil {
			return when, err
		}
		when.CheckIn, when.CheckOut = &date, &out
	default:
		when.Date = &date
	}
	return when, nil
}

// move moves the booking for the price that was shown.
func (s section) move(v *frame.Visit) error {
	b, err := s.BookingOfPath(v)
	if err != nil {
		return err
	}
	svc, err := s.Catalog.Service(v.Context(), v.Tenant(), b.ServiceID)
	if err != nil {
		return err
	}
	m, err := moveOf(v.Form, b, svc)
	if err != nil {
		return err
	}
	m.Price = booking.PriceRule(v.Form.Get("price"))
	req := booking.RescheduleRequest{Move: m}
	if req.ExpectPrice, err = shown(v); err != nil {
		return err
	}
	_, err = s.Once(v, func(r idempotency.Request) (idempotency.Outcome, error) {
		return s.Bookings.Reschedule(v.Context(), v.Tenant(), r, b.ID, req, v.Version())
	})
	if err != nil {
		return err
	}
	return v.DoneWithUndo("moved", v.BookingPath(b.ID), undoMove(v, b, svc))
}

// undoMove returns the path of the page that moves a booking back to where it was.
func undoMove(v *frame.Visit, was booking.Booking, svc catalog.BookableService) string {
	var p movePage
	p.fill(was, svc)
	query := url.Values{"date": {p.Date}}
	for _, id := range was.ResourceIDs() {
		query.Add(fieldResource, id.String())
	}
	switch svc.Kind {
	case timetable.KindDate:
	case timetable.KindSlot:
		query.Set("time", p.Time)
		query.Set(fieldOffset, was.StartsAt.In(was.Location).Format(offsetFormat))
		if svc.Vary() {
			query.Set(fieldLength, lengthText(was.LengthOf(svc.ServiceSpec, was.Location)))
		}
	case timetable.KindStay:
		query.Set("check_out", p.CheckOut)
	}
	return v.BookingPath(was.ID, "move") + "?" + query.Encode()
}

// numberOf returns a whole number from low to high that a field has. Errors: problem.ValidationFailed.
func numberOf(field, text string, low, high int) (int, error) {
	n, err := strconv.Atoi(strings.TrimSpace(text))
	if err != nil || n < low || n > high {
		return 0, problem.Invalid(field, "out_of_range",
			"Expected a whole number from "+strconv.Itoa(low)+" to "+strconv.Itoa(high)+".")
	}
	return n, nil
}

// refusalWords says why something is refused: of fields that don't fit, what is wrong with them.
func refusalWords(d *problem.Error) string {
	if len(d.Fields) == 0 {
		return d.Detail
	}
	texts := make([]string, len(d.Fields))
	for i, f := range d.Fields {
		texts[i] = f.Detail
	}
	return strings.Join(texts, " ")
}
