package store

import (
	"context"

	"github.com/google/uuid"

	"holdfast/internal/db/internal/core"
	"holdfast/internal/db/internal/dbsqlc"
)

type (
	// BookingMessageData is what a message about a booking tells and depends on besides the booking. Reminders are JSON, nil if the
	// service has none of its own. Template is a JSON object, empty if the tenant has no template of the kind.
	BookingMessageData = dbsqlc.MessageDataOfBookingRow
	// CustomerMessageData is what a message about a customer tells and depends on besides the customer. Template is as in
	// BookingMessageData.
	CustomerMessageData = dbsqlc.MessageDataOfTenantRow
)

// BookingMessageData returns a booking with what a message about it tells and depends on. template is the kind of an email, or empty.
// Errors: problem.NotFound, problem.DatabaseUnavailable.
func (s *Store) BookingMessageData(ctx context.Context, tenant, booking uuid.UUID,
	template string,
) (b Booking, d BookingMessageData, err error) {
	err = s.db.ReadOnly(ctx, "read a booking's message data", tenant, func(t *core.Tx) {
		t.AtOneMoment() // the customer's version is that of the customer whom the booking shows
		core.Query(t, "read the booking", &b, func(q *dbsqlc.Queries) (Booking, error) { return q.BookingGet(t.Ctx, tenant, booking) })
		core.Query(t, "read its message data", &d, func(q *dbsqlc.Queries) (BookingMessageData, error) {
			return q.MessageDataOfBooking(t.Ctx, dbsqlc.MessageDataOfBookingParams{
				TenantID: tenant, BookingID: booking, Template: template,
			})
		})
	})
	return b, d, err
}

// CustomerMessageData returns a customer with what a message about it tells and depends on. template is the kind of an email, or empty.
// Errors: problem.NotFound, problem.DatabaseUnavailable.
func (s *Store) CustomerMessageData(ctx context.Context, tenant, customer uuid.UUID,
	template string,
) (c Customer, d CustomerMessageData, err error) {
	err = s.db.ReadOnly(ctx, "read a customer's message data", tenant, func(t *core.Tx) {
		core.Query(t, "read the customer", &c, func(q *dbsqlc.Queries) (Customer, error) { return q.CustomerGet(t.Ctx, tenant, customer) })
		core.Query(t, "read its message data", &d, func(q *dbsqlc.Queries) (CustomerMessageData, error) {
			return q.MessageDataOfTenant(t.Ctx, tenant, template)
		})
	})
	return c, d, err
}
