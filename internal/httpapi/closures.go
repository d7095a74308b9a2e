package httpapi

import (
	"context"
	"net/http"

	"github.com/google/uuid"

	"holdfast/internal/catalog"
	"holdfast/internal/etag"
	"holdfast/internal/httpapi/paging"
	"holdfast/internal/httpapi/schema"
	"holdfast/internal/idempotency"
)

type changeClosureInput struct {
	IDInput
	IfMatchInput
	Body schema.Patch[catalog.ClosureSpec]
}

func (a *API) routeClosures() {
	const path, tag = "/v1/closures", "Closures"

	registerIdempotent[catalog.ClosureBody](a, route{
		op:          catalog.OpCreateClosure,
		method:      http.MethodPost,
		path:        path,
		tag:         tag,
		status:      http.StatusCreated,
		errors:      []int{404},
		summary:     "Close dates",
		description: "Bookings that were made before stay.",
	}, func(ctx context.Context, in *struct{ Body catalog.ClosureSpec }) (idempotency.Outcome, error) {
		c, err := in.Body.Closure()
		if err != nil {
			return idempotency.Outcome{}, err
		}
		return a.Catalog.CreateClosure(ctx, callOf(ctx).tenant, callOf(ctx).idempotency, c)
	})

	registerGetVersioned(a, route{op: catalog.OpGetClosure, path: path + "/{id}", tag: tag, summary: "Read a closure"},
		a.Catalog.Closure)

	register(a, route{
		op:         catalog.OpListClosures,
		method:     http.MethodGet,
		path:       path,
		tag:        tag,
		mayBeStale: true,
		errors:     []int{422},
		summary:    "List closures",
	}, a.listClosures)

	register(a, route{
		op:      catalog.OpChangeClosure,
		method:  http.MethodPatch,
		path:    path + "/{id}",
		tag:     tag,
		errors:  []int{404, 412},
		summary: "Change a closure",
		description: schema.MergePatch +
			"Bookings that were made before stay. A change to what is already so keeps the version.",
	}, func(ctx context.Context, in *changeClosureInput) (*versioned[catalog.ClosureBody], error) {
		return versionedOf(a.Catalog.ChangeClosure(ctx, callOf(ctx).tenant, in.ID, in.Body.Patch,
			etag.Precondition(in.IfMatch)))
	})

	registerUnconditionalArchive[catalog.ClosureBody](a, path, tag, route{
		op: catalog.OpArchiveClosure, summary: "Open closed dates again", errors: []int{404, 412},
		description: "The closure closes nothing any more, and is in no list without archived=true.",
	}, route{
		op: catalog.OpUnarchiveClosure, summary: "Close the dates of an archived closure again",
		errors:      []int{404, 412},
		description: "Bookings that were made before stay.",
	}, a.Catalog.ArchiveClosure)
}

type listClosuresInput struct {
	paging.Input
	ArchivedInput
}

func (a *API) listClosures(ctx context.Context, in *listClosuresInput) (*pageOutput[catalog.ClosureBody], error) {
	after, err := in.AfterID()
	if err != nil {
		return nil, err
	}
	id := func(c catalog.Closure) uuid.UUID { return c.ID }
	rows, n, err := paging.Read(in.Limit, catalog.Closure.JSONSize,
		func(last *catalog.Closure, limit int) ([]catalog.Closure, error) {
			if last != nil {
				after = id(*last)
			}
			return a.Catalog.Closures(ctx, callOf(ctx).tenant,
				catalog.ListQuery{Archived: in.Archived, After: after, Limit: limit})
		})
	if err != nil {
		return nil, err
	}
	return &pageOutput[catalog.ClosureBody]{paging.Of(rows, n, catalog.Closure.Body,
		func(c catalog.Closure) string { return c.ID.String() })}, nil
}
