package httpapi

import (
	"context"
	"net/http"

	"holdfast/internal/booking"
	"holdfast/internal/etag"
	"holdfast/internal/httpapi/edge"
	"holdfast/internal/httpapi/schema"
	"holdfast/internal/idempotency"
	"holdfast/internal/mergepatch"
)

// setDetails has a request change the details that its body names: a struct can't tell null from what is absent.
func setDetails(ctx context.Context, change *booking.AmendRequest) {
	change.Details = mergepatch.Of[booking.Details](string(edge.RawBody(ctx))) // the rest of the body has other names
}

func (a *API) routeBookingUpdates(path, tag string) {
	register(a, route{
		op:      booking.OpUpdateBooking,
		method:  http.MethodPatch,
		path:    path + "/{id}",
		tag:     tag,
		errors:  []int{404, 409, 412},
		summary: "Change a booking: time, service, resource, party, price, customer, references, metadata; confirm or extend a hold",
		description: schema.MergePatch +
			"All of it changes in one commit, or nothing: if one part is refused, so is the request. " +
			"Each part has the rules of its own route: where the booking goes those of POST …/reschedule, hold_minutes those of " +
			"POST …/extend, status those of POST …/confirm. Without service_id, resource_id, resource_ids, any_resource, date, " +
			"starts_at, duration, check_in, check_out, party, party_size and price quote, time and price stay. Another email gets " +
			"what is still to be sent of the booking, and the " +
			"former one the withdrawal of its calendar entry. A change to what is already so keeps the version. The events " +
			"are those of the parts, one after the other, each with a version of its own: booking.rescheduled, booking.overpaid, " +
			"booking.updated, booking.confirmed. The answer has the last one's.",
	}, func(ctx context.Context, in *struct {
		IDInput
		IfMatchInput
		Body booking.UpdateRequest
	}) (*versioned[booking.BookingBody], error) {
		t := callOf(ctx).tenant
		setDetails(ctx, &in.Body.AmendRequest)
		return versionedOf(a.Bookings.Amend(ctx, t, in.ID, in.Body.Amend(), etag.Precondition(in.IfMatch)))
	})

	register(a, route{
		op:      booking.OpGetBookingLink,
		method:  http.MethodGet,
		path:    path + "/{id}/link",
		tag:     tag,
		errors:  []int{404, 409},
		summary: "Get the link that leads a customer to a booking",
		description: "Whoever has the link can see, pay, move and cancel that booking, as far as the tenant's booking_page allows it. " +
			"Give it to the customer alone. Emails have it as {{manage_url}}. It works until PATCH /v1/bookings/{id} with new_link, or " +
			"another email. 409 invalid_state: the tenant has no booking page.",
	}, a.getBookingLink)

	registerIdempotent[booking.BookingBody](a, route{
		op:      booking.OpExtendBooking,
		method:  http.MethodPost,
		path:    path + "/{id}/extend",
		tag:     tag,
		status:  http.StatusOK,
		errors:  []int{404, 412},
		summary: "Extend a hold before it expires",
		description: "The hold lasts for hold_minutes from now. A hold that lasts longer already stays as it is, and keeps its version. " +
			"In all a hold " +
			"lasts at most 7 days from when it was made.",
	}, func(ctx context.Context, in *struct {
		IDInput
		IfMatchInput
		Body booking.ExtendRequest
	}) (idempotency.Outcome, error) {
		return a.Bookings.Extend(ctx, callOf(ctx).tenant, callOf(ctx).idempotency, in.ID, in.Body,
			etag.Precondition(in.IfMatch))
	})
}
