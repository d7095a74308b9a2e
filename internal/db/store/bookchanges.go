package store

import (
	"encoding/json"
	"time"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"

	"holdfast/internal/claim"
	"holdfast/internal/db"
	"holdfast/internal/db/internal/dbsqlc"
)

// MovedBooking is where a booking goes and what it costs there.
type MovedBooking struct {
	BookingID uuid.UUID
	// Version is the version that was read, without the money's changes.
	Version int64
	// Events is how many events tell of the change: each has a version of its own.
	Events int64
	// FreedFrom and FreedUntil bound what the booking occupied, FreedIn is its time zone: the store checks that these dates are locked.
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
	// Takes is what the booking takes, nil for a booking that keeps its claims. It then keeps its resource, its time and its session too.
	Takes *BookingClaims
	// SessionID is the session that the booking is in, nil for none.
	SessionID  *uuid.UUID
	FurtherIDs []uuid.UUID // see NewBooking
	// Price and Deposit are minor units of the booking's currency.
	Price, Deposit int64
	// Items is a JSON array, Terms a JSON object.
	Items, Terms json.RawMessage
}

// MoveBooking queues a booking's new time and units, and raises the version by b.Events. The old time is freed and
// the new one taken. It returns an error, which is a defect of the caller, when the old or the new time touches a date whose lock
// isn't held.
func (tx *DatesTx) MoveBooking(b MovedBooking) error {
	if err := tx.Require("free a booking's time", b.FreedFrom, b.FreedUntil, b.FreedIn); err != nil {
		return err
	}
	if err := tx.Require("move a booking", b.BusyFrom, b.BusyUntil, b.Location); err != nil {
		return err
	}
	db.Exec(unlocked.On(tx), "move the booking", func(q *dbsqlc.Queries) error {
		return q.BookingMove(tx.Context(), dbsqlc.BookingMoveParams{
			TenantID: tx.Tenant(), BookingID: b.BookingID, Version: b.Version, Events: b.Events, ServiceID: b.ServiceID,
			ResourceID: b.ResourceID,
			Date:       b.Date, LastDate: lastDate(b.EndsAt, b.Location), StartsAt: b.StartsAt, EndsAt: b.EndsAt,
			TimeZone:  b.Location.String(),
			PartySize: b.PartySize, BusyFrom: b.BusyFrom, BusyUntil: b.BusyUntil, SessionID: b.SessionID,
			OtherResourceIds: b.FurtherIDs, Nights: b.Nights, Price: b.Price,
			Deposit: b.Deposit,
			Items:   orJSON(b.Items, "[]"),
			Terms:   orJSON(b.Terms, "{}"), Now: tx.Now(),
		})
	}, otherCame) // the service lost the resource
	if b.Takes != nil {
		replaceClaims(tx, *b.Takes)
	}
	return nil
}

// BookingClaims are what a booking takes in place of what it had: Claims are seats of Session, unless that is nil. They have neither owner
// nor end. ExpiresAt is when a hold ends; nil for a booking that doesn't end by itself.
type BookingClaims struct {
	BookingID uuid.UUID
	Claims    []claim.Claim
	Session   *claim.Session
	ExpiresAt *time.Time
}

// UpdatedBooking is what a booking has that doesn't move it.
type UpdatedBooking struct {
	BookingID uuid.UUID
	// Version is the version that was read, or that MoveBooking gave in the same transaction, without the money's changes.
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
	// Former is the customer that the booking had, nil if it had none.
	Former *uuid.UUID
	// Details is a JSON object. UniqueReferences says that no other booking of the tenant may have those references in
	// it that change.
	Details          json.RawMessage
	UniqueReferences bool
}

// UpdateBooking queues what a booking has that doesn't move it, and raises the version by b.Events. It is written after the customers
// that the transaction writes: a customer whose email another request took meanwhile isn't written, and the transaction runs again. The
// booking's dates must be locked.
func (tx *DatesTx) UpdateBooking(b UpdatedBooking) {
	tx.afterCustomers(func() {
		keepOther(tx, b.Former, b.CustomerID)
		db.Exec(unlocked.On(tx), "update the booking", func(q *dbsqlc.Queries) error {
			return q.BookingUpdate(tx.Context(), dbsqlc.BookingUpdateParams{
				TenantID: tx.Tenant(), BookingID: b.BookingID, Version: b.Version, Events: b.Events, Status: b.Status,
				HoldExpiresAt: b.HoldExpiresAt, CustomerID: b.CustomerID, Contact: b.Contact, LinkRevision: b.LinkRevision,
				Details: b.Details, UniqueReferences: b.UniqueReferences, Now: tx.Now(),
			})
		}, nameTaken, otherCame)
		queuePayer(tx, b.BookingID, b.Former, b.CustomerID)
	})
}

// queuePayer queues that what was paid of a booking before its customer was known was paid by its first customer.
func queuePayer(tx db.Transaction, booking uuid.UUID, former, customer *uuid.UUID) {
	if former != nil || customer == nil {
		return
	}
	db.Exec(unlocked.On(tx), "set who paid", func(q *dbsqlc.Queries) error {
		return q.PaymentSetPayer(tx.Context(), tx.Tenant(), booking)
	})
}

// LeaveCustomer queues that a booking has another customer from a version on, so that the former one can be erased. Nothing is queued for a
// booking that had no customer, or keeps it.
func (tx *DatesTx) LeaveCustomer(booking uuid.UUID, former *uuid.UUID, now uuid.UUID, version int64) {
	if former == nil || *former == now {
		return
	}
	db.Exec(unlocked.On(tx), "note the former customer", func(q *dbsqlc.Queries) error {
		return q.FormerCustomerAdd(tx.Context(), dbsqlc.FormerCustomerAddParams{
			TenantID: tx.Tenant(), CustomerID: *former, BookingID: booking, Version: version,
		})
	})
}

// ExtendClaim queues that the claims of a hold, which the same transaction extends, ends at another time. The booking's dates must be
// locked.
func (tx *DatesTx) ExtendClaim(id uuid.UUID, until time.Time) {
	db.Exec(unlocked.On(tx), "extend the claim", func(q *dbsqlc.Queries) error {
		return q.ClaimExtend(tx.Context(), dbsqlc.ClaimExtendParams{TenantID: tx.Tenant(), OwnerID: id, ExpiresAt: until})
	})
}

// KeepClaim queues that the claims of a hold, which the same transaction confirms, don't end by themselves any more. The booking's dates
// must be locked.
func (tx *DatesTx) KeepClaim(id uuid.UUID) { keepClaim(tx, id) }

// ReplaceClaims queues what a booking takes at the time that it has, in place of what it takes now, if anything. The booking's dates must
// be locked.
func (tx *DatesTx) ReplaceClaims(b BookingClaims) { replaceClaims(tx, b) }

// KeepPayments queues that the payments of a booking that ended, and takes place after all, need no more work: what was paid isn't
// refunded. A refund that was begun stays.
func (tx *DatesTx) KeepPayments(id uuid.UUID) {
	db.Exec(unlocked.On(tx), "keep the payments", func(q *dbsqlc.Queries) error {
		return q.EndedBookingDelete(tx.Context(), tx.Tenant(), id)
	})
}
