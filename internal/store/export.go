package store

import (
	"context"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"

	"holdfast/internal/store/internal/dbsqlc"
)

// Rows of a customer's export.
type (
	// ExportedPayment is a payment or refund of a booking. Amounts are minor units of the currency.
	ExportedPayment = dbsqlc.ExportPaymentsRow
	// ExportedEntry is an entry of a wallet.
	ExportedEntry = dbsqlc.ExportWalletEntriesRow
	// ExportedEvent is a scheduled event about the customer or a booking.
	ExportedEvent = dbsqlc.ExportEventsRow
)

// CustomerExport is what is stored of a customer, each list in the order of its times or ids.
type CustomerExport struct {
	Customer Customer
	Bookings []Booking
	Payments []ExportedPayment
	Wallets  []Wallet
	Entries  []ExportedEntry
	Events   []ExportedEvent
	History  []StoredHistoryEntry
}

// ExportCustomer reads what is stored of a customer, of each list at most limit rows. It takes no lock and one round trip; what changes meanwhile may be
// in one list and not yet in another. Errors: problem.NotFound, problem.DatabaseUnavailable.
func (s *Store) ExportCustomer(ctx context.Context, tenant, id uuid.UUID, limit int) (e CustomerExport, err error) {
	rows := int32(limit)
	err = s.readOnly(ctx, "export a customer", tenant, func(t *tx) {
		query(&t.batch, "read the customer", &e.Customer, func(q *dbsqlc.Queries) (Customer, error) { return q.CustomerGet(t.ctx, tenant, id) })
		exec(&t.batch, "plan for values", func(q *dbsqlc.Queries) error { return q.SessionPlanForValues(t.ctx) })
		query(&t.batch, "list the customer's bookings", &e.Bookings, func(q *dbsqlc.Queries) ([]Booking, error) {
			list, err := q.BookingList(t.ctx, dbsqlc.BookingListParams{
				TenantID: tenant, CustomerID: &id, AfterDate: civil.Date{Year: 1, Month: 1, Day: 1}, ToDate: civil.Date{Year: 9999, Month: 12, Day: 31},
				RowLimit: rows,
			})
			return convert(list, func(r dbsqlc.BookingListRow) Booking { return Booking(r) }), err
		})
		query(&t.batch, "list the payments", &e.Payments, func(q *dbsqlc.Queries) ([]ExportedPayment, error) {
			return q.ExportPayments(t.ctx, dbsqlc.ExportPaymentsParams{TenantID: tenant, CustomerID: id, RowLimit: rows})
		})
		query(&t.batch, "list the wallets", &e.Wallets, func(q *dbsqlc.Queries) ([]Wallet, error) {
			return q.WalletListOfCustomer(t.ctx, dbsqlc.WalletListOfCustomerParams{TenantID: tenant, CustomerID: id, RowLimit: rows})
		})
		query(&t.batch, "list the wallets' entries", &e.Entries, func(q *dbsqlc.Queries) ([]ExportedEntry, error) {
			return q.ExportWalletEntries(t.ctx, dbsqlc.ExportWalletEntriesParams{TenantID: tenant, CustomerID: id, RowLimit: rows})
		})
		query(&t.batch, "list the scheduled events", &e.Events, func(q *dbsqlc.Queries) ([]ExportedEvent, error) {
			return q.ExportEvents(t.ctx, dbsqlc.ExportEventsParams{TenantID: tenant, CustomerID: id, RowLimit: rows})
		})
		query(&t.batch, "list the history", &e.History, func(q *dbsqlc.Queries) ([]StoredHistoryEntry, error) {
			list, err := q.ExportHistory(t.ctx, dbsqlc.ExportHistoryParams{TenantID: tenant, CustomerID: id, RowLimit: rows})
			return convert(list, func(r dbsqlc.ExportHistoryRow) StoredHistoryEntry { return StoredHistoryEntry(r) }), err
		})
	})
	return e, err
}
