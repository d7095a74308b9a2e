package httpapi

import (
	"context"
	"net/http"

	"github.com/google/uuid"

	"holdfast/internal/booking"
	"holdfast/internal/etag"
	"holdfast/internal/idempotency"
	"holdfast/internal/tenant"
)

// quoted is the price of a move that makes the price anew.
const quoted = "quote"

// MoveInput says where a booking goes. It is exported because huma sees embedded structs only if they are.
type MoveInput struct {
	WhenInput
	ServiceID *uuid.UUID `json:"service_id,omitempty" format:"uuid" doc:"Another service."`
	ResourcesInput
	AnyResource bool           `json:"any_resource,omitempty" doc:"true: it gets one of the service's resources, chosen as for a new booking. Leave out resource_id and resource_ids then."`
	PartySize   *int           `json:"party_size,omitempty" minimum:"1" maximum:"1000" doc:"Of a booking with unit types give party instead."`
	Party       map[string]int `json:"party,omitempty" doc:"How many come of a unit type; types that it does not name stay, and 0 takes one out. It is what the price is made of, so a change needs price quote."`
	Price       string         `json:"price,omitempty" enum:"keep,quote" default:"keep" doc:"keep: price, items, deposit and cancellation policy stay. quote: the service's rules make them anew."`
}

// rescheduling returns what is asked for; it is zero without anything but the price that is kept.
func (b MoveInput) rescheduling() (booking.Rescheduling, error) {
	m := booking.Rescheduling{
		ServiceID: b.ServiceID, AnyResource: b.AnyResource, PartySize: b.PartySize, Party: b.Party, Requote: b.Price == quoted,
	}
	var err error
	if m.ResourceIDs, err = b.wanted(); err != nil {
		return m, err
	}
	m.When, err = b.when()
	return m, err
}

// ExpectPriceInput says at which price a booking is changed. It is exported because huma sees embedded structs only if
// they are.
type ExpectPriceInput struct {
	ExpectPrice *int64 `json:"expect_price,omitempty" minimum:"0" maximum:"9007199254740991" example:"4500" doc:"At this price, or not at all: the price that the booking has after the change, in minor units of its currency. For another one the answer is 409 price_changed with the price, and nothing changes."`
}

// rescheduleBody says where a booking goes.
type rescheduleBody struct {
	MoveInput
	ExpectPriceInput
}

func (a *API) routeReschedule(path, tag string) {
	registerIdempotent[booking.BookingBody](a, route{
		id: "reschedule-booking", method: http.MethodPost, path: path + "/{id}/reschedule", scope: tenant.ScopeBook, tag: tag,
		status: http.StatusOK, errors: []int{404, 412}, summary: "Move a hold or a booking to another time, resource or service",
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
		Body rescheduleBody
	},
	) (idempotency.Outcome, error) {
		m, err := in.Body.rescheduling()
		if err != nil {
			return idempotency.Outcome{}, err
		}
		m.ExpectPrice = in.Body.ExpectPrice
		return a.Bookings.Reschedule(ctx, callOf(ctx).tenant, callOf(ctx).idempotency, in.ID, m, etag.Precondition(in.IfMatch))
	})
}
