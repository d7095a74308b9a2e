package store

import (
	"encoding/json"

	"github.com/google/uuid"

	"holdfast/internal/store/internal/core"
	"holdfast/internal/store/internal/dbsqlc"
)

// ConfirmedBooking is what becomes of a hold that is confirmed.
type ConfirmedBooking struct {
	BookingID uuid.UUID
	// Version is the booking's as it was read, without the changes of its money.
	Version    int64
	CustomerID uuid.UUID
	// Contact is a JSON object that says who the booking is for.
	Contact json.RawMessage
	// Former is the customer that the hold had, nil if it had none: who paid is known now.
	Former *uuid.UUID
	// Claim is what the booking takes, nil if it keeps the claim that the hold has. Session is that of the claim.
	Claim   *Claim
	Session *Session
}

// ConfirmBooking queues that a hold is confirmed, and raises its version. The booking's dates must be locked. The customer may be one that
// the same transaction writes: a customer whose email another request took meanwhile isn't written, and the transaction runs again.
func (tx *DatesTx) ConfirmBooking(c ConfirmedBooking) {
	tx.afterCustomers(func() { queueConfirmed(tx.t, c) })
}

func queueConfirmed(t *core.Tx, c ConfirmedBooking) {
	keepOther(t, c.Former, &c.CustomerID)
	core.Exec(t, "confirm the booking", func(q *dbsqlc.Queries) error {
		return q.BookingConfirm(t.Ctx, dbsqlc.BookingConfirmParams{
			TenantID: t.Tenant, BookingID: c.BookingID, Version: c.Version, CustomerID: c.CustomerID, Contact: c.Contact, Now: t.Now,
		})
	}, otherCame)
	if c.Claim == nil {
		keepClaim(t, c.BookingID)
	} else {
		replaceClaim(t, *c.Claim, c.Session)
	}
	queuePayer(t, c.BookingID, c.Former, &c.CustomerID)
}

// KeepPayments queues that the payments of a booking that ended, and takes place after all, need no more work: what was paid isn't
// refunded. A refund that was begun stays.
func (tx *DatesTx) KeepPayments(id uuid.UUID) {
	core.Exec(tx.t, "keep the payments", func(q *dbsqlc.Queries) error { return q.EndedBookingDelete(tx.t.Ctx, tx.t.Tenant, id) })
}
