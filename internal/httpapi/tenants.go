package httpapi

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

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
	const path = "/admin/v1/tenants"
	tags := []string{"Administration"}
	security := []map[string][]string{{schemeAdminKey: {}}}

	huma.Register(a.huma, idempotent[tenant.TenantBody](a, huma.Operation{
		OperationID: "create-tenant", Method: http.MethodPost, Path: path, DefaultStatus: http.StatusCreated,
		Summary: "Add a tenant", Tags: tags, Security: security, Errors: []int{400, 401, 403, 409, 413, 415, 422, 503},
	}), func(ctx context.Context, in *struct{ Body newTenantBody }) (*storedOutput, error) {
		return stored(a.Tenants.Create(ctx, idempotencyOf(ctx), tenant.New(in.Body)))
	})

	huma.Register(a.huma, idempotent[tenant.APIKeyBody](a, huma.Operation{
		OperationID: "create-api-key", Method: http.MethodPost, Path: path + "/{id}/api-keys", DefaultStatus: http.StatusCreated,
		Summary: "Issue another API key", Tags: tags, Security: security, Errors: []int{400, 401, 403, 404, 409, 413, 415, 422, 503},
	}), func(ctx context.Context, in *IDInput) (*storedOutput, error) {
		if err := noBody(ctx); err != nil {
			return nil, err
		}
		return stored(a.Tenants.IssueKey(ctx, idempotencyOf(ctx), in.ID))
	})

	huma.Register(a.huma, huma.Operation{
		OperationID: "revoke-api-key", Method: http.MethodDelete, Path: path + "/{id}/api-keys/{key_id}", DefaultStatus: http.StatusNoContent,
		Summary: "Revoke an API key", Description: "It stops working at once on the server that is asked, and within ten seconds on all others.",
		Tags: tags, Security: security, Errors: []int{400, 401, 403, 404, 503},
	}, func(ctx context.Context, in *struct {
		IDInput
		KeyID uuid.UUID `path:"key_id" format:"uuid"`
	},
	) (*struct{}, error) {
		if err := a.Tenants.RevokeKey(ctx, in.ID, in.KeyID); err != nil {
			return nil, err
		}
		return nil, nil
	})
}
