package person

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"holdfast/internal/booking"
	"holdfast/internal/customer"
	"holdfast/internal/db"
	"holdfast/internal/person/internal/rowsql"
	"holdfast/internal/problem"
)

// Rows of an export. Amounts are minor units of the currency.
type (
	paymentRow = rowsql.ExportPaymentsRow // a payment or refund of a booking
	walletRow  = rowsql.ExportWalletsRow
	entryRow   = rowsql.ExportWalletEntriesRow
	eventRow   = rowsql.ExportEventsRow // a scheduled event about the customer or a booking
	// changeRow is a change of the customer or a booking. Since is the version with which a booking came to the
	// customer. With the one that Leaves, the booking went to another customer, whom the data show.
	changeRow = rowsql.ExportChangesRow
)

// exported is what is stored of a customer, each list in the order of its times or ids. A list of more than maxExported
// rows goes on.
type exported struct {
	customer *customer.Row
	bookings []booking.Row
	payments []paymentRow
	wallets  []walletRow
	entries  []entryRow
	events   []eventRow
	changes  []changeRow
	// moreBookings and moreChanges say that these lists, which are cut to maxExported, go on.
	moreBookings, moreChanges bool
}

// exported reads what is stored of a customer, all as it was at one moment: of the bookings the first ones by date, and
// what belongs to these. Of payments, wallets, entries and events it reads one more than is exported. It takes no lock
// and two round trips. Errors: problem.NotFound, problem.DatabaseUnavailable.
func (s *Service) exported(ctx context.Context, tenant, id uuid.UUID) (e exported, err error) {
	var merged []uuid.UUID
	var sizes []rowsql.ExportBookingSizesRow
	err = s.db.ReadTwice(ctx, "export a customer", tenant, func(tx *db.Tx) {
		customer.QueueOptional(tx, id, &e.customer)
		queueMergedInto(tx, id, &merged)
		db.Query(unlocked.On(tx), "list the bookings' sizes", &sizes,
			func(q *rowsql.Queries) ([]rowsql.ExportBookingSizesRow, error) {
				return q.ExportBookingSizes(tx.Context(), rowsql.ExportBookingSizesParams{
					TenantID: tx.Tenant(), CustomerID: id, RowLimit: maxExported + 1,
				})
			})
	}, func(tx *db.Tx) error {
		if e.customer == nil {
			return problem.Missing()
		}
		bookings := fitting(sizes)
		e.moreBookings = len(bookings) < len(sizes)
		queueExport(tx, &e, id, append(merged, id), bookings)
		return nil
	})
	return e, err
}

// fitting returns the bookings that the bounds of an export let through: no row follows one that reaches
// maxExportedBytes.
func fitting(bookings []rowsql.ExportBookingSizesRow) []uuid.UUID {
	ids, bytes := []uuid.UUID{}, 0
	for _, b := range bookings {
		if len(ids) == maxExported || bytes >= maxExportedBytes {
			break
		}
		ids, bytes = append(ids, b.BookingID), bytes+int(b.Bytes)
	}
	return ids
}

// queueExport queues the reading of all but the customer. customers are the ids of the person.
func queueExport(tx *db.Tx, e *exported, id uuid.UUID, customers, bookings []uuid.UUID) {
	const rows = maxExported + 1
	tx.PlanForValues()
	booking.QueueOfCustomer(tx, "list the bookings", id, len(bookings), &e.bookings)
	db.Query(unlocked.On(tx), "list the payments", &e.payments, func(q *rowsql.Queries) ([]paymentRow, error) {
		return q.ExportPayments(tx.Context(), rowsql.ExportPaymentsParams{
			TenantID: tx.Tenant(), BookingIds: bookings, CustomerIds: customers, RowLimit: rows,
		})
	})
	db.Query(unlocked.On(tx), "list the wallets", &e.wallets, func(q *rowsql.Queries) ([]walletRow, error) {
		return q.ExportWallets(tx.Context(),
			rowsql.ExportWalletsParams{TenantID: tx.Tenant(), CustomerID: id, RowLimit: rows})
	})
	db.Query(unlocked.On(tx), "list the wallets' entries", &e.entries, func(q *rowsql.Queries) ([]entryRow, error) {
		return q.ExportWalletEntries(tx.Context(), rowsql.ExportWalletEntriesParams{
			TenantID: tx.Tenant(), CustomerID: id, RowLimit: rows,
		})
	})
	db.Query(unlocked.On(tx), "list the scheduled events", &e.events, func(q *rowsql.Queries) ([]eventRow, error) {
		return q.ExportEvents(tx.Context(), rowsql.ExportEventsParams{
			TenantID: tx.Tenant(), SubjectIds: slices.Concat(bookings, customers), RowLimit: rows,
		})
	})
	db.Query(unlocked.On(tx), "list the changes", &e.changes, func(q *rowsql.Queries) ([]changeRow, error) {
		list, err := q.ExportChanges(tx.Context(), rowsql.ExportChangesParams{
			TenantID: tx.Tenant(), CustomerIds: customers, BookingIds: bookings, RowLimit: rows,
			MaxBytes: maxExportedBytes,
		})
		list = list[:min(len(list), maxExported)]
		e.moreChanges = len(list) > 0 && int(list[0].Found) > len(list)
		return list, err
	})
}
