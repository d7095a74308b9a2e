package catalog

import (
	"encoding/json"
	"fmt"

	"holdfast/internal/settings"
	"holdfast/internal/timetable"
)

// ServiceSpec is what a tenant says of a service: requests give it, the API shows it, and it is stored so. A new field
// of services is a field here, and its rules.
type ServiceSpec struct {
	Name        string `json:"name" minLength:"1" maxLength:"200" example:"Harbour tour"`
	Description string `json:"description,omitempty" maxLength:"2000" example:"An hour on the water, with coffee." doc:"For the people who book it. It may have several lines."`
	timetable.Spec
	Metadata  Metadata                `json:"metadata" required:"false"`
	Reminders []settings.ReminderBody `json:"reminders,omitzero" maxItems:"10" nullable:"false" doc:"In place of the tenant's; absent if the service has none of its own. An empty list sends none."`

	Terms
}

// stored returns what is stored of a service. Its resources are stored as links.
func (svc ServiceSpec) stored() (json.RawMessage, error) {
	svc.ResourceIDs = nil // needs keep their groups
	stored, err := json.Marshal(svc)
	if err != nil {
		return nil, fmt.Errorf("encode a service: %w", err)
	}
	return stored, nil
}

// WithDefaults returns the service with what it doesn't say: see Spec.WithDefaults.
func (svc ServiceSpec) WithDefaults() ServiceSpec {
	svc.Spec = svc.Spec.WithDefaults()
	if len(svc.Metadata) == 0 {
		svc.Metadata = Metadata("{}")
	}
	return svc
}
