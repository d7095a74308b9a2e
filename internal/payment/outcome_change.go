package payment

import (
	"encoding/json"
	"fmt"

	"github.com/google/uuid"

	"holdfast/internal/booking"
	"holdfast/internal/event"
	"holdfast/internal/store"
)

// Types of the changes of bookings that are outcomes of payments and refunds.
const (
	succeededEvent = "payment.succeeded"
	declinedEvent  = "payment.declined"
	refundedEvent  = "payment.refunded"
)

// BookingWithPaymentBody is what a change records of an outcome: the booking after it, and the payment or refund.
type BookingWithPaymentBody struct {
	booking.BookingBody
	Payment PaymentBody `json:"payment"`
}

// recordOutcome queues the change of a booking of which a payment or refund got its outcome. The
// outcome is a change of the booking: it has the booking's next version. A success raises the version by itself, because the version counts
// what succeeded. was is the payment before, the zero Payment if the transaction makes it; returning is what the transaction begins to
// refund of it. st.Changing becomes the booking after the outcome.
func recordOutcome(tx *store.BalanceTx, st store.BalanceState, was, p Payment, returning int64) error {
	row := st.Changing
	addMoney(row, was, -1)
	addMoney(row, p, 1)
	row.Returning += returning
	eventType := declinedEvent
	switch {
	case p.Status == StatusDeclined:
		row.Version++
		tx.RaiseVersion()
	case p.RefundOf != nil:
		eventType = refundedEvent
		row.Movements++
	default:
		eventType = succeededEvent
		row.Movements++
	}
	version, body, err := booking.BodyOf(row)
	if err != nil {
		return err
	}
	data, err := json.Marshal(BookingWithPaymentBody{BookingBody: body, Payment: p.Body()})
	if err != nil {
		return fmt.Errorf("encode the change of a payment: %w", err)
	}
	tx.AddChange(store.Change{
		ID: uuid.Must(uuid.NewV7()), Type: eventType, SubjectType: event.SubjectBooking, SubjectID: p.BookingID, Version: version,
		Data: data,
	})
	return nil
}

// addMoney adds to a booking's money, times a sign, what a payment or refund counts there. BalanceSum adds up the same.
func addMoney(row *store.Booking, p Payment, sign int64) {
	switch {
	case p.Status == StatusDeclined, p.RefundOf == nil && p.Status != StatusSucceeded:
	case p.RefundOf == nil:
		row.Paid += sign * p.Amount
	case p.Status == StatusSucceeded:
		row.Refunded += sign * p.Amount
		row.Lowered += sign * p.LowersOwed
	default:
		row.Returning += sign * p.Amount
		row.Lowered += sign * p.LowersOwed
	}
}
