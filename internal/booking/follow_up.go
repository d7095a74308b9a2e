package booking

import (
	"fmt"
	"time"

	"holdfast/internal/event"
	"holdfast/internal/store"
)

// maxFollowUpDelay is how late a follow-up still makes sense.
const maxFollowUpDelay = 7 * 24 * time.Hour

// FollowUp returns the kind of event that follows up a booking after its end.
func (s *Service) FollowUp() event.Kind { return s.messageKind(event.KindBookingFollowUp, s.tell) }

func planFollowUp(b Booking, after int) store.NewEvent {
	return event.New(event.KindBookingFollowUp, b.subject(), followUpOccurrence(b, after), b.EndsAt.Add(minutes(after)), b.Location)
}

func followUpOccurrence(b Booking, after int) string {
	return fmt.Sprintf("%dm/%s", after, b.EndsAt.UTC().Format(time.RFC3339))
}

func followUpIsWanted(e event.Event, d MessageData) string {
	if d.Settings.FollowUpMinutes > 0 && followUpOccurrence(d.Booking, d.Settings.FollowUpMinutes) == e.Occurrence {
		return ""
	}
	return "The settings no longer ask for this follow-up, or the booking has moved."
}

func followUpIsInTime(e event.Event, d MessageData) string {
	if e.ClaimedAt.After(d.EndsAt.Add(minutes(d.Settings.FollowUpMinutes) + maxFollowUpDelay)) {
		return "It is too late for a follow-up."
	}
	return ""
}
