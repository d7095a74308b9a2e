package store

import (
	"context"
	"slices"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"

	"holdfast/internal/db/internal/core"
	"holdfast/internal/db/internal/dbsqlc"
	"holdfast/internal/problem"
)

// Rows of a customer's export.
type (
	// ExportedPayment is a payment or refund of a booking. Amounts are minor units of the currency.
	ExportedPayment = dbsqlc.ExportPaymentsRow
	// ExportedWallet is a wallet. Amounts are minor units of the currency.
	ExportedWallet = dbsqlc.ExportWalletsRow
	// ExportedEntry is an entry of a wallet.
	ExportedEntry = dbsqlc.ExportWalletEntriesRow
	// ExportedEvent is a scheduled event about the customer or a booking.
	ExportedEvent = dbsqlc.ExportEventsRow
	// ExportedChange is a change of the customer or a booking. Since is the version with which a booking came to the customer. With the one
	// that Leaves, the booking went to another customer, whom the data show.
	ExportedChange = dbsqlc.ExportChangesRow
)

// CustomerExport is what is stored of a customer, each list in the order of its times or ids. A list of more than the limit's rows goes on.
type CustomerExport struct {
	Customer Customer
	Bookings []Booking
	Payments []ExportedPayment
	Wallets  []ExportedWallet
	Entries  []ExportedEntry
	Events   []ExportedEvent
	Changes  []ExportedChange
	// MoreBookings and MoreChanges say that these lists, which are cut to the limit, go on.
	MoreBookings, MoreChanges bool
}

// ExportLimit bounds an export, and with it the memory and the time that it takes.
type ExportLimit struct {
	// Rows is how many rows of a list are exported; of payments, wallets, entries and events one more is read.
	Rows int
	// Bytes ends the list of bookings, and that of the changes, whatever their rows: no row follows one that reaches it.
	Bytes int
}

// ExportCustomer reads what is stored of a customer, all as it was at one moment: of the bookings the first ones by date, and what belongs
// to these. It takes no lock and two round trips. Errors: problem.NotFound, problem.DatabaseUnavailable.
func (s *Store) ExportCustomer(ctx context.Context, tenant, id uuid.UUID, limit ExportLimit) (e CustomerExport, err error) {
	attempts := s.db.Attempts("export a customer", true)
	for attempts.Next(ctx) {
		e, err = s.exportOnce(ctx, tenant, id, limit)
		attempts.End(err)
	}
	return e, attempts.Err()
}

func (s *Store) exportOnce(ctx context.Context, tenant, id uuid.UUID, limit ExportLimit) (e CustomerExport, err error) {
	t, err := s.db.Connect(ctx, tenant)
	if err != nil {
		return e, err
	}
	defer t.End()
	t.AtOneMoment()
	var found *Customer
	var merged []uuid.UUID
	var sizes []dbsqlc.ExportBookingSizesRow
	core.Optional(t, "read the customer", &found, func(q *dbsqlc.Queries) (Customer, error) { return q.CustomerGet(t.Ctx, tenant, id) })
	core.Query(t, "list who was merged into the customer", &merged, func(q *dbsqlc.Queries) ([]uuid.UUID, error) {
		return q.CustomersMergedInto(t.Ctx, tenant, id)
	})
	core.Query(t, "list the bookings' sizes", &sizes, func(q *dbsqlc.Queries) ([]dbsqlc.ExportBookingSizesRow, error) {
		return q.ExportBookingSizes(t.Ctx, dbsqlc.ExportBookingSizesParams{
			TenantID: tenant, CustomerID: id, RowLimit: int32(limit.Rows + 1),
		})
	})
	if err := t.Read(); err != nil {
		return e, err
	}
	if found == nil {
		return e, problem.Missing()
	}
	e = CustomerExport{Customer: *found}
	bookings := limit.fitting(sizes)
	e.MoreBookings = len(bookings) < len(sizes)
	queueExport(t, &e, append(merged, id), bookings, limit)
	return e, t.ReadOnce()
}

// fitting returns the bookings that the limit lets through.
func (l ExportLimit) fitting(bookings []dbsqlc.ExportBookingSizesRow) []uuid.UUID {
	ids, bytes := []uuid.UUID{}, 0
	for _, b := range bookings {
		if len(ids) == l.Rows || bytes >= l.Bytes {
			break
		}
		ids, bytes = append(ids, b.BookingID), bytes+int(b.Bytes)
	}
	return ids
}

// queueExport queues the reading of all but the customer. customers are the ids of the person.
func queueExport(t *core.Tx, e *CustomerExport, customers, bookings []uuid.UUID, limit ExportLimit) {
	id, rows := e.Customer.CustomerID, int32(limit.Rows+1)
	t.PlanForValues()
	core.Query(t, "list the bookings", &e.Bookings, func(q *dbsqlc.Queries) ([]Booking, error) {
		list, err := q.BookingList(t.Ctx, dbsqlc.BookingListParams{
			TenantID: t.Tenant, CustomerID: &id, AfterDate: civil.Date{Year: 1, Month: 1, Day: 1},
			ToDate:   civil.Date{Year: 9999, Month: 12, Day: 31},
			RowLimit: int32(len(bookings)),
		})
		return convert(list, func(r dbsqlc.BookingListRow) Booking { return Booking(r) }), err
	})
	core.Query(t, "list the payments", &e.Payments, func(q *dbsqlc.Queries) ([]ExportedPayment, error) {
		return q.ExportPayments(t.Ctx, dbsqlc.ExportPaymentsParams{
			TenantID: t.Tenant, BookingIds: bookings, CustomerIds: customers, RowLimit: rows,
		})
	})
	core.Query(t, "list the wallets", &e.Wallets, func(q *dbsqlc.Queries) ([]ExportedWallet, error) {
		return q.ExportWallets(t.Ctx, dbsqlc.ExportWalletsParams{TenantID: t.Tenant, CustomerID: id, RowLimit: rows})
	})
	core.Query(t, "list the wallets' entries", &e.Entries, func(q *dbsqlc.Queries) ([]ExportedEntry, error) {
		return q.ExportWalletEntries(t.Ctx, dbsqlc.ExportWalletEntriesParams{TenantID: t.Tenant, CustomerID: id, RowLimit: rows})
	})
	core.Query(t, "list the scheduled events", &e.Events, func(q *dbsqlc.Queries) ([]ExportedEvent, error) {
		return q.ExportEvents(t.Ctx, dbsqlc.ExportEventsParams{
			TenantID: t.Tenant, SubjectIds: slices.Concat(bookings, customers), RowLimit: rows,
		})
	})
	core.Query(t, "list the changes", &e.Changes, func(q *dbsqlc.Queries) ([]ExportedChange, error) {
		list, err := q.ExportChanges(t.Ctx, dbsqlc.ExportChangesParams{
			TenantID: t.Tenant, CustomerIds: customers, BookingIds: bookings, RowLimit: rows, MaxBytes: int64(limit.Bytes),
		})
		list = list[:min(len(list), limit.Rows)]
		e.MoreChanges = len(list) > 0 && int(list[0].Found) > len(list)
		return list, err
	})
}
