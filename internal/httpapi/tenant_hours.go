package httpapi

import (
	"context"
	"net/http"

	"github.com/google/uuid"

	"holdfast/internal/booking"
	"holdfast/internal/catalog"
	"holdfast/internal/etag"
	"holdfast/internal/httpapi/paging"
	"holdfast/internal/settings"
	"holdfast/internal/tenant"
	"holdfast/internal/timetable"
)

func (a *API) routeTenantHours() {
	const path, tag = "/v1/tenant/hours", "Settings"
	register(a, route{
		op:          settings.OpGetTenantHours,
		method:      http.MethodGet,
		path:        path,
		tag:         tag,
		errors:      []int{422},
		summary:     "Read the tenant's hours",
		description: "The resources that inherit their hours follow them. The ETag is that of the tenant's settings.",
	}, func(ctx context.Context, _ *struct{}) (*versioned[timetable.HoursBody], error) {
		return versionedOf(a.Catalog.TenantHours(ctx, callOf(ctx).tenant))
	})
	showCurrent(a, path, func(ctx context.Context, t tenant.Tenant, _ uuid.UUID) (catalog.TenantHours, error) {
		return a.Catalog.TenantHours(ctx, t)
	})
	register(a, route{
		op:      settings.OpSetTenantHours,
		method:  http.MethodPut,
		path:    path,
		tag:     tag,
		errors:  []int{412},
		summary: "Replace the tenant's hours",
		description: "Every resource that never got hours, or got `{\"inherited\": true}`, follows them. They mean what the hours of a " +
			"resource mean. A tenant is always open until it gets hours: `{\"always_open\": true}` opens it again. Bookings that were " +
			"made by the old hours stay: `GET /v1/tenant/conflicts` lists those that no longer fit. A change raises the version of the " +
			"tenant's settings.",
	}, func(ctx context.Context, in *struct {
		IfMatchInput
		Body timetable.HoursBody
	}) (*versioned[timetable.HoursBody], error) {
		h, err := in.Body.Hours()
		if err != nil {
			return nil, err
		}
		return versionedOf(a.Catalog.SetTenantHours(ctx, callOf(ctx).tenant, h, etag.Precondition(in.IfMatch)))
	})
	register(a, conflictsOf("tenant", "/v1/tenant", tag), func(ctx context.Context,
		in *paging.Input) (*pageOutput[conflictBody], error) {
		return a.listConflicts(ctx, *in, booking.ConflictQuery{})
	})
}
