package httpapi

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"holdfast/internal/lockview"
)

func (a *API) routeLocks() {
	huma.Register(a.huma, huma.Operation{
		OperationID: "list-locks", Method: http.MethodGet, Path: "/admin/v1/locks", Summary: "See held and awaited locks",
		Description: "The advisory locks of the database under their names, who holds them, who waits, and who keeps whom waiting: " +
			"what holdfast locks --json prints. Requests that wait inside a server have no database session and aren't shown.",
		Tags: []string{"Administration"}, Security: []map[string][]string{{schemeAdminKey: {}}}, Errors: []int{400, 401, 403, 422, 503},
	}, func(ctx context.Context, _ *struct{}) (*struct{ Body lockview.LocksBody }, error) {
		v, err := a.Locks.View(ctx)
		if err != nil {
			return nil, err
		}
		return &struct{ Body lockview.LocksBody }{v.Body()}, nil
	})
}
