package httpapi

import (
	"context"
	"net/http"

	"github.com/google/uuid"

	"holdfast/internal/booking"
	"holdfast/internal/catalog"
	"holdfast/internal/etag"
	"holdfast/internal/httpapi/paging"
	"holdfast/internal/httpapi/schema"
	"holdfast/internal/idempotency"
)

type changeServiceInput struct {
	IDInput
	IfMatchInput
	Body schema.Patch[catalog.ServiceSpec]
}

type listServicesInput struct {
	paging.Input
	ArchivedInput
	NameInput
}

func (a *API) routeServices() {
	const path, tag = "/v1/services", "Services"

	registerIdempotent[catalog.ServiceBody](a, route{
		op:      catalog.OpCreateService,
		method:  http.MethodPost,
		path:    path,
		tag:     tag,
		status:  http.StatusCreated,
		errors:  []int{404},
		summary: "Define what is sold",
	}, func(ctx context.Context, in *struct{ Body catalog.ServiceSpec }) (idempotency.Outcome, error) {
		return a.Catalog.CreateService(ctx, callOf(ctx).tenant, callOf(ctx).idempotency, in.Body)
	})

	registerGetVersioned(a, route{
		op: catalog.OpGetService, path: path + "/{id}", tag: tag, summary: "Read a service",
	}, a.Catalog.Service)

	register(a, route{
		op:         catalog.OpListServices,
		method:     http.MethodGet,
		path:       path,
		tag:        tag,
		mayBeStale: true,
		errors:     []int{422},
		summary:    "List services",
	}, a.listServices)

	register(a, route{
		op:      catalog.OpChangeService,
		method:  http.MethodPatch,
		path:    path + "/{id}",
		tag:     tag,
		errors:  []int{404, 412},
		summary: "Change a service",
		description: schema.MergePatch +
			"Bookings stay as they are, with their price. A change to what is already so keeps the version.",
	}, func(ctx context.Context, in *changeServiceInput) (*versioned[catalog.ServiceBody], error) {
		return versionedOf(a.Catalog.ChangeService(ctx, callOf(ctx).tenant, in.ID, in.Body.Patch,
			etag.Precondition(in.IfMatch)))
	})

	registerArchive[catalog.ServiceBody](
		a,
		path,
		tag,
		"service",
		catalog.OpArchiveService,
		catalog.OpUnarchiveService,
		a.Catalog.ArchiveService,
	)
	a.registerConflicts(path, tag, "service", func(q *booking.ConflictQuery, id *uuid.UUID) { q.ServiceID = id })

	a.routeAvailability(path+"/{id}/availability", tag)
	a.routeServicesAvailability()
}

func (a *API) listServices(ctx context.Context, in *listServicesInput) (*pageOutput[catalog.ServiceBody], error) {
	after, err := in.AfterID()
	if err != nil {
		return nil, err
	}
	rows, n, err := paging.Read(in.Limit, catalog.BookableService.JSONSize,
		func(last *catalog.BookableService, limit int) ([]catalog.BookableService, error) {
			if last != nil {
				after = last.ID
			}
			return a.Catalog.Services(ctx, callOf(ctx).tenant,
				catalog.ListQuery{Archived: in.Archived, Name: in.Name, After: after, Limit: limit})
		})
	if err != nil {
		return nil, err
	}
	return &pageOutput[catalog.ServiceBody]{paging.Of(rows, n, catalog.BookableService.Body,
		func(svc catalog.BookableService) string {
			return svc.ID.String()
		})}, nil
}
