package httpapi

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"holdfast/internal/booking"
	"holdfast/internal/httpapi/paging"
	"holdfast/internal/httpapi/schema"
	"holdfast/internal/problem"
	"holdfast/internal/timetable"
)

// serviceAvailabilityBody is what is free of one of several services.
type serviceAvailabilityBody struct {
	ServiceID uuid.UUID           `json:"service_id" format:"uuid"`
	Data      []timetable.DayBody `json:"data" nullable:"false" doc:"In order of the dates, as GET /v1/services/{id}/availability tells them."`
}

// servicesAvailabilityBody is what is free of several services, a page at a time. It describes what writeAvailability
// writes.
type servicesAvailabilityBody struct {
	Data       []serviceAvailabilityBody `json:"data" nullable:"false" doc:"In the order of service_ids; of a resource, by id. A service whose dates don't all fit on a page is continued on the next one, where it comes first."`
	NextCursor *string                   `json:"next_cursor,omitempty" doc:"Give it as cursor, with the same other parameters, to get the next page; absent on the last one."`
}

type servicesAvailabilityInput struct {
	ServiceIDs string `query:"service_ids" maxLength:"1000" doc:"Up to 10 services, separated by commas. Either this or resource_id." example:"0191f3c4-5f0e-7cc0-a4a0-3f6f0c1d2e3f,0191f3c4-5f0e-7cc0-a4a0-3f6f0c1d2e40"`
	ResourceID string `query:"resource_id" format:"uuid" doc:"Each service that this resource can serve and that isn't archived. What is free is what a booking can have that names this resource."`
	AvailabilityInput
	To string `query:"to" required:"true" format:"date" example:"2027-07-07" doc:"Last date; at most 31 dates in all."`
}

func (in *servicesAvailabilityInput) query() (q timetable.AvailabilityQuery, err error) {
	if q, err = in.queryUntil(in.To); err != nil {
		return q, err
	}
	parts, err := in.Parts(4)
	if err != nil || parts == nil {
		return q, err
	}
	id, ok := schema.ParseID(parts[0])
	if !ok {
		return q, paging.BadCursor()
	}
	if q.After, err = parsePosition(parts[1:]); err == nil {
		q.After.ServiceID = id
	}
	return q, err
}

// asked returns the services of service_ids, or the resource.
func (in *servicesAvailabilityInput) asked() (services []uuid.UUID, resource *uuid.UUID, err error) {
	switch {
	case in.ServiceIDs != "" && in.ResourceID != "":
		return nil, nil, problem.Invalid("resource_id", "excluded", "Leave out service_ids, or leave out resource_id.")
	case in.ResourceID != "":
		resource, err = schema.ParseOptionalID("resource_id", in.ResourceID)
		return nil, resource, err
	case in.ServiceIDs == "":
		return nil, nil, problem.Invalid("service_ids", "required", "Give service_ids, or resource_id.")
	}
	for i, text := range strings.Split(in.ServiceIDs, ",") {
		id, err := schema.ParseRequiredID(fmt.Sprintf("service_ids[%d]", i), text)
		if err != nil {
			return nil, nil, err
		}
		services = append(services, id)
	}
	return services, nil, nil
}

func (a *API) routeServicesAvailability() {
	register(a, route{
		op:         booking.OpGetServicesAvailability,
		method:     http.MethodGet,
		path:       "/v1/availability",
		tag:        "Services",
		cost:       costOfAvailability,
		errors:     []int{404, 422},
		validator:  true,
		mayBeStale: true,
		summary:    "See what is free of several services, or of a resource",
		description: "Of each service it tells what GET /v1/services/{id}/availability tells: of a slot service for its shortest " +
			"duration, of a stay for the fewest nights that are sold from each date. " +
			"A page has up to 10 services, and in all as many slots as a page of one service. " +
			"A service that doesn't exist is named when its page is asked for. " +
			"Ask for either service_ids or resource_id. It takes no lock.",
		response: jsonResponse[servicesAvailabilityBody](a, http.StatusOK),
	}, func(ctx context.Context, in *servicesAvailabilityInput) (*huma.StreamResponse, error) {
		if err := in.check(callOf(ctx).tenant); err != nil {
			return nil, err
		}
		services, resource, err := in.asked()
		if err != nil {
			return nil, err
		}
		q, err := in.query()
		if err != nil {
			return nil, err
		}
		q.Limited = callOf(ctx).tenant.Scopes.Publishable()
		var page *timetable.ServicesPage
		if resource != nil {
			page, err = a.Bookings.AvailabilityOfResource(ctx, callOf(ctx).tenant, *resource, q)
		} else {
			page, err = a.Bookings.AvailabilityOfServices(ctx, callOf(ctx).tenant, services, q)
		}
		if err != nil {
			return nil, err
		}
		return a.availabilityResponse(&in.AvailabilityInput, page, true), nil
	})
}
