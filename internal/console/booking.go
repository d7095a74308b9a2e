package console

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/booking"
	"holdfast/internal/change"
	"holdfast/internal/etag"
	"holdfast/internal/event"
	"holdfast/internal/idempotency"
	"holdfast/internal/message"
	"holdfast/internal/operation"
	"holdfast/internal/payment"
	"holdfast/internal/problem"
	"holdfast/internal/web"
)

// Bounds of what the page of a booking shows.
const (
	maxPayments = 100
	maxHistory  = 100
	maxMessages = 100
)

// bookingPage is a booking with all that belongs to it.
type bookingPage struct {
	booking.Booking

	Path              string
	Service, Resource string
	Link              string // of the customer; empty for a person who may not change bookings, and without a booking page
	Lasts             bool   // it is a hold that has not expired
	Payments          []paymentRow
	History           []historyRow
	Messages          []event.Scheduled
	Upcoming          []message.Upcoming
	Deliveries        []deliveryRow
	RecordURL         string // of the page that records a payment; empty if nothing is due
	// MayBook, MayMoney and MayDevelop say what the person's role lets do.
	MayBook, MayMoney, MayDevelop bool
}

// paymentRow is a payment or a refund of a booking.
type paymentRow struct {
	payment.Payment

	RefundURL   string // empty if nothing can be refunded
	HandBackURL string // empty if nothing waits for a person
}

// historyRow is a change of a booking.
type historyRow struct {
	change.HistoryEntry

	At time.Time // in the booking's time zone
}

// Who returns who made the change, in words.
func (r historyRow) Who() string {
	switch {
	case r.User != nil:
		return r.User.Name
	case r.Operator != nil:
		return *r.Operator + " (operator)"
	case r.APIKeyID != nil:
		return "API key"
	case r.RequestID != nil:
		return "Customer"
	default:
		return "Holdfast"
	}
}

// What returns what changed, in words.
func (r historyRow) What() string { return web.Named(strings.ReplaceAll(r.Action, ".", " ")) }

func (c *Console) showBooking(v *visit) error {
	b, err := c.bookingOfPath(v)
	if err != nil {
		return err
	}
	page := bookingPage{
		Booking: b, Path: v.bookingPath(b.ID), MayBook: v.May(operation.ScopeBook), MayMoney: v.May(operation.ScopeMoney),
		Lasts: b.Status == booking.Held && b.HoldExpiresAt.After(time.Now()),
	}
	if page.Link, err = c.linkOf(v, b); err != nil {
		return err
	}
	known := names{}
	if err := c.addService(v, known, b.ServiceID); err != nil {
		return err
	}
	if err := c.addResource(v, known, b.ResourceID); err != nil {
		return err
	}
	page.Service, page.Resource = known[b.ServiceID], known[b.ResourceID]
	payments, err := c.Payments.List(v.ctx(), v.tenant().ID, b.ID, uuid.Nil, maxPayments)
	if err != nil {
		return err
	}
	for _, p := range payments {
		row := paymentRow{Payment: p}
		if p.RefundOf == nil && p.Status == payment.StatusSucceeded && page.MayMoney && b.Kept() > 0 {
			row.RefundURL = v.bookingPath(b.ID, "refund", p.ID.String())
		}
		row.HandBackURL = v.handBackURL(p, page.MayMoney)
		page.Payments = append(page.Payments, row)
	}
	if page.MayMoney && b.Due > 0 {
		page.RecordURL = v.recordURL(b.ID)
	}
	history, err := c.Changes.History(v.ctx(), v.tenant().ID, b.ID, 0, maxHistory)
	if err != nil {
		return err
	}
	for _, e := range history {
		page.History = append(page.History, historyRow{e, e.OccurredAt.In(b.Location)})
	}
	if page.Messages, _, err = c.ScheduledEvents.List(v.ctx(), v.tenant().ID,
		event.Filter{Subject: &b.ID, Limit: maxMessages}); err != nil {
		return err
	}
	if page.Upcoming, err = c.Messages.Upcoming(v.ctx(), v.tenant().ID, b.ID); err != nil {
		return err
	}
	deliveries, err := c.Webhooks.DeliveriesOf(v.ctx(), v.tenant(), b.ID)
	if err != nil {
		return err
	}
	for _, d := range deliveries {
		page.Deliveries = append(page.Deliveries, v.deliveryRow(d))
	}
	page.MayDevelop = v.May(operation.ScopeAdmin)
	return c.render(v, http.StatusOK, "booking", "Booking "+b.Code, page)
}

// linkOf returns the link by which the customer changes a booking, if the person may change it too and there is a booking page.
func (c *Console) linkOf(v *visit, b booking.Booking) (string, error) {
	if !v.May(operation.ScopeBook) {
		return "", nil
	}
	of, err := c.Settings.Get(v.ctx(), v.tenant().ID)
	if err != nil || !of.Settings.BookingPage.Enabled {
		return "", err
	}
	return c.Links.URL(booking.LinkOf(v.tenant().ID, b)), nil
}

// confirm confirms a hold, also one that has expired if its time is still free.
func (c *Console) confirm(v *visit) error {
	return c.change(v, "confirmed", func(r idempotency.Request, id uuid.UUID,
		version etag.Precondition) (idempotency.Outcome, error) {
		return c.Bookings.Confirm(v.ctx(), v.tenant(), r, id, booking.AmendRequest{IfStillFree: true}, version)
	})
}

func (c *Console) complete(v *visit) error {
	return c.change(v, "completed", func(r idempotency.Request, id uuid.UUID,
		version etag.Precondition) (idempotency.Outcome, error) {
		return c.Bookings.Transition(v.ctx(), v.tenant(), r, id, booking.Complete, version)
	})
}

// newLink ends all links of the booking that were given out.
func (c *Console) newLink(v *visit) error {
	id := v.ID("id")
	if _, err := c.Bookings.Amend(v.ctx(), v.tenant(), id, booking.AmendRequest{NewLink: true}, v.version()); err != nil {
		return err
	}
	return v.done("new_link", v.bookingPath(id))
}

// fieldVersion is the version of the booking that the person saw.
const fieldVersion = "version"

// version returns the version that the form was made for: a change of what has changed meanwhile is refused.
func (v *visit) version() etag.Precondition {
	return etag.Precondition(`"` + v.Form.Get(fieldVersion) + `"`)
}

// shown returns the price or the fee that the form was made for, in minor units. Errors: problem.MalformedRequest.
func (v *visit) shown() (*int64, error) {
	amount, err := strconv.ParseInt(v.Form.Get("shown"), 10, 64)
	if err != nil {
		return nil, problem.New(problem.MalformedRequest, "The form has no amount.")
	}
	return &amount, nil
}

// change changes the booking of the path once, in the version that the person saw, and leads back.
func (c *Console) change(v *visit, done string,
	work func(idempotency.Request, uuid.UUID, etag.Precondition) (idempotency.Outcome, error),
) error {
	id := v.ID("id")
	return c.doOnce(v, done, v.bookingPath(id), func(r idempotency.Request) (idempotency.Outcome, error) {
		return work(r, id, v.version())
	})
}
