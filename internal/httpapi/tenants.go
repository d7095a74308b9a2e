package httpapi

import (
	"context"
	"net/http"

	"github.com/google/uuid"

	"holdfast/internal/httpapi/paging"
	"holdfast/internal/idempotency"
	"holdfast/internal/tenant"
)

type listTenantsInput struct {
	paging.Input
	Slug   string        `query:"slug" maxLength:"63" example:"harbour" doc:"Only the tenant with this slug."`
	Status tenant.Status `query:"status" doc:"Only tenants with this status. Otherwise all but the deleted ones."`
}

type listKeysInput struct {
	IDInput
	paging.Input
}

func (a *API) routeTenants() {
	const path, tag = "/admin/v1/tenants", "Administration"

	registerIdempotent[tenant.TenantBody](a, route{
		op:       tenant.OpCreateTenant,
		method:   http.MethodPost,
		onlyHere: true,
		path:     path,
		key:      adminKey,
		tag:      tag,
		status:   http.StatusCreated,
		summary:  "Add a tenant",
	}, func(ctx context.Context, in *struct{ Body tenant.CreateRequest }) (idempotency.Outcome, error) {
		return a.Tenants.Create(ctx, callOf(ctx).idempotency, in.Body)
	})

	register(a, route{
		op:      tenant.OpListTenants,
		method:  http.MethodGet,
		path:    path,
		key:     adminKey,
		tag:     tag,
		errors:  []int{422},
		summary: "List tenants",
	}, a.listTenants)

	register(a, route{
		op:      tenant.OpReadTenant,
		method:  http.MethodGet,
		path:    path + "/{id}",
		key:     adminKey,
		tag:     tag,
		errors:  []int{404},
		summary: "Read a tenant",
	}, func(ctx context.Context, in *IDInput) (*versioned[tenant.OperatorTenantBody], error) {
		return versionedOf(a.Tenants.Get(ctx, in.ID))
	})

	a.routeTenantChanges(path, tag)
	a.routeReconciliation(path, tag)
	a.routeTenantPaymentAccount(path, tag)

	registerIdempotent[tenant.NewAPIKeyBody](a, route{
		op:          tenant.OpCreateAPIKey,
		method:      http.MethodPost,
		onlyHere:    true,
		path:        path + "/{id}/api-keys",
		key:         adminKey,
		tag:         tag,
		status:      http.StatusCreated,
		errors:      []int{404},
		summary:     "Issue another API key",
		description: "Without a body, the key has all scopes and no name.",
	}, func(ctx context.Context, in *struct {
		IDInput
		Body *tenant.IssueRequest
	}) (idempotency.Outcome, error) {
		return a.Tenants.IssueKey(ctx, callOf(ctx).idempotency, in.ID, valueOf(in.Body))
	})

	register(a, route{
		op:          tenant.OpListAPIKeys,
		method:      http.MethodGet,
		path:        path + "/{id}/api-keys",
		key:         adminKey,
		tag:         tag,
		errors:      []int{404, 422},
		summary:     "List a tenant's API keys",
		description: "Also those that have ended.",
	}, a.listKeys)

	register(a, route{
		op:          tenant.OpRevokeAPIKey,
		method:      http.MethodDelete,
		path:        path + "/{id}/api-keys/{key_id}",
		key:         adminKey,
		tag:         tag,
		status:      http.StatusNoContent,
		errors:      []int{404},
		summary:     "Revoke an API key",
		description: "It stops working at once on the server that is asked, and within ten seconds on all others.",
	}, func(ctx context.Context, in *struct {
		IDInput
		KeyID uuid.UUID `path:"key_id" format:"uuid"`
	}) (*struct{}, error) {
		return nil, a.Tenants.RevokeKey(ctx, in.ID, in.KeyID)
	})
}

func (a *API) listTenants(ctx context.Context, in *listTenantsInput) (*pageOutput[tenant.OperatorTenantBody], error) {
	after, err := in.AfterID()
	if err != nil {
		return nil, err
	}
	var f tenant.Filter
	if in.Slug != "" {
		f.Slug = &in.Slug
	}
	if in.Status != "" {
		f.Status = &in.Status
	}
	list, err := a.Tenants.List(ctx, f, after, in.Limit+1)
	if err != nil {
		return nil, err
	}
	return &pageOutput[tenant.OperatorTenantBody]{paging.Of(list, in.Limit, tenant.Listed.Body,
		func(t tenant.Listed) string { return t.ID.String() })}, nil
}

func (a *API) listKeys(ctx context.Context, in *listKeysInput) (*pageOutput[tenant.APIKeyBody], error) {
	after, err := in.AfterID()
	if err != nil {
		return nil, err
	}
	if _, err := a.Tenants.Get(ctx, in.ID); err != nil {
		return nil, err
	}
	list, err := a.Tenants.Keys(ctx, in.ID, after, in.Limit+1)
	if err != nil {
		return nil, err
	}
	return &pageOutput[tenant.APIKeyBody]{paging.Of(list, in.Limit, tenant.Key.Body,
		func(k tenant.Key) string { return k.ID.String() })}, nil
}
