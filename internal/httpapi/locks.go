package httpapi

import (
	"context"
	"net/http"

	"holdfast/internal/lockview"
)

func (a *API) routeLocks() {
	register(a, route{
		op:      lockview.OpListLocks,
		method:  http.MethodGet,
		path:    "/admin/v1/locks",
		key:     adminKey,
		tag:     "Administration",
		errors:  []int{422},
		summary: "See held and awaited locks",
		description: "The advisory locks of the database under their names, who holds them, who waits, and who keeps whom waiting: " +
			"what holdfast locks --json prints. Requests that wait inside a server have no database session and aren't shown.",
	}, func(ctx context.Context, _ *struct{}) (*output[lockview.LocksBody], error) {
		v, err := a.Locks.View(ctx)
		if err != nil {
			return nil, err
		}
		return &output[lockview.LocksBody]{v}, nil
	})
}
