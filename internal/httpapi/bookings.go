package httpapi

import (
	"context"
	"net/http"
	"strings"

	"cloud.google.com/go/civil"
	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humagin"
	"github.com/google/uuid"

	"holdfast/internal/booking"
	"holdfast/internal/datetime"
	"holdfast/internal/etag"
	"holdfast/internal/httpapi/paging"
	"holdfast/internal/httpapi/schema"
	"holdfast/internal/idempotency"
)

func (a *API) routeBookings() {
	const path, tag = "/v1/bookings", "Bookings"

	registerIdempotent[booking.BookingBody](a, route{
		op:      booking.OpCreateBooking,
		method:  http.MethodPost,
		path:    path,
		tag:     tag,
		status:  http.StatusCreated,
		errors:  []int{404},
		summary: "Book, or hold, a date, a slot or a stay",
		description: "Either the booking is made and nobody else can have the same units at the same time, or nothing is written. " +
			"A customer is known by email. The booking keeps the name, email, phone, time_zone and language that are given for it. " +
			"The phone, time_zone and birthday are " +
			"filled in where they aren't known of the customer, in the same commit as the booking; with update_customer they and the " +
			"name replace what is known. " +
			"A retry with the same Idempotency-Key changes nothing. " +
			"A hold may be made without a customer, who is then given when it is confirmed.",
	}, func(ctx context.Context, in *struct{ Body booking.CreateRequest }) (idempotency.Outcome, error) {
		return a.Bookings.Create(ctx, callOf(ctx).tenant, callOf(ctx).idempotency, in.Body)
	})

	registerGetVersioned(a, route{op: booking.OpGetBooking, path: path + "/{id}", tag: tag, summary: "Read a booking"},
		a.Bookings.Get)

	register(a, route{
		op:         booking.OpListBookings,
		method:     http.MethodGet,
		mayBeStale: true,
		path:       path,
		tag:        tag,
		cost:       costOfBookings,
		errors:     []int{422},
		summary:    "List bookings by date, and on a date in the order in which they were made",
		description: "Filters combine. With payment_state and overpaid a page can be short, or empty, although more follows: " +
			"next_cursor tells.",
	}, a.listBookings)

	a.routeConfirmation(path, tag)
	a.routeCancellation(path, tag)
	a.routeReschedule(path, tag)
	a.routeBookingUpdates(path, tag)

	registerIdempotent[booking.BookingBody](a, route{
		op:      booking.OpCompleteBooking,
		method:  http.MethodPost,
		path:    path + "/{id}/complete",
		tag:     tag,
		noBody:  true,
		status:  http.StatusOK,
		errors:  []int{404, 412},
		summary: "Record that a booking took place",
	}, func(ctx context.Context, in *changeInput) (idempotency.Outcome, error) {
		return a.Bookings.Transition(ctx, callOf(ctx).tenant, callOf(ctx).idempotency, in.ID, booking.Complete,
			etag.Precondition(in.IfMatch))
	})
}

type changeInput struct {
	IDInput
	IfMatchInput
}

// IfMatchInput is the precondition of a change. It is exported because huma sees embedded structs only if they are.
type IfMatchInput struct {
	IfMatch string `header:"If-Match" maxLength:"1000" doc:"The change is refused with 412 unless what it changes is at this ETag." example:"\"1\""`
}

// Resolve reads a list that is spread over several headers, of which huma reads the first. An empty list matches
// nothing: a client whose ETag is missing must not change whatever is there.
func (in *IfMatchInput) Resolve(ctx huma.Context) []error {
	given := humagin.Unwrap(ctx).Request.Header.Values("If-Match")
	in.IfMatch = strings.Join(given, ",")
	if len(given) > 0 && strings.TrimSpace(in.IfMatch) == "" {
		in.IfMatch = `""`
	}
	return nil
}

type listBookingsInput struct {
	paging.Input
	From       string         `query:"from" format:"date" doc:"Bookings that end on this date or later, also if they began before."`
	To         string         `query:"to" format:"date" doc:"Bookings that begin on this date or before."`
	Status     booking.Status `query:"status"`
	ServiceID  string         `query:"service_id" format:"uuid"`
	ResourceID string         `query:"resource_id" format:"uuid"`
	CustomerID string         `query:"customer_id" format:"uuid"`
	Email      string         `query:"email" maxLength:"254" doc:"The customer's, whatever its case."`
	Reference  string         `query:"reference" maxLength:"100"`
	External   string         `query:"external_reference" maxLength:"100"`
	Code       string         `query:"code" maxLength:"40" example:"k7mx-2pqr" doc:"As people write it: small letters, spaces and hyphens don't matter."`
	Payment    string         `query:"payment_state" enum:"unpaid,partly_paid,deposit_paid,paid,refunded" doc:"How much of the price was captured and not returned: nothing (unpaid), something (partly_paid), the deposit or more (deposit_paid), all of it (paid, also if it costs nothing); refunded: all that was captured was returned or is on its way back. The price is less what refunds lower it by."`
	Overpaid   string         `query:"overpaid" enum:"true,false" doc:"true: only bookings of which too much was paid; false: only the others."`
}

func (in *listBookingsInput) filter() (f booking.Filter, err error) {
	if f.From, err = datetime.ParseOptionalDate("from", in.From); err != nil {
		return f, err
	}
	if f.To, err = datetime.ParseOptionalDate("to", in.To); err != nil {
		return f, err
	}
	if in.Status != "" {
		status := in.Status
		f.Status = &status
	}
	for _, given := range []struct {
		text string
		to   **string
	}{{in.Email, &f.Email}, {in.Reference, &f.Reference}, {in.External, &f.ExternalReference}, {in.Code, &f.Code}} {
		if given.text != "" {
			*given.to = &given.text
		}
	}
	f.PaymentState = booking.PaymentState(in.Payment)
	if in.Overpaid != "" {
		overpaid := in.Overpaid == "true"
		f.Overpaid = &overpaid
	}
	for _, id := range []struct {
		field, text string
		to          **uuid.UUID
	}{{"service_id", in.ServiceID, &f.ServiceID}, {"resource_id", in.ResourceID, &f.ResourceID},
		{"customer_id", in.CustomerID, &f.CustomerID}} {
		if *id.to, err = schema.ParseOptionalID(id.field, id.text); err != nil {
			return f, err
		}
	}
	f.AfterDate, f.AfterID, err = afterBooking(in.CursorInput)
	return f, err
}

// afterBooking returns the date and the id that a cursor of bookings stands for, zero values without one.
func afterBooking(p paging.CursorInput) (date civil.Date, id uuid.UUID, err error) {
	parts, err := p.Parts(2)
	if err != nil || parts == nil {
		return date, id, err
	}
	if date, err = datetime.ParseDate("cursor", parts[0]); err != nil {
		return date, id, paging.BadCursor()
	}
	var ok bool
	if id, ok = schema.ParseID(parts[1]); !ok {
		return date, id, paging.BadCursor()
	}
	return date, id, nil
}

// bookingCursor is the cursor behind a booking.
func bookingCursor(b booking.Booking) string { return b.Date.String() + "|" + b.ID.String() }

func (a *API) listBookings(ctx context.Context, in *listBookingsInput) (*pageOutput[booking.BookingBody], error) {
	f, err := in.filter()
	if err != nil {
		return nil, err
	}
	if f.PaymentState != "" || f.Overpaid != nil {
		return a.listPaidBookings(ctx, in, f)
	}
	list, n, err := paging.Read(in.Limit, booking.Booking.JSONSize,
		func(last *booking.Booking, limit int) ([]booking.Booking, error) {
			if last != nil {
				f.AfterDate, f.AfterID = last.Date, last.ID
			}
			f.Limit = limit
			return a.Bookings.List(ctx, callOf(ctx).tenant, f)
		})
	if err != nil {
		return nil, err
	}
	return &pageOutput[booking.BookingBody]{paging.Of(list, n, booking.Booking.Body, bookingCursor)}, nil
}

func (a *API) listPaidBookings(ctx context.Context, in *listBookingsInput, f booking.Filter,
) (*pageOutput[booking.BookingBody], error) {
	f.Limit = in.Limit
	list, last, err := a.Bookings.ListPaid(ctx, callOf(ctx).tenant, f)
	if err != nil {
		return nil, err
	}
	n, size := 0, 0
	for ; n < len(list) && size < paging.MaxBytes; n++ {
		size += list[n].JSONSize()
	}
	p := paging.Of(list[:n], in.Limit, booking.Booking.Body, bookingCursor)
	switch {
	case n < len(list):
		p.NextCursor = paging.NextCursor(bookingCursor(list[n-1]))
	case last != nil:
		p.NextCursor = paging.NextCursor(bookingCursor(*last))
	}
	return &pageOutput[booking.BookingBody]{p}, nil
}
