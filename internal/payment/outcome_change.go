package payment

import (
	"encoding/json"
	"fmt"

	"github.com/google/uuid"

	"holdfast/internal/booking"
	"holdfast/internal/db"
	"holdfast/internal/event"
)

// Types of the changes of bookings by their payments and refunds.
const (
	refundStartedEvent = "payment.refund_started"

	succeededEvent = "payment.succeeded"
	declinedEvent  = "payment.declined"
	refundedEvent  = "payment.refunded"
)

// BookingWithPaymentBody is what a change records of a payment or refund: the booking after it, and the payment or
// refund.
type BookingWithPaymentBody struct {
	booking.BookingBody
	Payment PaymentBody `json:"payment"`
}

// recordMoney queues the change of a booking of which a payment or refund got its outcome, or a refund began: what the
// booking shows as due and overpaid counts it from then on. It has the booking's next version. A success raises the
// version by itself, because the version counts what succeeded. was is the payment before, the zero Payment if the
// transaction makes it; returning is what the transaction begins to refund of it, of which no other change tells.
// st.Changing becomes the booking after the change.
func recordMoney(tx *db.BalanceTx, st balanceState, was, p Payment, returning int64) error {
	row := st.Changing
	addMoney(row, was, -1)
	addMoney(row, p, 1)
	row.Returning += returning
	eventType := succeededEvent
	switch {
	case p.Status == StatusDeclined:
		eventType = declinedEvent
	case p.Open():
		eventType = refundStartedEvent
	case p.RefundOf != nil:
		eventType = refundedEvent
	}
	if p.Status == StatusSucceeded {
		row.Movements++
	} else {
		row.Version++
		raiseVersion(tx)
	}
	version, body, err := booking.BodyOf(row)
	if err != nil {
		return err
	}
	data, err := json.Marshal(BookingWithPaymentBody{BookingBody: body, Payment: p.Body()})
	if err != nil {
		return fmt.Errorf("encode the change of a payment: %w", err)
	}
	tx.AddChange(db.Change{
		ID: uuid.Must(uuid.NewV7()), Type: eventType, SubjectType: event.SubjectBooking, SubjectID: p.BookingID,
		Version: version,
		Data:    data,
	})
	return nil
}

// addMoney adds to a booking's money, times a sign, what a payment or refund counts there. BalanceSum adds up the same.
func addMoney(row *booking.Row, p Payment, sign int64) {
	switch {
	case p.Status == StatusDeclined, p.RefundOf == nil && p.Status != StatusSucceeded:
	case p.RefundOf == nil:
		row.Paid += sign * p.Amount
	default:
		if p.Status == StatusSucceeded {
			row.Refunded += sign * p.Amount
		} else {
			row.Returning += sign * p.Amount
		}
		row.Lowered += sign * p.LowersOwed
		if p.LowersFee {
			row.LoweredFee += sign * p.LowersOwed
		}
	}
}
