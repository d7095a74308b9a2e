package httpapi

import (
	"github.com/google/uuid"

	"holdfast/internal/problem"
)

// ResourcesInput is part of the requests that name the resources of a booking. It is exported because huma sees embedded structs only if
// they are.
type ResourcesInput struct {
	ResourceID  *uuid.UUID  `json:"resource_id,omitempty" format:"uuid" doc:"A resource that the booking must have. Without it and resource_ids, a new booking gets one that fits, by choose of the service's needs and otherwise the first of the list, and one that moves keeps its own, unless the service doesn't list it."`
	ResourceIDs []uuid.UUID `json:"resource_ids,omitempty" minItems:"1" maxItems:"100" nullable:"false" uniqueItems:"true" format:"uuid" doc:"Several resources that the booking must have, of a service with several needs. Several of one need are joined. A need of which none is named gets one by its choose. Either this or resource_id."`
}

// wanted returns the resources that are named. Errors: problem.ValidationFailed.
func (r ResourcesInput) wanted() ([]uuid.UUID, error) {
	if r.ResourceID == nil {
		return r.ResourceIDs, nil
	}
	if r.ResourceIDs != nil {
		return nil, problem.Invalid("resource_ids", "excluded", "Leave out resource_id or resource_ids.")
	}
	return []uuid.UUID{*r.ResourceID}, nil
}
