package httpapi

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"holdfast/internal/tenant"
)

// registerGet adds the operation that answers with what the id in its path names.
func registerGet[T, B any](a *API, op huma.Operation, read func(context.Context, tenant.Tenant, uuid.UUID) (T, error), body func(T) B) {
	op.Method, op.Errors = http.MethodGet, []int{400, 401, 404, 503}
	huma.Register(a.huma, op, func(ctx context.Context, in *IDInput) (*struct{ Body B }, error) {
		found, err := read(ctx, tenantOf(ctx), in.ID)
		if err != nil {
			return nil, err
		}
		return &struct{ Body B }{body(found)}, nil
	})
}

// registerList adds the operation that lists what a tenant has by id, a page at a time.
func registerList[T, B any](a *API, op huma.Operation, list func(ctx context.Context, t tenant.Tenant, after uuid.UUID, limit int) ([]T, error),
	body func(T) B, id func(T) uuid.UUID, size func(T) int,
) {
	op.Method, op.Errors = http.MethodGet, []int{400, 401, 422, 503}
	a.costs.declare(op, costOfList)
	huma.Register(a.huma, op, func(ctx context.Context, in *PageInput) (*struct{ Body page[B] }, error) {
		after, err := in.afterID()
		if err != nil {
			return nil, err
		}
		rows, n, err := readPage(in.Limit, size, func(last *T, limit int) ([]T, error) {
			if last != nil {
				after = id(*last)
			}
			return list(ctx, tenantOf(ctx), after, limit)
		})
		if err != nil {
			return nil, err
		}
		return &struct{ Body page[B] }{pageOf(rows, n, body, func(row T) string { return id(row).String() })}, nil
	})
}
