package httpapi

import (
	"context"
	"strconv"

	"github.com/google/uuid"

	"holdfast/internal/change"
	"holdfast/internal/tenant"
)

func (a *API) routeHistories() {
	routeHistory(a, "block", "Blocks", a.Catalog.Block)
	routeHistory(a, "booking", "Bookings", a.Bookings.Get)
	routeHistory(a, "closure", "Closures", a.Catalog.Closure)
	routeHistory(a, "customer", "Customers", a.Customers.Get)
	routeHistory(a, "resource", "Resources", a.Catalog.Resource)
	routeHistory(a, "service", "Services", a.Catalog.Service)
}

type historyInput struct {
	IDInput
	PageInput
}

// routeHistory adds the route that lists who changed a subject, and what. get returns problem.NotFound for a subject that doesn't exist.
func routeHistory[T any](a *API, subject, tag string, get func(context.Context, tenant.Tenant, uuid.UUID) (T, error)) {
	register(a, route{
		id: "list-" + subject + "-history", method: "GET", path: "/v1/" + subject + "s/{id}/history", scope: tenant.ScopeRead, tag: tag,
		cost:   costOfList,
		errors: []int{404, 422}, summary: "List who changed a " + subject + ", when, and what",
		description: "The oldest entry comes first. Each has a version of its own. Entries are kept for HOLDFAST_CHANGE_RETENTION, 400 " +
			"days by default.",
	}, func(ctx context.Context, in *historyInput) (*output[page[change.HistoryEntry]], error) {
		after, err := in.afterVersion()
		if err != nil {
			return nil, err
		}
		t := callOf(ctx).tenant
		if _, err := get(ctx, t, in.ID); err != nil {
			return nil, err
		}
		size := func(e change.HistoryEntry) int { return len(e.Before) + len(e.After) }
		rows, n, err := readPage(in.Limit, size, func(last *change.HistoryEntry, limit int) ([]change.HistoryEntry, error) {
			if last != nil {
				after = last.Version
			}
			return a.Changes.History(ctx, t.ID, in.ID, after, limit)
		})
		if err != nil {
			return nil, err
		}
		same := func(e change.HistoryEntry) change.HistoryEntry { return e }
		return &output[page[change.HistoryEntry]]{pageOf(rows, n, same, func(e change.HistoryEntry) string {
			return strconv.FormatInt(e.Version, 10)
		})}, nil
	})
}
