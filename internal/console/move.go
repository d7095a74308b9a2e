package console

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/booking"
	"holdfast/internal/catalog"
	"holdfast/internal/datetime"
	"holdfast/internal/idempotency"
	"holdfast/internal/problem"
)

// movePage asks where a booking goes, and shows what that costs before it is done.
type movePage struct {
	booking.Booking

	Path      string
	Stay      bool
	Slot      bool
	Date      string // of the field
	Time      string
	CheckOut  string
	Resources []catalog.Resource
	Resource  string
	Requote   bool
	Offer     *moveOffer
	Refusal   string // why it can't go there
}

// moveOffer is what a move would come to.
type moveOffer struct {
	After      booking.Booking
	Resource   string
	Difference int64 // in minor units; negative if it costs less
	// Fields are those of the form that makes the move.
	Fields url.Values
}

// clockFormat is how fields have a time of day.
const clockFormat = "15:04"

// moveFields are the fields of a move.
var moveFields = []string{"date", "time", "starts_at", "ends_at", "check_out", "resource", "price"}

func (c *Console) showMove(v *visit) error {
	b, err := c.bookingOfPath(v)
	if err != nil {
		return err
	}
	svc, err := c.Catalog.Service(v.ctx(), v.tenant(), b.ServiceID)
	if err != nil {
		return err
	}
	page := movePage{Booking: b, Path: v.bookingPath(b.ID, "move"), Stay: svc.Kind == catalog.KindStay, Slot: svc.Kind == catalog.KindSlot,
		Date: b.Date.String(), Resource: b.ResourceID.String(), Requote: v.query.Get("price") == "quote"}
	start := b.StartsAt.In(b.Location)
	page.Time, page.CheckOut = start.Format(clockFormat), datetime.DateOf(b.EndsAt, b.Location).String()
	for name, field := range map[string]*string{"date": &page.Date, "time": &page.Time, "check_out": &page.CheckOut,
		"resource": &page.Resource} {
		if v.query.Has(name) {
			*field = v.query.Get(name)
		}
	}
	if page.Resources, err = c.resourcesOf(v, svc); err != nil {
		return err
	}
	if v.query.Has("date") || v.query.Has("starts_at") {
		m, err := moveOf(v.query, b, svc)
		if err != nil {
			return err
		}
		quote, err := c.Bookings.QuoteMove(v.ctx(), v.tenant(), b.ID, m)
		if err != nil {
			return err
		}
		if quote.Refusal != nil {
			page.Refusal = quote.Refusal.Detail
		} else {
			page.Offer = &moveOffer{After: quote.Booking, Difference: quote.Booking.Price - b.Price, Fields: url.Values{}}
			for _, r := range page.Resources {
				if r.ID == quote.Booking.ResourceID {
					page.Offer.Resource = r.Name
				}
			}
			for _, name := range moveFields {
				if v.query.Has(name) {
					page.Offer.Fields.Set(name, v.query.Get(name))
				}
			}
			page.Date = quote.Booking.Date.String()
			page.Time = quote.Booking.StartsAt.In(b.Location).Format(clockFormat)
			page.CheckOut = datetime.DateOf(quote.Booking.EndsAt, b.Location).String()
		}
	}
	return c.render(v, http.StatusOK, "move", "Move booking "+b.Code, page)
}

// resourcesOf returns the resources that a service lists.
func (c *Console) resourcesOf(v *visit, svc catalog.BookableService) ([]catalog.Resource, error) {
	all, err := c.Catalog.Resources(v.ctx(), v.tenant(), catalog.ListQuery{Limit: maxCatalog})
	if err != nil {
		return nil, err
	}
	listed := svc.AllResourceIDs()
	return slices.DeleteFunc(all, func(r catalog.Resource) bool { return !slices.Contains(listed, r.ID) }), nil
}

// moveOf returns the move that fields ask for: a date with a time of day in the tenant's time zone, or a moment. Errors:
// problem.ValidationFailed.
func moveOf(fields url.Values, b booking.Booking, svc catalog.BookableService) (m booking.Rescheduling, err error) {
	m.Requote = fields.Get("price") == "quote"
	if text := fields.Get("resource"); text != "" && text != b.ResourceID.String() {
		id, err := parseID(text)
		if err != nil {
			return m, err
		}
		m.ResourceIDs = []uuid.UUID{id}
	}
	if m.When, err = whenOf(fields, svc, b.Location); err != nil {
		return m, err
	}
	if svc.Kind == catalog.KindSlot && svc.Vary() {
		length := b.LengthOf(svc.ServiceSpec, b.Location)
		if text := fields.Get("ends_at"); text != "" {
			ends, err := datetime.ParseTime("ends_at", text)
			if err != nil {
				return m, err
			}
			start, err := datetime.ParseTime("starts_at", fields.Get("starts_at"))
			if err != nil {
				return m, err
			}
			minutes := int(ends.Sub(start) / time.Minute)
			m.When.DurationMinutes = &minutes
			return m, nil
		}
		if length.Days > 0 {
			m.When.DurationDays = &length.Days
		} else {
			m.When.DurationMinutes = &length.Minutes
		}
	}
	return m, nil
}

// whenOf returns the time that fields name for a service. A time of day is one of the time zone. Errors: problem.ValidationFailed.
func whenOf(fields url.Values, svc catalog.BookableService, loc *time.Location) (when booking.When, err error) {
	if text := fields.Get("starts_at"); text != "" {
		if svc.Kind == catalog.KindSlot {
			when.StartsAt = &text
			return when, nil
		}
		at, err := datetime.ParseTime("starts_at", text)
		if err != nil {
			return when, err
		}
		fields = url.Values{"date": {datetime.DateOf(at, loc).String()}, "check_out": fields["check_out"]}
	}
	date, err := datetime.ParseDate("date", fields.Get("date"))
	if err != nil {
		return when, err
	}
	switch svc.Kind {
	case catalog.KindSlot:
		clock, err := time.Parse(clockFormat, fields.Get("time"))
		if err != nil {
			return when, problem.Invalid("time", "invalid_format", "Expected a time of day such as 09:30.")
		}
		at := time.Date(date.Year, date.Month, date.Day, clock.Hour(), clock.Minute(), 0, 0, loc) // of two, the first one
		if at.Format(clockFormat) != clock.Format(clockFormat) {
			return when, problem.Invalid("time", "nonexistent_time", "Clocks skip this time on that day.")
		}
		text := at.Format(time.RFC3339)
		when.StartsAt = &text
	case catalog.KindStay:
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
func (c *Console) move(v *visit) error {
	b, err := c.bookingOfPath(v)
	if err != nil {
		return err
	}
	svc, err := c.Catalog.Service(v.ctx(), v.tenant(), b.ServiceID)
	if err != nil {
		return err
	}
	m, err := moveOf(v.form, b, svc)
	if err != nil {
		return err
	}
	_, err = c.once(v, func(r idempotency.Request) (idempotency.Response, error) {
		quote, err := c.Bookings.QuoteMove(v.ctx(), v.tenant(), b.ID, m)
		switch {
		case err != nil:
			return idempotency.Response{}, err
		case quote.Refusal == nil && strconv.FormatInt(quote.Booking.Price, 10) != v.form.Get("shown"):
			return idempotency.Response{}, problem.New(problem.VersionMismatch, "The price has changed since it was shown. Look at it again.")
		}
		return c.Bookings.Reschedule(v.ctx(), v.tenant(), r, b.ID, m, v.version())
	})
	if err != nil {
		return err
	}
	return v.done("moved", v.bookingPath(b.ID))
}
