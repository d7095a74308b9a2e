package httpapi

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/google/uuid"

	"holdfast/internal/booking"
	"holdfast/internal/catalog"
	"holdfast/internal/customer"
	"holdfast/internal/etag"
	"holdfast/internal/httpapi/edge"
	"holdfast/internal/idempotency"
	"holdfast/internal/tenant"
)

// updateBookingBody says what changes of a booking that stays where it is.
type updateBookingBody struct {
	Metadata          catalog.Metadata          `json:"metadata,omitempty" nullable:"true" doc:"Merged with the object, whatever the booking's status."`
	Reference         *string                   `json:"reference,omitempty" nullable:"true" minLength:"1" maxLength:"100" example:"Wedding Miller"`
	ExternalReference *string                   `json:"external_reference,omitempty" nullable:"true" minLength:"1" maxLength:"100" example:"shop-4711"`
	Customer          *customer.NewCustomerBody `json:"customer,omitempty" doc:"Of a booking that is held or confirmed. Either this or customer_id. It is matched by email, and filled in, as when booking."`
	CustomerID        *uuid.UUID                `json:"customer_id,omitempty" format:"uuid" doc:"Of a booking that is held or confirmed. Either this or customer. The booking gets the contact that is known of this customer now."`
	UpdateCustomerInput
}

func (b updateBookingBody) update(raw []byte) (u booking.Update, err error) {
	u.CustomerID, u.UpdateCustomer, u.Reference, u.ExternalReference = b.CustomerID, b.UpdateCustomer, b.Reference, b.ExternalReference
	u.Metadata = json.RawMessage(b.Metadata)
	if isNull(raw, "metadata") {
		u.Metadata = json.RawMessage("null")
	}
	if isNull(raw, "reference") {
		u.Reference = new("")
	}
	if isNull(raw, "external_reference") {
		u.ExternalReference = new("")
	}
	u.Customer, err = customerOf("customer.", b.Customer)
	return u, err
}

type extendBody struct {
	HoldMinutes int `json:"hold_minutes" minimum:"1" maximum:"10080" example:"15" doc:"How long the hold lasts from now."`
}

func (a *API) routeBookingUpdates(path, tag string) {
	register(a, route{
		id: "update-booking", method: http.MethodPatch, path: path + "/{id}", scope: tenant.ScopeBook, tag: tag,
		errors:  []int{404, 409, 412},
		summary: "Change a booking's metadata, references or customer",
		description: mergePatch + "Time and price stay. Another email gets what is still to be sent of the booking, and the former one " +
			"the withdrawal of its calendar entry. A change to what is already so keeps the version.",
	}, func(ctx context.Context, in *struct {
		IDInput
		IfMatchInput
		Body updateBookingBody
	},
	) (*versioned[booking.BookingBody], error) {
		if err := in.Body.check(callOf(ctx).tenant); err != nil {
			return nil, err
		}
		u, err := in.Body.update(edge.RawBody(ctx))
		if err != nil {
			return nil, err
		}
		return versionedOf(a.Bookings.Update(ctx, callOf(ctx).tenant, in.ID, u, etag.Precondition(in.IfMatch)))
	})

	registerIdempotent[booking.BookingBody](a, route{
		id: "extend-booking", method: http.MethodPost, path: path + "/{id}/extend", scope: tenant.ScopeBook, tag: tag,
		status: http.StatusOK, errors: []int{404, 412}, summary: "Extend a hold before it expires",
		description: "The hold lasts for hold_minutes from now. A hold that lasts longer already stays as it is, and keeps its version. " +
			"In all a hold " +
			"lasts at most 7 days from when it was made.",
	}, func(ctx context.Context, in *struct {
		IDInput
		IfMatchInput
		Body extendBody
	},
	) (idempotency.Response, error) {
		return a.Bookings.Extend(ctx, callOf(ctx).tenant, callOf(ctx).idempotency, in.ID, in.Body.HoldMinutes,
			etag.Precondition(in.IfMatch))
	})
}
