package booking

import (
	"encoding/json"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/event"
	"holdfast/internal/history"
	"holdfast/internal/store"
)

// Types of the outbox's events that tell what became of a booking.
const (
	createdEvent     = "booking.created"
	heldEvent        = "booking.held"
	rescheduledEvent = "booking.rescheduled"
	updatedEvent     = "booking.updated"
	// overpaidEvent follows the event of the change that made the booking overpaid, or more so, in the same commit and with the next version.
	overpaidEvent = "booking.overpaid"
)

// changedEvents are the types of the events that tell of changes. Nothing writes to it.
var changedEvents = map[Change]string{
	Confirm: "booking.confirmed", Cancel: "booking.cancelled", Complete: "booking.completed", MarkNoShow: "booking.no_show",
}

// outboxEvent returns the event that tells of a change. body is the booking after it, as the API shows it.
func (b Booking) outboxEvent(eventType string, body json.RawMessage) store.OutboxEvent {
	return store.OutboxEvent{
		EventID: uuid.Must(uuid.NewV7()), Type: eventType, SubjectType: event.SubjectBooking, SubjectID: b.ID, Sequence: b.Version, Data: body,
	}
}

// teller is a transaction that tells of changes: BookTx, or HoldTx.
type teller interface {
	AddToOutbox(store.OutboxEvent)
	AddToHistory(store.HistoryEntry)
}

// tell queues the event of the outbox and the entry of the history that tell of a change. before is nil for a booking that was made; body
// is the booking after the change, as the API shows it.
func (b Booking) tell(tx teller, eventType string, before *Booking, body json.RawMessage) error {
	entry, err := b.entry(eventType, before)
	if err != nil {
		return err
	}
	tx.AddToOutbox(b.outboxEvent(eventType, body))
	tx.AddToHistory(entry)
	return nil
}

// historyBody is a booking in its history. It names the customer by id only, so that no personal data is kept there.
type historyBody struct {
	BookingBody
	Customer   *struct{}  `json:"customer,omitempty"`
	CustomerID *uuid.UUID `json:"customer_id,omitempty"`
}

// entry returns the entry of the history that tells of a change; before is nil for a booking that was made.
func (b Booking) entry(action string, before *Booking) (store.HistoryEntry, error) {
	var old any
	if before != nil {
		old = historyBody{BookingBody: before.Body(), CustomerID: before.customerID()}
	}
	return history.Entry(action, event.SubjectBooking, b.ID, b.Version, old, historyBody{BookingBody: b.Body(), CustomerID: b.customerID()})
}

// EntryOf returns the entry of the history of a booking that tells of a change from one row to another.
func EntryOf(action string, before, after *store.Booking) (store.HistoryEntry, error) {
	old, err := fromRow(before)
	if err != nil {
		return store.HistoryEntry{}, err
	}
	b, err := fromRow(after)
	if err != nil {
		return store.HistoryEntry{}, err
	}
	return b.entry(action, &old)
}

// become changes the status at a time.
func (b *Booking) become(status Status, now time.Time) {
	b.Status, b.Version, b.UpdatedAt = status, b.Version+1, now
	b.updateDue(now)
}

// BodyOf returns the version of a booking, and the booking as the API shows it.
func BodyOf(row *store.Booking) (version int64, body BookingBody, err error) {
	b, err := fromRow(row)
	if err != nil {
		return 0, body, err
	}
	return b.Version, b.Body(), nil
}
