package message

import (
	"context"

	"github.com/google/uuid"

	"holdfast/internal/booking"
	"holdfast/internal/customer"
	"holdfast/internal/db"
	"holdfast/internal/message/internal/rowsql"
)

// unlocked are the statements of messages, which only read.
var unlocked = db.UnderNothing(rowsql.New)

type (
	// bookingMore is what a message about a booking tells and depends on besides the booking. Reminders are JSON, nil
	// if the service has none of its own. Template is a JSON object, empty if the tenant has no template of the kind.
	bookingMore = rowsql.MessageDataOfBookingRow
	// customerMore is what a message about a customer tells and depends on besides the customer. Template is as in
	// bookingMore.
	customerMore = rowsql.MessageDataOfTenantRow
	// plannedEvent is an event that was planned about a subject.
	plannedEvent = rowsql.PlanningListEventsRow
	// serviceReminders are the reminders of a service, JSON.
	serviceReminders = rowsql.PlanningListRemindersRow
)

// readBooking returns a booking with what a message about it tells and depends on. template is the kind of an email, or
// empty. Errors, as of all reads here: problem.NotFound for a single row that isn't there, problem.DatabaseUnavailable.
func (s *Service) readBooking(ctx context.Context, tenant, id uuid.UUID,
	template string,
) (row booking.Row, more bookingMore, err error) {
	err = s.db.Read(ctx, "read a booking's message data", tenant, func(tx *db.Tx) {
		tx.AtOneMoment() // the customer's version is that of the customer whom the booking shows
		booking.Queue(tx, id, &row)
		db.Query(unlocked.On(tx), "read its message data", &more, func(q *rowsql.Queries) (bookingMore, error) {
			return q.MessageDataOfBooking(tx.Context(), rowsql.MessageDataOfBookingParams{
				TenantID: tx.Tenant(), BookingID: id, Template: template,
			})
		})
	})
	return row, more, err
}

// readCustomer returns a customer with what a message about it tells and depends on. template is the kind of an email,
// or empty.
func (s *Service) readCustomer(ctx context.Context, tenant, id uuid.UUID, template string,
) (row customer.Row, more customerMore, err error) {
	err = s.db.Read(ctx, "read a customer's message data", tenant, func(tx *db.Tx) {
		customer.Queue(tx, id, &row)
		db.Query(unlocked.On(tx), "read its message data", &more, func(q *rowsql.Queries) (customerMore, error) {
			return q.MessageDataOfTenant(tx.Context(), tx.Tenant(), template)
		})
	})
	return row, more, err
}

// plannedEvents lists events about a subject of some kinds, whatever became of them.
func (s *Service) plannedEvents(ctx context.Context, tenant, subject uuid.UUID,
	kinds ...string,
) ([]plannedEvent, error) {
	return db.ReadOne(ctx, s.db, unlocked, "list planned events", tenant,
		func(tx *db.Tx, q *rowsql.Queries) ([]plannedEvent, error) {
			return q.PlanningListEvents(tx.Context(),
				rowsql.PlanningListEventsParams{TenantID: tx.Tenant(), SubjectID: subject, Kinds: kinds})
		})
}

// greeted lists which of a customer and those who were merged into it have had an occurrence of a kind of greeting, or
// have none on request, by id.
func (s *Service) greeted(ctx context.Context, tenant, customer uuid.UUID, kind,
	occurrence string,
) ([]uuid.UUID, error) {
	return db.ReadOne(ctx, s.db, unlocked, "list who was greeted", tenant,
		func(tx *db.Tx, q *rowsql.Queries) ([]uuid.UUID, error) {
			return q.PlanningListGreeted(tx.Context(), rowsql.PlanningListGreetedParams{
				TenantID: tx.Tenant(), Kind: kind, Occurrence: occurrence, CustomerID: customer,
			})
		})
}

// remindersOfServices lists the services that have reminders of their own.
func (s *Service) remindersOfServices(ctx context.Context, tenant uuid.UUID) ([]serviceReminders, error) {
	return db.ReadOne(ctx, s.db, unlocked, "list reminders of services", tenant,
		func(tx *db.Tx, q *rowsql.Queries) ([]serviceReminders, error) {
			return q.PlanningListReminders(tx.Context(), tx.Tenant())
		})
}

// customersBornOn lists the customers who were born on a day of the year, such as 1210 for 10 December, and who want
// greetings, by id, at most limit of those after an id.
func (s *Service) customersBornOn(ctx context.Context, tenant uuid.UUID, monthDay int16, after uuid.UUID, limit int,
) ([]customer.Row, error) {
	rows, err := db.ReadOne(ctx, s.db, unlocked, "list customers with a birthday", tenant,
		func(tx *db.Tx, q *rowsql.Queries) ([]rowsql.Customer, error) {
			return q.PlanningListBirthdays(tx.Context(), rowsql.PlanningListBirthdaysParams{
				TenantID: tx.Tenant(), MonthDay: monthDay, After: after, RowLimit: int32(limit),
			})
		})
	list := make([]customer.Row, len(rows))
	for i, row := range rows {
		list[i] = customer.Row(row)
	}
	return list, err
}
