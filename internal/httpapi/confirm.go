package httpapi

import (
	"context"
	"net/http"

	"holdfast/internal/booking"
	"holdfast/internal/etag"
	"holdfast/internal/httpapi/edge"
	"holdfast/internal/idempotency"
	"holdfast/internal/tenant"
)

// confirmBody says what changes of a hold that is confirmed, and whether it is confirmed also after its expiry.
type confirmBody struct {
	AmendInput
	IfStillFree bool `json:"if_still_free,omitempty" doc:"true: a hold that has expired is confirmed as well, if its time is still free."`
}

func (a *API) routeConfirmation(path, tag string) {
	registerIdempotent[booking.BookingBody](a, route{
		id: "confirm-booking", method: http.MethodPost, path: path + "/{id}/confirm", scope: tenant.ScopeBook, tag: tag,
		status: http.StatusOK, errors: []int{404, 412}, summary: "Confirm a hold",
		description: "A hold without a customer gets one here. A hold that has expired is refused with hold_expired. With if_still_free " +
			"it is " +
			"confirmed if its resource is still free and open at its time and the service takes bookings on its date, by the rules as " +
			"they are now; " +
			"the lead time and the booking window don't count. Otherwise the answer is slot_unavailable. " +
			"What else PATCH /v1/bookings/{id} takes may change in the same commit; a hold that has expired can't be moved or extended.",
	}, func(ctx context.Context, in *struct {
		IDInput
		IfMatchInput
		Body *confirmBody
	},
	) (idempotency.Outcome, error) {
		t, change := callOf(ctx).tenant, booking.Amendment{}
		if in.Body != nil {
			var err error
			if change, err = in.Body.amendment(t, edge.RawBody(ctx)); err != nil {
				return idempotency.Outcome{}, err
			}
			change.IfStillFree = in.Body.IfStillFree
		}
		return a.Bookings.Confirm(ctx, t, callOf(ctx).idempotency, in.ID, change, etag.Precondition(in.IfMatch))
	})
}
