package httpapi

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"holdfast/internal/booking"
)

// newClosureBody asks for a closure.
type newClosureBody struct {
	ResourceID *uuid.UUID `json:"resource_id,omitempty" format:"uuid" doc:"Without it, all of the tenant's resources close."`
	From       string     `json:"from" format:"date" example:"2027-12-24" doc:"First closed date."`
	To         string     `json:"to" format:"date" example:"2027-12-26" doc:"Last closed date; at most 62 dates in all."`
	Reason     string     `json:"reason,omitempty" maxLength:"500" example:"Winter maintenance"`
}

func (a *API) routeClosures() {
	const path = "/v1/closures"
	tags := []string{"Closures"}
	security := []map[string][]string{{schemeAPIKey: {}}}

	huma.Register(a.huma, idempotent[booking.ClosureBody](a, huma.Operation{
		OperationID: "create-closure", Method: http.MethodPost, Path: path, DefaultStatus: http.StatusCreated,
		Summary: "Close dates", Description: "Bookings that were made before stay.",
		Tags: tags, Security: security, Errors: []int{400, 401, 404, 409, 413, 415, 422, 503},
	}), func(ctx context.Context, in *struct{ Body newClosureBody }) (*storedOutput, error) {
		from, err := booking.ParseDate("from", in.Body.From)
		if err != nil {
			return nil, err
		}
		to, err := booking.ParseDate("to", in.Body.To)
		if err != nil {
			return nil, err
		}
		c := booking.Closure{ResourceID: in.Body.ResourceID, From: from, To: to, Reason: in.Body.Reason}
		return stored(a.Bookings.CreateClosure(ctx, tenantOf(ctx), idempotencyOf(ctx), c))
	})

	registerGet(a, huma.Operation{
		OperationID: "get-closure", Path: path + "/{id}", Summary: "Read a closure", Tags: tags, Security: security,
	}, a.Bookings.Closure, booking.Closure.Body)

	registerList(a, huma.Operation{
		OperationID: "list-closures", Path: path, Summary: "List closures", Tags: tags, Security: security,
	}, a.Bookings.Closures, booking.Closure.Body, func(found booking.Closure) uuid.UUID { return found.ID }, sizeOfClosure)

	huma.Register(a.huma, huma.Operation{
		OperationID: "delete-closure", Method: http.MethodDelete, Path: path + "/{id}", Summary: "Open closed dates again",
		DefaultStatus: http.StatusNoContent, Tags: tags, Security: security, Errors: []int{400, 401, 404, 503},
	}, func(ctx context.Context, in *IDInput) (*struct{}, error) {
		if err := a.Bookings.DeleteClosure(ctx, tenantOf(ctx), in.ID); err != nil {
			return nil, err
		}
		return nil, nil
	})
}
