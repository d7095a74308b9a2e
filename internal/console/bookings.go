package console

import (
	"net/http"
	"net/url"
	"strings"

	"cloud.google.com/go/civil"
	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"holdfast/internal/booking"
	"holdfast/internal/catalog"
	"holdfast/internal/datetime"
	"holdfast/internal/operation"
	"holdfast/internal/payment"
	"holdfast/internal/web"
)

// costOfList is the permits of a list, with the row that says that a page follows.
var costOfList = operation.ListPermits(pageSize + 1)

const (
	// costOfBooking is the permits of a booking with its payments, messages, deliveries and history.
	costOfBooking = 4
	// costOfDay is the permits of the bookings of a day, and of the money that is still to hand back.
	costOfDay = 4
)

// routeBookings adds the pages of bookings.
func (c *Console) routeBookings(of *gin.RouterGroup) {
	list := need{scope: operation.ScopeRead, cost: costOfList}
	book := need{scope: operation.ScopeBook}
	of.GET("/bookings", c.handle(list, c.user, c.showBookings))
	of.GET("/bookings/:id", c.handle(need{scope: operation.ScopeRead, cost: costOfBooking}, c.user, c.showBooking))
	of.POST("/bookings/:id/confirm", c.form(booking.OpConfirmBooking, c.showBooking, 1, c.confirm))
	of.POST("/bookings/:id/complete", c.form(booking.OpCompleteBooking, c.showBooking, 1, c.complete))
	of.GET("/bookings/:id/end/:how", c.handle(book, c.user, c.askToEnd))
	of.POST("/bookings/:id/end/:how", c.form(booking.OpCancelBooking, c.askToEnd, 0, c.end))
	of.GET("/bookings/:id/move", c.handle(book, c.user, c.showMove))
	of.POST("/bookings/:id/move", c.form(booking.OpRescheduleBooking, c.showMove, 0, c.move))
	of.POST("/bookings/:id/new-link", c.form(booking.OpUpdateBooking, c.showBooking, 1, c.newLink))
	of.GET("/bookings/:id/refund/:payment", c.handle(need{scope: operation.ScopeMoney}, c.user, c.showRefund))
	of.POST("/bookings/:id/refund/:payment", c.form(payment.OpCreateRefund, c.showRefund, 0, c.refund))
	of.GET("/book", c.handle(book, c.user, c.showNew))
	of.POST("/book", c.form(booking.OpCreateBooking, c.showNew, 0, c.create))
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

// dateOf returns a date that a query has, nil without it. Errors: problem.ValidationFailed.
func dateOf(query url.Values, name string) (*civil.Date, error) {
	text := query.Get(name)
	if text == "" {
		return nil, nil
	}
	d, err := datetime.ParseDate(name, text)
	return &d, err
}

// bookingOfPath returns the booking that the path names. Errors: problem.NotFound, problem.DatabaseUnavailable.
func (c *Console) bookingOfPath(v *visit) (booking.Booking, error) {
	return c.Bookings.Get(v.ctx(), v.tenant(), v.ID("id"))
}

// bookingPath is the path of a booking, or below it.
func (v *visit) bookingPath(id uuid.UUID, below ...string) string {
	return v.path(append([]string{"bookings", id.String()}, below...)...)
}
