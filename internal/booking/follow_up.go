package booking

import (
	"fmt"
	"time"

	"holdfast/internal/event"
	"holdfast/internal/store"
)

// maxFollowUpDelay is how late a follow-up still makes sense.
const maxFollowUpDelay = 7 * 24 * time.Hour

// FollowUp returns the kind of event that follows up a booking after its end. One that is replayed before it is due waits.
func (s *Service) FollowUp() event.Kind {
	return s.messageKind(event.KindBookingFollowUp, func(e event.Event, d MessageData) (event.Result, error) {
		if due := d.followUpDue(); e.ClaimedAt.Before(due) {
			return event.Again(due), nil
		}
		return s.notify(e, d)
	})
}

func (d MessageData) followUpDue() time.Time {
	return d.EndsAt.Add(minutes(d.Settings.FollowUpMinutes))
}

func planFollowUp(b Booking, afterMinutes int) store.NewEvent {
	return event.New(event.KindBookingFollowUp, b.subject(), followUpOccurrence(b, afterMinutes), b.EndsAt.Add(minutes(afterMinutes)), b.Location)
}

func followUpOccurrence(b Booking, afterMinutes int) string {
	return fmt.Sprintf("%dm/%s", afterMinutes, b.EndsAt.UTC().Format(time.RFC3339))
}

func followUpIsWanted(e event.Event, d MessageData) string {
	if d.Settings.FollowUpMinutes > 0 && followUpOccurrence(d.Booking, d.Settings.FollowUpMinutes) == e.Occurrence {
		return ""
	}
	return "The settings no longer ask for this follow-up, or the booking has moved."
}

func followUpIsInTime(e event.Event, d MessageData) string {
	if e.ClaimedAt.After(d.followUpDue().Add(maxFollowUpDelay)) {
		return "It is too late for a follow-up."
	}
	return ""
}
