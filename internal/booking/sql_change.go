package booking

import (
	"encoding/json"
	"time"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"

	"holdfast/internal/booking/internal/datessql"
	"holdfast/internal/booking/internal/rowsql"
	"holdfast/internal/claim"
	"holdfast/internal/claim/occupancy"
	"holdfast/internal/customer"
	"holdfast/internal/db"
	"holdfast/internal/event"
)

// movedRow is where a booking goes and what it costs there.
type movedRow struct {
	BookingID uuid.UUID
	// Version is the version that was read, without the money's changes.
	Version int64
	// Events is how many events tell of the change: each has a version of its own.
	Events int64
	// FreedFrom and FreedUntil bound what the booking occupied, FreedIn is its time zone.
	FreedFrom, FreedUntil time.Time
	FreedIn               *time.Location

	ServiceID, ResourceID uuid.UUID
	// Date is the civil date of StartsAt in Location.
	Date                civil.Date
	StartsAt, EndsAt    time.Time
	BusyFrom, BusyUntil time.Time
	Location            *time.Location
	PartySize           int32
	// Nights is how many nights the booking is for; 0 unless it is a stay.
	Nights int32
	// Takes is what the booking takes, nil for a booking that keeps its claims. It then keeps its resource, its time
	// and its session too.
	Takes *takenClaims
	// SessionID is the session that the booking is in, nil for none.
	SessionID  *uuid.UUID
	FurtherIDs []uuid.UUID // see newRow
	// Price and Deposit are minor units of the booking's currency.
	Price, Deposit int64
	// Items is a JSON array, Terms a JSON object.
	Items, Terms json.RawMessage
}

// move queues a booking's new time and units, and raises the version by b.Events. The old time is freed and the new one
// taken. It returns an error, which is a defect of the caller, when the old or the new time touches a date whose lock
// isn't held.
func (tx *datesTx) move(b movedRow) error {
	if err := tx.Require("free a booking's time", b.FreedFrom, b.FreedUntil, b.FreedIn); err != nil {
		return err
	}
	if err := tx.Require("move a booking", b.BusyFrom, b.BusyUntil, b.Location); err != nil {
		return err
	}
	db.Exec(underDates.On(tx.DatesTx), "move the booking", func(q *datessql.Queries) error {
		return q.BookingMove(tx.Context(), datessql.BookingMoveParams{
			TenantID:         tx.Tenant(),
			BookingID:        b.BookingID,
			Version:          b.Version,
			Events:           b.Events,
			ServiceID:        b.ServiceID,
			ResourceID:       b.ResourceID,
			Date:             b.Date,
			LastDate:         lastDate(b.EndsAt, b.Location),
			StartsAt:         b.StartsAt,
			EndsAt:           b.EndsAt,
			TimeZone:         b.Location.String(),
			PartySize:        b.PartySize,
			BusyFrom:         b.BusyFrom,
			BusyUntil:        b.BusyUntil,
			SessionID:        b.SessionID,
			OtherResourceIds: b.FurtherIDs,
			Nights:           b.Nights,
			Price:            b.Price,
			Deposit:          b.Deposit,
			Items:            orJSON(b.Items, "[]"),
			Terms:            orJSON(b.Terms, "{}"),
			Now:              tx.Now(),
		})
	}, otherCame) // the service lost the resource
	if b.Takes != nil {
		tx.replaceClaims(*b.Takes)
	}
	return nil
}

// takenClaims are what a booking takes in place of what it had: Claims are seats of Session, unless that is nil. They
// have neither owner nor end. ExpiresAt is when a hold ends; nil for a booking that doesn't end by itself.
type takenClaims struct {
	BookingID uuid.UUID
	Claims    []claim.Claim
	Session   *claim.Session
	ExpiresAt *time.Time
}

// updatedRow is what a booking has that doesn't move it.
type updatedRow struct {
	BookingID uuid.UUID
	// Version is the version that was read, or that move gave in the same transaction, without the money's changes.
	Version int64
	// Events is how many events tell of the change: each has a version of its own.
	Events int64
	// Status is that of a booking that occupies its time, or the one that it has.
	Status string
	// HoldExpiresAt is when a hold ends by itself; nil for a booking that was never held.
	HoldExpiresAt *time.Time
	// CustomerID is nil for a hold whose customer is not known yet.
	CustomerID *uuid.UUID
	// Contact is a JSON object that says who the booking is for; nil without a customer.
	Contact json.RawMessage
	// LinkRevision is that of the links that lead the customer to the booking.
	LinkRevision int32
	// PreviousCustomerID is the customer that the booking had, nil if it had none.
	PreviousCustomerID *uuid.UUID
	// Details is a JSON object. UniqueReferences says that no other booking of the tenant may have those references in
	// it that change.
	Details          json.RawMessage
	UniqueReferences bool
}

// update queues what a booking has that doesn't move it, and raises the version by b.Events. It is written after the
// customers that the transaction writes: a customer whose email another request took meanwhile isn't written, and the
// transaction runs again. The booking's dates must be locked.
func (tx *datesTx) update(b updatedRow) {
	tx.afterCustomers(func() {
		if b.CustomerID != nil && (b.PreviousCustomerID == nil || *b.PreviousCustomerID != *b.CustomerID) {
			customer.Keep(tx, erased, *b.CustomerID)
		}
		db.Exec(underDates.On(tx.DatesTx), "update the booking", func(q *datessql.Queries) error {
			return q.BookingUpdate(tx.Context(), datessql.BookingUpdateParams{
				TenantID:         tx.Tenant(),
				BookingID:        b.BookingID,
				Version:          b.Version,
				Events:           b.Events,
				Status:           b.Status,
				HoldExpiresAt:    b.HoldExpiresAt,
				CustomerID:       b.CustomerID,
				Contact:          b.Contact,
				LinkRevision:     b.LinkRevision,
				Details:          b.Details,
				UniqueReferences: b.UniqueReferences,
				Now:              tx.Now(),
			})
		}, nameTaken, otherCame)
		queuePayer(tx, b.BookingID, b.PreviousCustomerID, b.CustomerID)
	})
}

// queuePayer queues that what was paid of a booking before its customer was known was paid by its first customer.
func queuePayer(tx db.Transaction, booking uuid.UUID, former, customer *uuid.UUID) {
	if former != nil || customer == nil {
		return
	}
	db.Exec(unlocked.On(tx), "set who paid", func(q *rowsql.Queries) error {
		return q.PaymentSetPayer(tx.Context(), tx.Tenant(), booking)
	})
}

// leaveCustomer queues that a booking has another customer from a version on, so that the former one can be erased.
// Nothing is queued for a booking that had no customer, or keeps it.
func (tx *datesTx) leaveCustomer(booking uuid.UUID, former *uuid.UUID, now uuid.UUID, version int64) {
	if former == nil || *former == now {
		return
	}
	db.Exec(underDates.On(tx.DatesTx), "note the former customer", func(q *datessql.Queries) error {
		return q.FormerCustomerAdd(tx.Context(), datessql.FormerCustomerAddParams{
			TenantID: tx.Tenant(), CustomerID: *former, BookingID: booking, Version: version,
		})
	})
}

// replaceClaims queues what a booking takes, in place of what it takes now, if anything. The booking's dates must be
// locked.
func (tx *datesTx) replaceClaims(b takenClaims) {
	occupancy.Free(tx.DatesTx, b.BookingID)
	if b.Session != nil {
		queueSession(tx.DatesTx, b.Session, b.ExpiresAt)
	}
	occupancy.Take(tx.DatesTx, ownedBy(b.BookingID, b.ExpiresAt, b.Claims), idOf(b.Session), 1)
}

// queueStatus queues a change of status and raises the version. version is the booking's as it was read, without the
// changes of its money.
func queueStatus(tx *db.DatesTx, booking uuid.UUID, version int64, status Status) {
	db.Exec(underDates.On(tx), "set the booking's status", func(q *datessql.Queries) error {
		return q.BookingSetStatus(tx.Context(), datessql.BookingSetStatusParams{
			TenantID: tx.Tenant(), BookingID: booking, Version: version, Status: string(status), Now: tx.Now(),
		})
	})
}

// endedRow is a booking that is cancelled or whose customer didn't come.
type endedRow struct {
	BookingID uuid.UUID
	// Version is the version that was read, without the money's changes.
	Version int64
	Status  Status
	// Fee is what is kept, or due, of the price in minor units. FeeSet says that the request said it.
	Fee    int64
	FeeSet bool
	// Reason is nil without one.
	Reason *string
}

// queueEnd is queueStatus for a booking that is cancelled or whose customer didn't come.
func queueEnd(tx *db.DatesTx, b endedRow) {
	db.Exec(underDates.On(tx), "end the booking", func(q *datessql.Queries) error {
		return q.BookingEnd(tx.Context(), datessql.BookingEndParams{
			TenantID:           tx.Tenant(),
			BookingID:          b.BookingID,
			Version:            b.Version,
			Status:             string(b.Status),
			CancellationFee:    b.Fee,
			CancellationFeeSet: b.FeeSet,
			CancellationReason: b.Reason,
			Now:                tx.Now(),
		})
	})
}

// queueEndOfPayments queues that a worker cancels the open payments of a booking and, with refund, refunds what was
// paid beyond its cancellation fee. It is for a booking that the same transaction ends. With onlyIfPaid nothing is
// queued for a booking whose payments were all declined.
func queueEndOfPayments(tx *db.DatesTx, booking uuid.UUID, refund, onlyIfPaid bool) {
	tx.Wake(event.KindEndedBooking)
	db.Exec(underDates.On(tx), "insert the ended booking", func(q *datessql.Queries) error {
		return q.EndedBookingInsert(tx.Context(), datessql.EndedBookingInsertParams{
			TenantID: tx.Tenant(), BookingID: booking, Refund: refund, OnlyIfPaid: onlyIfPaid,
		})
	})
	db.Exec(underDates.On(tx), "plan the end of its payments", func(q *datessql.Queries) error {
		return q.EndedBookingPlan(tx.Context(), datessql.EndedBookingPlanParams{
			TenantID: tx.Tenant(), BookingID: booking, EventID: uuid.Must(uuid.NewV7()), Kind: event.KindEndedBooking,
		})
	})
}
