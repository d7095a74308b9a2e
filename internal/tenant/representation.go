package tenant

import (
	"time"

	"github.com/google/uuid"

	"holdfast/internal/idempotency"
)

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

// Identity is what the operator says of a tenant.
type Identity struct {
	Slug     string `json:"slug" pattern:"^[a-z0-9][a-z0-9-]{0,62}$" expected:"1 to 63 lower-case letters, digits and hyphens, and no hyphen first" example:"harbour" doc:"Unique name for people and logs."`
	Name     string `json:"name" minLength:"1" maxLength:"200" example:"Harbour Tours"`
	TimeZone string `json:"time_zone" minLength:"1" maxLength:"64" example:"Europe/Berlin" doc:"IANA time zone in which the tenant's dates lie."`
	Currency string `json:"currency" pattern:"^[A-Z]{3}$" example:"EUR" doc:"ISO 4217."`
}

// OperatorTenantBody is a tenant as the operator sees it.
type OperatorTenantBody struct {
	ID uuid.UUID `json:"id" format:"uuid"`
	Identity
	Status       Status    `json:"status" doc:"suspended: its API keys are refused. deleting: all that it has is being deleted. deleted: nothing is left but its id."`
	StatusReason string    `json:"status_reason,omitempty" example:"Invoice 4711 is unpaid." doc:"Why the tenant is suspended, for the operator."`
	StatusSince  time.Time `json:"status_since" doc:"Since when it has the status."`
	Version      int64     `json:"version" example:"1" doc:"Grows with every change of the tenant and of its settings; the ETag is its text."`
	CreatedAt    time.Time `json:"created_at"`
}

// Body returns the tenant as the operator's API shows it.
func (t Listed) Body() OperatorTenantBody {
	return OperatorTenantBody{
		ID:           t.ID,
		Identity:     Identity{Slug: t.Slug, Name: t.Name, TimeZone: t.TimeZone, Currency: t.Currency},
		Status:       t.Status,
		StatusReason: t.Reason,
		StatusSince:  t.Since,
		Version:      t.Version,
		CreatedAt:    t.CreatedAt,
	}
}

// made returns the outcome of a request that made the tenant with a key, which is shown once and never stored.
func (t Tenant) made(keyID uuid.UUID, key string) (idempotency.Outcome, error) {
	body := TenantBody{
		ID:        t.ID,
		Slug:      t.Slug,
		Name:      t.Name,
		TimeZone:  t.Location.String(),
		Currency:  t.Currency,
		APIKeyID:  keyID,
		CreatedAt: t.CreatedAt.UTC(),
	}
	withKey := body
	withKey.APIKey = key
	return madeOnce(tenantKind, t.ID, body, withKey)
}
