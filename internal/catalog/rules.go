package catalog

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"

	"holdfast/internal/claim"
	"holdfast/internal/db"
	"holdfast/internal/timetable"
)

// Rules are a service with all that decides when it can be booked, as of one version of the catalog.
type Rules struct {
	Service BookableService
	// Version is that of the catalog.
	Version int64
	// Settings are the tenant's, a JSON object.
	Settings json.RawMessage
	// Longest is the longest time that one claim can occupy any of the resources: of a booking, by whichever service,
	// or of a block.
	Longest time.Duration
	// Resources are those that take new bookings, with their hours.
	Resources []timetable.Resource
	Closures  []timetable.Closure
}

// ReadRules returns the rules of a service, with the closures that end on since or later, or come back yearly. It costs
// one round trip and takes no lock. Errors: problem.NotFound, problem.DatabaseUnavailable.
func ReadRules(ctx context.Context, d *db.DB, tenant, service uuid.UUID, since civil.Date) (r Rules, err error) {
	rows, err := readRules(ctx, d, tenant, service, since)
	if err != nil {
		return r, err
	}
	r.Settings, r.Version = rows.service.Settings, rows.service.CatalogVersion
	r.Longest = time.Duration(rows.around.LongestMinutes) * time.Minute
	if r.Service, err = serviceFromRow(rows.service); err != nil {
		return r, err
	}
	hours, err := hoursFromRow(tenantHoursRow{Hours: rows.around.TenantHours})
	if err != nil {
		return r, err
	}
	inherited := hours.Times()
	for _, row := range rows.resources {
		res, err := resourceFromRow(row)
		if err != nil {
			return r, err
		}
		if r.Service.ArchivedAt == nil && res.ArchivedAt == nil {
			r.Resources = append(r.Resources, res.Open(&inherited))
		}
	}
	r.Closures = closuresOf(rows.closures)
	return r, nil
}

// FitQuery asks for what decides whether some bookings fit the catalog: their resources and services, the closures that
// end on Since or later or come back yearly, and what is occupied.
type FitQuery struct {
	Resources, Services []uuid.UUID
	Since               civil.Date
	Occupied            []claim.Query
}

// Fit is what decides whether bookings fit the catalog, as of Now by the database's clock.
type Fit struct {
	Now time.Time
	// Resources have their hours. Archived are those of them that take no new bookings.
	Resources map[uuid.UUID]timetable.Resource
	Archived  map[uuid.UUID]bool
	Services  map[uuid.UUID]ServiceState
	Closures  []timetable.Closure
	// Occupied may have a booking several times if it touches several of the periods that were asked for.
	Occupied []claim.Claim
}

// ServiceState is what decides whether a booking fits its service: of the spec its kind and its start times.
type ServiceState struct {
	Spec     timetable.Spec
	Archived bool
}

// ReadFit reads what decides whether bookings fit the catalog. It costs one round trip and takes no lock. Errors:
// problem.DatabaseUnavailable.
func ReadFit(ctx context.Context, d *db.DB, tenant uuid.UUID, ask FitQuery) (Fit, error) {
	rows, err := readFit(ctx, d, tenant, ask)
	if err != nil {
		return Fit{}, err
	}
	f := Fit{
		Now: rows.now, Closures: closuresOf(rows.closures), Occupied: rows.occupied,
		Resources: make(map[uuid.UUID]timetable.Resource), Archived: make(map[uuid.UUID]bool),
		Services: make(map[uuid.UUID]ServiceState),
	}
	for _, row := range rows.services {
		state := ServiceState{Archived: row.ArchivedAt != nil}
		state.Spec.Kind = timetable.ServiceKind(row.Kind)
		if row.StartTimes != nil {
			if err := json.Unmarshal(row.StartTimes, &state.Spec.StartTimes); err != nil {
				return Fit{}, fmt.Errorf("read the start times of a service: %w", err)
			}
		}
		f.Services[row.ServiceID] = state
	}
	hours, err := hoursFromRow(rows.hours)
	if err != nil {
		return Fit{}, err
	}
	inherited := hours.Times()
	for _, row := range rows.resources {
		res, err := resourceFromRow(row)
		if err != nil {
			return Fit{}, err
		}
		f.Resources[res.ID], f.Archived[res.ID] = res.Open(&inherited), res.ArchivedAt != nil
	}
	return f, nil
}

func closuresOf(rows []closureRow) (closures []timetable.Closure) {
	for _, row := range rows {
		closures = append(closures, closureFromRow(row).Closure)
	}
	return closures
}
