package httpapi

import (
	"context"
	"net/http"

	"github.com/google/uuid"

	"holdfast/internal/booking"
	"holdfast/internal/problem"
	"holdfast/internal/tenant"
)

// scopeOfMove is the scope that a key needs, besides that of the route, to ask about a booking that is to move.
const scopeOfMove = tenant.ScopeRead

// newQuoteBody says what is priced: a new booking, or a move of the one that it names.
type newQuoteBody struct {
	BookingID *uuid.UUID `json:"booking_id,omitempty" format:"uuid" doc:"The booking that would move. It needs the scope read too. Without it a new booking is priced."`
	ServiceID *uuid.UUID `json:"service_id,omitempty" format:"uuid" doc:"Required of a new booking. Of a move: another service."`
	ResourcesInput
	AnyResource bool `json:"any_resource,omitempty" doc:"Of a move: true: it gets one of the service's resources, chosen as for a new booking. Leave out resource_id and resource_ids then."`
	WhenInput
	PartySize   *int           `json:"party_size,omitempty" minimum:"1" maximum:"1000" doc:"Of a service with unit types give party instead. Absent, it is 1, or that of the booking that moves."`
	Party       map[string]int `json:"party,omitempty" doc:"How many come of each unit type, by its key."`
	HoldMinutes *int           `json:"hold_minutes,omitempty" minimum:"1" maximum:"10080" doc:"Of a new booking: it would be a hold."`
	Price       string         `json:"price,omitempty" enum:"keep,quote" doc:"Of a move: keep, as without it: price, items, deposit and cancellation policy stay. quote: the service's rules make them anew."`
}

// booking returns the new booking that is priced.
func (b newQuoteBody) booking() (booking.New, error) {
	switch {
	case b.ServiceID == nil:
		return booking.New{}, problem.Invalid("service_id", "required", "Say what is priced: give service_id, or booking_id of a booking "+
			"that moves.")
	case b.AnyResource:
		return booking.New{}, onlyOfAMove("any_resource")
	case b.Price != "":
		return booking.New{}, onlyOfAMove("price")
	}
	return newBookingBody{
		ServiceID: *b.ServiceID, ResourcesInput: b.ResourcesInput, WhenInput: b.WhenInput, PartySize: b.PartySize, Party: b.Party,
		HoldMinutes: b.HoldMinutes,
	}.booking()
}

func onlyOfAMove(field string) error {
	return problem.Invalid(field, "excluded", "It is for a booking that moves: give booking_id, or leave it out.")
}

// rescheduling returns the move that is priced.
func (b newQuoteBody) rescheduling() (booking.Rescheduling, error) {
	if b.HoldMinutes != nil {
		return booking.Rescheduling{}, problem.Invalid("hold_minutes", "excluded", "A booking that moves keeps its hold: leave it out.")
	}
	return MoveInput{
		WhenInput: b.WhenInput, ServiceID: b.ServiceID, ResourcesInput: b.ResourcesInput, AnyResource: b.AnyResource,
		PartySize: b.PartySize, Party: b.Party, Price: b.Price,
	}.rescheduling()
}

func (a *API) routeQuotes() {
	register(a, route{
		id: "quote-booking", method: http.MethodPost, onlyHere: true, path: "/v1/quotes", scope: tenant.ScopeCatalog, tag: "Bookings",
		errors: []int{404}, summary: "See what a booking, or a move of one, would cost",
		description: "Nothing is made, and no Idempotency-Key is needed. The answer has what the booking would have if it were made now: " +
			"its price, item by item, its deposit and its cancellation policy. With booking_id, it is about a move of that booking, " +
			"and before has the money as it is. It takes no lock: " +
			"what is available may be taken a moment later, and only a booking decides. What is taken, closed, too soon or too late " +
			"has a price all the same; available is then false, and reason has the code and the detail of the refusal. What has no " +
			"price is refused as the booking would be.",
	}, func(ctx context.Context, in *struct{ Body newQuoteBody }) (*output[booking.QuoteBody], error) {
		q, err := a.quote(ctx, in.Body)
		if err != nil {
			return nil, err
		}
		return &output[booking.QuoteBody]{q.Body()}, nil
	})
}

func (a *API) quote(ctx context.Context, b newQuoteBody) (booking.Quote, error) {
	if b.BookingID != nil {
		if err := callOf(ctx).tenant.Scopes.RequireFor("booking_id", scopeOfMove); err != nil {
			return booking.Quote{}, err
		}
		m, err := b.rescheduling()
		if err != nil {
			return booking.Quote{}, err
		}
		return a.Bookings.QuoteMove(ctx, callOf(ctx).tenant, *b.BookingID, m)
	}
	n, err := b.booking()
	if err != nil {
		return booking.Quote{}, err
	}
	n.Limited = callOf(ctx).tenant.Scopes.Publishable()
	return a.Bookings.Quote(ctx, callOf(ctx).tenant, n)
}
