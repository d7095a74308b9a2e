package bookings

import (
	"net/http"
	"strings"

	"holdfast/internal/booking"
	"holdfast/internal/catalog"
	"holdfast/internal/console/frame"
	"holdfast/internal/payment"
	"holdfast/internal/web"
)

const (
	// costOfBooking is the permits of a booking with its payments, messages, deliveries and history.
	costOfBooking = 4
	// costOfDay is the permits of the bookings of a day, and of the money that is still to hand back.
	costOfDay = 4
)

// routeBookings adds the pages of bookings.
func (s section) routeBookings() {
	s.Get("", frame.Need{Scope: booking.OpListBookings.Scope, Cost: costOfDay}, s.showToday)
	s.Get("/bookings", frame.Need{Scope: booking.OpListBookings.Scope, Cost: frame.CostOfList}, s.showBookings)
	s.Get("/bookings/:id", frame.Need{Scope: booking.OpGetBooking.Scope, Cost: costOfBooking}, s.showBooking)
	s.Form("/bookings/:id/confirm", booking.OpConfirmBooking, s.showBooking, 1, s.confirm)
	s.Form("/bookings/:id/complete", booking.OpCompleteBooking, s.showBooking, 1, s.complete)
	s.FormPage("/bookings/:id/end/:how", booking.OpCancelBooking, s.askToEnd, s.end)
	s.FormPage("/bookings/:id/move", booking.OpRescheduleBooking, s.showMove, s.move)
	s.Form("/bookings/:id/new-link", booking.OpUpdateBooking, s.showBooking, 1, s.newLink)
	s.Form("/bookings/:id/refund-overpaid", payment.OpRefundOverpaid, s.showBooking, 1, s.refundOverpaid)
	s.FormPage("/book", booking.OpCreateBooking, s.showNew, s.create)
}

// bookingsPage are the bookings that were asked for.
type bookingsPage struct {
	Path     string
	Text     string
	From, To string
	Status   string
	Service  string
	Statuses []booking.Status
	Services []catalog.BookableService
	Rows     []frame.BookingRow
	Next     string // path of the page that follows; empty on the last one
}

// statuses are those by which bookings are found.
var statuses = []booking.Status{
	booking.Held, booking.Confirmed, booking.Completed, booking.Cancelled, booking.Expired, booking.NoShow,
}

// showBookings finds bookings by what was typed: a code, an email or a reference.
func (s section) showBookings(v *frame.Visit) error {
	page := bookingsPage{
		Path:     v.Path("bookings"),
		Text:     v.Query.Get("q"),
		From:     v.Query.Get("from"),
		To:       v.Query.Get("to"),
		Status:   v.Query.Get("status"),
		Service:  v.Query.Get("service"),
		Statuses: statuses,
	}
	f := booking.Filter{Limit: frame.PageSize + 1}
	var err error
	if f.From, err = frame.DateOf(v.Query, "from"); err != nil {
		return err
	}
	if f.To, err = frame.DateOf(v.Query, "to"); err != nil {
		return err
	}
	if page.Status != "" {
		status := booking.Status(page.Status)
		f.Status = &status
	}
	if page.Service != "" {
		id, err := web.ParseID(page.Service)
		if err != nil {
			return err
		}
		f.ServiceID = &id
	}
	if f.AfterDate, f.AfterID, err = v.AfterDate(); err != nil {
		return err
	}
	list, err := s.find(v, f, strings.TrimSpace(page.Text))
	if err != nil {
		return err
	}
	list, page.Next = web.Page(v, list, frame.PageSize, frame.BookingKey)
	if page.Rows, err = s.Rows(v, list); err != nil {
		return err
	}
	if page.Services, _, _, err = s.CatalogOf(v); err != nil {
		return err
	}
	return s.Render(v, http.StatusOK, "bookings", "Bookings", page)
}

// find returns the bookings of a filter that a text names: by their code, or else the email, or else the reference.
func (s section) find(v *frame.Visit, f booking.Filter, text string) ([]booking.Booking, error) {
	if text == "" {
		return s.Bookings.List(v.Context(), v.Tenant(), f)
	}
	if strings.Contains(text, "@") {
		f.Email = &text
		return s.Bookings.List(v.Context(), v.Tenant(), f)
	}
	f.Code = &text
	if list, err := s.Bookings.List(v.Context(), v.Tenant(), f); err != nil || len(list) > 0 {
		return list, err
	}
	f.Code, f.Reference = nil, &text
	return s.Bookings.List(v.Context(), v.Tenant(), f)
}
