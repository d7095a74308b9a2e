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

// scopeOfFee is the scope that a key needs, besides that of the route, to say what a cancellation costs.
const scopeOfFee = tenant.ScopeMoney

// FeeInput is part of the requests that end a booking. It is exported because huma sees embedded structs only if they are.
type FeeInput struct {
	Fee *int64 `json:"fee,omitempty" minimum:"0" maximum:"9007199254740991" example:"0" doc:"What is kept, or due, of the price instead of what the cancellation policy says, at most the price; 0 waives it. Minor units of the booking's currency. It needs the scope money too."`
}

// check returns problem.Forbidden for a key that may not say the fee.
func (in FeeInput) check(t tenant.Tenant) error {
	if in.Fee == nil {
		return nil
	}
	return t.Scopes.RequireFor("fee", scopeOfFee)
}

// cancelBody says why a booking is cancelled, and what it costs.
type cancelBody struct {
	FeeInput
	ExpectFee *int64  `json:"expect_fee,omitempty" minimum:"0" maximum:"9007199254740991" example:"2250" doc:"At this fee, or not at all: the fee of the cancellation quote, in minor units of the booking's currency. For another one by now the answer is 409 price_changed with the fee, and nothing changes."`
	Reason    *string `json:"reason,omitempty" minLength:"1" maxLength:"200" example:"The customer is ill." doc:"Not blank, and without control characters."`
}

func (a *API) routeCancellation(path, tag string) {
	registerIdempotent[booking.BookingBody](a, route{
		id: "cancel-booking", method: http.MethodPost, path: path + "/{id}/cancel", scope: tenant.ScopeBook, tag: tag,
		status: http.StatusOK, errors: []int{404, 412}, summary: "Cancel a hold or a booking and free its time",
		description: "The cancellation policy of the booking, which a later change of the service doesn't change, decides what is kept " +
			"or due of a confirmed booking's price, " +
			"at the moment of the cancellation. What was paid beyond it is refunded automatically. Without a policy nothing is refunded " +
			"by itself. A hold is always refunded whole. With fee, of a booking with a policy or without one, that is kept or due, and " +
			"what was paid beyond it is " +
			"refunded automatically.",
	}, func(ctx context.Context, in *struct {
		IDInput
		IfMatchInput
		Body *cancelBody
	},
	) (idempotency.Outcome, error) {
		var end booking.Termination
		if in.Body != nil {
			if err := in.Body.check(callOf(ctx).tenant); err != nil {
				return idempotency.Outcome{}, err
			}
			end = booking.Termination{Reason: in.Body.Reason, Fee: in.Body.Fee, ExpectFee: in.Body.ExpectFee}
		}
		return a.Bookings.End(ctx, callOf(ctx).tenant, callOf(ctx).idempotency, in.ID, booking.Cancel, end, etag.Precondition(in.IfMatch))
	})

	registerIdempotent[booking.BookingBody](a, route{
		id: "no-show-booking", method: http.MethodPost, path: path + "/{id}/no-show", scope: tenant.ScopeBook, tag: tag,
		status: http.StatusOK, errors: []int{404, 412}, summary: "Record that nobody came",
		description: "What is kept or due is what the cancellation policy says, or else the price. With fee that is kept or due " +
			"instead. What was paid beyond it " +
			"is refunded automatically.",
	}, func(ctx context.Context, in *struct {
		IDInput
		IfMatchInput
		Body *FeeInput
	},
	) (idempotency.Outcome, error) {
		var end booking.Termination
		if in.Body != nil {
			if err := in.Body.check(callOf(ctx).tenant); err != nil {
				return idempotency.Outcome{}, err
			}
			end.Fee = in.Body.Fee
		}
		return a.Bookings.End(ctx, callOf(ctx).tenant, callOf(ctx).idempotency, in.ID, booking.MarkNoShow, end,
			etag.Precondition(in.IfMatch))
	})

	registerGet(a, route{
		id: "get-cancellation-quote", path: path + "/{id}/cancellation-quote", scope: tenant.ScopeRead, tag: tag, errors: []int{409},
		summary: "Read what a cancellation would cost now",
	}, func(ctx context.Context, t tenant.Tenant, id uuid.UUID) (payment.CancellationQuote, error) {
		return a.Payments.CancellationQuote(ctx, t.ID, id)
	}, func(q payment.CancellationQuote) payment.CancellationQuote { return q })
}
