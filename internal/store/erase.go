package store

import (
	"errors"
	"math"
	"slices"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"

	"holdfast/internal/store/internal/dbsqlc"
)

// ErrBookingsChanged says that a customer got another booking, or that one of its bookings changed, while its bookings were being locked. The
// caller begins again.
var ErrBookingsChanged = errors.New("store: the customer's bookings changed")

// Erasure is what a transaction takes out of the tables.
type Erasure struct {
	// Customers are the customer and those who were merged into it.
	Customers []uuid.UUID
	// Bookings are all of the customer, Changed those of them that have texts to erase, Wallets those of the customer. Former are bookings that
	// have another customer now.
	Bookings, Changed, Wallets, Former []uuid.UUID
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
func queueBookingsLock(t *tx, tenant, customer uuid.UUID, locked *[]uuid.UUID) {
	query(&t.batch, "lock the customer's bookings", locked, func(q *dbsqlc.Queries) ([]uuid.UUID, error) {
		return q.CustomerBookingLock(t.ctx, tenant, customer)
	})
}

// queueBookingsRead queues the reading of a customer's bookings and wallets, whose row is locked: it gets no more of them.
func queueBookingsRead(t *tx, tenant, customer uuid.UUID, st *WriteState) {
	exec(&t.batch, "plan for values", func(q *dbsqlc.Queries) error { return q.SessionPlanForValues(t.ctx) })
	query(&t.batch, "list the customer's bookings", &st.Bookings, func(q *dbsqlc.Queries) ([]Booking, error) {
		rows, err := q.BookingList(t.ctx, dbsqlc.BookingListParams{
			TenantID: tenant, CustomerID: &customer, AfterDate: civil.Date{Year: 1, Month: 1, Day: 1}, ToDate: civil.Date{Year: 9999, Month: 12, Day: 31},
			RowLimit: math.MaxInt32,
		})
		return convert(rows, func(r dbsqlc.BookingListRow) Booking { return Booking(r) }), err
	})
	query(&t.batch, "find later changes of the bookings", &st.Overtaken, func(q *dbsqlc.Queries) (bool, error) {
		return q.CustomerBookingsOvertaken(t.ctx, tenant, customer)
	})
	query(&t.batch, "list the customer's wallets", &st.Wallets, func(q *dbsqlc.Queries) ([]uuid.UUID, error) {
		return q.CustomerWalletIDs(t.ctx, tenant, customer)
	})
	query(&t.batch, "list who was merged into the customer", &st.Merged, func(q *dbsqlc.Queries) ([]uuid.UUID, error) {
		return q.CustomersMergedInto(t.ctx, tenant, customer)
	})
	query(&t.batch, "list the customer's former bookings", &st.FormerBookings, func(q *dbsqlc.Queries) ([]uuid.UUID, error) {
		return q.FormerBookings(t.ctx, tenant, customer)
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
			return q.EraseBookings(t.ctx, dbsqlc.EraseBookingsParams{TenantID: tx.tenant, BookingIds: e.Changed, Now: t.now})
		}},
		{"erase contacts", func(q *dbsqlc.Queries) error { return q.EraseContacts(t.ctx, tx.tenant, e.Bookings) }},
		{"erase who paid", func(q *dbsqlc.Queries) error {
			return q.ErasePayers(t.ctx, dbsqlc.ErasePayersParams{
				TenantID: tx.tenant, BookingIds: slices.Concat(e.Bookings, e.Former), CustomerIds: e.Customers,
			})
		}},
		{"erase payments", func(q *dbsqlc.Queries) error {
			return q.ErasePayments(t.ctx, tx.tenant, slices.Concat(e.Bookings, e.Former))
		}},
		{"erase wallets", func(q *dbsqlc.Queries) error { return q.EraseWalletEntries(t.ctx, tx.tenant, e.Wallets) }},
		{"end events", func(q *dbsqlc.Queries) error {
			return q.EraseEvents(t.ctx, dbsqlc.EraseEventsParams{TenantID: tx.tenant, SubjectIds: subjects, Kinds: e.Ended, Reason: e.Reason, Now: t.now})
		}},
		{"erase the changes", func(q *dbsqlc.Queries) error {
			return q.EraseChanges(t.ctx, dbsqlc.EraseChangesParams{TenantID: tx.tenant, SubjectIds: subjects, FormerIds: e.Former,
				CustomerIds: e.Customers})
		}},
		{"take back deliveries", func(q *dbsqlc.Queries) error {
			return q.EraseDeliveries(t.ctx, dbsqlc.EraseDeliveriesParams{TenantID: tx.tenant, SubjectIds: slices.Concat(subjects, e.Former), Kind: e.Delivery, Now: t.now})
		}},
		{"erase attempts", func(q *dbsqlc.Queries) error {
			return q.EraseAttempts(t.ctx, dbsqlc.EraseAttemptsParams{
				TenantID: tx.tenant, SubjectIds: subjects, FormerIds: e.Former, CustomerIds: e.Customers, Kind: e.Delivery,
			})
		}},
		{"erase responses", func(q *dbsqlc.Queries) error {
			return q.EraseResponses(t.ctx, dbsqlc.EraseResponsesParams{
				TenantID: tx.tenant, SubjectIds: subjects, FormerIds: e.Former, CustomerIds: e.Customers, BookingIds: e.Bookings,
				Status: int32(e.Status), Body: e.Body,
			})
		}},
	} {
		exec(&t.batch, s.name, s.run)
	}
	tx.woken = append(tx.woken, e.Delivery)
}
