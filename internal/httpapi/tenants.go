package httpapi

import (
	"context"
	"net/http"

	"github.com/google/uuid"

	"holdfast/internal/idempotency"
	"holdfast/internal/tenant"
)

// newTenantBody asks for a tenant.
type newTenantBody struct {
	Slug     string `json:"slug" pattern:"^[a-z0-9][a-z0-9-]{0,62}$" example:"harbour" doc:"Unique name for people and logs."`
	Name     string `json:"name" minLength:"1" maxLength:"200" example:"Harbour Tours"`
	TimeZone string `json:"time_zone" minLength:"1" maxLength:"64" example:"Europe/Berlin" doc:"IANA time zone in which the tenant's dates lie."`
	Currency string `json:"currency" pattern:"^[A-Z]{3}$" example:"EUR" doc:"ISO 4217."`
}

func (a *API) routeTenants() {
	const path, tag = "/admin/v1/tenants", "Administration"

	registerIdempotent[tenant.TenantBody](a, route{
		id: "create-tenant", method: http.MethodPost, path: path, key: adminKey, tag: tag, status: http.StatusCreated, summary: "Add a tenant",
	}, func(ctx context.Context, in *struct{ Body newTenantBody }) (idempotency.Response, error) {
		return a.Tenants.Create(ctx, callOf(ctx).idempotency, tenant.New(in.Body))
	})

	registerIdempotent[tenant.APIKeyBody](a, route{
		id: "create-api-key", method: http.MethodPost, path: path + "/{id}/api-keys", key: adminKey, tag: tag, noBody: true,
		status: http.StatusCreated, errors: []int{404}, summary: "Issue another API key",
	}, func(ctx context.Context, in *IDInput) (idempotency.Response, error) {
		return a.Tenants.IssueKey(ctx, callOf(ctx).idempotency, in.ID)
	})

	register(a, route{
		id: "revoke-api-key", method: http.MethodDelete, path: path + "/{id}/api-keys/{key_id}", key: adminKey, tag: tag,
		status: http.StatusNoContent, errors: []int{404}, summary: "Revoke an API key",
		description: "It stops working at once on the server that is asked, and within ten seconds on all others.",
	}, func(ctx context.Context, in *struct {
		IDInput
		KeyID uuid.UUID `path:"key_id" format:"uuid"`
	},
	) (*struct{}, error) {
		return nil, a.Tenants.RevokeKey(ctx, in.ID, in.KeyID)
	})
}
