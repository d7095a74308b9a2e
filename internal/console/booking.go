package console

import (
	"net/http"
	"strconv"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/booking"
	"holdfast/internal/etag"
	"holdfast/internal/event"
	"holdfast/internal/idempotency"
	"holdfast/internal/message"
	"holdfast/internal/operation"
	"holdfast/internal/payment"
	"holdfast/internal/problem"
)

// maxPayments bounds the payments that the page of a booking shows.
const maxPayments = 100

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
		page.RecordURL = v.bookingPath(b.ID, "record")
	}
	if page.History, err = c.history(v, b.ID, b.Location); err != nil {
		return err
	}
	if page.Messages, page.Upcoming, err = c.messages(v, b.ID); err != nil {
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
		return c.Bookings.Change(v.ctx(), v.tenant(), r, id, booking.Complete, version)
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

// refundOverpaid returns what a booking is overpaid by, out of its latest payment.
func (c *Console) refundOverpaid(v *visit) error {
	id := v.ID("id")
	response, err := c.once(v, func(r idempotency.Request) (idempotency.Outcome, error) {
		return c.Payments.RefundOverpaid(v.ctx(), v.tenant().ID, r, id, v.version())
	})
	if err != nil {
		return err
	}
	return v.done(doneOrOpen(response, "refunded", "refund_open"), v.bookingPath(id))
}
