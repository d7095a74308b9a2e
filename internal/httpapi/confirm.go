package httpapi

import (
	"context"
	"net/http"

	"github.com/google/uuid"

	"holdfast/internal/booking"
	"holdfast/internal/customer"
	"holdfast/internal/etag"
	"holdfast/internal/idempotency"
	"holdfast/internal/tenant"
)

// confirmBody says for whom a hold is confirmed, and whether also after its expiry.
type confirmBody struct {
	Customer   *customer.NewCustomerBody `json:"customer,omitempty" doc:"Either this or customer_id, of a hold that was made without a customer; of any other hold it replaces the customer. The booking keeps it as it is given. It fills in what isn't known of the customer with this email."`
	CustomerID *uuid.UUID                `json:"customer_id,omitempty" format:"uuid" doc:"Either this or customer."`
	UpdateCustomerInput
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
			"the lead time and the booking window don't count. Otherwise the answer is slot_unavailable.",
	}, func(ctx context.Context, in *struct {
		IDInput
		IfMatchInput
		Body *confirmBody
	},
	) (idempotency.Response, error) {
		var c booking.Confirmation
		if in.Body != nil {
			if err := in.Body.check(callOf(ctx).tenant); err != nil {
				return idempotency.Response{}, err
			}
			customer, err := customerOf("customer.", in.Body.Customer)
			if err != nil {
				return idempotency.Response{}, err
			}
			c.Customer, c.CustomerID = customer, in.Body.CustomerID
			c.UpdateCustomer, c.IfStillFree = in.Body.UpdateCustomer, in.Body.IfStillFree
		}
		return a.Bookings.Confirm(ctx, callOf(ctx).tenant, callOf(ctx).idempotency, in.ID, c, etag.Precondition(in.IfMatch))
	})
}
