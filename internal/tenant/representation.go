package tenant

import (
	"time"

	"github.com/google/uuid"

	"holdfast/internal/idempotency"
)

// tenantsPath is where the API has tenants.
const tenantsPath = "/admin/v1/tenants/"

// TenantBody is a tenant with its first API key.
type TenantBody struct {
	ID        uuid.UUID `json:"id" format:"uuid"`
	Slug      string    `json:"slug"`
	Name      string    `json:"name"`
	TimeZone  string    `json:"time_zone"`
	Currency  string    `json:"currency"`
	APIKeyID  uuid.UUID `json:"api_key_id" format:"uuid"`
	APIKey    string    `json:"api_key,omitempty" example:"hf_…" doc:"Shown this once: it is not stored, and a retried request is answered without it."`
	CreatedAt time.Time `json:"created_at"`
}

// OperatorTenantBody is a tenant as the operator sees it.
type OperatorTenantBody struct {
	ID        uuid.UUID `json:"id" format:"uuid"`
	Slug      string    `json:"slug" example:"harbour"`
	Name      string    `json:"name" example:"Harbour Tours"`
	TimeZone  string    `json:"time_zone" example:"Europe/Berlin"`
	Currency  string    `json:"currency" example:"EUR"`
	CreatedAt time.Time `json:"created_at"`
}

// newTenantResponses returns the response that is sent for a new tenant, and the one that is stored and sent on a retry: the same
// without the key, which is shown once and never stored.
func (t Tenant) newTenantResponses(keyID uuid.UUID, key string) (sent, stored idempotency.Response, err error) {
	body := TenantBody{
		ID: t.ID, Slug: t.Slug, Name: t.Name, TimeZone: t.Location.String(), Currency: t.Currency, APIKeyID: keyID,
		CreatedAt: t.CreatedAt.UTC(),
	}
	withKey := body
	withKey.APIKey = key
	return twoResponses(tenantsPath+t.ID.String(), withKey, body)
}
