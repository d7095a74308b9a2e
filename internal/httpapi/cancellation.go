package httpapi

import (
	"context"
	"net/http"

	"github.com/google/uuid"

	"holdfast/internal/booking"
	"holdfast/internal/idempotency"
	"holdfast/internal/payment"
	"holdfast/internal/tenant"
)

// cancelBody says why a booking is cancelled.
type cancelBody struct {
	Reason *string `json:"reason,omitempty" minLength:"1" maxLength:"200" example:"The customer is ill." doc:"Not blank, and without control characters."`
}

func (a *API) routeCancellation(path, tag string) {
	registerIdempotent[booking.BookingBody](a, route{
		id: "cancel-booking", method: http.MethodPost, path: path + "/{id}/cancel", scope: tenant.ScopeBook, tag: tag,
		status: http.StatusOK, errors: []int{404, 412}, summary: "Cancel a hold or a booking and free its time",
		description: "The cancellation policy of the booking, which a later change of the service doesn't change, decides what is kept or due of a confirmed booking's price, " +
			"at the moment of the cancellation. What was paid beyond it is refunded automatically. Without a policy nothing is refunded " +
			"by itself. A hold is always refunded whole.",
	}, func(ctx context.Context, in *struct {
		IDInput
		IfMatchInput
		Body *cancelBody
	},
	) (idempotency.Response, error) {
		var reason *string
		if in.Body != nil {
			reason = in.Body.Reason
		}
		return a.Bookings.Cancel(ctx, callOf(ctx).tenant, callOf(ctx).idempotency, in.ID, reason, booking.Precondition(in.IfMatch))
	})

	registerGet(a, route{
		id: "get-cancellation-quote", path: path + "/{id}/cancellation-quote", scope: tenant.ScopeRead, tag: tag, errors: []int{409},
		summary: "Read what a cancellation would cost now",
	}, func(ctx context.Context, t tenant.Tenant, id uuid.UUID) (payment.CancellationQuote, error) {
		return a.Payments.CancellationQuote(ctx, t.ID, id)
	}, func(q payment.CancellationQuote) payment.CancellationQuote { return q })
}
