package httpapi

import (
	"context"
	"net/http"

	"github.com/google/uuid"

	"holdfast/internal/booking"
	"holdfast/internal/etag"
	"holdfast/internal/idempotency"
	"holdfast/internal/payment"
	"holdfast/internal/tenant"
)

func (a *API) routeCancellation(path, tag string) {
	registerIdempotent[booking.BookingBody](a, route{
		op:      booking.OpCancelBooking,
		method:  http.MethodPost,
		path:    path + "/{id}/cancel",
		tag:     tag,
		status:  http.StatusOK,
		errors:  []int{404, 412},
		summary: "Cancel a hold or a booking and free its time",
		description: "The cancellation policy of the booking, which a later change of the service doesn't change, decides what is kept " +
			"or due of a confirmed booking's price, " +
			"at the moment of the cancellation. What was paid beyond it is refunded automatically. Without a policy nothing is refunded " +
			"by itself. A hold is always refunded whole. With fee, of a booking with a policy or without one, that is kept or due, and " +
			"what was paid beyond it is " +
			"refunded automatically.",
	}, func(ctx context.Context, in *struct {
		IDInput
		IfMatchInput
		Body *booking.CancelRequest
	}) (idempotency.Outcome, error) {
		return a.Bookings.End(ctx, callOf(ctx).tenant, callOf(ctx).idempotency, in.ID, booking.Cancel, valueOf(in.Body),
			etag.Precondition(in.IfMatch))
	})

	registerIdempotent[booking.BookingBody](a, route{
		op:      booking.OpNoShowBooking,
		method:  http.MethodPost,
		path:    path + "/{id}/no-show",
		tag:     tag,
		status:  http.StatusOK,
		errors:  []int{404, 412},
		summary: "Record that nobody came",
		description: "What is kept or due is what the cancellation policy says, or else the price. With fee that is kept or due " +
			"instead. What was paid beyond it " +
			"is refunded automatically.",
	}, func(ctx context.Context, in *struct {
		IDInput
		IfMatchInput
		Body *booking.NoShowRequest
	}) (idempotency.Outcome, error) {
		end := booking.CancelRequest{NoShowRequest: valueOf(in.Body)}
		return a.Bookings.End(ctx, callOf(ctx).tenant, callOf(ctx).idempotency, in.ID, booking.MarkNoShow, end,
			etag.Precondition(in.IfMatch))
	})

	registerGet(a, route{
		op: booking.OpGetCancellationQuote, path: path + "/{id}/cancellation-quote", tag: tag, errors: []int{409},
		summary: "Read what a cancellation would cost now",
	}, func(ctx context.Context, t tenant.Tenant, id uuid.UUID) (payment.CancellationQuote, error) {
		return a.Payments.CancellationQuote(ctx, t.ID, id)
	}, func(q payment.CancellationQuote) payment.CancellationQuote { return q })
}
