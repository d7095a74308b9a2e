package tenant

import (
	"strings"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/bounds"
	"holdfast/internal/operation"
	"holdfast/internal/problem"
)

// KeyRequest asks for an API key.
type KeyRequest struct {
	Name   string            `json:"name" minLength:"1" maxLength:"200" example:"Till at the pier"`
	Scopes []operation.Scope `json:"scopes" nullable:"false" minItems:"1" maxItems:"7" doc:"What the key may do. No scope includes another one."`
}

// check returns the key's scopes. Errors: problem.ValidationFailed.
func (r KeyRequest) check() (Scopes, error) {
	if err := bounds.Check("", r); err != nil {
		return nil, err
	}
	if err := problem.CheckText("name", r.Name); err != nil {
		return nil, err
	}
	return newScopes(r.Scopes)
}

// KeyChange changes an API key. What is nil stays.
type KeyChange struct {
	Name   *string           `json:"name,omitempty" minLength:"1" maxLength:"200" example:"Till at the pier"`
	Scopes []operation.Scope `json:"scopes,omitempty" nullable:"false" minItems:"1" maxItems:"7" doc:"Replaces all scopes."`
}

// check returns the key's new scopes, nil if they stay. Errors: problem.ValidationFailed.
func (c KeyChange) check() (Scopes, error) {
	if err := bounds.Check("", c); err != nil {
		return nil, err
	}
	if c.Name != nil {
		if err := problem.CheckText("name", *c.Name); err != nil {
			return nil, err
		}
	}
	if c.Scopes == nil {
		return nil, nil
	}
	return newScopes(c.Scopes)
}

// KeyRotation says how an API key is replaced.
type KeyRotation struct {
	OverlapMinutes *int `json:"overlap_minutes,omitempty" minimum:"0" maximum:"10080" example:"60" doc:"For how long the old key goes on working; 1440 if absent. 0 ends it at once."`
}

// defaultOverlap is for how long a replaced key goes on working if the request doesn't say it.
const defaultOverlap = 24 * time.Hour

// overlap returns for how long the old key goes on working. Errors: problem.ValidationFailed.
func (r KeyRotation) overlap() (time.Duration, error) {
	if r.OverlapMinutes == nil {
		return defaultOverlap, nil
	}
	return time.Duration(*r.OverlapMinutes) * time.Minute, bounds.Check("", r)
}

// IssueRequest asks for an API key of a tenant, on the operator's behalf.
type IssueRequest struct {
	Name   string            `json:"name,omitempty" minLength:"1" maxLength:"200" example:"Till at the pier"`
	Scopes []operation.Scope `json:"scopes,omitempty" nullable:"false" minItems:"1" maxItems:"7" doc:"All if absent. No scope includes another one."`
}

// check returns the key's scopes. Errors: problem.ValidationFailed.
func (r IssueRequest) check() (Scopes, error) {
	if err := bounds.Check("", r); err != nil {
		return nil, err
	}
	if r.Name != "" {
		if err := problem.CheckText("name", r.Name); err != nil {
			return nil, err
		}
	}
	if r.Scopes == nil {
		return AllScopes(), nil
	}
	return newScopes(r.Scopes)
}

// CreateRequest asks for a tenant.
type CreateRequest Identity

// check returns the tenant's time zone. Errors: problem.ValidationFailed, also for a time zone or a currency that
// doesn't exist.
func (r CreateRequest) check() (*time.Location, error) {
	if id, ok := strings.CutPrefix(r.Slug, deletedSlug); ok && uuid.Validate(id) == nil {
		return nil, problem.Invalid("slug", "pattern", "A slug like this is kept for a deleted tenant.")
	}
	if err := bounds.Check("", r); err != nil {
		return nil, err
	}
	if err := problem.CheckText("name", r.Name); err != nil {
		return nil, err
	}
	loc, err := LoadLocation("time_zone", r.TimeZone)
	if err != nil {
		return nil, err
	}
	return loc, CheckCurrency("currency", r.Currency)
}

// SuspendRequest says why a tenant is suspended.
type SuspendRequest struct {
	Reason string `json:"reason,omitempty" maxLength:"500" example:"Invoice 4711 is unpaid." doc:"For the operator: the tenant isn't shown it."`
}
