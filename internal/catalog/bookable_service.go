package catalog

import (
	"cmp"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/etag"
	"holdfast/internal/timetable"
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
func (svc BookableService) ETag() string { return etag.Of(svc.Version) }

// Sold returns the service for the rules of the timetable.
func (svc BookableService) Sold() timetable.Service {
	return timetable.Service{
		ID: svc.ID, Name: svc.Name, Spec: svc.Spec, Currency: svc.Currency, Archived: svc.ArchivedAt != nil,
	}
}

// row returns what is stored of a service.
func (svc BookableService) row() (serviceRow, error) {
	spec, err := svc.stored()
	return serviceRow{
		ServiceID: svc.ID, Spec: spec, ResourceIds: svc.AllResourceIDs(), LongestMinutes: int32(svc.LongestMinutes()),
		ArchivedAt: svc.ArchivedAt,
	}, err
}

// serviceFromRow returns the service of a row. It returns an error for a row that can't be read.
func serviceFromRow(row serviceRow) (svc BookableService, err error) {
	if err := json.Unmarshal(row.Spec, &svc.ServiceSpec); err != nil {
		return svc, fmt.Errorf("read a service: %w", err)
	}
	svc.ID, svc.Currency, svc.ArchivedAt = row.ServiceID, row.Currency, row.ArchivedAt
	if len(svc.Needs) == 0 {
		svc.ResourceIDs = row.ResourceIds
	}
	svc.Occupies = cmp.Or(svc.Occupies, timetable.OccupiesUnits) // 0.1.0 didn't say it
	svc.CreatedAt, svc.UpdatedAt, svc.Version = row.CreatedAt, row.UpdatedAt, row.Version
	return svc, nil
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

// JSONSize returns about how many bytes of JSON the unbounded parts of a service have. A page ends by it.
func (svc BookableService) JSONSize() int {
	const id, rate, unit, step, date = 39, 200, 500, 60, 13
	n := len(svc.Metadata) + id*len(svc.AllResourceIDs()) + unit*len(svc.UnitTypes) +
		step*len(svc.CancellationPolicy.Steps)
	n += rate * (len(svc.ArrivalRules) + len(svc.StartTimes))
	for i := range svc.StartTimes {
		n += date * (len(svc.StartTimes[i].Dates) + len(svc.StartTimes[i].At))
	}
	for _, r := range svc.Rates {
		n += rate + id*len(r.UnitPrices)
	}
	return n
}

// Body returns the service as the API shows it.
func (svc BookableService) Body() ServiceBody {
	return ServiceBody{
		ID: svc.ID, ServiceSpec: svc.ServiceSpec, Currency: svc.Currency,
		ArchivedBody: archivedBody(svc.ArchivedAt, svc.Version),
		CreatedAt:    svc.CreatedAt.UTC(), UpdatedAt: svc.UpdatedAt.UTC(),
	}
}
