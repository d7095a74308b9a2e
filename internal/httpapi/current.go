package httpapi

import (
	"context"
	"strings"

	"github.com/google/uuid"

	"holdfast/internal/problem"
	"holdfast/internal/tenant"
)

// current reads a thing that carries a version, as the route that shows it does. id is the nil uuid where the path has
// none.
type current func(ctx context.Context, id uuid.UUID) (etag string, body any, err error)

// showCurrent has 412 version_mismatch of the routes below the path, and of the path itself, show what read returns.
func showCurrent[B any, T shown[B]](a *API, path string, read func(context.Context, tenant.Tenant, uuid.UUID) (T,
	error),
) {
	a.currents[path] = func(ctx context.Context, id uuid.UUID) (string, any, error) {
		found, err := read(ctx, callOf(ctx).tenant, id)
		if err != nil {
			return "", nil, err
		}
		return found.ETag(), found.Body(), nil
	}
}

// currentOf returns what shows the thing that the routes of a path change, nil if it carries no version.
func (a *API) currentOf(path string) current {
	for path != "" {
		if read, ok := a.currents[path]; ok {
			return read
		}
		path = path[:strings.LastIndexByte(path, '/')]
	}
	return nil
}

// withCurrent adds to a version_mismatch what was to be changed, as it is after the refusal. Versions only grow, so it
// isn't at the refused version either. The refusal stands without it if it was deleted meanwhile or can't be read.
func (a *API) withCurrent(ctx context.Context, r route, in any, err error) error {
	if !problem.Is(err, problem.VersionMismatch) {
		return err
	}
	read := a.currentOf(r.path)
	if read == nil {
		return err
	}
	var id uuid.UUID
	if of, ok := in.(interface{ pathID() uuid.UUID }); ok {
		id = of.pathID()
	}
	etag, body, readErr := read(ctx, id)
	if readErr != nil {
		return err
	}
	return problem.DocumentOf(err).WithCurrent(etag, body)
}
