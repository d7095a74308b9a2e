package store

import (
	"math"
	"slices"
	"time"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"

	"holdfast/internal/db/internal/core"
	"holdfast/internal/db/internal/dbsqlc"
)

// erasureTimeout bounds each statement of an erasure or a merge, which writes several rows for each booking of a customer. With the default
// lock timeout, the response comes before the server ends the connection.
const erasureTimeout = 45 * time.Second

// Erasure is what a transaction takes out of the tables.
type Erasure struct {
	// Customers are the customer and those who were merged into it.
	Customers []uuid.UUID
	// Bookings are all of the customer, Changed those of them that have texts to erase, Wallets those of the customer. Former are bookings
	// that have another customer now.
	Bookings, Changed, Wallets, Former []uuid.UUID
	// Details are the names in the records of changes that are erased with the bookings' details.
	Details []string
	// Ended are the kinds of the scheduled events that end, Reason is why, as the tenant sees it.
	Ended  []string
	Reason string
	// Delivery is the kind of the events that deliver webhooks.
	Delivery string
	// Status and Body are what replaces the stored responses that show the customer or one of the bookings.
	Status int
	Body   []byte
}

// queueBookingsLock queues the locks of a customer's bookings. It comes before the lock of the customer's row.
func queueBookingsLock(t *core.Tx, tenant, customer uuid.UUID, locked *[]uuid.UUID) {
	core.Query(t, "lock the customer's bookings", locked, func(q *dbsqlc.Queries) ([]uuid.UUID, error) {
		return q.CustomerBookingLock(t.Ctx, tenant, customer)
	})
}

// queueBookingsRead queues the reading of a customer's bookings and wallets, whose row is locked: it gets no more of them.
func queueBookingsRead(t *core.Tx, tenant, customer uuid.UUID, st *WriteState) {
	t.PlanForValues()
	core.Query(t, "list the customer's bookings", &st.Bookings, func(q *dbsqlc.Queries) ([]Booking, error) {
		rows, err := q.BookingList(t.Ctx, dbsqlc.BookingListParams{
			TenantID: tenant, CustomerID: &customer, AfterDate: civil.Date{Year: 1, Month: 1, Day: 1},
			ToDate:   civil.Date{Year: 9999, Month: 12, Day: 31},
			RowLimit: math.MaxInt32,
		})
		return convert(rows, func(r dbsqlc.BookingListRow) Booking { return Booking(r) }), err
	})
	core.Query(t, "find later changes of the bookings", &st.Overtaken, func(q *dbsqlc.Queries) (bool, error) {
		return q.CustomerBookingsOvertaken(t.Ctx, tenant, customer)
	})
	core.Query(t, "list the customer's wallets", &st.Wallets, func(q *dbsqlc.Queries) ([]uuid.UUID, error) {
		return q.CustomerWalletIDs(t.Ctx, tenant, customer)
	})
	core.Query(t, "list who was merged into the customer", &st.EarlierMerged, func(q *dbsqlc.Queries) ([]uuid.UUID, error) {
		return q.CustomersMergedInto(t.Ctx, tenant, customer)
	})
	core.Query(t, "list the customer's former bookings", &st.FormerBookings, func(q *dbsqlc.Queries) ([]uuid.UUID, error) {
		return q.FormerBookings(t.Ctx, tenant, customer)
	})
}

// Erase queues what an erasure takes out of the tables. What the transaction writes afterwards is not taken out.
func (tx *WriteTx) Erase(e Erasure) {
	t := tx.t
	subjects := slices.Concat(e.Customers, e.Bookings, e.Wallets)
	for _, s := range []struct {
		name string
		run  func(q *dbsqlc.Queries) error
	}{
		{"erase bookings", func(q *dbsqlc.Queries) error {
			return q.EraseBookings(t.Ctx, dbsqlc.EraseBookingsParams{TenantID: tx.tenant, BookingIds: e.Changed, Now: t.Now})
		}},
		{"erase contacts", func(q *dbsqlc.Queries) error { return q.EraseContacts(t.Ctx, tx.tenant, e.Bookings) }},
		{"erase who paid", func(q *dbsqlc.Queries) error {
			return q.ErasePayers(t.Ctx, dbsqlc.ErasePayersParams{
				TenantID: tx.tenant, BookingIds: slices.Concat(e.Bookings, e.Former), CustomerIds: e.Customers,
			})
		}},
		{"erase payments", func(q *dbsqlc.Queries) error {
			return q.ErasePayments(t.Ctx, tx.tenant, slices.Concat(e.Bookings, e.Former))
		}},
		{"erase wallets", func(q *dbsqlc.Queries) error { return q.EraseWalletEntries(t.Ctx, tx.tenant, e.Wallets) }},
		{"end events", func(q *dbsqlc.Queries) error {
			return q.EraseEvents(t.Ctx, dbsqlc.EraseEventsParams{
				TenantID: tx.tenant, SubjectIds: subjects, Kinds: e.Ended, Reason: e.Reason, Now: t.Now,
			})
		}},
		{"erase the changes", func(q *dbsqlc.Queries) error {
			return q.EraseChanges(t.Ctx, dbsqlc.EraseChangesParams{TenantID: tx.tenant, SubjectIds: subjects, FormerIds: e.Former,
				CustomerIds: e.Customers, Details: e.Details})
		}},
		{"take back deliveries", func(q *dbsqlc.Queries) error {
			return q.EraseDeliveries(t.Ctx, dbsqlc.EraseDeliveriesParams{
				TenantID: tx.tenant, SubjectIds: slices.Concat(subjects, e.Former), Kind: e.Delivery, Now: t.Now,
			})
		}},
		{"erase attempts", func(q *dbsqlc.Queries) error {
			return q.EraseAttempts(t.Ctx, dbsqlc.EraseAttemptsParams{
				TenantID: tx.tenant, SubjectIds: subjects, FormerIds: e.Former, CustomerIds: e.Customers, Kind: e.Delivery,
			})
		}},
		{"erase responses", func(q *dbsqlc.Queries) error {
			return q.EraseResponses(t.Ctx, dbsqlc.EraseResponsesParams{
				TenantID: tx.tenant, SubjectIds: subjects, FormerIds: e.Former, CustomerIds: e.Customers, BookingIds: e.Bookings,
				Status: int32(e.Status), Body: e.Body,
			})
		}},
		{"erase the metadata of payments", func(q *dbsqlc.Queries) error {
			return q.ErasePaymentMetadata(t.Ctx, dbsqlc.ErasePaymentMetadataParams{
				TenantID: tx.tenant, BookingIds: e.Bookings, FormerIds: e.Former, CustomerIds: e.Customers,
			})
		}},
	} {
		core.Exec(t, s.name, s.run)
	}
	tx.q.Wake(e.Delivery)
}
