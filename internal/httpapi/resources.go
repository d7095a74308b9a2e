package httpapi

import (
	"context"
	"net/http"
	"strconv"

	"github.com/google/uuid"

	"holdfast/internal/booking"
	"holdfast/internal/catalog"
	"holdfast/internal/etag"
	"holdfast/internal/httpapi/paging"
	"holdfast/internal/httpapi/schema"
	"holdfast/internal/idempotency"
	"holdfast/internal/timetable"
)

type changeResourceInput struct {
	IDInput
	IfMatchInput
	Body schema.Patch[catalog.ResourceChange]
}

type listResourcesInput struct {
	paging.Input
	ArchivedInput
	NameInput
	Order string `query:"order" enum:"id,position" default:"id" doc:"position: by position, then by id."`
}

func (a *API) routeResources() {
	const path, tag = "/v1/resources", "Resources"

	registerIdempotent[catalog.ResourceBody](a, route{
		op: catalog.OpCreateResource, method: http.MethodPost, path: path, tag: tag, status: http.StatusCreated,
		summary: "Add a room, person or boat",
	}, func(ctx context.Context, in *struct{ Body catalog.ResourceSpec }) (idempotency.Outcome, error) {
		r := catalog.Resource{Name: in.Body.Name, Capacity: in.Body.Capacity, Position: in.Body.Position}
		return a.Catalog.CreateResource(ctx, callOf(ctx).tenant, callOf(ctx).idempotency, r)
	})

	registerGetVersioned(a, route{
		op: catalog.OpGetResource, path: path + "/{id}", tag: tag, summary: "Read a resource with its hours",
	}, a.Catalog.Resource)

	register(a, route{
		op:         catalog.OpListResources,
		method:     http.MethodGet,
		path:       path,
		tag:        tag,
		mayBeStale: true,
		errors:     []int{422},
		summary:    "List resources",
	}, a.listResources)

	register(a, route{
		op:          catalog.OpChangeResource,
		method:      http.MethodPatch,
		path:        path + "/{id}",
		tag:         tag,
		errors:      []int{404, 409, 412},
		summary:     "Change a resource",
		description: schema.MergePatch + "A change to what is already so keeps the version.",
	}, func(ctx context.Context, in *changeResourceInput) (*versioned[catalog.ResourceBody], error) {
		return versionedOf(a.Catalog.ChangeResource(ctx, callOf(ctx).tenant, in.ID, in.Body.Patch,
			etag.Precondition(in.IfMatch)))
	})

	registerArchive[catalog.ResourceBody](a, path, tag, "resource", catalog.OpArchiveResource,
		catalog.OpUnarchiveResource,
		a.Catalog.ArchiveResource)
	a.registerConflicts(path, tag, "resource", func(q *booking.ConflictQuery, id *uuid.UUID) { q.ResourceID = id })

	register(a, route{
		op:      catalog.OpSetHours,
		method:  http.MethodPut,
		path:    path + "/{id}/hours",
		tag:     tag,
		errors:  []int{404, 412},
		summary: "Replace a resource's hours",
		description: "A resource follows the tenant's hours until it gets hours of its own: `{\"weekly\": []}` closes it, " +
			"`{\"always_open\": true}` opens it for good, whatever the tenant's hours are, and `{\"inherited\": true}` has it follow the " +
			"tenant's again. Then it may have `overrides`, which come before all of the tenant's hours, and no `seasons`. " +
			"`seasons` have weekly hours of their own for parts of the year; overrides come first, then the first season " +
			"that has the date. " +
			"Hours may go over midnight, such as 22:00 to 02:00, and belong to the date on which they begin: an override or a closure " +
			"of that date removes them to their end, and the overrides of the next date leave them as they are. A closure of the next " +
			"date ends them at midnight. A slot after midnight is counted from the opening on the evening before, and has the date of " +
			"its own start. A date service asks only whether hours begin on the date. Bookings that were made by the old hours stay.",
	}, func(ctx context.Context, in *struct {
		IDInput
		IfMatchInput
		Body timetable.ResourceHoursBody
	}) (*versioned[catalog.ResourceBody], error) {
		h, err := in.Body.Hours()
		if err != nil {
			return nil, err
		}
		return versionedOf(a.Catalog.SetHours(ctx, callOf(ctx).tenant, in.ID, h, etag.Precondition(in.IfMatch)))
	})
}

func (a *API) listResources(ctx context.Context, in *listResourcesInput) (*pageOutput[catalog.ResourceBody], error) {
	byPosition := in.Order == "position"
	position, after, err := in.position(byPosition)
	if err != nil {
		return nil, err
	}
	rows, n, err := paging.Read(in.Limit, catalog.Resource.JSONSize,
		func(last *catalog.Resource, limit int) ([]catalog.Resource, error) {
			if last != nil {
				position, after = last.Position, last.ID
			}
			q := catalog.ListQuery{Archived: in.Archived, Name: in.Name, After: after, Limit: limit}
			if byPosition {
				return a.Catalog.ResourcesByPosition(ctx, callOf(ctx).tenant, position, q)
			}
			return a.Catalog.Resources(ctx, callOf(ctx).tenant, q)
		})
	if err != nil {
		return nil, err
	}
	return &pageOutput[catalog.ResourceBody]{paging.Of(rows, n, catalog.Resource.Body, func(r catalog.Resource) string {
		if byPosition {
			return strconv.Itoa(r.Position) + "|" + r.ID.String()
		}
		return r.ID.String()
	})}, nil
}

// position returns the position and the id that the cursor stands for. Without one they are before the first resource.
func (in *listResourcesInput) position(byPosition bool) (position int, id uuid.UUID, err error) {
	if !byPosition {
		id, err = in.AfterID()
		return 0, id, err
	}
	parts, err := in.Parts(2)
	if err != nil || parts == nil {
		return -1, id, err
	}
	position, err = strconv.Atoi(parts[0])
	id, ok := schema.ParseID(parts[1])
	if err != nil || position < 0 || position > 1_000_000 || !ok {
		return 0, id, paging.BadCursor()
	}
	return position, id, nil
}
