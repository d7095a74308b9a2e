package httpapi

import (
	"context"
	"net/http"

	"holdfast/internal/booking"
	"holdfast/internal/operation"
)

// scopeOfMove is the scope that a key needs, besides that of the route, to ask about a booking that is to move.
const scopeOfMove = operation.ScopeRead

func (a *API) routeQuotes() {
	register(a, route{
		op:       booking.OpQuoteBooking,
		method:   http.MethodPost,
		onlyHere: true,
		path:     "/v1/quotes",
		tag:      "Bookings",
		errors:   []int{404},
		summary:  "See what a booking, or a move of one, would cost",
		description: "Nothing is made, and no Idempotency-Key is needed. The answer has what the booking would have if it were made now: " +
			"its price, item by item, its deposit and its cancellation policy. With booking_id, it is about a move of that booking, " +
			"and before has the money as it is. It takes no lock: " +
			"what is available may be taken a moment later, and only a booking decides. What is taken, closed, too soon or too late " +
			"has a price all the same; available is then false, and reason has the code and the detail of the refusal. What has no " +
			"price is refused as the booking would be.",
	}, func(ctx context.Context, in *struct{ Body booking.QuoteRequest }) (*output[booking.QuoteBody], error) {
		q, err := a.quote(ctx, in.Body)
		if err != nil {
			return nil, err
		}
		return &output[booking.QuoteBody]{q.Body()}, nil
	})
}

func (a *API) quote(ctx context.Context, b booking.QuoteRequest) (booking.Quote, error) {
	if b.BookingID != nil {
		if err := callOf(ctx).tenant.Scopes.RequireFor("booking_id", scopeOfMove); err != nil {
			return booking.Quote{}, err
		}
		m, err := b.Move()
		if err != nil {
			return booking.Quote{}, err
		}
		return a.Bookings.QuoteMove(ctx, callOf(ctx).tenant, *b.BookingID, m)
	}
	n, err := b.Create()
	if err != nil {
		return booking.Quote{}, err
	}
	n.Limited = callOf(ctx).tenant.Scopes.Publishable()
	return a.Bookings.Quote(ctx, callOf(ctx).tenant, n)
}
