package booking

import (
	"time"

	"holdfast/internal/event"
	"holdfast/internal/store"
)

// Anniversary returns the kind of event that greets a customer on the yearly return of a booking's date.
func (s *Service) Anniversary() event.Kind {
	return s.messageKind(event.KindAnniversary, func(e event.Event, d MessageData) (event.Result, error) {
		loc, err := d.known.location(d.Location)
		if err != nil {
			return event.Result{}, err
		}
		return greet(e, d.Date, loc, func() (event.Result, error) { return s.notify(e, d) })
	})
}

// planAnniversary returns the event of the first anniversary after now. loc is the customer's time zone.
func planAnniversary(b Booking, loc *time.Location, now time.Time) store.NewEvent {
	return nextGreeting(event.KindAnniversary, b.subject(), b.Date, loc, now)
}

// planNextAnniversary returns the event of the first anniversary after now that wasn't cancelled on request.
func planNextAnniversary(b Booking, now time.Time) (store.YearlyEvent, error) {
	loc, err := b.known.location(b.Location)
	if err != nil {
		return store.YearlyEvent{}, err
	}
	return store.YearlyEvent{
		Next: nextGreetings(event.KindAnniversary, b.subject(), b.Date, loc, now), Reason: "The booking's next anniversary is another one.",
	}, nil
}

func anniversaryIsWanted(_ event.Event, d MessageData) string {
	if !d.Settings.Greetings.Anniversary {
		return "The settings no longer ask for greetings on anniversaries."
	}
	return ""
}

// anniversaryIsToday is for the email, which may be sent later than the event was handled.
func anniversaryIsToday(e event.Event, d MessageData) string {
	loc, err := d.known.location(d.Location)
	if err != nil {
		loc = d.Location
	}
	if on, _, err := greetingOf(e.Occurrence, d.Date, loc); err != nil || dateOf(e.ClaimedAt, loc) != on {
		return dateIsPast
	}
	return ""
}
