package httpapi

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humagin"
	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"holdfast/internal/httpapi/edge"
	"holdfast/internal/httpapi/schema"
	"holdfast/internal/idempotency"
	"holdfast/internal/problem"
	"holdfast/internal/tenant"
)

const (
	exportType = "application/x-ndjson"
	// exportWriteTimeout is how long a client may take to receive a part of an export.
	exportWriteTimeout = 30 * time.Second
	exportBuffer       = 64 << 10
)

// routeTenantChanges adds the routes by which the operator suspends, corrects, exports and deletes a tenant.
func (a *API) routeTenantChanges(path, tag string) {
	showCurrent(a, path, func(ctx context.Context, _ tenant.Tenant, id uuid.UUID) (tenant.Listed, error) {
		return a.Tenants.Get(ctx, id)
	})

	register(a, route{
		op:      tenant.OpCorrectTenant,
		method:  http.MethodPatch,
		path:    path + "/{id}",
		key:     adminKey,
		tag:     tag,
		errors:  []int{404, 409, 412},
		summary: "Correct a tenant",
		description: schema.MergePatch +
			"name and slug can change at any time. time_zone and currency change only while the tenant is " +
			"suspended, and " +
			"has been so for a minute, and only before anything was made by them: bookings and blocks by the time zone; services, " +
			"bookings, wallets " +
			"and payments by the currency.",
	}, func(ctx context.Context, in *struct {
		IDInput
		IfMatchInput
		Body schema.Patch[tenant.Identity]
	}) (*versioned[tenant.OperatorTenantBody], error) {
		return versionedOf(a.Tenants.Correct(ctx, in.ID, in.Body.Patch, in.IfMatch))
	})

	registerIdempotent[tenant.OperatorTenantBody](a, route{
		op:      tenant.OpSuspendTenant,
		method:  http.MethodPost,
		path:    path + "/{id}/suspend",
		key:     adminKey,
		tag:     tag,
		status:  http.StatusOK,
		errors:  []int{404},
		summary: "Suspend a tenant",
		description: "Its API keys get 403 tenant_suspended: at once from the server that is asked, and within ten seconds from all " +
			"others. " +
			"What was begun goes on: payments are resolved, holds expire, refunds are made, webhooks tell of it. No email is sent to its " +
			"customers. To suspend it again changes the reason.",
	}, func(ctx context.Context, in *struct {
		IDInput
		Body *tenant.SuspendRequest
	}) (idempotency.Outcome, error) {
		return a.Tenants.Suspend(ctx, callOf(ctx).idempotency, in.ID, valueOf(in.Body))
	})

	registerIdempotent[tenant.OperatorTenantBody](a, route{
		op:          tenant.OpResumeTenant,
		method:      http.MethodPost,
		path:        path + "/{id}/resume",
		key:         adminKey,
		tag:         tag,
		status:      http.StatusOK,
		noBody:      true,
		errors:      []int{404},
		summary:     "Let a suspended tenant go on",
		description: "Its API keys work again: at once on the server that is asked, and within ten seconds on all others.",
	}, func(ctx context.Context, in *IDInput) (idempotency.Outcome, error) {
		return a.Tenants.Resume(ctx, callOf(ctx).idempotency, in.ID)
	})

	register(a, route{
		op:      tenant.OpExportTenant,
		method:  http.MethodGet,
		path:    path + "/{id}/export",
		key:     adminKey,
		tag:     tag,
		errors:  []int{404},
		summary: "Export all that a tenant has",
		description: "Lines of JSON (NDJSON): the tenant, each row of each table without secrets, and at last the numbers of rows " +
			"with the " +
			"export_id that a deletion must name. An export without its last line is incomplete. What changes meanwhile may be as it " +
			"was before or after.",
		response: &huma.Response{Description: "OK", Content: map[string]*huma.MediaType{exportType: {
			Schema: &huma.Schema{Type: huma.TypeString, Description: "One JSON object a line."},
		}}},
	}, func(ctx context.Context, in *IDInput) (*huma.StreamResponse, error) {
		t, err := a.Tenants.Get(ctx, in.ID)
		if err == nil && t.Status == tenant.StatusDeleted {
			err = problem.Missing()
		}
		if err != nil {
			return nil, err
		}
		return &huma.StreamResponse{Body: func(c huma.Context) { a.WriteExport(humagin.Unwrap(c), in.ID) }}, nil
	})

	register(a, route{
		op:      tenant.OpDeleteTenant,
		method:  http.MethodDelete,
		path:    path + "/{id}",
		key:     adminKey,
		tag:     tag,
		status:  http.StatusAccepted,
		errors:  []int{404, 409, 422},
		summary: "Delete a tenant",
		description: "Only a tenant that has been suspended for a minute, whose money has no open end, and which has been exported " +
			"since. It " +
			"can't be undone. The tenant is deleting while what it has is deleted in the background, and deleted when nothing is left " +
			"but its id. Then its slug is free again.",
	}, func(ctx context.Context, in *struct {
		IDInput
		ExportID uuid.UUID `query:"export_id" required:"true" format:"uuid" example:"6f1c2b1e-0a53-4f7e-9b0a-2b6b8f6d2a11" doc:"Of the last line of the tenant's last export."`
	}) (*versioned[tenant.OperatorTenantBody], error) {
		return versionedOf(a.Tenants.Delete(ctx, in.ID, in.ExportID))
	})
}

// WriteExport sends an export of a tenant. After an error it cuts the connection, so that nobody takes a part for the
// whole.
func (a *API) WriteExport(c *gin.Context, id uuid.UUID) {
	ctx := c.Request.Context()
	edge.BeginStream(c)
	c.Header("Content-Type", exportType)
	c.Header("Content-Disposition", fmt.Sprintf("attachment; filename=\"tenant-%s.ndjson\"", id))
	slow := &slowWriter{client: http.NewResponseController(c.Writer), to: c.Writer}
	w := bufio.NewWriterSize(slow, exportBuffer)
	err := a.Tenants.Export(ctx, id, w)
	if err == nil {
		err = w.Flush()
	}
	if err != nil {
		panic(http.ErrAbortHandler)
	}
}

// slowWriter gives a client time for each part of a response.
type slowWriter struct {
	client *http.ResponseController
	to     gin.ResponseWriter
}

func (w *slowWriter) Write(part []byte) (int, error) {
	if err := w.client.SetWriteDeadline(time.Now().Add(exportWriteTimeout)); err != nil {
		return 0, err
	}
	return w.to.Write(part)
}
