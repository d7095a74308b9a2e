package tenant

import (
	"time"

	"github.com/google/uuid"

	"holdfast/internal/idempotency"
	"holdfast/internal/operation"
)

// The kinds of outcomes here. A tenant finds its own keys elsewhere than the operator does.
const (
	tenantKind      = "tenant"
	ownKeyKind      = "api_key"
	operatorKeyKind = "operator_api_key"
)

// Key is an API key as it is listed. What its holder calls with is not stored.
type Key struct {
	ID, TenantID uuid.UUID
	Name         string
	Scopes       Scopes
	// Times are UTC. LastUsedAt is known to about two minutes, and nil for a key that wasn't used since this is
	// recorded. ExpiresAt is nil unless the key was replaced by another one.
	CreatedAt                        time.Time
	LastUsedAt, ExpiresAt, RevokedAt *time.Time
}

func keyOf(tenant uuid.UUID, row keyRow) Key {
	return Key{
		ID:         row.ApiKeyID,
		TenantID:   tenant,
		Name:       row.Name,
		Scopes:     scopesOf(row.Scopes),
		CreatedAt:  row.CreatedAt,
		LastUsedAt: row.LastUsedAt,
		ExpiresAt:  row.ExpiresAt,
		RevokedAt:  row.RevokedAt,
	}
}

// works reports whether the key may be used at a time.
func (k Key) works(now time.Time) bool {
	return k.RevokedAt == nil && (k.ExpiresAt == nil || k.ExpiresAt.After(now))
}

// APIKeyBody is an API key.
type APIKeyBody struct {
	ID         uuid.UUID         `json:"id" format:"uuid"`
	TenantID   uuid.UUID         `json:"tenant_id" format:"uuid"`
	Name       string            `json:"name" example:"Till at the pier"`
	Scopes     []operation.Scope `json:"scopes" nullable:"false" doc:"What the key may do. No scope includes another one."`
	CreatedAt  time.Time         `json:"created_at"`
	LastUsedAt *time.Time        `json:"last_used_at,omitempty" doc:"Known to about two minutes. Absent for a key that was not used yet."`
	ExpiresAt  *time.Time        `json:"expires_at,omitempty" doc:"When the key stops working, because another one replaced it."`
	RevokedAt  *time.Time        `json:"revoked_at,omitempty" doc:"When the key was revoked."`
}

// NewAPIKeyBody is an API key with what its holder calls with.
type NewAPIKeyBody struct {
	APIKeyBody
	APIKey string `json:"api_key,omitempty" example:"hf_…" doc:"Shown this once: it is not stored, and a retried request is answered without it."`
}

// Body returns the key as the API shows it.
func (k Key) Body() APIKeyBody {
	return APIKeyBody{
		ID:         k.ID,
		TenantID:   k.TenantID,
		Name:       k.Name,
		Scopes:     k.Scopes,
		CreatedAt:  k.CreatedAt.UTC(),
		LastUsedAt: inUTC(k.LastUsedAt),
		ExpiresAt:  inUTC(k.ExpiresAt),
		RevokedAt:  inUTC(k.RevokedAt),
	}
}

func inUTC(at *time.Time) *time.Time {
	if at == nil {
		return nil
	}
	t := at.UTC()
	return &t
}

// issued returns the outcome of a request that made the key. Its text is shown once and never stored.
func (k Key) issued(kind, text string) (idempotency.Outcome, error) {
	o, err := madeOnce(kind, k.ID, NewAPIKeyBody{APIKeyBody: k.Body()}, NewAPIKeyBody{k.Body(), text})
	o.Tenant = k.TenantID
	return o, err
}

// madeOnce returns the outcome of a request that made a thing. Its response shows once what no later response shows.
func madeOnce(kind string, id uuid.UUID, body, once any) (o idempotency.Outcome, err error) {
	if o, err = idempotency.Made(kind, id, 0, body); err == nil {
		o.Once, err = idempotency.Encode(once)
	}
	return o, err
}
