package httpapi

import (
	"context"
	"strconv"

	"github.com/google/uuid"

	"holdfast/internal/history"
	"holdfast/internal/tenant"
)

func (a *API) routeHistories() {
	routeHistory(a, "booking", "Bookings", a.Bookings.Get)
	routeHistory(a, "closure", "Closures", a.Bookings.Closure)
	routeHistory(a, "customer", "Customers", a.Customers.Get)
	routeHistory(a, "resource", "Resources", a.Bookings.Resource)
	routeHistory(a, "service", "Services", a.Bookings.Service)
}

type historyInput struct {
	IDInput
	PageInput
}

// routeHistory adds the route that lists who changed a subject, and what. get returns problem.NotFound for a subject that doesn't exist.
func routeHistory[T any](a *API, subject, tag string, get func(context.Context, tenant.Tenant, uuid.UUID) (T, error)) {
	register(a, route{
		id: "list-" + subject + "-history", method: "GET", path: "/v1/" + subject + "s/{id}/history", scope: tenant.ScopeRead, tag: tag, cost: costOfList,
		errors: []int{404, 422}, summary: "List who changed a " + subject + ", when, and what",
		description: "The oldest entry comes first. Each has a version of its own; what was changed before histories were kept is missing.",
	}, func(ctx context.Context, in *historyInput) (*output[page[history.ChangeBody]], error) {
		after, err := in.afterVersion()
		if err != nil {
			return nil, err
		}
		t := callOf(ctx).tenant
		if _, err := get(ctx, t, in.ID); err != nil {
			return nil, err
		}
		size := func(e history.ChangeBody) int { return len(e.Before) + len(e.After) }
		rows, n, err := readPage(in.Limit, size, func(last *history.ChangeBody, limit int) ([]history.ChangeBody, error) {
			if last != nil {
				after = last.Version
			}
			return a.Histories.List(ctx, t.ID, in.ID, after, limit)
		})
		if err != nil {
			return nil, err
		}
		same := func(e history.ChangeBody) history.ChangeBody { return e }
		return &output[page[history.ChangeBody]]{pageOf(rows, n, same, func(e history.ChangeBody) string {
			return strconv.FormatInt(e.Version, 10)
		})}, nil
	})
}
