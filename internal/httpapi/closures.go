package httpapi

import (
	"context"
	"net/http"

	"github.com/google/uuid"

	"holdfast/internal/booking"
	"holdfast/internal/idempotency"
)

// newClosureBody asks for a closure.
type newClosureBody struct {
	ResourceID *uuid.UUID `json:"resource_id,omitempty" format:"uuid" doc:"Without it, all of the tenant's resources close."`
	From       string     `json:"from" format:"date" example:"2027-12-24" doc:"First closed date."`
	To         string     `json:"to" format:"date" example:"2027-12-26" doc:"Last closed date; at most 62 dates in all."`
	Reason     string     `json:"reason,omitempty" maxLength:"500" example:"Winter maintenance"`
}

func (a *API) routeClosures() {
	const path, tag = "/v1/closures", "Closures"

	registerIdempotent[booking.ClosureBody](a, route{
		id: "create-closure", method: http.MethodPost, path: path, tag: tag, status: http.StatusCreated, errors: []int{404},
		summary: "Close dates", description: "Bookings that were made before stay.",
	}, func(ctx context.Context, in *struct{ Body newClosureBody }) (response idempotency.Response, err error) {
		c := booking.Closure{ResourceID: in.Body.ResourceID, Reason: in.Body.Reason}
		if c.From, err = booking.ParseDate("from", in.Body.From); err != nil {
			return response, err
		}
		if c.To, err = booking.ParseDate("to", in.Body.To); err != nil {
			return response, err
		}
		return a.Bookings.CreateClosure(ctx, callOf(ctx).tenant, callOf(ctx).idempotency, c)
	})

	registerGet(a, route{id: "get-closure", path: path + "/{id}", tag: tag, summary: "Read a closure"}, a.Bookings.Closure, booking.Closure.Body)

	registerList(a, route{id: "list-closures", path: path, tag: tag, summary: "List closures"},
		a.Bookings.Closures, booking.Closure.Body, func(found booking.Closure) uuid.UUID { return found.ID }, sizeOfClosure)

	register(a, route{
		id: "delete-closure", method: http.MethodDelete, path: path + "/{id}", tag: tag, status: http.StatusNoContent, errors: []int{404},
		summary: "Open closed dates again",
	}, func(ctx context.Context, in *IDInput) (*struct{}, error) {
		return nil, a.Bookings.DeleteClosure(ctx, callOf(ctx).tenant, in.ID)
	})
}
