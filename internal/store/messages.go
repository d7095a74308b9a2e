package store

import (
	"context"

	"github.com/google/uuid"

	"holdfast/internal/store/internal/dbsqlc"
)

type (
	// TenantSettings are a tenant with its settings and its templates of emails, both JSON objects.
	TenantSettings = dbsqlc.SettingsGetRow
	// BookingMessageData is what a message about a booking tells and depends on besides the booking. Reminders are JSON, nil if the
	// service has none of its own. Template is a JSON object, empty if the tenant has no template of the kind.
	BookingMessageData = dbsqlc.MessageDataOfBookingRow
	// CustomerMessageData is what a message about a customer tells and depends on besides the customer. Template is as in BookingMessageData.
	CustomerMessageData = dbsqlc.MessageDataOfTenantRow
)

// TenantSettings returns a tenant with its settings. Errors: problem.NotFound, problem.DatabaseUnavailable.
func (s *Store) TenantSettings(ctx context.Context, tenant uuid.UUID) (TenantSettings, error) {
	return readOne(ctx, s, "read the settings", tenant, func(ctx context.Context, q *dbsqlc.Queries) (TenantSettings, error) {
		return q.SettingsGet(ctx, tenant)
	})
}

// BookingMessageData returns a booking with what a message about it tells and depends on. template is the kind of an email, or empty.
// Errors: problem.NotFound, problem.DatabaseUnavailable.
func (s *Store) BookingMessageData(ctx context.Context, tenant, booking uuid.UUID, template string) (b Booking, d BookingMessageData, err error) {
	err = s.readOnly(ctx, "read a booking's message data", tenant, func(t *tx) {
		t.snapshot = true // the customer's version is that of the customer whom the booking shows
		query(&t.batch, "read the booking", &b, func(q *dbsqlc.Queries) (Booking, error) { return q.BookingGet(t.ctx, tenant, booking) })
		query(&t.batch, "read its message data", &d, func(q *dbsqlc.Queries) (BookingMessageData, error) {
			return q.MessageDataOfBooking(t.ctx, dbsqlc.MessageDataOfBookingParams{TenantID: tenant, BookingID: booking, Template: template})
		})
	})
	return b, d, err
}

// CustomerMessageData returns a customer with what a message about it tells and depends on. template is the kind of an email, or empty.
// Errors: problem.NotFound, problem.DatabaseUnavailable.
func (s *Store) CustomerMessageData(ctx context.Context, tenant, customer uuid.UUID, template string) (c Customer, d CustomerMessageData, err error) {
	err = s.readOnly(ctx, "read a customer's message data", tenant, func(t *tx) {
		query(&t.batch, "read the customer", &c, func(q *dbsqlc.Queries) (Customer, error) { return q.CustomerGet(t.ctx, tenant, customer) })
		query(&t.batch, "read its message data", &d, func(q *dbsqlc.Queries) (CustomerMessageData, error) {
			return q.MessageDataOfTenant(t.ctx, tenant, template)
		})
	})
	return c, d, err
}

// SetSettings queues the tenant's name, settings and templates, and raises the versions of the settings and of the catalog. The
// settings must have been read by the transaction.
func (tx *WriteTx) SetSettings(name string, settings, templates []byte) {
	exec(&tx.t.batch, "set the settings", func(q *dbsqlc.Queries) error {
		return q.SettingsSet(tx.t.ctx, dbsqlc.SettingsSetParams{TenantID: tx.tenant, Name: name, Settings: settings, EmailTemplates: templates})
	})
}
