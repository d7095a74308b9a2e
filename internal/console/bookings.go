package console

import (
	"net/http"
	"strings"

	"holdfast/internal/booking"
	"holdfast/internal/catalog"
	"holdfast/internal/operation"
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
func (c *Console) routeBookings() {
	list := need{scope: operation.ScopeRead, cost: costOfList}
	book := need{scope: operation.ScopeBook}
	c.get("", need{scope: operation.ScopeRead, cost: costOfDay}, c.showToday)
	c.routeCalendar()
	c.get("/bookings", list, c.showBookings)
	c.get("/bookings/:id", need{scope: operation.ScopeRead, cost: costOfBooking}, c.showBooking)
	c.form("/bookings/:id/confirm", booking.OpConfirmBooking, c.showBooking, 1, c.confirm)
	c.form("/bookings/:id/complete", booking.OpCompleteBooking, c.showBooking, 1, c.complete)
	c.get("/bookings/:id/end/:how", book, c.askToEnd)
	c.form("/bookings/:id/end/:how", booking.OpCancelBooking, c.askToEnd, 0, c.end)
	c.get("/bookings/:id/move", book, c.showMove)
	c.form("/bookings/:id/move", booking.OpRescheduleBooking, c.showMove, 0, c.move)
	c.form("/bookings/:id/new-link", booking.OpUpdateBooking, c.showBooking, 1, c.newLink)
	c.form("/bookings/:id/refund-overpaid", payment.OpRefundOverpaid, c.showBooking, 1, c.refundOverpaid)
	c.get("/book", book, c.showNew)
	c.form("/book", booking.OpCreateBooking, c.showNew, 0, c.create)
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
	Rows     []bookingRow
	Next     string // path of the page that follows; empty on the last one
}

// statuses are those by which bookings are found.
var statuses = []booking.Status{
	booking.Held, booking.Confirmed, booking.Completed, booking.Cancelled, booking.Expired, booking.NoShow,
}

// showBookings finds bookings by what was typed: a code, an email or a reference.
func (c *Console) showBookings(v *visit) error {
	page := bookingsPage{
		Path: v.path("bookings"), Text: v.Query.Get("q"), From: v.Query.Get("from"), To: v.Query.Get("to"),
		Status:  v.Query.Get("status"),
		Service: v.Query.Get("service"), Statuses: statuses,
	}
	f := booking.Filter{Limit: pageSize + 1}
	var err error
	if f.From, err = dateOf(v.Query, "from"); err != nil {
		return err
	}
	if f.To, err = dateOf(v.Query, "to"); err != nil {
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
	if f.AfterDate, f.AfterID, err = v.afterDate(); err != nil {
		return err
	}
	list, err := c.find(v, f, strings.TrimSpace(page.Text))
	if err != nil {
		return err
	}
	list, page.Next = web.Page(v, list, pageSize, bookingKey)
	if page.Rows, err = c.rows(v, list); err != nil {
		return err
	}
	if page.Services, _, _, err = c.catalogOf(v); err != nil {
		return err
	}
	return c.render(v, http.StatusOK, "bookings", "Bookings", page)
}

// find returns the bookings of a filter that a text names: by their code, or else the email, or else the reference.
func (c *Console) find(v *visit, f booking.Filter, text string) ([]booking.Booking, error) {
	if text == "" {
		return c.Bookings.List(v.ctx(), v.tenant(), f)
	}
	if strings.Contains(text, "@") {
		f.Email = &text
		return c.Bookings.List(v.ctx(), v.tenant(), f)
	}
	f.Code = &text
	if list, err := c.Bookings.List(v.ctx(), v.tenant(), f); err != nil || len(list) > 0 {
		return list, err
	}
	f.Code, f.Reference = nil, &text
	return c.Bookings.List(v.ctx(), v.tenant(), f)
}
