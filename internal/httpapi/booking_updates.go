package httpapi

import (
	"context"
	"net/http"
	"reflect"

	"github.com/google/uuid"

	"holdfast/internal/booking"
	"holdfast/internal/customer"
	"holdfast/internal/etag"
	"holdfast/internal/httpapi/edge"
	"holdfast/internal/idempotency"
	"holdfast/internal/mergepatch"
	"holdfast/internal/tenant"
)

// AmendInput says what changes of a booking. It is exported because huma sees embedded structs only if they are.
type AmendInput struct {
	MoveInput
	ExpectPriceInput
	booking.DetailsPatch
	Customer   *customer.NewCustomerBody `json:"customer,omitempty" doc:"Of a booking that is held or confirmed. It replaces the customer that the booking has. Either this or customer_id. The booking keeps it as it is given. It fills in what isn't known of the customer with this email."`
	CustomerID *uuid.UUID                `json:"customer_id,omitempty" format:"uuid" doc:"Of a booking that is held or confirmed. Either this or customer. The booking gets the contact that is known of this customer now."`
	UpdateCustomerInput
	NewLink     bool `json:"new_link,omitempty" doc:"true: the links that lead the customer to the booking stop working; GET /v1/bookings/{id}/link gives the next one. Another email does so by itself."`
	HoldMinutes *int `json:"hold_minutes,omitempty" minimum:"1" maximum:"10080" example:"15" doc:"How long a hold lasts from now. A hold that lasts longer already keeps its end; in all it lasts at most 7 days."`
}

// amendment returns what is asked for. raw is the request's body. Errors: problem.Forbidden, problem.ValidationFailed.
func (b AmendInput) amendment(t tenant.Tenant, raw []byte) (a booking.Amendment, err error) {
	if err := b.check(t); err != nil {
		return a, err
	}
	m, err := b.rescheduling()
	if err != nil {
		return a, err
	}
	if !reflect.ValueOf(m).IsZero() {
		a.Move = &m
	}
	a.ExpectPrice = b.ExpectPrice
	a.CustomerID, a.UpdateCustomer, a.NewLink, a.HoldMinutes = b.CustomerID, b.UpdateCustomer, b.NewLink, b.HoldMinutes
	a.Details = mergepatch.Of[booking.Details](string(raw)) // the rest of the body has other names
	a.Customer, err = customerOf("customer.", b.Customer)
	return a, err
}

// updateBookingBody says what changes of a booking, and whether a hold is confirmed.
type updateBookingBody struct {
	AmendInput
	Status *booking.Status `json:"status,omitempty" enum:"confirmed" doc:"Confirms a hold."`
}

type extendBody struct {
	HoldMinutes int `json:"hold_minutes" minimum:"1" maximum:"10080" example:"15" doc:"How long the hold lasts from now."`
}

func (a *API) routeBookingUpdates(path, tag string) {
	register(a, route{
		id: "update-booking", method: http.MethodPatch, path: path + "/{id}", scope: tenant.ScopeBook, tag: tag,
		errors:  []int{404, 409, 412},
		summary: "Change a booking: time, service, resource, party, price, customer, references, metadata; confirm or extend a hold",
		description: mergePatch + "All of it changes in one commit, or nothing: if one part is refused, so is the request. " +
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
		Body updateBookingBody
	},
	) (*versioned[booking.BookingBody], error) {
		t := callOf(ctx).tenant
		change, err := in.Body.amendment(t, edge.RawBody(ctx))
		if err != nil {
			return nil, err
		}
		change.Confirm = in.Body.Status != nil
		return versionedOf(a.Bookings.Amend(ctx, t, in.ID, change, etag.Precondition(in.IfMatch)))
	})

	register(a, route{
		id: "get-booking-link", method: http.MethodGet, path: path + "/{id}/link", scope: tenant.ScopeBook, tag: tag,
		errors:  []int{404, 409},
		summary: "Get the link that leads a customer to a booking",
		description: "Whoever has the link can see, pay, move and cancel that booking, as far as the tenant's booking_page allows it. " +
			"Give it to the customer alone. Emails have it as {{manage_url}}. It works until PATCH /v1/bookings/{id} with new_link, or " +
			"another email. 409 invalid_state: the tenant has no booking page.",
	}, a.getBookingLink)

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
	) (idempotency.Outcome, error) {
		return a.Bookings.Extend(ctx, callOf(ctx).tenant, callOf(ctx).idempotency, in.ID, in.Body.HoldMinutes,
			etag.Precondition(in.IfMatch))
	})
}
