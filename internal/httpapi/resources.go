package httpapi

import (
	"context"
	"net/http"

	"github.com/google/uuid"

	"holdfast/internal/booking"
	"holdfast/internal/idempotency"
)

// newResourceBody asks for a resource.
type newResourceBody struct {
	Name     string `json:"name" minLength:"1" maxLength:"200" example:"Boat 1"`
	Capacity int    `json:"capacity" minimum:"1" maximum:"1000" example:"10"`
}

func (a *API) routeResources() {
	const path, tag = "/v1/resources", "Resources"

	registerIdempotent[booking.ResourceBody](a, route{
		id: "create-resource", method: http.MethodPost, path: path, tag: tag, status: http.StatusCreated, summary: "Add a room, person or boat",
	}, func(ctx context.Context, in *struct{ Body newResourceBody }) (idempotency.Response, error) {
		r := booking.Resource{Name: in.Body.Name, Capacity: in.Body.Capacity}
		return a.Bookings.CreateResource(ctx, callOf(ctx).tenant, callOf(ctx).idempotency, r)
	})

	registerGet(a, route{id: "get-resource", path: path + "/{id}", tag: tag, summary: "Read a resource with its hours"},
		a.Bookings.Resource, booking.Resource.Body)

	registerList(a, route{id: "list-resources", path: path, tag: tag, summary: "List resources"},
		a.Bookings.Resources, booking.Resource.Body, func(found booking.Resource) uuid.UUID { return found.ID }, sizeOfResource)

	register(a, route{
		id: "set-hours", method: http.MethodPut, path: path + "/{id}/hours", tag: tag, errors: []int{404}, summary: "Replace a resource's hours",
		description: "A resource is always open until it gets hours: `{\"weekly\": []}` closes it, `{\"always_open\": true}` opens it for good. " +
			"Hours may go over midnight, such as 22:00 to 02:00, and belong to the date on which they begin: an override or a closure " +
			"of that date removes them to their end, and the overrides of the next date leave them as they are. A closure of the next date " +
			"ends them at midnight. A slot after midnight is counted from the opening on the evening before, and has the date of its own start. " +
			"A date service asks only whether hours begin on the date. Bookings that were made by the old hours stay.",
	}, func(ctx context.Context, in *struct {
		IDInput
		Body booking.HoursBody
	},
	) (*output[booking.ResourceBody], error) {
		h, err := in.Body.Hours()
		if err != nil {
			return nil, err
		}
		r, err := a.Bookings.SetHours(ctx, callOf(ctx).tenant, in.ID, h)
		if err != nil {
			return nil, err
		}
		return &output[booking.ResourceBody]{r.Body()}, nil
	})
}
