package store

import (
	"context"
	"time"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"

	"holdfast/internal/claim"
	"holdfast/internal/db/internal/core"
	"holdfast/internal/db/internal/dbsqlc"
)

// ServiceState is what decides whether a booking fits its service.
type ServiceState = dbsqlc.ServiceListStatesRow

// FitQuery asks for what decides whether some bookings fit the catalog: their resources and services, the closures that end on Since or
// later or come back yearly, and what is occupied.
type FitQuery struct {
	Resources, Services []uuid.UUID
	Since               civil.Date
	Occupied            []claim.Query
}

// Fit is what decides whether bookings fit the catalog, as of Now.
type Fit struct {
	Now       time.Time
	Resources []Resource
	// TenantHours are the hours that the resources can follow.
	TenantHours TenantHours
	Services    []ServiceState
	Closures    []Closure
	// Occupied may have a booking several times if it touches several of the periods that were asked for.
	Occupied []claim.Claim
}

// Fit reads what decides whether bookings fit the catalog. It takes no lock and one round trip. Errors: problem.DatabaseUnavailable.
func (s *Store) Fit(ctx context.Context, tenant uuid.UUID, q FitQuery) (f Fit, err error) {
	var rows []dbsqlc.ClaimListRow
	err = s.db.ReadOnly(ctx, "read what bookings must fit", tenant, func(t *core.Tx) {
		core.Query(t, "read the clock", &f.Now, func(db *dbsqlc.Queries) (time.Time, error) { return db.SessionClock(t.Ctx) })
		core.Query(t, "read the resources", &f.Resources, func(db *dbsqlc.Queries) ([]Resource, error) {
			return db.ResourceListByIDs(t.Ctx, tenant, q.Resources)
		})
		core.Query(t, "read the tenant's hours", &f.TenantHours, func(db *dbsqlc.Queries) (TenantHours, error) {
			return db.TenantHoursGet(t.Ctx, tenant)
		})
		core.Query(t, "read the services", &f.Services, func(db *dbsqlc.Queries) ([]ServiceState, error) {
			return db.ServiceListStates(t.Ctx, tenant, q.Services)
		})
		core.Query(t, "read the closures", &f.Closures, func(db *dbsqlc.Queries) ([]Closure, error) {
			return db.ClosureListSince(t.Ctx, tenant, q.Since)
		})
		if len(q.Occupied) > 0 {
			queueOccupied(t, q.Occupied, &rows)
		}
	})
	f.Occupied = claimsOf(rows)
	return f, err
}
