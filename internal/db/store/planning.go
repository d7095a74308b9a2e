package store

import (
	"context"

	"github.com/google/uuid"

	"holdfast/internal/db/internal/core"
	"holdfast/internal/db/internal/dbsqlc"
)

// PlannedEvent is an event that was planned about a subject.
type PlannedEvent = dbsqlc.PlanningListEventsRow

// PlannedEvents lists events about a subject of some kinds, whatever became of them. Errors: problem.DatabaseUnavailable.
func (s *Store) PlannedEvents(ctx context.Context, tenant, subject uuid.UUID, kinds ...string) ([]PlannedEvent, error) {
	return core.ReadOne(ctx, s.db, "list planned events", tenant, func(ctx context.Context, q *dbsqlc.Queries) ([]PlannedEvent, error) {
		return q.PlanningListEvents(ctx, dbsqlc.PlanningListEventsParams{TenantID: tenant, SubjectID: subject, Kinds: kinds})
	})
}

// Greeted lists which of a customer and those who were merged into it have had an occurrence of a kind of greeting, or have none on
// request, by id. Errors: problem.DatabaseUnavailable.
func (s *Store) Greeted(ctx context.Context, tenant, customer uuid.UUID, kind, occurrence string) ([]uuid.UUID, error) {
	return core.ReadOne(ctx, s.db, "list who was greeted", tenant, func(ctx context.Context, q *dbsqlc.Queries) ([]uuid.UUID, error) {
		return q.PlanningListGreeted(ctx, dbsqlc.PlanningListGreetedParams{
			TenantID: tenant, Kind: kind, Occurrence: occurrence, CustomerID: customer,
		})
	})
}

// ServiceReminders are the reminders of a service, JSON.
type ServiceReminders = dbsqlc.PlanningListRemindersRow

// ServiceReminders lists the services that have reminders of their own. Errors: problem.DatabaseUnavailable.
func (s *Store) ServiceReminders(ctx context.Context, tenant uuid.UUID) ([]ServiceReminders, error) {
	return core.ReadOne(ctx, s.db, "list reminders of services", tenant,
		func(ctx context.Context, q *dbsqlc.Queries) ([]ServiceReminders, error) {
			return q.PlanningListReminders(ctx, tenant)
		})
}

// CustomersBornOn lists the customers who were born on a day of the year, such as 1210 for 10 December, and who want greetings, by id.
// Errors: problem.DatabaseUnavailable.
func (s *Store) CustomersBornOn(ctx context.Context, tenant uuid.UUID, monthDay int16, page Page) ([]Customer, error) {
	return core.ReadOne(ctx, s.db, "list customers with a birthday", tenant,
		func(ctx context.Context, q *dbsqlc.Queries) ([]Customer, error) {
			return q.PlanningListBirthdays(ctx, dbsqlc.PlanningListBirthdaysParams{
				TenantID: tenant, MonthDay: monthDay, After: page.After, RowLimit: int32(page.Limit),
			})
		})
}
