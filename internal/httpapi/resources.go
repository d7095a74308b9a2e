package httpapi

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"holdfast/internal/booking"
)

// newResourceBody asks for a resource.
type newResourceBody struct {
	Name     string `json:"name" minLength:"1" maxLength:"200" example:"Boat 1"`
	Capacity int    `json:"capacity" minimum:"1" maximum:"1000" example:"10"`
}

func (a *API) routeResources() {
	const path = "/v1/resources"
	tags := []string{"Resources"}
	security := []map[string][]string{{schemeAPIKey: {}}}

	huma.Register(a.huma, idempotent[booking.ResourceBody](a, huma.Operation{
		OperationID: "create-resource", Method: http.MethodPost, Path: path, DefaultStatus: http.StatusCreated,
		Summary: "Add a room, person or boat", Tags: tags, Security: security, Errors: []int{400, 401, 409, 413, 415, 422, 503},
	}), func(ctx context.Context, in *struct{ Body newResourceBody }) (*storedOutput, error) {
		r := booking.Resource{Name: in.Body.Name, Capacity: in.Body.Capacity}
		return stored(a.Bookings.CreateResource(ctx, tenantOf(ctx), idempotencyOf(ctx), r))
	})

	registerGet(a, huma.Operation{
		OperationID: "get-resource", Path: path + "/{id}", Summary: "Read a resource with its hours", Tags: tags, Security: security,
	}, a.Bookings.Resource, booking.Resource.Body)

	registerList(a, huma.Operation{
		OperationID: "list-resources", Path: path, Summary: "List resources", Tags: tags, Security: security,
	}, a.Bookings.Resources, booking.Resource.Body, func(found booking.Resource) uuid.UUID { return found.ID }, sizeOfResource)

	huma.Register(a.huma, huma.Operation{
		OperationID: "set-hours", Method: http.MethodPut, Path: path + "/{id}/hours", Summary: "Replace a resource's hours",
		Description: "A resource is always open until it gets hours: `{\"weekly\": []}` closes it, `{\"always_open\": true}` opens it for good. " +
			"Hours may go over midnight, such as 22:00 to 02:00, and belong to the date on which they begin: an override or a closure " +
			"of that date removes them to their end, and the overrides of the next date leave them as they are. A closure of the next date " +
			"ends them at midnight. A slot after midnight is counted from the opening on the evening before, and has the date of its own start. " +
			"A date service asks only whether hours begin on the date. Bookings that were made by the old hours stay.",
		Tags: tags, Security: security, Errors: []int{400, 401, 404, 413, 415, 422, 503},
	}, func(ctx context.Context, in *struct {
		IDInput
		Body booking.HoursBody
	},
	) (*struct{ Body booking.ResourceBody }, error) {
		h, err := in.Body.Hours()
		if err != nil {
			return nil, err
		}
		r, err := a.Bookings.SetHours(ctx, tenantOf(ctx), in.ID, h)
		if err != nil {
			return nil, err
		}
		return &struct{ Body booking.ResourceBody }{r.Body()}, nil
	})
}
