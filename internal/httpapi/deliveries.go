package httpapi

import (
	"context"
	"net/http"

	"github.com/google/uuid"

	"holdfast/internal/httpapi/paging"
	"holdfast/internal/idempotency"
	"holdfast/internal/webhook"
)

// routeDeliveriesOfBookings adds the route that lists what endpoints were told of a booking.
func (a *API) routeDeliveriesOfBookings() {
	register(a, route{
		op:          webhook.OpListBookingDeliveries,
		method:      http.MethodGet,
		path:        "/v1/bookings/{id}/deliveries",
		tag:         "Webhooks",
		errors:      []int{404},
		summary:     "List the deliveries of a booking's last 20 changes",
		description: "To all webhook endpoints, the newest change first. There is one page.",
	}, func(ctx context.Context, in *IDInput) (*pageOutput[webhook.DeliveryBody], error) {
		t := callOf(ctx).tenant
		if _, err := a.Bookings.Get(ctx, t, in.ID); err != nil {
			return nil, err
		}
		list, err := a.Webhooks.DeliveriesOf(ctx, t, in.ID)
		if err != nil {
			return nil, err
		}
		return &pageOutput[webhook.DeliveryBody]{paging.Page[webhook.DeliveryBody]{Data: list}}, nil
	})
}

// routeDeliveries adds the routes of deliveries, of is ofTenant or ofOperator.
func (a *API) routeDeliveries(of func(route) route) {
	const path, tag = "/v1/deliveries", "Webhooks"

	register(a, of(route{
		op:          webhook.OpListDeliveries,
		method:      http.MethodGet,
		path:        "/v1/webhook-endpoints/{id}/deliveries",
		tag:         tag,
		errors:      []int{404, 422},
		summary:     "List the deliveries to a webhook endpoint",
		description: "The newest events come first.",
	}), func(ctx context.Context, in *struct {
		IDInput
		paging.Input
	}) (*pageOutput[webhook.DeliveryBody], error) {
		before, err := in.AfterID()
		if err != nil {
			return nil, err
		}
		if in.Cursor == "" {
			before = uuid.Max
		}
		list, err := a.Webhooks.Deliveries(ctx, callOf(ctx).tenant, in.ID, before, in.Limit+1)
		if err != nil {
			return nil, err
		}
		same := func(d webhook.DeliveryBody) webhook.DeliveryBody { return d }
		return &pageOutput[webhook.DeliveryBody]{paging.Of(list, in.Limit, same,
			func(d webhook.DeliveryBody) string { return d.EventID.String() })}, nil
	})

	register(a, of(route{
		op: webhook.OpGetDelivery, method: http.MethodGet, path: path + "/{id}", tag: tag,
		errors:  []int{404},
		summary: "Read a delivery with its attempts",
	}), func(ctx context.Context, in *IDInput) (*output[webhook.DeliveryWithLogBody], error) {
		d, err := a.Webhooks.Delivery(ctx, callOf(ctx).tenant, in.ID)
		if err != nil {
			return nil, err
		}
		return &output[webhook.DeliveryWithLogBody]{d}, nil
	})

	registerIdempotent[webhook.DeliveryBody](a, of(route{
		op:          webhook.OpReplayDelivery,
		method:      http.MethodPost,
		path:        path + "/{id}/replay",
		tag:         tag,
		noBody:      true,
		status:      http.StatusOK,
		errors:      []int{404},
		summary:     "Make a delivery again",
		description: "It is due at once and has all its attempts. The receiver gets the same webhook-id.",
	}), func(ctx context.Context, in *IDInput) (idempotency.Outcome, error) {
		return a.Webhooks.Replay(ctx, callOf(ctx).tenant, callOf(ctx).idempotency, in.ID)
	})
}
