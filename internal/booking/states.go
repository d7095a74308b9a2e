package booking

import (
	"time"

	"holdfast/internal/problem"
)

// Status is where a booking is in its life: held → confirmed → completed; from held also expired, from held or
// confirmed cancelled, from confirmed no_show.
type Status string

// The statuses.
const (
	Held      Status = "held"
	Confirmed Status = "confirmed"
	Completed Status = "completed"
	Cancelled Status = "cancelled"
	Expired   Status = "expired"
	NoShow    Status = "no_show"
)

// Change is something that happens to a booking.
type Change string

// The changes.
const (
	Confirm    Change = "confirm"
	Cancel     Change = "cancel"
	Complete   Change = "complete"
	MarkNoShow Change = "no-show"
)

// after returns the status of a booking after a change at now. Errors: problem.HoldExpired for a hold whose
// time is over; problem.InvalidState for a change that the status, or the time, doesn't allow.
func (c Change) after(b Booking, now time.Time) (Status, error) {
	switch {
	case b.Status == Expired, b.Status == Held && !now.Before(*b.HoldExpiresAt):
		return "", problem.New(problem.HoldExpired, "The hold has expired.")
	case c == Confirm && b.Status == Held:
		return Confirmed, nil
	case c == Cancel && (b.Status == Held || b.Status == Confirmed):
		return Cancelled, nil
	case (c == Complete || c == MarkNoShow) && b.Status == Confirmed:
		if now.Before(b.StartsAt) {
			return "", problem.New(problem.InvalidState, "The booking has not begun.")
		}
		if c == Complete {
			return Completed, nil
		}
		return NoShow, nil
	}
	return "", problem.New(problem.InvalidState, "The booking is "+string(b.Status)+", which does not allow this.")
}
