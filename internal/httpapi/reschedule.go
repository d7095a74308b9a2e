package httpapi

import (
	"context"
	"net/http"

	"holdfast/internal/booking"
	"holdfast/internal/etag"
	"holdfast/internal/idempotency"
)

func (a *API) routeReschedule(path, tag string) {
	registerIdempotent[booking.BookingBody](a, route{
		op:      booking.OpRescheduleBooking,
		method:  http.MethodPost,
		path:    path + "/{id}/reschedule",
		tag:     tag,
		status:  http.StatusOK,
		errors:  []int{404, 412},
		summary: "Move a hold or a booking to another time, resource or service",
		description: "What isn't given stays. The end, but for stays and several durations, and the buffers are those of the service as " +
			"it is now. Either the booking has its " +
			"new time and its old time is free, or nothing is written. The new time " +
			"is judged by the rules of new bookings; the booking itself is never in its way. A hold keeps its expiry. Reminders and " +
			"emails follow. " +
			"A request for what is already so keeps the version. If more was paid than the new price, due is 0 and overpaid is the " +
			"surplus, which " +
			"POST /v1/bookings/{id}/refunds returns. The event booking.overpaid then tells of it, with a version of its own: that of " +
			"the answer.",
	}, func(ctx context.Context, in *struct {
		IDInput
		IfMatchInput
		Body booking.RescheduleRequest
	}) (idempotency.Outcome, error) {
		return a.Bookings.Reschedule(ctx, callOf(ctx).tenant, callOf(ctx).idempotency, in.ID, in.Body,
			etag.Precondition(in.IfMatch))
	})
}
