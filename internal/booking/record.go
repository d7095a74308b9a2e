package booking

import (
	"encoding/json"
	"time"

	"github.com/google/uuid"

	"holdfast/internal/db"
	"holdfast/internal/event"
)

// Types of the changes of bookings.
const (
	CreatedEvent     = "booking.created"
	HeldEvent        = "booking.held"
	ConfirmedEvent   = "booking.confirmed"
	RescheduledEvent = "booking.rescheduled"
	UpdatedEvent     = "booking.updated"
	CancelledEvent   = "booking.cancelled"
	// overpaidEvent follows the change that made the booking overpaid, or more so, in the same commit and with the next
	// version.
	overpaidEvent = "booking.overpaid"
)

// transitionEvents are the types of changes by the transition that they record. Nothing writes to it.
var transitionEvents = map[Transition]string{
	Confirm: ConfirmedEvent, Cancel: CancelledEvent, Release: CancelledEvent, Complete: "booking.completed",
	MarkNoShow: "booking.no_show",
}

// Record returns the record of a change, or a notice. body is the booking after it, as the API shows it.
func (b Booking) Record(changeType string, body json.RawMessage) db.Change {
	return db.Change{
		ID: uuid.Must(uuid.NewV7()), Type: changeType, SubjectType: event.SubjectBooking, SubjectID: b.ID,
		Version: b.Version, Data: body,
	}
}

// become changes the status at a time.
func (b *Booking) become(status Status, now time.Time) {
	b.Status, b.Version, b.UpdatedAt = status, b.Version+1, now
	b.reached(status, now)
	b.updateDue(now)
}

// BodyOf returns the version of a booking, and the booking as the API shows it.
func BodyOf(row *Row) (version int64, body BookingBody, err error) {
	b, err := FromRow(row)
	if err != nil {
		return 0, body, err
	}
	return b.Version, b.Body(), nil
}
