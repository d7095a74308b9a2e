package httpapi

import (
	"context"
	"net/http"

	"github.com/google/uuid"

	"holdfast/internal/httpapi/paging"
	"holdfast/internal/tenant"
)

// output is a response that shows a B.
type output[B any] struct{ Body B }

// pageOutput is a response that shows a page of a list.
type pageOutput[B any] = output[paging.Page[B]]

// registerGet adds the route that shows what the id in its path names.
func registerGet[T, B any](a *API, r route, read func(context.Context, tenant.Tenant, uuid.UUID) (T, error),
	body func(T) B,
) {
	r.method, r.errors = http.MethodGet, append(r.errors, http.StatusNotFound)
	register(a, r, func(ctx context.Context, in *IDInput) (*output[B], error) {
		found, err := read(ctx, callOf(ctx).tenant, in.ID)
		if err != nil {
			return nil, err
		}
		return &output[B]{body(found)}, nil
	})
}

// registerList adds the route that lists what a tenant has by id, a page at a time.
func registerList[T, B any](a *API, r route,
	list func(ctx context.Context, t tenant.Tenant, after uuid.UUID, limit int) ([]T, error),
	body func(T) B, id func(T) uuid.UUID, size func(T) int,
) {
	r.method, r.errors = http.MethodGet, []int{http.StatusUnprocessableEntity}
	register(a, r, func(ctx context.Context, in *paging.Input) (*pageOutput[B], error) {
		after, err := in.AfterID()
		if err != nil {
			return nil, err
		}
		rows, n, err := paging.Read(in.Limit, size, func(last *T, limit int) ([]T, error) {
			if last != nil {
				after = id(*last)
			}
			return list(ctx, callOf(ctx).tenant, after, limit)
		})
		if err != nil {
			return nil, err
		}
		return &pageOutput[B]{paging.Of(rows, n, body, func(row T) string { return id(row).String() })}, nil
	})
}
