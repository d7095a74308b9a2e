package person

import (
	"slices"

	"github.com/google/uuid"

	"holdfast/internal/db"
	"holdfast/internal/person/internal/rowsql"
)

// erasure is what a transaction takes out of the tables.
type erasure struct {
	// customers are the customer and the customers who were merged into it.
	customers []uuid.UUID
	// bookings are all of the customer, changed those of them that have texts to erase, wallets those of the customer.
	// former are bookings that have another customer now.
	bookings, changed, wallets, former []uuid.UUID
	// details are the names in the records of changes that are erased with the bookings' details.
	details []string
	// ended are the kinds of the scheduled events that end, reason is why, as the tenant sees it.
	ended  []string
	reason string
	// delivery is the kind of the events that deliver webhooks.
	delivery string
	// status and body are what replaces the stored responses that show the customer or one of the bookings.
	status int
	body   []byte
}

// queueErasure queues what an erasure takes out of the tables. What the transaction writes afterwards is not taken out.
func queueErasure(tx *db.WriteTx, e erasure) {
	subjects := slices.Concat(e.customers, e.bookings, e.wallets)
	for _, s := range []struct {
		name string
		run  func(q *rowsql.Queries) error
	}{
		{"erase bookings", func(q *rowsql.Queries) error {
			return q.EraseBookings(tx.Context(),
				rowsql.EraseBookingsParams{TenantID: tx.Tenant(), BookingIds: e.changed, Now: tx.Now()})
		}},
		{"erase contacts", func(q *rowsql.Queries) error {
			return q.EraseContacts(tx.Context(), tx.Tenant(),
				e.bookings)
		}},
		{"erase who paid", func(q *rowsql.Queries) error {
			return q.ErasePayers(tx.Context(), rowsql.ErasePayersParams{
				TenantID: tx.Tenant(), BookingIds: slices.Concat(e.bookings, e.former), CustomerIds: e.customers,
			})
		}},
		{"erase payments", func(q *rowsql.Queries) error {
			return q.ErasePayments(tx.Context(), tx.Tenant(), slices.Concat(e.bookings, e.former))
		}},
		{"erase wallets", func(q *rowsql.Queries) error {
			return q.EraseWalletEntries(tx.Context(), tx.Tenant(), e.wallets)
		}},
		{"end events", func(q *rowsql.Queries) error {
			return q.EraseEvents(tx.Context(), rowsql.EraseEventsParams{
				TenantID: tx.Tenant(), SubjectIds: subjects, Kinds: e.ended, Reason: e.reason, Now: tx.Now(),
			})
		}},
		{"erase the changes", func(q *rowsql.Queries) error {
			return q.EraseChanges(tx.Context(), rowsql.EraseChangesParams{
				TenantID: tx.Tenant(), SubjectIds: subjects, FormerIds: e.former, CustomerIds: e.customers,
				Details: e.details,
			})
		}},
		{"take back deliveries", func(q *rowsql.Queries) error {
			return q.EraseDeliveries(tx.Context(), rowsql.EraseDeliveriesParams{
				TenantID: tx.Tenant(), SubjectIds: slices.Concat(subjects, e.former), Kind: e.delivery, Now: tx.Now(),
			})
		}},
		{"erase attempts", func(q *rowsql.Queries) error {
			return q.EraseAttempts(tx.Context(), rowsql.EraseAttemptsParams{
				TenantID: tx.Tenant(), SubjectIds: subjects, FormerIds: e.former, CustomerIds: e.customers,
				Kind: e.delivery,
			})
		}},
		{"erase responses", func(q *rowsql.Queries) error {
			return q.EraseResponses(tx.Context(), rowsql.EraseResponsesParams{
				TenantID:    tx.Tenant(),
				SubjectIds:  subjects,
				FormerIds:   e.former,
				CustomerIds: e.customers,
				BookingIds:  e.bookings,
				Status:      int32(e.status),
				Body:        e.body,
			})
		}},
		{"erase the metadata of payments", func(q *rowsql.Queries) error {
			return q.ErasePaymentMetadata(tx.Context(), rowsql.ErasePaymentMetadataParams{
				TenantID: tx.Tenant(), BookingIds: e.bookings, FormerIds: e.former, CustomerIds: e.customers,
			})
		}},
	} {
		db.Exec(unlocked.On(tx), s.name, s.run)
	}
	tx.Wake(e.delivery)
}
