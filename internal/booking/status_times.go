package booking

import "time"

// StatusTimes are when a booking got its statuses, by the database's clock. A time is nil if the booking never got the status, or got it
// from a server of 0.1.0, which didn't record it. ConfirmedAt is also nil for a booking that was never held: it was confirmed when it was
// made.
type StatusTimes struct {
	ConfirmedAt *time.Time `json:"confirmed_at,omitempty" doc:"When it was confirmed; of a booking that was never a hold, when it was made. Like the other times of statuses it is absent if that hasn't happened, or happened before the server recorded it."`
	CancelledAt *time.Time `json:"cancelled_at,omitempty"`
	CompletedAt *time.Time `json:"completed_at,omitempty"`
	NoShowAt    *time.Time `json:"no_show_at,omitempty"`
	ExpiredAt   *time.Time `json:"expired_at,omitempty" doc:"When the hold was marked as expired. It stays if the booking was confirmed afterwards."`
}

// reached notes that the booking got a status at now.
func (s *StatusTimes) reached(status Status, now time.Time) {
	switch status {
	case Confirmed:
		s.ConfirmedAt = &now
	case Cancelled:
		s.CancelledAt = &now
	case Completed:
		s.CompletedAt = &now
	case NoShow:
		s.NoShowAt = &now
	case Expired:
		s.ExpiredAt = &now
	case Held:
	}
}

// inZone returns the times with the offsets of loc.
func (s StatusTimes) inZone(loc *time.Location) StatusTimes {
	for _, at := range []**time.Time{&s.ConfirmedAt, &s.CancelledAt, &s.CompletedAt, &s.NoShowAt, &s.ExpiredAt} {
		if *at != nil {
			local := (*at).In(loc)
			*at = &local
		}
	}
	return s
}
