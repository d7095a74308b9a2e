package payment

import (
	"encoding/json"
	"fmt"

	"github.com/google/uuid"

	"holdfast/internal/booking"
	"holdfast/internal/event"
	"holdfast/internal/store"
)

// Types of the outbox's events that tell the outcome of payments and refunds.
const (
	succeededEvent = "payment.succeeded"
	declinedEvent  = "payment.declined"
	refundedEvent  = "payment.refunded"
)

// bookingWithPayment is what an event tells of an outcome: the booking after it, and the payment or refund.
type bookingWithPayment struct {
	booking.BookingBody
	Payment PaymentBody `json:"payment"`
}

// tellOutcome queues the event of the outbox and the entry of the booking's history that tell that a payment or refund got its outcome. The
// outcome is a change of the booking: it has the booking's next version. A success raises the version by itself, because the version counts
// what succeeded. st.Changing becomes the booking after the outcome.
func tellOutcome(tx *store.BalanceTx, st store.BalanceState, p Payment) error {
	row, before := st.Changing, *st.Changing
	eventType := declinedEvent
	switch {
	case p.Status == StatusDeclined:
		row.Version++
		tx.RaiseVersion()
	case p.RefundOf != nil:
		eventType = refundedEvent
		row.Refunded += p.Amount
		row.Movements++
	default:
		eventType = succeededEvent
		row.Paid += p.Amount
		row.Movements++
	}
	version, body, err := booking.BodyOf(row)
	if err != nil {
		return err
	}
	data, err := json.Marshal(bookingWithPayment{BookingBody: body, Payment: p.Body()})
	if err != nil {
		return fmt.Errorf("encode an event of a payment: %w", err)
	}
	entry, err := booking.EntryOf(eventType, &before, row)
	if err != nil {
		return err
	}
	tx.AddToHistory(entry)
	tx.AddToOutbox(store.OutboxEvent{
		EventID: uuid.Must(uuid.NewV7()), Type: eventType, SubjectType: event.SubjectBooking, SubjectID: p.BookingID, Sequence: version, Data: data,
	})
	return nil
}
