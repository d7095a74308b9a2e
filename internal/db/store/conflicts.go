package store

import (
	"context"
	"time"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"

	"holdfast/internal/claim"
	"holdfast/internal/db"
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
func (s *Store) Fit(ctx context.Context, tenant uuid.UUID, ask FitQuery) (f Fit, err error) {
	var rows []dbsqlc.ClaimListRow
	err = s.DB().Read(ctx, "read what bookings must fit", tenant, func(tx *db.Tx) {
		db.Query(unlocked.On(tx), "read the clock", &f.Now, func(q *dbsqlc.Queries) (time.Time, error) {
			return q.SessionClock(tx.Context())
		})
		db.Query(unlocked.On(tx), "read the resources", &f.Resources, func(q *dbsqlc.Queries) ([]Resource, error) {
			return q.ResourceListByIDs(tx.Context(), tenant, ask.Resources)
		})
		db.Query(unlocked.On(tx), "read the tenant's hours", &f.TenantHours, func(q *dbsqlc.Queries) (TenantHours, error) {
			return q.TenantHoursGet(tx.Context(), tenant)
		})
		db.Query(unlocked.On(tx), "read the services", &f.Services, func(q *dbsqlc.Queries) ([]ServiceState, error) {
			return q.ServiceListStates(tx.Context(), tenant, ask.Services)
		})
		db.Query(unlocked.On(tx), "read the closures", &f.Closures, func(q *dbsqlc.Queries) ([]Closure, error) {
			return q.ClosureListSince(tx.Context(), tenant, ask.Since)
		})
		if len(ask.Occupied) > 0 {
			queueOccupied(tx, ask.Occupied, &rows)
		}
	})
	f.Occupied = claimsOf(rows)
	return f, err
}
