package httpapi

import (
	"context"
	"net/http"

	"github.com/google/uuid"

	"holdfast/internal/tenant"
)

// versioned is a response that shows a B with its version.
type versioned[B any] struct {
	ETag string `header:"ETag"`
	Body B
}

// shown is what a versioned response is made of.
type shown[B any] interface {
	ETag() string
	Body() B
}

func versionedOf[B any, T shown[B]](found T, err error) (*versioned[B], error) {
	if err != nil {
		return nil, err
	}
	return &versioned[B]{ETag: found.ETag(), Body: found.Body()}, nil
}

// registerGetVersioned is registerGet for what carries a version.
func registerGetVersioned[B any, T shown[B]](a *API, r route, read func(context.Context, tenant.Tenant, uuid.UUID) (T,
	error),
) {
	r.method, r.errors = http.MethodGet, append(r.errors, http.StatusNotFound)
	showCurrent(a, r.path, read)
	register(a, r, func(ctx context.Context, in *IDInput) (*versioned[B], error) {
		return versionedOf[B](read(ctx, callOf(ctx).tenant, in.ID))
	})
}
