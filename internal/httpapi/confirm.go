package httpapi

import (
	"context"
	"net/http"

	"holdfast/internal/booking"
	"holdfast/internal/etag"
	"holdfast/internal/idempotency"
)

func (a *API) routeConfirmation(path, tag string) {
	registerIdempotent[booking.BookingBody](a, route{
		op:      booking.OpConfirmBooking,
		method:  http.MethodPost,
		path:    path + "/{id}/confirm",
		tag:     tag,
		status:  http.StatusOK,
		errors:  []int{404, 412},
		summary: "Confirm a hold",
		description: "A hold without a customer gets one here. A hold that has expired is refused with hold_expired. With if_still_free " +
			"it is " +
			"confirmed if its resource is still free and open at its time and the service takes bookings on its date, by the rules as " +
			"they are now; " +
			"the lead time and the booking window don't count. Otherwise the answer is slot_unavailable. " +
			"What else PATCH /v1/bookings/{id} takes may change in the same commit; a hold that has expired can't be moved or extended.",
	}, func(ctx context.Context, in *struct {
		IDInput
		IfMatchInput
		Body *booking.ConfirmRequest
	}) (idempotency.Outcome, error) {
		var change booking.AmendRequest
		if in.Body != nil {
			change = in.Body.Amend()
			setDetails(ctx, &change)
		}
		return a.Bookings.Confirm(ctx, callOf(ctx).tenant, callOf(ctx).idempotency, in.ID, change,
			etag.Precondition(in.IfMatch))
	})
}
