package bookings

import (
	"net/http"
	"strconv"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/booking"
	"holdfast/internal/console/frame"
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
	// of the customer; empty for a person who may not change bookings, and without a booking page
	Link       string
	Lasts      bool // it is a hold that has not expired
	Payments   []paymentRow
	History    []frame.HistoryRow
	Messages   []event.Scheduled
	Upcoming   []message.Upcoming
	Deliveries []frame.DeliveryRow
	RecordURL  string // of the page that records a payment; empty if nothing is due
	// MayBook, MayMoney and MayDevelop say what the person's role lets do.
	MayBook, MayMoney, MayDevelop bool
}

// paymentRow is a payment or a refund of a booking.
type paymentRow struct {
	payment.Payment

	RefundURL   string // empty if nothing can be refunded
	HandBackURL string // empty if nothing waits for a person
}

func (s section) showBooking(v *frame.Visit) error {
	b, err := s.BookingOfPath(v)
	if err != nil {
		return err
	}
	page := bookingPage{
		Booking: b, Path: v.BookingPath(b.ID), MayBook: v.May(operation.ScopeBook),
		MayMoney: v.May(operation.ScopeMoney),
		Lasts:    b.Status == booking.Held && b.HoldExpiresAt.After(time.Now()),
	}
	if page.Link, err = s.linkOf(v, b); err != nil {
		return err
	}
	known := frame.Names{}
	if err := s.AddService(v, known, b.ServiceID); err != nil {
		return err
	}
	if err := s.AddResource(v, known, b.ResourceID); err != nil {
		return err
	}
	page.Service, page.Resource = known[b.ServiceID], known[b.ResourceID]
	payments, err := s.Payments.List(v.Context(), v.Tenant().ID, b.ID, uuid.Nil, maxPayments)
	if err != nil {
		return err
	}
	for _, p := range payments {
		row := paymentRow{Payment: p}
		if p.RefundOf == nil && p.Status == payment.StatusSucceeded && page.MayMoney && b.Kept() > 0 {
			row.RefundURL = v.BookingPath(b.ID, "refund", p.ID.String())
		}
		row.HandBackURL = v.HandBackURL(p, page.MayMoney)
		page.Payments = append(page.Payments, row)
	}
	if page.MayMoney && b.Due > 0 {
		page.RecordURL = v.BookingPath(b.ID, "record")
	}
	if page.History, err = s.HistoryOf(v, b.ID, b.Location); err != nil {
		return err
	}
	if page.Messages, page.Upcoming, err = s.MessagesOf(v, b.ID); err != nil {
		return err
	}
	deliveries, err := s.Webhooks.DeliveriesOf(v.Context(), v.Tenant(), b.ID)
	if err != nil {
		return err
	}
	for _, d := range deliveries {
		page.Deliveries = append(page.Deliveries, v.DeliveryRow(d))
	}
	page.MayDevelop = v.May(operation.ScopeAdmin)
	return s.Render(v, http.StatusOK, "booking", "Booking "+b.Code, page)
}

// linkOf returns the link by which the customer changes a booking, if the person may change it too and there is a
// booking page.
func (s section) linkOf(v *frame.Visit, b booking.Booking) (string, error) {
	if !v.May(operation.ScopeBook) {
		return "", nil
	}
	of, err := s.Settings.Get(v.Context(), v.Tenant().ID)
	if err != nil || !of.Settings.BookingPage.Enabled {
		return "", err
	}
	return s.Links.URL(booking.LinkOf(v.Tenant().ID, b)), nil
}

// confirm confirms a hold, also one that has expired if its time is still free.
func (s section) confirm(v *frame.Visit) error {
	return s.change(v, "confirmed", func(r idempotency.Request, id uuid.UUID,
		version etag.Precondition) (idempotency.Outcome, error) {
		return s.Bookings.Confirm(v.Context(), v.Tenant(), r, id, booking.AmendRequest{IfStillFree: true}, version)
	})
}

func (s section) complete(v *frame.Visit) error {
	return s.change(v, "completed", func(r idempotency.Request, id uuid.UUID,
		version etag.Precondition) (idempotency.Outcome, error) {
		return s.Bookings.Transition(v.Context(), v.Tenant(), r, id, booking.Complete, version)
	})
}

// newLink ends all links of the booking that were given out.
func (s section) newLink(v *frame.Visit) error {
	id := v.ID("id")
	if _, err := s.Bookings.Amend(v.Context(), v.Tenant(), id, booking.AmendRequest{NewLink: true},
		v.Version()); err != nil {
		return err
	}
	return v.Done("new_link", v.BookingPath(id))
}

// shown returns the price or the fee that the form was made for, in minor units. Errors: problem.MalformedRequest.
func shown(v *frame.Visit) (*int64, error) {
	amount, err := strconv.ParseInt(v.Form.Get("shown"), 10, 64)
	if err != nil {
		return nil, problem.New(problem.MalformedRequest, "The form has no amount.")
	}
	return &amount, nil
}

// change changes the booking of the path once, in the version that the person saw, and leads back.
func (s section) change(v *frame.Visit, done string,
	work func(idempotency.Request, uuid.UUID, etag.Precondition) (idempotency.Outcome, error),
) error {
	id := v.ID("id")
	return s.DoOnce(v, done, v.BookingPath(id), func(r idempotency.Request) (idempotency.Outcome, error) {
		return work(r, id, v.Version())
	})
}

// refundOverpaid returns what a booking is overpaid by, out of its latest payment.
func (s section) refundOverpaid(v *frame.Visit) error {
	id := v.ID("id")
	response, err := s.Once(v, func(r idempotency.Request) (idempotency.Outcome, error) {
		return s.Payments.RefundOverpaid(v.Context(), v.Tenant().ID, r, id, v.Version())
	})
	if err != nil {
		return err
	}
	return v.Done(frame.DoneOrOpen(response, "refunded", "refund_open"), v.BookingPath(id))
}
