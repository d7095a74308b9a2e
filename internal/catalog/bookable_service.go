package catalog

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/etag"
	"holdfast/internal/store"
)

// BookableService is a service: what is sold, how, and by which resources.
type BookableService struct {
	ID uuid.UUID
	ServiceSpec
	// ArchivedAt is set for a service that takes no new bookings.
	ArchivedAt *time.Time
	// Version grows with every change.
	Version   int64
	CreatedAt time.Time
	UpdatedAt time.Time
	// Currency is the tenant's.
	Currency string
}

// ETag returns the strong entity tag of the service's version.
func (o BookableService) ETag() string { return etag.Of(o.Version) }

// row returns what is stored of a service.
func (o BookableService) row() (store.Service, error) {
	spec, err := o.stored()
	return store.Service{
		ServiceID: o.ID, Spec: spec, ResourceIds: o.ResourceIDs, LongestMinutes: int32(o.LongestMinutes()), ArchivedAt: o.ArchivedAt,
	}, err
}

// ServiceFromRow returns the service of a row. It returns an error for a row that can't be read.
func ServiceFromRow(row store.Service) (o BookableService, err error) {
	if err := json.Unmarshal(row.Spec, &o.ServiceSpec); err != nil {
		return o, fmt.Errorf("read a service: %w", err)
	}
	o.ID, o.ResourceIDs, o.Currency, o.ArchivedAt, o.Version = row.ServiceID, row.ResourceIds, row.Currency, row.ArchivedAt, row.Version
	o.CreatedAt, o.UpdatedAt = row.CreatedAt, row.UpdatedAt
	return o, nil
}

// ServiceBody is a service.
type ServiceBody struct {
	ID uuid.UUID `json:"id" format:"uuid"`
	ServiceSpec
	Currency string `json:"currency" example:"EUR"`
	ArchivedBody
	CreatedAt time.Time `json:"created_at"`
	UpdatedAt time.Time `json:"updated_at"`
}

// Body returns the service as the API shows it.
func (o BookableService) Body() ServiceBody {
	return ServiceBody{
		ID: o.ID, ServiceSpec: o.ServiceSpec, Currency: o.Currency, ArchivedBody: archivedBody(o.ArchivedAt, o.Version),
		CreatedAt: o.CreatedAt.UTC(), UpdatedAt: o.UpdatedAt.UTC(),
	}
}
